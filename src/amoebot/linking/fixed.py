"""Copies of functions that refer to nothing that can change."""

from __future__ import annotations

import dis
import math
import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from amoebot import jit
from amoebot.files import globals_of
from amoebot.linking import harmless


class NotFixedError(ValueError):
    """Something that a function refers to can change."""

    def __init__(self, function: FunctionType, name: str) -> None:
        """Say which function refers to what."""
        words = f"{function.__name__} refers to {name}, which may not stay the same"
        super().__init__(f"{words}: use numbers, tuples, arrays and functions")
        self.function, self.name = function, name

    @property
    def line(self) -> int:
        """The line of the file in which the function refers to it."""
        code = self.function.__code__
        lines = [
            one.positions.lineno or 0
            for one in dis.get_instructions(code)
            if one.argval == self.name and one.positions
        ]
        return min(lines, default=code.co_firstlineno)


def frozen(value: Any) -> Any:
    """Return a read-only copy of an array, alone or in a tuple; all else as it is.

    But a frozen set is a tuple: the compiler knows none, and all that is asked is what is in it.
    """
    if harmless.is_plain_tuple(value):
        parts = tuple(map(frozen, value))
        return parts if type(value) is tuple else type(value)(*parts)
    if isinstance(value, frozenset):
        return tuple(sorted(value, key=repr))
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.setflags(write=False)
    return value


def fixed(
    functions: Iterable[FunctionType], compiled: Callable[[Any], Any]
) -> dict[FunctionType, Any]:
    """Return a copy of each function; they refer to each other and to read-only arrays.

    Raises:
        NotFixedError: If they refer to something else that can change.
    """
    twins = {function: _twin(function) for function in functions}
    made = {function: compiled(twin) for function, twin in twins.items()}
    for function, twin in twins.items():  # nothing has been compiled so far
        used = {name: function.__globals__.get(name) for name in globals_of(function.__code__)}
        for name, value in used.items():
            own = made.get(jit.source(value)) if callable(value) else None
            if name in twin.__globals__:
                twin.__globals__[name] = own or _fixed(function, name, value)
    return made


def _twin(function: FunctionType) -> FunctionType:
    """Return a function with globals of its own, and copies of its defaults and variables."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    named = function.__kwdefaults__ or {}
    made = FunctionType(
        function.__code__,
        {**function.__globals__},
        function.__name__,
        tuple(_fixed(function, "a default", value) for value in function.__defaults__ or ()),
        tuple(CellType(_fixed(function, name, cell.cell_contents)) for name, cell in cells),
    )
    made.__kwdefaults__ = {name: _fixed(function, name, value) for name, value in named.items()}
    return made


def _fixed(function: FunctionType, name: str, value: Any) -> Any:
    if not _is_fixed(value):
        raise NotFixedError(function, name)
    return frozen(value)


def _is_fixed(value: Any) -> bool:
    if isinstance(value, IntEnum) or (isinstance(value, type) and issubclass(value, IntEnum)):
        return True
    if isinstance(value, tuple | frozenset):
        return harmless.may_be_used(value) and all(map(_is_fixed, value))
    if isinstance(value, np.ndarray):
        return harmless.may_be_used(value) and not value.dtype.hasobject
    if isinstance(value, type | np.ufunc | BuiltinFunctionType):
        return harmless.may_be_used(value)
    if isinstance(value, ModuleType):
        return value in (np, math, operator) or value.__name__.partition(".")[0] == "amoebot"
    return harmless.is_constant(value) or isinstance(jit.source(value), FunctionType | range)
