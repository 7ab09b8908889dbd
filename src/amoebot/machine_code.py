"""Compiled functions on disk: one file each, found by what was compiled, wherever it is installed.

Numba's own files are bound to the place and the date of the sources. Ours lie in a folder that is
named after the sources themselves (see ``cache``). Each begins with a digest, so a damaged one is
noticed, removed, and compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import get_ident
from typing import Any

from numba.core.caching import Cache, CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

_SIZE = hashlib.sha256().digest_size

_damage_was_told = False

#: Is told of a function that is about to be compiled, of its folder, and how to see whether it is
#: there by now; returns when to look again, or to compile it.
Ahead = Callable[[Callable[..., Any], Path, Callable[[], bool]], None]

_ahead: Ahead | None = None


def keep(dispatcher: Any, folder: Path) -> None:
    """Let a compiled function keep its machine code in a folder, and look for it there."""
    dispatcher._cache = _MachineCode(dispatcher.py_func, folder)


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
    return kept._cache_file.has(kept._index_key(types, dispatcher.targetctx.codegen()))


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

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = _Contents(function, folder)
        self._cache_path = str(folder)
        self._cache_file = _Files(folder, function)
        self._folder = folder
        Cache.enable(self)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None or _ahead is None:
            return found
        key = self._index_key(sig, target_context.codegen())
        _ahead(self._py_func, self._folder, lambda: self._cache_file.has(key))
        return super().load_overload(sig, target_context)


class _Files:
    """The files of one function: one for each combination of types."""

    def __init__(self, folder: Path, function: Callable[..., Any]) -> None:
        self._folder = folder
        # The folder is named after what has a part in runs; a file of another kind may change too.
        own = _digest_of(function.__code__.co_filename)
        self._function = f"{function.__module__}.{function.__qualname__} {own}"

    def _file(self, key: Any) -> Path:
        python = ".".join(map(str, sys.version_info[:2]))
        name = hashlib.sha256(f"{self._function} {python} {key!r}".encode()).hexdigest()
        return self._folder / f"{name[:32]}.code"

    def has(self, key: Any) -> bool:
        return self._file(key).is_file()

    def save(self, key: Any, data: Any) -> None:
        content = pickle.dumps((repr(key), dumps(data)))
        half = self._file(key).with_suffix(f".{os.getpid()}-{get_ident()}")
        try:
            half.write_bytes(hashlib.sha256(content).digest() + content)
            half.replace(self._file(key))
        except OSError:  # full, or in use elsewhere: the next process compiles again
            with suppress(OSError):
                half.unlink()

    def load(self, key: Any) -> Any:
        file = self._file(key)
        try:
            found = b"" if file.is_dir() else file.read_bytes()
        except OSError:
            return None
        content = found[_SIZE:]
        if hashlib.sha256(content).digest() != found[:_SIZE]:
            _remove(file)
            _tell_of_damage()
            return None
        known, data = pickle.loads(content)
        return pickle.loads(data) if known == repr(key) else None

    def flush(self) -> None:
        """Nothing is kept back."""


def _remove(file: Path) -> None:
    """Remove what stands where a file should be: a folder there would be in the way for ever."""
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file, ignore_errors=True)
        return
    with suppress(OSError):
        file.unlink()


@cache
def _digest_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _tell_of_damage() -> None:
    global _damage_was_told
    if not _damage_was_told:
        _damage_was_told = True
        print("Compiled code on disk was damaged: compiling it again.", file=sys.stderr)
