"""Sweeps survive: whatever stops them, the dataset is that of an undisturbed run."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import amoebot
from amoebot import sweeps
from amoebot.engine.names import SCHEDULERS
from amoebot.sweeps import FolderError, PlanError, SweepError, costs, files, make_plan, store
from amoebot.sweeps.elections import ShapeCache, run_rows
from amoebot.sweeps.journal import Journal
from amoebot.sweeps.schema import schema_of
from amoebot.sweeps.sweeping import carry_out
from helpers import warm
from helpers.command import Answer, ask, check_refusal, finish, start
from helpers.full import FULL
from helpers.tables import same

PLAN = {
    "shapes": ["hexagon:1..3", "line:9", "tree:20"],
    "shape_seeds": 2,
    "schedulers": ["permutation", "adversarial"],
    "variants": ["whp", "full"],
    "seeds": 4,
}


def small_blocks(monkeypatch: pytest.MonkeyPatch, size: int = 16) -> None:
    monkeypatch.setattr(store, "BLOCK", size)


def test_a_group_of_small_elections_has_the_rows_of_single_ones() -> None:
    for cell in make_plan(PLAN).cells:
        measured = ShapeCache().get(cell)
        grouped = list(run_rows(cell, range(3), measured))
        alone = [row for seed in range(3) for row in run_rows(cell, [seed], measured)]
        for row in (*grouped, *alone):
            assert row.pop("seconds") > 0
        assert grouped == alone


def test_one_election_is_one_row_with_every_field() -> None:
    frame = sweeps.sweep({"shapes": "annulus:3,1", "seeds": 3, "radix": [2, 16]}).collect()
    assert dict(frame.schema) == schema_of(["improved"])
    assert frame.height == 6
    row = frame.filter(seed=1, radix=16).row(0, named=True)
    result = amoebot.elect(amoebot.shapes.annulus(3, 1), seed=1, radix=16)
    assert row["variant"] == "full"
    differently = {"shape", "leader", "milestones", "candidates"}
    for name, value in result.as_dict().items():
        if name not in differently:
            assert row[name] == (list(value) if isinstance(value, tuple) else value)
    assert {name: row[name] for name in result.milestones} == result.milestones
    told = zip(row["candidates_round"], row["candidates_left"], strict=True)
    assert tuple(told) == result.candidates
    assert ((row["leader_x"], row["leader_y"]),) == result.leader
    assert row["version"] == amoebot.__version__
    assert (row["outer_boundary_particles"], row["diameter"]) == (18, 8)
    assert row["candidates_at_start"] == result.candidates[0][1]
    assert row["seconds"] > 0


def test_elections_add_the_columns_of_their_options_milestones_and_measurements() -> None:
    plan = {"shapes": "hexagon:2", "algorithms": ["erosion", "improved"], "seeds": 2}
    frame = sweeps.sweep(plan).collect()
    assert dict(frame.schema) == schema_of(["erosion", "improved"])
    erosion, improved = frame.row(0, named=True), frame.row(2, named=True)
    assert (erosion["algorithm"], erosion["setup"], erosion["radix"]) == ("erosion", True, None)
    assert (improved["algorithm"], improved["setup"], improved["radix"]) == ("improved", None, 16)
    assert (erosion["variant"], improved["variant"]) == ("", "full")
    assert erosion["first_candidate_eroded"] <= erosion["last_rival_gone"] <= erosion["rounds"]
    assert (erosion["candidates_at_start"], erosion["longest_segment"]) == (19, None)
    assert 1 <= improved["longest_segment"] <= 12
    assert improved["last_rival_gone"] <= improved["rounds"]
    assert improved["first_candidate_eroded"] is None


MINE = """
from typing import Annotated, Any
from amoebot.algorithms.description import Range
from amoebot.algorithms.interface import DECLARED
from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import rule

OPTIONS = (Range("wait", 1, 1, 9, "rounds before all declare at once"),)
MEASURED = {"waited": "activations of the first agent"}

class Memory(Record):
    leader: Annotated[int, BYTE, "has declared"]
    activations: Annotated[int, BYTE, "so far"]

@rule
def activate(me: Any, pred: Any, succ: Any, view: Any, coins: Any, options: Any) -> int:
    me.activations += 1
    if me.leader or me.activations < options.wait:
        return 0
    me.leader = 1
    return DECLARED

