"""The one place that knows how functions are compiled, and where compiled code is kept.

The same source runs compiled (Numba) and interpreted (``NUMBA_DISABLE_JIT=1``). Numba's own
cache does not notice that a function called from another file has changed, so ours lives in a
folder named after a hash of all sources of the package: stale machine code can never run.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

#: True where functions run as plain Python.
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)

_Function = TypeVar("_Function", bound=Callable[..., Any])


@cache
def cache_folder() -> Path:
    """Return the folder of compiled code that belongs to exactly these sources."""
    package = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    home = os.environ.get("AMOEBOT_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "amoebot"
    )
    return Path(home) / digest.hexdigest()[:16]


def rule(function: _Function) -> _Function:
    """Compile a function of the algorithm, or of what runs it, when it is first called."""
    if INTERPRETED:
        return function
    # Numba reads its setting when a function is decorated; the setting of the caller's own
    # program is put back at once.
    theirs = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(nogil=True, cache=True, error_model="numpy")(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = theirs


def wrapping(function: _Function) -> _Function:
    """Compile a function whose unsigned integers are meant to wrap around, as hashes do."""
    return np.errstate(over="ignore")(function) if INTERPRETED else rule(function)


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error, in one line, that the first run compiles and how long it took."""
    done = cache_folder() / "compiled"
    if INTERPRETED or done.exists():
        yield
        return
    print("Compiling the rules, once for this version ... ", end="", file=sys.stderr, flush=True)
    start = time.perf_counter()
    try:
        yield
    except BaseException:
        print("interrupted.", file=sys.stderr, flush=True)
        raise
    print(f"{time.perf_counter() - start:.1f} s.", file=sys.stderr, flush=True)
    done.parent.mkdir(parents=True, exist_ok=True)
    done.touch()
