"""The first election on a machine: a small one is not worth waiting for the compiler.

It is run by the interpreter, with the same result, and leaves a mark; the next one compiles.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from amoebot.cache import code_folder

if TYPE_CHECKING:
    from amoebot.shapes import Shape

#: The environment variable that turns the compiler off; read when Numba is imported.
_SWITCH = "NUMBA_DISABLE_JIT"

#: A shape whose numbers are below a hundred, and what has more to compile or takes longer.
_SHAPE = re.compile(r"[a-z]+:\d{1,2}(,\d{1,2})*")
_MORE = {"--rules", "--algorithm", "--check", "--time-limit", "--help"}

#: Agents on all boundaries: with more, the interpreter takes as long as the compiler.
MOST_AGENTS = 90

_MARK = "first-election"

_begun = False


def prepare(arguments: list[str]) -> None:
    """Choose the interpreter if these arguments ask for the first election, and for a small one."""
    global _begun
    more = _MORE & {one.partition("=")[0] for one in arguments}
    small = not more and any(_SHAPE.fullmatch(one) for one in arguments)
    if arguments[0] == "elect" and small and _SWITCH not in os.environ and _is_empty():
        os.environ[_SWITCH] = "1"
        _begun = True


def _is_empty() -> bool:
    folder = code_folder()
    return folder is not None and not any(folder.iterdir())


def restart_if_large(shape: Shape) -> None:
    """Start over, compiled, if the shape of the first election turns out not to be small."""
    if not _begun:
        return
    from amoebot.system import build

    _leave_mark()
    if build(shape).agents > MOST_AGENTS:
        own = {name: value for name, value in os.environ.items() if name != _SWITCH}
        sys.exit(subprocess.call([sys.executable, *sys.orig_argv[1:]], env=own))
    print(
        "Nothing is compiled yet, so this election is interpreted. The next command compiles for "
        "a minute or two, once.",
        file=sys.stderr,
    )


def _leave_mark() -> None:
    folder = code_folder()
    if folder is not None:
        (folder / _MARK).touch()