def measure(memory):
    return {"waited": int(memory["activations"][0])}
"""


@pytest.mark.slow
def test_an_election_in_a_file_is_swept_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    plan = {"shapes": "line:4", "algorithms": "mine.py", "wait": [2, 5], "terminate": False}
    (tmp_path / "plan.toml").write_text(
        'shapes = "line:4"\nalgorithms = "mine.py"\nwait = [2, 5]\nterminate = false'
    )
    frame = sweeps.sweep(tmp_path / "plan.toml", tmp_path / "results").collect()
    assert frame.equals(sweeps.load(tmp_path / "results").collect())
    assert same(frame.lazy(), sweeps.sweep(make_plan(plan, tmp_path)))
    assert frame["algorithm"].to_list() == ["mine", "mine"]
    assert frame.select("wait", "rounds").rows() == [(2, 2), (5, 5)]
    assert (frame["waited"] >= frame["wait"] - 1).all()  # the run ends with the first one


@pytest.mark.slow
def test_an_election_that_changes_during_a_sweep_stops_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    plan = {"shapes": "line:4", "algorithms": "mine.py", "terminate": False, "seeds": 5000}

    def change(tally: sweeps.Tally) -> None:
        if tally.done:
            (tmp_path / "new.py").write_text(MINE + "\n# changed")
            (tmp_path / "new.py").replace(tmp_path / "mine.py")

    with pytest.raises(SweepError, match=r"mine\.py has changed since the sweep began; the \d"):
        sweeps.sweep(make_plan(plan, tmp_path), tmp_path / "results", watch=change)
    kept = sweeps.load(tmp_path / "results").collect().height
    assert 0 < kept < 5000
    with pytest.raises(PlanError, match=r"mine\.py has changed since"):
        sweeps.sweep(make_plan(plan, tmp_path), tmp_path / "results")


def test_schedulers_meet_the_same_coins() -> None:
    names = [*SCHEDULERS]
    frame = sweeps.sweep({"shapes": "hexagon:4", "schedulers": names, "seeds": 3}).collect()
    by_seed = frame.group_by("seed").agg(
        pl.col("candidates_at_start", "longest_segment").n_unique()
    )
    assert by_seed.select(pl.exclude("seed").max()).row(0) == (1, 1)
    assert frame.height == 3 * len(names)


def test_threads_change_nothing(tmp_path: Path) -> None:
    frames = [sweeps.sweep(PLAN, tmp_path / str(n), threads=n) for n in (1, 4)]
    assert same(*frames)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("attempt", range(10 if FULL else 1))
def test_a_sweep_killed_at_any_moment_loses_and_repeats_nothing(
    attempt: int, tmp_path: Path
) -> None:
    content = {**PLAN, "seeds": 120}
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(["helpers.warm"])
    moments = random.Random(attempt)
    kills = 0
    while True:
        arguments = (content, tmp_path / "killed", tmp_path / "log")
        process = context.Process(target=warm.sweep_in_small_blocks, args=arguments)
        process.start()
        process.join(None if kills == 20 else moments.uniform(0, 0.1))
        if process.exitcode is not None:
            break
        process.kill()
        process.join()
        kills += 1
    assert process.exitcode == 0
    assert kills == 20
    undisturbed = sweeps.sweep(content, tmp_path / "undisturbed")
    assert same(sweeps.load(tmp_path / "killed"), undisturbed)
    assert not (tmp_path / "killed" / "journal").exists()
    runs = Counter((tmp_path / "log").read_text().splitlines())
    assert max(runs.values()) == 1


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_the_same_command_goes_on_after_kill_and_ctrl_c(tmp_path: Path) -> None:
    plan, folder = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text('shapes = "hexagon:12"\nseeds = 1500\n')
    arguments = ("sweep", str(plan), "-o", str(folder), "--json")
    for stop in (signal.SIGKILL, signal.SIGINT):
        process = start(*arguments)
        before = _size(folder)
        while _size(folder) <= before and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(stop)
        answer = finish(process)
    assert answer.status == 130
    assert answer.err.startswith(f"amoebot: interrupted; {folder} keeps what is finished")
    assert answer.err.count("\n") == 1
    found = sweeps.load(folder).collect()
    assert 0 < found.height < 1500
    answer = ask("sweep", str(plan), "-o", str(folder), "--json")
    assert answer.json["elections"] == 1500
    assert answer.json["run"] == 1500 - found.height
    rows = sweeps.load(folder).collect()
    assert rows.join(found, on=["seed", "seconds"], how="semi").height == found.height
    assert rows["seed"].to_list() == [*range(1500)]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("journal/*.ndjson"))


def test_a_journal_forgets_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "0.ndjson"
    row = sweeps.sweep({"shapes": "line:2"}).collect().row(0, named=True)
    schema = schema_of(["improved"])
    journal = Journal(path, 3, schema)
    journal.add(1, row)
    journal.close()
    whole = path.read_bytes()
    others = [whole.replace(b'"number":1,', b'"number":%s,' % n) for n in (b"true", b"-1", b"99")]
    missing = (b'{"number":99}\n', b'{"number":2}\n', b"{}\n", b"7\n")
    for rest in (whole[:-1], whole[:20], b"\0\0\0\0\n", *missing, *others):
        path.write_bytes(whole + rest)
        again = Journal(path, 3, schema)
        assert list(again.done) == [0, 1, 0]
        again.add(0, row)
        again.close()
        assert Journal(path, 3, schema).frame().height == 2


def test_a_row_stands_for_no_other_election(tmp_path: Path) -> None:
    path = tmp_path / "0.ndjson"
    row = sweeps.sweep({"shapes": "line:2"}).collect().row(0, named=True)
    schema = schema_of(["improved"])
    journal = Journal(path, 3, schema, [0, 1, 2])
    journal.add(0, row)
    journal.close()
    whole = path.read_bytes()
    for line, words in (
        (whole.replace(b'"number":0,', b'"number":2,'), "election 2 has the seed 2, not 0"),
        (whole.replace(b'"rounds":', b'"rounds":1000000000000000000000'), "none of this sweep's"),
        (whole.replace(b'"seconds":', b'"seconds":NaN,"x":'), "none of this sweep's"),
    ):
        path.write_bytes(whole + line)
        with pytest.raises(FolderError, match=words):
            Journal(path, 3, schema, [0, 1, 2])


def test_a_foreign_file_is_refused_when_a_sweep_goes_on(tmp_path: Path) -> None:
    sweeps.sweep({"shapes": "line:2"}, tmp_path / "results")
    (own,) = (tmp_path / "results" / "elections").glob("*.parquet")
    own.with_name("other.parquet").write_bytes(own.read_bytes())
    with pytest.raises(FolderError, match=r"other\.parquet is no file of this sweep"):
        sweeps.sweep({"shapes": "line:2"}, tmp_path / "results")


def test_a_larger_plan_may_add_an_election(tmp_path: Path) -> None:
    first = sweeps.sweep({"shapes": "line:4", "seeds": 3}, tmp_path / "grown").collect()
    larger = {"shapes": "line:4", "seeds": 3, "algorithms": ["improved", "erosion"]}
    grown = sweeps.sweep(larger, tmp_path / "grown").collect()
    assert grown.head(3).select(first.columns).equals(first)
    assert same(grown.lazy(), sweeps.sweep(larger))


def test_a_larger_plan_extends_and_any_other_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_blocks(monkeypatch)
    first = sweeps.sweep(PLAN, tmp_path / "grown").collect()
    larger = PLAN | {"seeds": 7, "schedulers": ["uniform", "permutation", "adversarial"]}
    grown = sweeps.sweep(larger, tmp_path / "grown").collect()
    order = ["shape", "shape_seed", "scheduler", "variant", "seed"]
    fresh = sweeps.sweep(larger, tmp_path / "fresh").collect()
    assert same(grown.sort(order).lazy(), fresh.sort(order).lazy())
    # The old rows are the very same ones, with the times that they took then.
    assert grown.head(first.height).equals(first)
    for change in ({"seeds": 6}, {"first_seed": 1}, {"radix": 2}, {"shapes": "line:9"}):
        with pytest.raises(PlanError, match="belongs to another plan"):
            sweeps.sweep(larger | change, tmp_path / "grown")
    assert sweeps.load(tmp_path / "grown").collect().equals(grown)


def test_other_code_and_changed_shape_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my.txt").write_text("o o\n")
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "my.txt"')
    assert sweeps.sweep(plan, tmp_path / "results").collect()["family"].to_list() == ["my.txt"]
    (tmp_path / "my.txt").write_text("o o o\n")
    with pytest.raises(PlanError, match=r"my\.txt has changed"):
        sweeps.sweep(plan, tmp_path / "results")
    monkeypatch.setattr(store, "fingerprint", lambda *_: "0.0.1")
    with pytest.raises(PlanError, match=r"made by amoebot .* and this is amoebot 0\.0\.1"):
        sweeps.sweep(plan, tmp_path / "results")


def test_two_sweeps_cannot_share_a_folder(tmp_path: Path) -> None:
    plan = make_plan(PLAN)
    with store.Store(tmp_path, plan), pytest.raises(FolderError, match="another sweep"):
        carry_out(plan, tmp_path)


def test_what_cannot_watch_is_refused_before_the_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="watch 5 is not a function"):
        sweeps.sweep({"shapes": "line:2"}, tmp_path / "results", watch=5)  # type: ignore[arg-type]
    assert not (tmp_path / "results").exists()


def test_an_unusable_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "line:3"')
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "results", Path("/proc/results")):
        check_refusal(ask("sweep", str(plan), "-o", str(folder)))
    check_refusal(ask("report", str(tmp_path)))


FULL_DISK = """
import resource, sys
from amoebot.sweeps import store
from amoebot.cli import main
store.BLOCK = 64
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), -1))
main()
"""


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="there is no limit on the size of files")
@pytest.mark.parametrize("room", [100, 9_000, 40_000])
def test_a_full_disk_is_told_in_one_line_and_corrupts_nothing(room: int, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writing beyond it fails in the middle."""
    plan, folder = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text('shapes = "hexagon:2"\nseeds = 200\n')
    amoebot.elect(amoebot.shapes.hexagon(1))  # the cache of compiled code has no room then either
    command = [sys.executable, "-c", FULL_DISK, str(room), "sweep", str(plan), "-o", str(folder)]
    answer = _run(command)
    assert (answer.status, answer.out) == (2 if room == 100 else 1, "")
    assert answer.err.startswith("amoebot: ")
    assert "file too large" in answer.err
    assert answer.err.count("\n") == 1
    if room > 100:
        kept = sweeps.load(folder).collect()
        assert 0 < kept.height < 200
        assert f"{kept.height} elections that are finished are kept" in answer.err
    again = sweeps.sweep(plan, folder)
    assert same(again, sweeps.sweep(plan, tmp_path / "undisturbed"))


