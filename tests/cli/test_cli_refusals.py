"""Bad input: one line on standard error, nothing else, and exit status 2."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import amoebot
from amoebot.cli import COMMANDS
from amoebot.cli.refusing import BadInput, writing
from amoebot.sweeps.runners import ClusterError
from helpers.command import ask, check_refusal

BAD_ARGUMENTS = (
    "frob",
    "verify",
    "verify nope",
    "verify line:2 --up-to 2",
    "verify --up-to 9",
    "verify line:13",
    "verify line:2 --whp --almost-sure",
    "verify line:2 --radix 1",
    "verify line:2 --algorithm frob",
    "verify line:2 --max-states 0",
    "verify --up-to 2 --worst",
    "verify --up-to 2 --expanded 1",
    "verify line:1 --worst",
    "verify line:2 --search 10",
    "verify line:2 --any-length",
    "verify --any-length --width 2",
    "verify --any-length --algorithm erosion",
    "verify --any-length --one-order",
    "verify line:2 --one-order --worst",
    "verify line:2 --seed 3",
    "verify line:2 --width 4",
    "verify line:2 --one-order --by-parts",
    "elect",
    "elect nope",
    "elect missing.txt",
    "elect hexagon",
    "elect hexagon:",
    "elect hexagon:x",
    "elect hexagon:-1",
    "elect hexagon:2.5",
    "elect hexagon:1,2",
    "elect hexagon:99999999",
    "elect annulus:2,2",
    "elect swiss:5,2",
    "elect random:4,3",
    "elect hexagon:2 hexagon:3",
    "elect hexagon:2 --frob",
    "elect hexagon:2 --seed",
    "elect hexagon:2 --seed x",
    "elect hexagon:2 --seed -1",
    "elect hexagon:2 --seed 18446744073709551616",
    "elect random:9 --shape-seed -1",
    "elect hexagon:2 --shape-seed -1",
    "elect hexagon:2 --shape-seed 18446744073709551616",
    "elect hexagon:2 --expanded -0.1",
    "elect hexagon:2 --expanded 1.1",
    "elect hexagon:2 --expanded nan",
    "elect hexagon:2 --expanded half",
    "elect hexagon:2 --scheduler frob",
    "elect hexagon:2 --max-rounds 0",
    "elect hexagon:2 --max-rounds 1.5",
    "draw hexagon:2 -o figure.txt",
    "draw hexagon:2 -o figure.svg --algorithm frob",
    "draw hexagon:2 -o missing/figure.svg",
    "film hexagon:2 -o film.txt",
    "film hexagon:2 -o film.gif --radix 1",
    "film hexagon:2 -o film.gif --beside frob",
    "view hexagon:2 --beside frob",
    "view hexagon:2 --scheduler frob",
    "view hexagon:2 --variant frob",
    "elect hexagon:2 --json=yes",
    "compare",
    "compare nope",
    "compare hexagon:2 --algorithms frob",
    "compare hexagon:2 --seeds 0",
    "shapes nope",
    "shapes hexagon:2 --shape-seed -1",
    "shapes hexagon:2 --expanded 2",
    "shapes --expanded 0.5",
    "ring",
    "ring two",
    "ring 1",
    "ring 1000001",
    "ring 4 --runs 0",
    "ring 4 --memory 0",
    "ring 4 --memory 57",
    "ring 4 --seed -1",
    "bench frob",
    "shapes -o saved.txt",
    "shapes hexagon:2 -o saved.pdf",
    "shapes hexagon:2 -o missing/saved.txt",
    "memory frob",
)

BAD_FILES = {
    "empty.txt": "",
    "blank.txt": "...\n",
    "foreign.txt": "o ?\n",
    "apart.txt": "o o     o\n",
    "shifted.txt": "o o\no o\n oo\n",
    "broken.json": '{"nodes": [[0, 0]',
    "list.json": "[]",
    "none.json": '{"nodes": []}',
    "twice.json": '{"nodes": [[0, 0], [0, 0]]}',
    "text.json": '{"nodes": [["a", 0]]}',
    "apart.json": '{"nodes": [[0, 0], [5, 5]]}',
    "overlap.json": '{"nodes": [[0, 0], [1, 0], [2, 0]],'
    ' "expanded": [[[0, 0], [1, 0]], [[1, 0], [2, 0]]]}',
    "image.png": "not an image",
    "shape.docx": "o",
}


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS)
def test_bad_arguments_get_one_line(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refusal(ask(*arguments.split()))


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_line_that_names_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(BAD_FILES[name])
    answer = ask("elect", name)
    check_refusal(answer)
    assert name in answer.err


def test_a_long_path_keeps_the_name_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 100) / ("y" * 100) / "broken.json"
    file.parent.mkdir(parents=True)
    file.write_text("{")
    answer = ask("elect", str(file))
    check_refusal(answer)
    assert "/broken.json" in answer.err


def test_folders_and_odd_names_get_one_line(tmp_path: Path) -> None:
    for given in (
        str(tmp_path),
        "",
        " ",
        "a\nb",
        "x" * 5000,
        "[bold]",
        "ü:1",
        "hexagon:" + "9" * 5000,
    ):
        check_refusal(ask("elect", given))


def test_too_little_memory_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(amoebot.shapes, "parse", parse)
    check_refusal(ask("elect", "hexagon:2"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("verify line:2 --crash -1", "--crash -1 must be 0 or more"),
        ("verify line:2 --crash x", "--crash x is not a whole number"),
        ("verify line:2 --time-limit x", "--time-limit x is not a number"),
        ("elect line:2 --threads 0", "--threads 0 must be 1 or more"),
        ("elect line:2 --threads 1.5", "--threads 1.5 is not a whole number"),
    ],
)
def test_numbers_are_refused_in_our_words(arguments: str, words: str) -> None:
    answer = ask(*arguments.split())
    check_refusal(answer)
    assert answer.err.startswith(f"amoebot: {words} (see amoebot ")


def test_a_sweep_needs_a_folder_for_its_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text('shapes = "line:2"\n')
    answer = ask("sweep", "plan.toml")
    check_refusal(answer)
    words = "a sweep needs a folder for the results, for example: -o results"
    assert answer.err.startswith(f"amoebot: {words}")
    assert ask("sweep", "plan.toml", "--dry-run").status == 0


def test_a_sweep_on_a_cluster_needs_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It said so only after the plan was compiled, and with the status of a failure."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    Path("plan.toml").write_text('shapes = "line:2"\n')
    cluster = ("--on", "tcp://localhost:1")
    answer = ask("sweep", "plan.toml", "-o", "results", *cluster)
    check_refusal(answer)
    assert answer.err.startswith("amoebot: a cluster needs Dask: install it with pip install")
    with pytest.raises(ClusterError, match="a cluster needs Dask"):
        amoebot.sweeps.sweep("plan.toml", "results", on=cluster[1])
    assert not Path("results").exists()
    assert ask("sweep", "plan.toml", "--dry-run", *cluster).status == 0


#: Commands that show runs, and where they write: a port that there is none of, so nobody waits.
WRITTEN = {
    "view": ["--no-browser", "--port", "-1"],
    "live": [],
    "draw": ["-o", "x.svg"],
    "film": ["-o", "x.html"],
}


@pytest.mark.parametrize("command", WRITTEN)
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash 9@0", "the particles are numbered 0 to 1"),
        ("corrupt 0.3@1", "particle 0 has no agent 3 (it has 1, numbered from 0)"),
    ],
)
def test_what_shows_runs_refuses_faults_of_nobody_at_once(
    command: str, fault: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lost.json").write_text(json.dumps({"shape": "line:2", "options": {"faults": fault}}))
    for run in (["lost.json"], ["line:2", "--faults", fault]):
        answer = ask(command, *run, *WRITTEN[command])
        check_refusal(answer)
        assert f"{fault}: {words}" in answer.err


@pytest.mark.parametrize("command", WRITTEN)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--seed", "0", "--whp", "-O", "radix=4"],
            "a run, with options of its own: leave out --seed, --whp, --option",
        ),
        (["--faults", "crash 0@1"], "a run, with options of its own: leave out --faults"),
        (["--no-terminate"], "a run, with options of its own: leave out --no-terminate"),
        (["--expanded", "0.5"], "a run, with options of its own: leave out --expanded"),
        (["--algorithm", "erosion"], "a run of improved, and not of erosion"),
    ],
)
def test_a_run_file_takes_no_options_of_another_run(
    command: str, options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were ignored without a word."""
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps({"shape": "line:2"}))
    answer = ask(command, "run.json", *options, *WRITTEN[command])
    check_refusal(answer)
    assert words in answer.err


