"""The one place that knows how functions are compiled, and where compiled code is kept.

The same source runs compiled (Numba) and interpreted (``NUMBA_DISABLE_JIT=1``). Numba's own
cache does not notice that a function called from another file has changed, so ours lives in a
folder named after a hash of the package's own sources: stale machine code can never run.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.errors import NumbaError
from numba.core.event import Listener, install_listener

#: What the compiler raises.
CompilerError = NumbaError

#: True where functions run as plain Python.
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)

#: What has no compiled function in it.
NEVER_COMPILED = (
    "batch.py",
    "cli",
    "experiments",
    "render",
    "results.py",
    "runs.py",
    "simulation.py",
    "terminal.py",
    "viewer",
)

_Function = TypeVar("_Function", bound=Callable[..., Any])


#: What tells the rules whose modules are being imported from those of the paper, see ``apart``.
_changed: ContextVar[str] = ContextVar("changed", default="")


@contextmanager
def apart(changed: str) -> Iterator[None]:
    """Keep what this thread imports meanwhile, to be compiled with changed rules, in a folder of
    its own.
    """
    before = _changed.set(changed)
    try:
        yield
    finally:
        _changed.reset(before)


@cache
def cache_folder(changed: str = "") -> Path | None:
    """Return the folder of compiled code that belongs to exactly these sources.

    There is none where no folder can be written to: then every process compiles for itself.
    """
    package = Path(__file__).parent
    digest = hashlib.sha256((numba.__version__ + changed).encode())
    for source in sorted(package.rglob("*.py")):
        if source.relative_to(package).parts[0] in NEVER_COMPILED:
            continue
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    try:
        folder = _cache_home() / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # read-only or full, or a user without a home
        return None


def _cache_home() -> Path:
    if own := os.environ.get("AMOEBOT_CACHE"):
        return Path(own).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "amoebot"


def rule(function: _Function) -> _Function:
    """Compile a function of the algorithm, or of what runs it, when it is first called."""
    if INTERPRETED:
        return function
    # Numba reads its setting when a function is decorated; the setting of the caller's own
    # program is put back at once.
    theirs, folder = numba.config.CACHE_DIR, cache_folder(_changed.get())
    kept = folder is not None and Path(function.__code__.co_filename).exists()
    numba.config.CACHE_DIR = str(folder or theirs)
    try:
        compiled = numba.njit(nogil=True, cache=kept, error_model="numpy")
        return compiled(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = theirs


def inlined(function: _Function) -> _Function:
    """Compile a function into each of its callers.

    For functions in the inner loop that take arrays: at a call that is not inlined, each array's
    references are counted, which costs more than the call.
    """
    return function if INTERPRETED else numba.njit(inline="always")(function)


def source(function: Any) -> Any:
    """Return the plain function behind one that may have been compiled."""
    return getattr(function, "py_func", function)


def like(original: Any, function: _Function) -> _Function:
    """Compile a function the way another one is compiled."""
    options = getattr(original, "targetoptions", {})
    return inlined(function) if options.get("inline") == "always" else rule(function)


def wrapping(function: _Function) -> _Function:
    """Compile a function whose unsigned integers are meant to wrap around, as hashes do."""
    return np.errstate(over="ignore")(function) if INTERPRETED else rule(function)


def reason(error: Exception) -> str:
    """Return in one line why a function could not be compiled or run."""
    if isinstance(error, KeyError):  # what the compiler says of a field that a record lacks
        return f"there is no field {error}"
    if not isinstance(error, CompilerError):
        return f"{type(error).__name__}: {error}"
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(_FRAMING)]
    return said[0] if said else type(error).__name__


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

#: How lines of the compiler's messages begin that say how it got there, and not what is wrong.
_FRAMING = ("Failed in", "During:", "File", "<", "[", "-", "def ", "^", "...", "There are")


class _Stopwatch(Listener):  # type: ignore[misc]
    """Hears from Numba whenever it compiles, which it does not where the cache has the code."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self.begin = begin  # called once, before anything is compiled
        self.seconds = 0.0
        self._depth = 0  # compiling one function compiles those it calls
        self._start = 0.0

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._start = time.perf_counter()
            if self.seconds == 0:
                self.begin()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error, in one line, that rules are compiled here and how long it took.

    Nothing is said where nothing is compiled. In a terminal the line appears at the beginning
    and is completed at the end; an error in between takes its place.
    """
    watched = sys.stderr is not None and sys.stderr.isatty()

    def begin() -> None:
        if watched:
            print("Compiling the rules …", end="", file=sys.stderr, flush=True)

    stopwatch = _Stopwatch(begin)
    try:
        with install_listener("numba:compile", stopwatch):
            yield
    except BaseException:
        if watched:
            print(end="\r\033[K", file=sys.stderr, flush=True)
        raise
    if stopwatch.seconds:
        kept = "once for this version" if cache_folder() else "set AMOEBOT_CACHE to keep them"
        line = f"Compiled the rules in {stopwatch.seconds:.1f} s ({kept})."
        print(end=f"\r{line}\n" if watched else f"{line}\n", file=sys.stderr, flush=True)
