"""The one place that knows how functions are compiled, and where compiled code is kept.

The same source runs compiled (Numba) and interpreted (``NUMBA_DISABLE_JIT=1``). Numba's own
cache does not notice that a function called from another file has changed, so ours lives in a
folder named after a hash of the package's own sources: stale machine code can never run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.core.event import Listener, install_listener
from numba.extending import intrinsic, register_jitable
from numba.np import arrayobj
from numpy.typing import NDArray

#: What the compiler raises.
CompilerError = NumbaError

#: True where functions run as plain Python.
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)

#: What decides nothing about how a run goes: whatever else there is is part of the digest.
NO_PART_OF_A_RUN = (
    *("bench", "browser", "cli", "render", "reports", "reproduction", "sweeps", "viewer"),
    *("errors.py", "ring.py", "terminal.py"),
    # how elections are drawn and told
    *("expressions.py", "pictures.py", "candidacy_pictures.py", "words.py", "tour.py"),
)

_Function = TypeVar("_Function", bound=Callable[..., Any])


#: Digest of the algorithm and rules being linked; part of the cache path.
_linked: ContextVar[str] = ContextVar("linked", default="")

#: Folders of a kind that are kept: one for each version, algorithm and set of rules.
MOST_FOLDERS = 24


@contextmanager
def separate_cache(linked: str) -> Iterator[None]:
    """Keep what this thread compiles meanwhile in a folder that belongs to one link."""
    before = _linked.set(linked)
    try:
        yield
    finally:
        _linked.reset(before)


@cache
def digest_of_sources() -> str:
    """Return a digest of all sources of the package that have a part in how a run goes."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        if not {*source.relative_to(package).parts} & {*NO_PART_OF_A_RUN}:
            digest.update(source.relative_to(package).as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder(linked: str = "", kind: str = "") -> Path | None:
    """Return the folder of compiled code that belongs to exactly these sources.

    There is none where no folder can be written to: then every process compiles for itself.
    Folders of a kind are kept apart from others, which cannot push them out.
    """
    name = hashlib.sha256((numba.__version__ + digest_of_sources() + linked).encode()).hexdigest()
    try:
        folder = _cache_home() / kind / name[:16]
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _drop_old_folders(folder)
        os.utime(folder)  # the time of its last use
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # read-only or full, or a user without a home
        return None


def _drop_old_folders(new: Path) -> None:
    """Remove what has not been used for longest, so that versions and rules do not pile up."""
    last_used: dict[Path, float] = {}
    for path in new.parent.iterdir():
        with suppress(OSError):  # another process may have removed it meanwhile
            if _FOLDER.fullmatch(path.name):
                last_used[path] = path.stat().st_mtime
    for old in sorted(last_used, key=lambda path: -last_used[path])[MOST_FOLDERS:]:
        if old != new:
            shutil.rmtree(old, ignore_errors=True)


_FOLDER = re.compile("[0-9a-f]{16}")


def _cache_home() -> Path:
    if own := os.environ.get("AMOEBOT_CACHE"):
        return Path(own).absolute()
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "amoebot" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "amoebot"


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called."""
    if INTERPRETED:
        return function
    # Numba reads its setting when a function is decorated; the setting of the caller's own
    # program is put back at once.
    theirs, folder = numba.config.CACHE_DIR, cache_folder(_linked.get())
    kept = folder is not None and Path(function.__code__.co_filename).exists()
    numba.config.CACHE_DIR = str(folder or theirs)
    try:
        compiling = numba.njit(nogil=True, cache=kept, error_model="numpy")
        return compiling(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = theirs


def inlined(function: _Function) -> _Function:
    """Compile a function into each of its callers.

    For functions in the inner loop that take arrays: at a call that is not inlined, each array's
    references are counted, which costs more than the call.
    """
    return function if INTERPRETED else numba.njit(inline="always")(function)


def compilable(function: _Function) -> _Function:
    """Leave a function to Python, and let compiled functions call it all the same.

    For what NumPy does quickly by itself here, and has to be compiled elsewhere.
    """
    return register_jitable(function)  # type: ignore[no-any-return]


def rule(function: _Function) -> _Function:
    """Compile a rule of an election, which can be replaced by one of the user's own."""
    return compiled(_marked(function))


def inlined_rule(function: _Function) -> _Function:
    """Compile a rule into those that call it, because it is part of the inner loop."""
    return inlined(_marked(function))


def _marked(function: _Function) -> _Function:
    function.__dict__["is_rule"] = True
    return function


def is_rule(function: Any) -> bool:
    """Whether a function, compiled or not, is a rule that can be replaced."""
    return getattr(source(function), "is_rule", False) is True  # this module has the name too


if INTERPRETED:

    def borrowed(array: NDArray[Any]) -> NDArray[Any]:
        """Return the array itself."""
        return array

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typing: Any, array: Any) -> Any:
        """Return the same array without its reference count, for loops that hand it to functions.

        Counting is an atomic operation at every call, inlined or not. Whoever calls this holds on
        to the array for as long as the loop runs.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            made = arrayobj.make_array(signature.args[0])(context, builder, value=arguments[0])
            made.meminfo = cgutils.get_null_value(made.meminfo.type)
            return made._getvalue()

        return array(array), generate


def source(function: Any) -> Any:
    """Return the plain function behind one that may have been compiled."""
    return getattr(function, "py_func", function)


def like(original: Any, function: _Function) -> _Function:
    """Compile a function the way another one is compiled."""
    options = getattr(original, "targetoptions", {})
    return inlined(function) if options.get("inline") == "always" else compiled(function)


def wrapping(function: _Function) -> _Function:
    """Compile a function whose unsigned integers are meant to wrap around, as hashes do."""
    return np.errstate(over="ignore")(function) if INTERPRETED else compiled(function)


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
