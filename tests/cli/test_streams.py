"""Standard output, whatever it leads to."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from amoebot.cli.console import LEAST, UNKNOWN, Console
from amoebot.sweeps import estimating
from helpers.command import FOR_PROGRAMS, ask, finish, start

ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

#: What decides about characters.
NAMES = ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status"),
    [("elect hexagon:2", 0), ("elect line:4 --max-rounds 1", 1), ("verify line:2 --whp", 0)],
)
def test_the_status_is_that_of_the_work_when_the_reader_has_left(
    arguments: str, status: int
) -> None:
    read, write = os.pipe()
    os.close(read)
    answer = finish(start(*arguments.split(), stdout=write))
    os.close(write)
    assert (answer.status, answer.err) == (status, "")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to try")
def test_a_full_disk_gets_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        answer = finish(start("elect", "hexagon:2", stdout=full))
    assert answer.status == 2
    assert answer.err == "amoebot: no space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to try")
def test_bad_input_has_its_status_even_if_nobody_can_be_told() -> None:
    with open("/dev/full", "w") as full:
        assert finish(start("elect", "nope", stderr=full)).status == 2


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor")
@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_stream_may_be_closed(descriptor: int) -> None:
    answer = finish(start("elect", "hexagon:2", preexec_fn=lambda: os.close(descriptor)))
    assert answer.status == 0
    assert "Traceback" not in answer.err


@pytest.mark.slow
def test_a_terminal_without_other_characters_gets_plain_ones() -> None:
    environment = os.environ | ASCII | {"COLUMNS": "100"}
    answer = finish(start("verify", "line:2", "--whp", env=environment))
    assert answer.status == 0
    assert answer.out.isascii()
    assert "ok  never two leaders" in answer.out
    assert "?" not in answer.out
    answer = finish(start("elect", "hexagon:2", env=environment))
    assert "* The particle at" in answer.out
    assert "?" not in answer.out
    answer = finish(start("elect", "hexagon:2", "--check", env=environment))
    assert "ok  Lemma 1: L >= sqrt n" in answer.out
    assert "\\u" not in answer.out
    answer = finish(start("shapes", env=environment))
    assert ":########:" in answer.out
    assert "\\u" not in answer.out


@pytest.mark.parametrize(
    ("locale", "is_plain"),
    [
        ({"LANG": "C"}, True),
        ({"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, True),
        ({"LC_ALL": "", "LANG": "POSIX"}, True),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "C", "PYTHONIOENCODING": "utf-8"}, False),
        ({}, False),
    ],
)
def test_the_locale_c_gets_plain_characters(locale: dict[str, str], is_plain: bool) -> None:
    """Python writes UTF-8 there."""
    environment = {key: value for key, value in os.environ.items() if key not in NAMES}
    answer = finish(start("shapes", env=environment | locale))
    assert answer.status == 0
    assert answer.out.isascii() == is_plain


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("command", ["verify line:2 --whp", "elect line:2 --check"])
def test_what_fails_is_told_in_plain_characters_too(command: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def never(world):\n    return len(world.memory) == 0\n")
    words = [*command.split(), "--properties", "mine.py"]
    answer = finish(start(*words, cwd=tmp_path, env=os.environ | ASCII | {"COLUMNS": "100"}))
    assert answer.status == 1
    assert re.search(r"FAILED +never", answer.out)
    assert answer.out.isascii()
    assert "?" not in answer.out


@pytest.mark.parametrize("topic", ["own-rule", "verified", "compared", "speed"])
def test_pages_of_the_documentation_have_plain_characters_too(topic: str) -> None:
    answer = finish(start("help", topic, env=os.environ | ASCII))
    assert answer.status == 0
    assert answer.out.isascii()
    assert not re.search(r"\\[ux][0-9a-f]{2}", answer.out)


@pytest.mark.parametrize(
    ("columns", "width"), [("0", UNKNOWN), ("1", LEAST), ("19", LEAST), ("21", 21)]
)
def test_a_terminal_has_some_columns(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With none, an election was told in blank lines, or not at all."""
    monkeypatch.setenv("COLUMNS", columns)
    assert Console().width == width
    answer = ask("elect", "line:2")
    assert "leader" in answer.out
    assert max(map(len, answer.out.splitlines())) <= width


@pytest.mark.slow
@pytest.mark.parametrize("characters", [{}, ASCII], ids=["all", "plain"])
def test_forty_columns_are_enough(characters: dict[str, str]) -> None:
    """Plain characters are more than those they stand for, and wrapped all the same."""
    environment = os.environ | {"COLUMNS": "40"} | characters
    for words in (
        "elect hexagon:2 --check",
        "verify line:2 --whp",
        "memory",
        "compare line:3 --seeds 1 --algorithms improved",
        "ring 4 --runs 10",
    ):
        answer = finish(start(*words.split(), env=environment))
        assert answer.status == 0
        assert max(map(len, answer.out.splitlines())) <= 40
        assert "…" not in answer.out


#: Their last line begins with the name of a file, and stays whole to be copied.
WRITING = ("sweep", "report", "archive")


@pytest.mark.slow
@pytest.mark.parametrize("call", [call for call in FOR_PROGRAMS if call not in WRITING])
def test_forty_columns_are_enough_for_what_programs_read(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many elections there are, and how long they take, was one line of 75 characters."""
    monkeypatch.setattr(estimating, "wall_clock", lambda *given: 7.0)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text('shapes = "hexagon:2..4"\nseeds = 5\n')
    answer = ask(*FOR_PROGRAMS[call].split())
    assert answer.status == 0
    assert max(map(len, answer.out.splitlines())) <= 40
    assert "…" not in answer.out


def test_with_json_everything_but_the_object_goes_to_standard_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "print('read')\n\n\ndef scheduler(simulation):\n"
        "    print('asked')\n    return min(simulation.waiting)\n"
    )
    answer = ask("elect", "line:3", "--json", "--scheduler", str(file))
    assert answer.json["scheduler"] == "mine"
    assert answer.err.startswith("read\nasked\n")
    assert ask("elect", "line:3", "--scheduler", str(file)).out.startswith("read\nasked\n")
