"""Compiled code on disk: found again wherever it is installed, and never used if damaged."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled

PROGRAM = """
import sys
from pathlib import Path
import numba
from amoebot import machine_code
sys.path.insert(0, sys.argv[2])
import mine
dispatcher = numba.njit(mine.twice)
machine_code.keep(dispatcher, Path(sys.argv[1]))
print(dispatcher(21), dispatcher(0.5), sum(dispatcher.stats.cache_hits.values()))
"""


def run(cache: Path, sources: Path) -> tuple[str, str]:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(cache), str(sources)],
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip(), told.stderr


@pytest.mark.slow
def test_it_is_found_again_from_anywhere_and_damage_is_noticed(tmp_path: Path) -> None:
    cache, here, there = (tmp_path / name for name in ("cache", "here", "there"))
    for folder in (cache, here, there):
        folder.mkdir()
    for folder in (here, there):
        (folder / "mine.py").write_text("def twice(x):\n    return 2 * x\n")
    assert run(cache, here) == ("42 1.0 0", "")
    assert run(cache, here) == ("42 1.0 2", "")
    assert run(cache, there) == ("42 1.0 2", "")
    files = sorted(cache.iterdir())
    assert len(files) == 2
    draw = random.Random(1)
    told = "Compiled code on disk was damaged: compiling it again.\n"
    for damaged in (lambda old: old[: len(old) // 2], lambda old: _flipped(old, draw)):
        files[0].write_bytes(damaged(files[0].read_bytes()))
        assert run(cache, here) == ("42 1.0 1", told)
        assert run(cache, here) == ("42 1.0 2", "")
    files[0].unlink()
    (files[0] / "inside").mkdir(parents=True)
    assert run(cache, here) == ("42 1.0 1", told)
    assert run(cache, here) == ("42 1.0 2", "")


RECURSIVE = """
import sys
from pathlib import Path
import numba
from amoebot import machine_code

@numba.njit
def outer(a):
    return divisor(a, 12) + 1

@numba.njit
def divisor(a, b):
    return a if b == 0 else smaller(a, b)

@numba.njit
def smaller(a, b):
    return {called}

for one in (outer, divisor, smaller):
    machine_code.keep(one, Path(sys.argv[1]))
print(outer(30), sum(outer.stats.cache_hits.values()))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "called", ["divisor(b, a % b)", "max([divisor(b, a % b) for _ in range(1)])"]
)
def test_what_calls_itself_is_not_kept(called: str, tmp_path: Path) -> None:
    """Numba closes such a circle only where it compiles: the second process was aborted.

    In Python 3.11, a comprehension has code of its own.
    """
    (tmp_path / "recursive.py").write_text(RECURSIVE.replace("{called}", called))
    (tmp_path / "cache").mkdir()
    for _ in range(2):
        command = [sys.executable, str(tmp_path / "recursive.py"), str(tmp_path / "cache")]
        told = subprocess.run(command, capture_output=True, text=True)
        assert (told.returncode, told.stdout) == (0, "7 0\n")
    assert not [*(tmp_path / "cache").iterdir()]


AHEAD = """
import sys
from pathlib import Path
import numba
from amoebot import machine_code
sys.path.insert(0, sys.argv[2])
import mine
folder = Path(sys.argv[1])

def compile_it():
    made = numba.njit(mine.twice)
    machine_code.keep(made, folder)
    return made

compile_it()(21)
(kept,) = folder.iterdir()
away = kept.rename(folder.parent / "away")

def ahead(function, is_there):  # as if another process compiled it
    assert function == mine.twice and not is_there()
    away.rename(kept)
    assert is_there()

dispatcher = compile_it()
with machine_code.telling_ahead(ahead):
    print(dispatcher(21), dispatcher.stats)
"""


@pytest.mark.slow
def test_what_another_process_compiles_meanwhile_is_not_compiled_here(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (tmp_path / "mine.py").write_text("def twice(x):\n    return 2 * x\n")
    told = subprocess.run(
        [sys.executable, "-c", AHEAD, str(cache), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.startswith("42 ")
    assert "cache_misses=Counter()" in told.stdout


def _flipped(content: bytes, draw: random.Random) -> bytes:
    place, bit = draw.randrange(len(content)), draw.randrange(8)
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