def _run(command: list[str]) -> Answer:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return Answer(done.returncode, done.stdout, done.stderr)


def test_a_disk_that_fills_up_during_a_sweep_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_blocks(monkeypatch)
    written: list[int] = []

    def full(*_: Any) -> None:
        written.append(1)
        if len(written) > 2:
            raise OSError(28, os.strerror(28))
        write(*_)

    write = files.write_whole
    monkeypatch.setattr(store, "write_whole", full)
    with pytest.raises(SweepError, match=r"no space left on device; the \d+ elections"):
        sweeps.sweep(PLAN, tmp_path / "results")
    monkeypatch.setattr(store, "write_whole", write)
    again = sweeps.sweep(PLAN, tmp_path / "results")
    assert same(again, sweeps.sweep(PLAN, tmp_path / "undisturbed"))


def test_a_dry_run_tells_how_many_and_touches_nothing(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "hexagon:1..4"\nseeds = 25\n')
    answer = ask("sweep", str(plan), "--dry-run", "--json", "-o", str(tmp_path / "results"))
    assert (answer.status, answer.json["elections"], answer.json["cells"]) == (0, 100, 4)
    assert answer.json["seconds"] > 0
    assert ask("sweep", str(plan), "--dry-run").out.startswith("100 elections (4 combinations")
    assert not (tmp_path / "results").exists()


def test_a_dry_run_refuses_a_folder_that_the_sweep_would_refuse(tmp_path: Path) -> None:
    plan, other = tmp_path / "plan.toml", tmp_path / "other.toml"
    plan.write_text('shapes = "line:2"\nseeds = 2\n')
    other.write_text('shapes = "line:3"\nseeds = 2\n')
    assert ask("sweep", str(plan), "-o", str(tmp_path / "results")).status == 0
    check_both(other, tmp_path / "results", f"{other}: {tmp_path / 'results'} belongs to another")
    check_both(other, plan, "not a directory")
    answer = ask("sweep", str(plan), "--dry-run", "-o", str(tmp_path / "results"))
    assert answer.status == 0


def check_both(plan: Path, folder: Path, words: str) -> None:
    """Expect that a sweep and its dry run refuse a folder in the same words, and leave it alone."""
    before = contents(plan.parent)
    for more in (["--dry-run"], []):
        answer = ask("sweep", str(plan), "-o", str(folder), *more)
        check_refusal(answer)
        assert words in answer.err, more
        assert contents(plan.parent) == before


def contents(folder: Path) -> dict[str, Any]:
    """Return what is in all files of a folder, and when each part of it was last changed."""
    found = [folder, *folder.rglob("*")]
    return {
        str(path): path.read_bytes() if path.is_file() else path.lstat().st_mtime_ns
        for path in found
    }


def _damage_manifest(results: Path) -> None:
    (results / "manifest.json").write_text("{}")


def _damage_part(results: Path) -> None:
    next((results / "elections").iterdir()).write_text("damaged")


def _add_foreign_part(results: Path) -> None:
    (results / "elections" / "part-9-000000.parquet").write_text("foreign")


def _damage_journal(results: Path) -> None:
    next((results / "elections").iterdir()).unlink()
    (results / "journal").mkdir()
    line = {"number": 0, "shape": "line:2", "seed": 7, "outcome": "leader"}
    (results / "journal" / "0-000000.ndjson").write_text(f"{json.dumps(line)}\n")


def _put_file_for_folder(results: Path) -> None:
    (results / "journal").touch()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_damage_manifest, "manifest.json is damaged"),
        (_damage_part, "part-0-000000.parquet is damaged"),
        (_add_foreign_part, "part-9-000000.parquet is no file of this sweep"),
        (_damage_journal, "line 1: election 0 has the seed 0, not 7"),
        (_put_file_for_folder, "journal: not a directory"),
    ],
)
def test_a_dry_run_looks_at_all_files_of_the_results(
    spoil: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    plan, results = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text('shapes = "line:2"\nseeds = 2\n')
    assert ask("sweep", str(plan), "-o", str(results)).status == 0
    spoil(results)
    check_both(plan, results, words)


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own, and /proc is Linux's")
def test_a_dry_run_refuses_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    plan, (dangling, loop) = tmp_path / "plan.toml", (tmp_path / "dangling", tmp_path / "loop")
    plan.write_text('shapes = "line:2"\n')
    dangling.symlink_to("nothing")
    loop.symlink_to("loop")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "elections").touch()
    check_both(plan, plan / "sub", "plan.toml: not a directory")
    check_both(plan, tmp_path / "results", "elections: not a directory")
    check_both(plan, dangling, "dangling: this is a dangling link")
    check_both(plan, dangling / "sub", "dangling: this is a dangling link")
    check_both(plan, loop, "loop: this is a dangling link")
    check_both(plan, tmp_path / ("x" * 300), "file name too long")
    if sys.platform == "linux":
        check_both(plan, Path("/proc/1/results"), "/proc/1/results: ")


def test_the_longest_elections_are_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan({"shapes": ["line:3", "line:9", "line:5", "line:7", "line:4"], "seeds": 3})
    seconds = {"line:3": 0.1, "line:9": 9.0, "line:5": 1.5, "line:7": 30.0, "line:4": 0.2}
    monkeypatch.setattr(costs.Costs, "seconds", lambda self, cell: seconds[cell.shape])
    schema = schema_of(["improved"])
    cells = [(cell, run) for cell, runs in plan.items() for run in runs]
    blocks = [
        store.Block(str(place), part, Journal(Path("none"), 3 * len(part), schema))
        for place, part in enumerate((cells[:2], cells[2:]))
    ]
    pieces = list(costs.Costs(plan).pieces(blocks, lambda: 0.25))
    order = ["line:7", "line:9", "line:5", "line:3", "line:4"]
    assert list(dict.fromkeys(piece.cell.shape for piece in pieces)) == order
    begun = Counter((piece.cell.shape, seed) for piece in pieces for _, seed in piece.seeds)
    assert begun == Counter((shape, seed) for shape in order for seed in range(3))