def test_an_election_can_be_stopped_after_a_time(tmp_path: Path) -> None:
    wait = "    time.sleep(0.02)\n    return simulation.waiting[0]\n"
    (tmp_path / "slow.py").write_text(f"import time\ndef scheduler(simulation):\n{wait}")
    own = ("--scheduler", str(tmp_path / "slow.py"), "--time-limit", "0.2")
    answer = ask("elect", "hexagon:1", *own, "--json")
    assert (answer.status, answer.json["outcome"]) == (1, "round-limit")
    assert 1 <= answer.json["rounds"] <= 5
    checked = ask("elect", "hexagon:1", *own, "--check", "--quiet")
    assert checked.status == 1
    assert "Lemma 1" in checked.out


@pytest.mark.slow
def test_a_limit_of_time_ends_with_its_command() -> None:
    """A program that ran a command with a limit was ended by it later."""
    program = """if True:
        import time
        from amoebot import cli
        from amoebot.linking import watchdog
        assert cli.run(["elect", "line:2", "--quiet", "--time-limit", "0.2"]) == 0
        with watchdog.calling():
            time.sleep(5)
        print("still there")
    """
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("still there\n"), done


@pytest.mark.parametrize(
    "arguments",
    [
        "shapes ring.json -o ring.json",
        "shapes ring.json -o ../{folder}/ring.json",
        "verify ring.json --whp --force -o ring.json",
        "verify line:2 --rules rules.py --force -o rules.py",
        "live ring.html -o ring.html",
        "draw ring.png -o ring.png",
    ],
)
def test_no_command_writes_over_what_it_reads(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ring.json", "rules.py", "ring.html", "ring.png"):
        Path(name).write_text('{"nodes": [[0, 0], [1, 0]]}')
    answer = ask(*arguments.format(folder=tmp_path.name).split())
    check_refusal(answer)
    assert "is what this command reads: choose another name" in answer.err
    for name in ("ring.json", "rules.py", "ring.html", "ring.png"):
        assert Path(name).read_text() == '{"nodes": [[0, 0], [1, 0]]}'


def test_an_archive_is_not_written_into_what_it_packs(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text("{}")
    answer = ask("archive", str(tmp_path), "-o", str(tmp_path / "sweep.json"))
    check_refusal(answer)
    assert "is what this command reads: choose another name" in answer.err
    assert (tmp_path / "sweep.json").read_text() == "{}"


@pytest.mark.parametrize(
    "arguments",
    [
        "draw line:2 -o old/a.svg",
        "film line:2 -o old/a.html",
        "shapes line:2 -o old/a.txt",
        "live -o old/a.html",
        "live --module -o old/new.mjs",
        "verify line:2 --whp -o old/a.txt",
        "archive results -o old/a.zip",
        "report results -o old",
        "reproduce --markdown old",
    ],
)
def test_nothing_is_overwritten_unless_that_is_asked_for(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("a.svg", "a.html", "a.txt", "a.zip", "new.d.mts", "reproduction.md")
    old = [Path("old", name) for name in names]
    Path("old").mkdir()
    for file in old:
        file.write_text("mine")
    answer = ask(*arguments.split())
    check_refusal(answer)
    assert "exists: choose another name, or add --force" in answer.err
    assert {*Path("old").iterdir()} == {*old}
    assert {file.read_text() for file in old} == {"mine"}


def test_what_is_there_is_overwritten_if_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in ("draw line:2 -o a.svg", "film line:2 -o a.html", "shapes line:2 -o a.txt"):
        file = Path(arguments.split()[-1])
        file.write_text("mine")
        assert ask(*arguments.split(), "--force").status == 0
        assert file.read_text() != "mine"


def test_every_command_that_writes_files_can_be_forced_to() -> None:
    goes_on = {"sweep", "compare"}  # in their folders, with what is there
    for command in COMMANDS:
        parameters = inspect.signature(command).parameters
        if "output" in parameters and command.__name__ not in goes_on:
            assert "force" in parameters, command.__name__


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_nothing_is_left_of_a_file_that_was_not_finished(
    error: type[BaseException], tmp_path: Path
) -> None:
    def begin(file: Path) -> None:
        with writing(file):
            file.write_text("the beginning")
            raise error

    with pytest.raises((KeyboardInterrupt, BadInput)):
        begin(tmp_path / "a.gif")
    assert not (tmp_path / "a.gif").exists()
