"""What a pure function may refer to: Python's own functions, modules and what is in them."""

from __future__ import annotations

import builtins
import math
import operator
import sys
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from amoebot.jit import INTERPRETED, source

#: Built-in functions that give the same answer for the same arguments, and do nothing else.
PURE = {
    *("abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance"),
    *("len", "list", "max", "min", "pow", "range", "reversed", "round", "sorted", "sum", "tuple"),
    "zip",
}

#: Harmless built-in functions for debugging in interpreted runs.
FOR_LOOKING = {"print", "breakpoint"}

#: Functions of NumPy that read or write files, look at the machine or at memory that nobody has
#: written to, or set how NumPy works; and dictionaries of its own.
IMPURE_OF_NUMPY = {
    *("load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromfile"),
    *("fromregex", "info", "get_include", "show_config", "show_runtime", "test"),
    *("empty", "empty_like", "from_dlpack", "frompyfunc", "may_share_memory", "shares_memory"),
    *("seterr", "seterrcall", "setbufsize", "set_printoptions", "printoptions", "nested_iters"),
    *("geterr", "geterrcall", "getbufsize", "get_printoptions", "sctypeDict", "typecodes"),
    *("datetime64", "timedelta64"),  # which know "now" and "today"
}

#: Classes of NumPy, besides its numbers, and modules of it that are pure.
PURE_CLASSES_OF_NUMPY = (np.dtype, np.finfo, np.iinfo, np.ndenumerate, np.ndindex)
PURE_PARTS_OF_NUMPY = tuple(module.__name__ for module in (np, np.linalg, np.fft))

#: Modules with only pure functions, but for those of ``operator`` that change what they are given,
#: and those that reach an attribute by a text.
PURE_MODULES = (math.__name__, operator.__name__, operator.abs.__module__)
CHANGING = {
    *("iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow"),
    *("irshift", "isub", "itruediv", "ixor", "setitem", "delitem"),
}
IMPURE_OF_OPERATOR = {*CHANGING, "attrgetter", "methodcaller"}

#: Attributes that write, to files or to arrays that are read-only, and that look at addresses.
WRITING = {"at", "dump", "dumps", "resize", "setflags", "tofile"}
LOOKING = {"ctypes", "data"}


def may_be_used(value: Any) -> bool:
    """Whether a pure function may refer to something; what it is at all is checked elsewhere."""
    if isinstance(value, tuple):  # what a function in it does is not looked into
        return all(may_be_used(part) and not _is_own(part) for part in value)
    if isinstance(value, ModuleType):
        return _is_pure(value)
    if isinstance(value, type):
        of_python = value.__module__ == builtins.__name__ and value.__name__ in PURE
        is_number = issubclass(value, np.generic) and value.__name__ not in IMPURE_OF_NUMPY
        return of_python or is_number or issubclass(value, (*PURE_CLASSES_OF_NUMPY, BaseException))
    home, name = str(getattr(value, "__module__", None)), getattr(value, "__name__", "")
    if home.partition(".")[0] == np.__name__ and callable(value):
        return home in PURE_PARTS_OF_NUMPY and name not in IMPURE_OF_NUMPY
    if isinstance(value, BuiltinFunctionType) and home == builtins.__name__:
        return name in PURE or (INTERPRETED and name in FOR_LOOKING)
    if isinstance(value, BuiltinFunctionType) or _is_of_python(home, value):
        return home in PURE_MODULES and name not in IMPURE_OF_OPERATOR
    return True


def _is_pure(module: ModuleType) -> bool:
    name = module.__name__
    if name.partition(".")[0] == np.__name__:
        return name in PURE_PARTS_OF_NUMPY
    return name in PURE_MODULES or name not in sys.stdlib_module_names


def _is_of_python(home: str, value: Any) -> bool:
    return isinstance(value, FunctionType) and home.partition(".")[0] in sys.stdlib_module_names


def _is_own(value: Any) -> bool:
    plain = source(value)
    return isinstance(plain, FunctionType) and plain.__module__.partition(".")[0] != "amoebot"


def impure_part(module: ModuleType, names: Sequence[str]) -> int | None:
    """Return at which of the names that lead on from a module something impure is reached.

    None if nowhere; 0 if the module itself is impure.
    """
    value: Any = module
    for number, name in enumerate(names):
        if not may_be_used(value):
            return number
        if not isinstance(value, ModuleType):
            return None
        if name.startswith("_") or (value is np and name in IMPURE_OF_NUMPY):
            return number + 1
        if name not in vars(value) and name in dir(value):  # what is loaded only when asked for
            return number + 1
        value = vars(value).get(name)
    return None if may_be_used(value) else len(names)


def is_module(value: Any, names: Sequence[str]) -> bool:
    """Whether these names lead from something to a module."""
    for name in names:
        value = vars(value).get(name) if isinstance(value, ModuleType) else None
    return isinstance(value, ModuleType)
