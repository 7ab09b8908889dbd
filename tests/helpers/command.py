"""How tests run commands: within this process, or as a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import Any

import amoebot
from amoebot import cli

#: A call of each command that has ``--json``.
FOR_PROGRAMS = {
    "elect": "elect hexagon:2",
    "elect --check": "elect hexagon:4 --check",
    "shapes": "shapes",
    "shapes SHAPE": "shapes line:3",
    "memory": "memory",
    "ring": "ring 2 --runs 2",
    "verify": "verify line:2 --whp",
    "sweep --dry-run": "sweep plan.toml --dry-run",
    "sweep": "sweep plan.toml -o results",
    "report": "report results",
    "archive": "archive results",
    "reproduce --dry-run": "reproduce --dry-run",
    "compare": "compare line:3 --algorithms erosion --seeds 1",
}


@dataclass
class Answer:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The only thing on standard output, which is one object."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def ask(*arguments: str) -> Answer:
    """Run a command within this process."""
    compile_everything()
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = cli.run(list(arguments))
    return Answer(status, out.getvalue(), err.getvalue())


@cache
def compile_everything() -> None:
    """Compile beforehand, so that no command has to say that it does."""
    for generator in amoebot.shapes.GENERATORS.values():
        amoebot.shapes.parse(generator.example)
    amoebot.elect(amoebot.shapes.hexagon(1))


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a process of its own, with pipes unless told otherwise."""
    # A test run in the background ignores Ctrl-C, and its children would inherit that.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from amoebot.cli import main; main()"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", program, *arguments], **(pipes | options))


def finish(process: subprocess.Popen[str]) -> Answer:
    out, err = process.communicate(timeout=300)
    return Answer(process.returncode, out, err)


def check_refusal(answer: Answer) -> None:
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("amoebot: ")
    assert answer.err.endswith("\n")
    assert answer.err[:-1].isprintable()  # one line, then
