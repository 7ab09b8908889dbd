"""Files, rules and schedulers that never end: Ctrl-C and limits of time end them all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from numba.core.compiler_lock import global_compiler_lock

from amoebot import Rules, Simulation, files
from amoebot.linking import RulesError, watchdog
from helpers.command import ask, check_refusal, finish, start
from helpers.interpreted import python


@pytest.mark.slow
def test_a_file_that_ends_the_program_or_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READING", 0.3)
    for text, words in {
        "import sys\nsys.exit(0)\n": "it ends the program instead of defining functions",
        "while True:\n    pass\n": "longer than 0.3 s",
        "import time\ntime.sleep(60)\n": "longer than 0.3 s",
    }.items():
        (tmp_path / "mine.py").write_text(text)
        for option in ("--rules", "--algorithm"):
            answer = ask("memory", option, str(tmp_path / "mine.py"))
            check_refusal(answer)
            assert words in answer.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such pipes")
def test_a_pipe_that_nobody_writes_to_and_a_file_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both were read for ever."""
    monkeypatch.setattr(files, "READING", 0.3)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RulesError, match=r"pipe: it takes longer than 0\.3 s to be read"):
        Rules.read(tmp_path / "pipe")
    with pytest.raises(RulesError, match="/dev/zero: this is longer than 16 MiB"):
        Rules.read("/dev/zero")


@pytest.mark.parametrize(("limit", "words"), [("0.4", "longer than 0.4 s"), ("0", "than 0 s")])
def test_the_limit_of_time_that_is_given_holds_for_reading_files(
    limit: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READING", 60.0)
    (tmp_path / "mine.py").write_text("while True:\n    pass\n")
    rules, start = ("--rules", str(tmp_path / "mine.py")), time.process_time()
    answer = ask("verify", "line:2", *rules, "--time-limit", limit)
    check_refusal(answer)
    assert words in answer.err
    assert time.process_time() - start < files.READING / 2


def test_a_larger_limit_of_time_holds_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "READING", 0.05)
    with files.reading_within(20):
        assert files.run_file("import time\ntime.sleep(0.2)\nx = 1\n", "slow", ValueError).x == 1
    with pytest.raises(ValueError, match=r"slow\.py: it takes longer than 0\.05 s"):
        files.run_file("import time\ntime.sleep(1)\n", "slow", ValueError)


@pytest.mark.parametrize("seconds", [1e10, float("inf")])
def test_no_limit_of_time_is_too_long(seconds: float) -> None:
    with files.reading_within(seconds):
        assert files.run_file("x = 1\n", "quick", ValueError).x == 1


def test_a_limit_of_time_holds_around_another_one() -> None:
    def read_and_wait() -> None:
        with files.at_most(10):
            time.sleep(0.01)
        time.sleep(5)

    with pytest.raises(TimeoutError), files.at_most(0.2):
        read_and_wait()


class Collected:
    """An object that takes until the alarm rings to be deleted: what is raised then is lost."""

    def __del__(self) -> None:
        time.sleep(5)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_of_time_that_was_lost_in_a_deletion_takes_effect_all_the_same() -> None:
    def delete_and_wait() -> None:
        Collected()
        time.sleep(5)

    with pytest.raises(TimeoutError), files.at_most(0.1):
        delete_and_wait()


@pytest.mark.slow
def test_a_limit_of_time_holds_in_the_first_round_and_blames_nobody_else(tmp_path: Path) -> None:
    """Interpreted: what is run to compile it came before the limit, and so did long elections."""
    (tmp_path / "endless.py").write_text(
        "def sides_of_first_coin(me, radix):\n    while radix > 0:\n        pass\n    return 1\n"
    )
    rules, limit = ("--rules", str(tmp_path / "endless.py")), ("--time-limit", "0.5")
    told = python("-m", "amoebot", "elect", "line:3", *rules, *limit)
    assert told.returncode == 2
    assert told.stderr.endswith("amoebot: a rule does not end: given up after 0.5 s\n")
    told = python("-m", "amoebot", "elect", "hexagon:25", "--quiet", *limit)
    assert (told.returncode, told.stderr) == (1, "")


#: Files in which one function in C goes on for hours, and options that read them.
HOURS = "0 * sum(range(10**12))"


