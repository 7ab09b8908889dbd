"""Compiled functions on disk: one file each, found by what was compiled.

Numba's own files are bound to the place and the date of a source, and do not notice that a function
of another file has changed. Ours are named after all that has a part in the machine code (see
``fingerprint``): stale code can never run, and what an edit or a changed rule leaves as it was is
found again, in other versions and links too. Each begins with a digest, so a damaged one is
noticed, removed, and compiled anew.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any
from weakref import WeakValueDictionary

from numba.core.caching import Cache, CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.environment import Environment, lookup_environment
from numba.core.serialize import dumps

from amoebot.fingerprint import fingerprint, reaches_a_cycle

#: Bytes that are kept; beyond that, what has not been used for longest is removed.
MOST_BYTES = 1 << 30

_SIZE = hashlib.sha256().digest_size

_damage_was_told = False

#: Is told of a function that is about to be compiled, and how to see whether it is there by now;
#: returns when to look again, or to compile it.
Ahead = Callable[[Callable[..., Any], Callable[[], bool]], None]

_ahead: Ahead | None = None

#: The functions of this process, by the files of their machine code: no file is loaded twice.
_present: WeakValueDictionary[Path, Any] = WeakValueDictionary()

_was_pruned = False


def keep(dispatcher: Any, folder: Path) -> None:
    """Let a compiled function keep its machine code in a folder, and look for it there."""
    dispatcher._cache = _MachineCode(dispatcher, folder)


@contextmanager
def telling_ahead(ahead: Ahead) -> Iterator[None]:
    """Tell of each function before it is compiled: another process may do that instead."""
    global _ahead
    before, _ahead = _ahead, ahead
    try:
        yield
    finally:
        _ahead = before


def is_at_hand(dispatcher: Any, *arguments: Any) -> bool:
    """Whether a function need not be compiled to be called with such arguments."""
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    if types in dispatcher.overloads:
        return True
    kept = dispatcher._cache
    if not isinstance(kept, _MachineCode):
        return False
    return kept.has(types, dispatcher.targetctx)


class _Place(_CacheLocator):  # type: ignore[misc]
    """Where a function's machine code is: Numba asks for that before it writes."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder = folder
        self._py_file = function.__code__.co_filename  # for what Numba says of the function

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""  # the name of the folder says it

    def get_disambiguator(self) -> str:
        return ""

    def ensure_cache_path(self) -> None:
        """Leave it to whoever writes to notice that the folder is gone."""


class _Contents(CompileResultCacheImpl):  # type: ignore[misc]
    """The contents of a file: as Numba writes them."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Place(function, folder)


class _MachineCode(FunctionCache):  # type: ignore[misc]
    """The cache of a function, as Numba uses it."""

    def __init__(self, dispatcher: Any, folder: Path) -> None:
        function = dispatcher.py_func
        self._name = repr(function)
        self._py_func = function
        self._impl = _Contents(function, folder)
        self._cache_path = str(folder)
        self._cache_file = _Files(folder, dispatcher)
        self._dispatcher = dispatcher
        Cache.enable(self)

    def has(self, sig: Any, target_context: Any) -> bool:
        return self._cache_file.has(self._index_key(sig, target_context.codegen()))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._find(sig, target_context)
        if found is not None or _ahead is None:
            return found
        _ahead(self._py_func, lambda: self.has(sig, target_context))
        return self._find(sig, target_context)

    def _find(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        file = self._cache_file.file(self._index_key(sig, target_context.codegen()))
        there = _present.get(file)
        found = there.overloads.get(sig) if there is not None else None
        if found is not None:
            found = found._replace(metadata=None)  # as if it came from disk
        else:
            found = super().load_overload(sig, target_context)
        if found is not None:
            _present.setdefault(file, self._dispatcher)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        if self._enabled:
            _present[self._cache_file.file(self._index_key(sig, data.codegen))] = self._dispatcher


class _Files:
    """The files of one function: one for each combination of types."""

    def __init__(self, folder: Path, dispatcher: Any) -> None:
        self._folder = folder
        self._dispatcher = dispatcher
        self._fingerprint = ""  # known once all that the function refers to is in its place

    def file(self, key: Any) -> Path:
        self._fingerprint = self._fingerprint or fingerprint(self._dispatcher)
        python = ".".join(map(str, sys.version_info[:2]))
        name = hashlib.sha256(f"{self._fingerprint} {python} {key!r}".encode()).hexdigest()
        return self._folder / f"{name[:32]}.code"

    def has(self, key: Any) -> bool:
        return self.file(key).is_file()

    def save(self, key: Any, data: Any) -> None:
        if reaches_a_cycle(self._dispatcher):  # which Numba closes only where it is compiled
            return
        content = pickle.dumps((repr(key), dumps(data)))
        half = self.file(key).with_suffix(f".{os.getpid()}-{get_ident()}")
        try:
            half.write_bytes(hashlib.sha256(content).digest() + content)
            half.replace(self.file(key))
            _prune_once(self._folder)
        except OSError:  # full, or in use elsewhere: the next process compiles again
            with suppress(OSError):
                half.unlink()

    def load(self, key: Any) -> Any:
        file = self.file(key)
        try:
            found = b"" if file.is_dir() else file.read_bytes()
        except OSError:
            return None
        content = found[_SIZE:]
        if hashlib.sha256(content).digest() != found[:_SIZE]:
            _remove(file)
            _tell_of_damage()
            return None
        with suppress(OSError):
            os.utime(file)  # the time of its last use
        known, data = pickle.loads(content)
        return _Reader(io.BytesIO(data)).load() if known == repr(key) else None

    def flush(self) -> None:
        """Nothing is kept back."""


def _remove(file: Path) -> None:
    """Remove what stands where a file should be: a folder there would be in the way for ever."""
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file, ignore_errors=True)
        return
    with suppress(OSError):
        file.unlink()


class _Reader(pickle.Unpickler):
    """Reads what Numba has written, without importing the module that was compiled."""

    def find_class(self, module: str, name: str) -> Any:
        return _environment if name == "_rebuild_env" else super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the constants of a function; its module is another one in each link."""
    made = lookup_environment(name)
    if made is None:
        made = Environment({"__name__": module})
        made.consts[:] = constants
        made.env_name = name
        Environment._memo[name] = made
    return made


def _prune_once(folder: Path) -> None:
    """Remove what has not been used for longest, if there is too much."""
    global _was_pruned
    if _was_pruned:
        return
    _was_pruned = True
    used: list[tuple[float, int, Path]] = []
    for file in folder.glob("*.code"):
        with suppress(OSError):  # another process may have removed it meanwhile
            found = file.stat()
            used.append((found.st_mtime, found.st_size, file))
    total = sum(size for _, size, _ in used)
    for _, size, file in sorted(used):
        if total <= MOST_BYTES:
            return
        _remove(file)
        total -= size


def _tell_of_damage() -> None:
    global _damage_was_told
    if not _damage_was_told:
        _damage_was_told = True
        print("Compiled code on disk was damaged: compiling it again.", file=sys.stderr)
