"""The command as a process: installed, interrupted, cut off, and on its first run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import amoebot
from amoebot import cli
from helpers.command import Answer, check_refusal, finish, start


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["elect", "--help"],
        ["sweep", "--help"],
        ["reproduce", "--help"],
        ["--version"],
        [],
    ],
)
def test_help_needs_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from amoebot.cli import main\n"
        "heavy = {'numba', 'numpy', 'rich', 'polars', 'matplotlib'}\n"
        "try: main()\n"
        "finally: print(heavy & set(sys.modules), file=sys.stderr)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    assert answer.stdout.startswith(("Usage: amoebot", f"amoebot {amoebot.__version__}"))
    assert answer.stderr == "set()\n"


def test_the_command_is_installed() -> None:
    (command,) = entry_points(group="console_scripts", name="amoebot")
    assert command.load() is cli.main


def test_python_can_run_the_package() -> None:
    program = [sys.executable, "-m", "amoebot", "elect", "frob"]
    answer = subprocess.run(program, capture_output=True, text=True, check=False)
    check_refusal(Answer(answer.returncode, answer.stdout, answer.stderr))


@pytest.mark.slow
@pytest.mark.compiled
def test_ctrl_c_stops_a_long_run() -> None:
    ours, theirs = pytest.importorskip("pty").openpty()
    process = start("elect", "line:100000", stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"phase" not in seen:  # the progress bar, so that the run is under way
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    seen += os.read(ours, 1 << 16)
    os.close(ours)
    assert process.returncode == 130
    assert out == ""
    assert b"amoebot: interrupted" in seen
    assert b"Traceback" not in seen


@pytest.mark.slow
def test_ctrl_c_ends_the_viewer_as_it_says() -> None:
    process = start("view", "hexagon:1", "--no-browser", "--port", "0")
    assert process.stderr is not None
    while "(Ctrl-C ends it)" not in (said := process.stderr.readline()):
        assert said
    time.sleep(1)  # until the server has taken over
    process.send_signal(signal.SIGINT)
    answer = finish(process)
    assert (answer.status, answer.err) == (0, "")


@pytest.mark.parametrize("arguments", [("shapes",), ("elect", "hexagon:2", "--json")])
def test_a_reader_may_leave(arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    answer = finish(start(*arguments, stdout=write))
    os.close(write)
    assert "Broken" not in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.slow
@pytest.mark.compiled
def test_compilation_is_announced_once(tmp_path: Path) -> None:
    environment = os.environ | {"AMOEBOT_CACHE": str(tmp_path)}
    program = "from amoebot.cli import compile_notice as c, main; c.SHORT = 0; main()"
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program, "shapes", "line:2"],
            env=environment,
            capture_output=True,
            text=True,
        )
        for _ in range(2)
    )
    assert first.stderr.startswith("Compiled small functions (once for this version) in ")
    assert first.stderr.count("\n") == 1
    assert (second.returncode, second.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.compiled
def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = os.environ | {"AMOEBOT_CACHE": str(tmp_path / "file")}
    answer = finish(start("shapes", "line:2", "--json", env=environment))
    assert (answer.status, answer.json["particles"]) == (0, 2)
    assert (
        f"(each time: nothing can be kept in {tmp_path / 'file'}, see AMOEBOT_CACHE)" in answer.err
    )


def test_the_shell_completes_commands() -> None:
    environment = os.environ | {
        "_AMOEBOT_COMPLETE": "complete_bash",
        "COMP_WORDS": "amoebot el",
        "COMP_CWORD": "1",
    }
    program = "from amoebot.cli import app; app(prog_name='amoebot')"
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert told.stdout.split() == ["elect"]
