"""The first election on a machine is interpreted if it is small; whatever comes next compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from amoebot import elect, shapes
from amoebot.cli import first_election
from helpers.full import FULL

SWITCH = "NUMBA_DISABLE_JIT"


def run(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != SWITCH}
    command = [sys.executable, "-m", "amoebot", *arguments]
    return subprocess.run(
        command, env=own | {"AMOEBOT_CACHE": str(cache)}, capture_output=True, text=True, check=True
    )


def compiled_code(cache: Path) -> list[Path]:
    return [*cache.rglob("*.code")]


def test_it_compiles_nothing_and_has_the_same_result(tmp_path: Path) -> None:
    first = run(tmp_path, "elect", "hexagon:3", "--seed", "7", "--json")
    alone = elect(shapes.hexagon(3), 7)
    assert json.loads(first.stdout) == json.loads(json.dumps(alone.as_dict()))
    assert "interpreted" in first.stderr
    assert compiled_code(tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="compiles everything twice")
def test_the_next_one_compiles_and_so_does_a_large_one(tmp_path: Path) -> None:
    small, large = ("elect", "line:3", "-q"), ("elect", "comb:8,8", "-q")
    run(tmp_path / "next", *small)
    assert run(tmp_path / "next", *small).stderr.startswith("Compiled improved (once")
    assert compiled_code(tmp_path / "next")
    assert "interpreted" not in run(tmp_path / "large", *large).stderr
    assert compiled_code(tmp_path / "large")


def test_a_large_one_starts_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def call(command: list[str], env: dict[str, str]) -> int:
        started.append((command[1:], SWITCH in env))
        return 5

    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setattr(first_election, "_begun", True)
    monkeypatch.setattr(first_election, "code_folder", lambda: tmp_path)
    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setattr(sys, "orig_argv", ["python3", "amoebot", "elect", "comb:8,8"])
    first_election.restart_if_large(shapes.hexagon(3))
    assert not started
    with pytest.raises(SystemExit) as left:
        first_election.restart_if_large(shapes.comb(8, 8))
    assert left.value.code == 5
    assert started == [(["amoebot", "elect", "comb:8,8"], False)]


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ("elect hexagon:10", True),
        ("elect --seed=3 annulus:4,1 --json", True),
        ("elect hexagon:100", False),
        ("elect shape.txt", False),
        ("elect hexagon:10 --check", False),
        ("elect hexagon:10 --rules mine.py", False),
        ("elect hexagon:10 --algorithm=erosion", False),
        ("view hexagon:10", False),
        ("--help", False),
    ],
)
def test_what_is_interpreted(
    arguments: str, first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(first_election, "code_folder", lambda: folder)
    monkeypatch.setattr(first_election, "_begun", False)
    monkeypatch.setattr(os, "environ", {})
    first_election.prepare(arguments.split())
    assert (SWITCH in os.environ) == first
    os.environ.clear()
    (folder / "something").touch()
    first_election.prepare(arguments.split())
    assert SWITCH not in os.environ