BUSY = {
    "rule": ("--rules", f"def sign(heading):\n    return heading + {HOURS}\n"),
    "number": ("--rules", "def sign(heading):\n    return heading + 0 * 10 ** 10 ** (heading + 9)"),
    "file": ("--rules", f"MOST = {HOURS}\ndef sign(heading):\n    return heading\n"),
    "scheduler": ("--scheduler", f"def scheduler(simulation):\n    return {HOURS}\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUSY)
def test_a_limit_of_time_holds_while_nothing_else_of_python_runs(name: str, tmp_path: Path) -> None:
    """No thread and no handler of a signal runs meanwhile: such files were never given up."""
    option, text = BUSY[name]
    (tmp_path / "busy.py").write_text(text)
    own = option, str(tmp_path / "busy.py"), "--time-limit", "0.5"
    told = python("-m", "amoebot", "elect", "line:3", *own)
    assert told.returncode == 2
    assert told.stderr.startswith("amoebot: ")
    endings = " does not end: given up after 0.5 s\n", ": it takes longer than 0.5 s to be read\n"
    assert told.stderr.endswith(endings)


@pytest.mark.slow
def test_ctrl_c_ends_a_program_in_which_nothing_else_of_python_runs(tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(f'print("begun", flush=True)\nMOST = {HOURS}\n')
    with subprocess.Popen(
        [sys.executable, "-m", "amoebot", "elect", "line:3", "--rules", str(tmp_path / "busy.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        answer = finish(process)
    assert (answer.status, answer.err) == (130, "amoebot: interrupted\n")


#: A program that goes on after an end was called off, and after one that was set anew.
GOING_ON = """
import socket, time
from amoebot import last_resort
heard, told = socket.socketpair()
last_resort.start(heard)
with last_resort.ending_in(1000, "an outer one"):
    with last_resort.ending_in(0, "an inner one"):
        pass
    last_resort.end_in(0, 1, "another")
    last_resort.end_in(1000, 1, "another")
    time.sleep(1)
    print("on", flush=True)
    last_resort.end_in(0, 2, "the first")
    time.sleep(10)
"""


def test_the_first_end_that_is_still_set_comes() -> None:
    told = python("-c", GOING_ON)
    assert (told.returncode, told.stdout, told.stderr) == (2, "on\n", "amoebot: the first\n")


@pytest.mark.slow
@pytest.mark.compiled
def test_compiling_is_noticed_whichever_thread_compiles() -> None:
    assert not watchdog.is_compiling()
    with global_compiler_lock:
        found: list[bool] = []
        watcher = Thread(target=lambda: found.append(watchdog.is_compiling()))
        watcher.start()
        watcher.join()
    assert found == [True]
    assert not watchdog.is_compiling()


#: A command that says when it has been busy with a rule for a while, and not with compiling.
TELLING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import threading, time
from amoebot.cli import main
from amoebot.linking import watchdog

def tell():
    steps = 0
    while steps < 8:
        time.sleep(0.25)
        steps = 0 if watchdog.is_compiling() or not watchdog._under_way else steps + 1
    print("a rule is under way", flush=True)

threading.Thread(target=tell, daemon=True).start()
main()
"""


@pytest.mark.slow
def test_a_compiled_rule_that_never_ends_is_given_up(tmp_path: Path) -> None:
    """Ctrl-C was ignored, and so was the limit of time."""
    file = tmp_path / "endless.py"
    file.write_text(
        "def sign(heading):\n"
        f"    while heading > -{time.time_ns()}:\n"  # compiled anew each time
        "        heading = 1\n"
        "    return 0\n"
    )
    rules = ("--rules", str(file))
    answer = finish(start("verify", "line:2", "--whp", *rules, "--time-limit", "1"))
    assert answer.status == 2
    assert answer.err.endswith("amoebot: a rule does not end: given up after 1 s\n")
    with subprocess.Popen(
        [sys.executable, "-c", TELLING, "elect", "hexagon:2", *rules],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "a rule is under way\n"
        process.send_signal(signal.SIGINT)
        answer = finish(process)
    assert answer.status == 130
    assert answer.err.endswith("amoebot: interrupted, and a rule does not end\n")


SCHEDULERS = {
    "compiled": "def scheduler(world, waiting):\n    k = 0\n    while k < 5:\n"
    "        k = waiting[0] - 1\n    return 0\n",
    "python": "def scheduler(simulation):\n    while True:\n        pass\n",
}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_scheduler_that_never_ends_is_given_up(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(SCHEDULERS[name])
    own = ("--scheduler", str(tmp_path / f"{name}.py"), "--time-limit", "0.5")
    answer = finish(start("elect", "line:3", *own))
    assert answer.status == 2
    words = f"amoebot: the scheduler {name} does not end: given up after 0.5 s\n"
    assert answer.err.endswith(words)


def test_what_is_called_is_to_blame_if_it_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C blamed a rule for a compiled scheduler."""
    blamed = []

    class Noted(watchdog.calling):
        def __init__(self, what: str = "a rule") -> None:
            super().__init__(what)
            blamed.append(what)

    monkeypatch.setattr(watchdog, "calling", Noted)
    Simulation("line:3").step()
    assert {*blamed} == {"the election"}
    (tmp_path / "first.py").write_text("def scheduler(world, waiting):\n    return 0\n")
    Simulation("line:3", scheduler=tmp_path / "first.py").step()
    assert blamed[-1] == "the scheduler first"
