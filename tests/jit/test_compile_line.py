"""The line that says what has been compiled, how long it took, and whether it comes again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from amoebot.cli import compile_notice
from amoebot.cli.refusing import BadInput
from helpers.command import ask

pytestmark = pytest.mark.compiled

MODULE = """
from amoebot.jit import compiled, guarded, takes_long

@compiled
@takes_long("a long part", 30)
def long(x):
    return x + 1

@compiled
def short(x):
    return x + 2

@guarded
def own(x):
    return x + 3
"""

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from amoebot.cli import compile_notice
from amoebot.cli.refusing import BadInput
import mine
compile_notice.SHORT = float(sys.argv[2])
sys.stderr.isatty = lambda: bool(sys.argv[3:4] == ["terminal"])
for name in sys.argv[4:]:
    with compile_notice.announce_compilation():
        getattr(mine, name)(1)
"""


def told(folder: Path, *names: str, short: float = 60, stream: str = "pipe") -> list[str]:
    """Return what a process says that calls these functions, with all times left out."""
    (folder / "mine.py").write_text(MODULE)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(short), stream, *names],
        env=os.environ | {"AMOEBOT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r"\d+\.\d s", "N s", done.stderr).splitlines()


@pytest.mark.slow
def test_each_part_comes_once(tmp_path: Path) -> None:
    line = "Compiled a long part (once for this version) in N s."
    assert told(tmp_path, "long", "long") == [line]
    assert told(tmp_path, "long") == []


def test_a_terminal_is_told_beforehand(tmp_path: Path) -> None:
    assert told(tmp_path, "long", stream="terminal") == [
        "Compiling a long part: about 30 s, once for this version …",
        "Compiled a long part (once for this version) in N s.",
    ]


@pytest.mark.slow
def test_what_is_compiled_each_time_does_not_promise_otherwise(tmp_path: Path) -> None:
    line = "Compiled small functions (each time) in N s."
    for _ in range(2):
        assert told(tmp_path, "own", short=0) == [line]


@pytest.mark.slow
def test_a_short_wait_needs_no_line(tmp_path: Path) -> None:
    assert told(tmp_path / "", "short") == []
    (tmp_path / "again").mkdir()
    line = "Compiled small functions (once for this version) in N s."
    assert told(tmp_path / "again", "short", short=0) == [line]


#: What runs elections, by the command that calls it.
RUNNING = {
    "compare line:2 --seeds 1": "amoebot.sweeps.sweeping.sweep",
    "draw line:2 -o {}/figure.svg": "amoebot.cli.commands.draw.go_to",
    "draw line:2 --space-time -o {}/figure.svg": "amoebot.render.space_time_figure.save",
    "film line:2 -o {}/film.html": "amoebot.cli.commands.film.go_to",
    "live line:2 -o {}/live.html": "amoebot.browser.live.packed",
    "reproduce -o {}/claims": "amoebot.reproduction.reproduce",
    "ring 4": "amoebot.ring.sweep",
    "verify line:2 --worst --search 1 -o {}/run.json": "amoebot.verify.search_worst",
    "verify --any-length": "amoebot.verify.verify_any_length",
    "view line:2 --no-browser --port 0": "amoebot.viewer.listening.run_server",
}


@pytest.mark.parametrize("command", RUNNING)
def test_every_command_tells_what_is_compiled_while_elections_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what came before them was told, and over a minute passed without a word."""
    told = [0]
    announce = compile_notice.announce_compilation

    @contextmanager
    def noting() -> Iterator[None]:
        told[0] += 1
        try:
            with announce():
                yield
        finally:
            told[0] -= 1

    def run(*given: Any, **options: Any) -> None:
        seen.append(told[0])
        raise BadInput("elections have begun")

    def sweep(*given: Any) -> Iterator[list[Any]]:
        seen.append(told[0])
        yield from ()

    seen: list[int] = []
    monkeypatch.setattr(compile_notice, "announce_compilation", noting)
    monkeypatch.setattr(RUNNING[command], sweep if command.startswith("ring") else run)
    ask(*command.format(tmp_path).split())
    assert seen
    assert all(seen)
