"""What a pure function may refer to: constants, Python's own functions, modules and their parts."""

from __future__ import annotations

import builtins
import math
import operator
import sys
from collections import namedtuple
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from amoebot.jit import INTERPRETED
from amoebot.linking.read_only import is_own

#: Built-in functions that give the same answer for the same arguments, and do nothing else.
PURE = {
    *("abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance"),
    *("len", "list", "max", "min", "pow", "range", "reversed", "round", "sorted", "sum", "tuple"),
    "zip",
}

#: Harmless built-in functions for debugging in interpreted runs.
FOR_DEBUGGING = {"print", "breakpoint"}

#: Functions of NumPy that read or write files, look at the machine or at memory that nobody has
#: written to, or set how NumPy works; and dictionaries of its own.
IMPURE_OF_NUMPY = {
    *("load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromfile"),
    *("fromregex", "info", "get_include", "show_config", "show_runtime", "test"),
    *("empty", "empty_like", "from_dlpack", "frompyfunc", "may_share_memory", "shares_memory"),
    *("seterr", "seterrcall", "setbufsize", "set_printoptions", "printoptions", "nested_iters"),
    *("geterr", "geterrcall", "getbufsize", "get_printoptions", "sctypeDict", "typecodes"),
    *("datetime64", "timedelta64"),  # which know "now" and "today"
    *("busday_count", "busday_offset", "busdaycalendar", "is_busday", "datetime_as_string"),
    *("array2string", "array_repr", "array_str", "str_", "bytes_", "object_", "character"),
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

#: Attributes that write, to files or to arrays that are read-only; and those that tell addresses
#: or read memory as it is: no end of an array is noticed with ``flat``.
WRITING = {"at", "dump", "dumps", "resize", "setflags", "tofile"}
UNSAFE_ATTRIBUTES = {"ctypes", "data", "flat", "tobytes", "view"}

#: Types of what has no numbers in it: dates, texts and objects.
NO_NUMBERS = "MmOSTU"

#: What rules are made of in this package, and what leads there.
IMPORTABLE = ("amoebot.algorithms", "amoebot.elementary", "amoebot.lattice", "amoebot.rng")
NOT_IMPORTABLE = {"amoebot.algorithms.registry"}

#: Types of constants; NumPy's numbers and types are constants, too.
CONSTANTS = (bool, int, float, complex, str, bytes, NoneType)

#: What has operators and attributes of its own if its class is a subclass of these.
VALUES = (*(int, float, complex, str, bytes, frozenset), *(np.generic, np.dtype, np.ndarray))

#: What a class of records has that is made by ``NamedTuple`` and has no functions of its own.
OF_RECORDS = {
    *vars(namedtuple("Record", ())),
    *("__annotations__", "__orig_bases__", "__firstlineno__", "__static_attributes__"),
    *("__annotate__", "__annotate_func__", "__annotations_cache__"),
}


def may_be_used(value: Any) -> bool:
    """Whether a pure function may refer to something.

    Functions of the user's are looked into elsewhere, and so is whether other things can change.
    """
    if isinstance(value, tuple):
        return is_plain_tuple(value) and all(map(_may_be_in_tuple, value))
    if isinstance(value, ModuleType):
        return _is_pure(value)
    if isinstance(value, type):
        return _is_pure_class(value)
    if isinstance(value, np.ufunc):  # others may call anything
        return getattr(np, value.__name__, None) is value
    if isinstance(value, np.dtype | np.ndarray | np.generic) and not _has_numbers(value):
        return False
    if isinstance(value, VALUES):
        return _is_known_class(type(value))
    home, name = str(getattr(value, "__module__", None)), getattr(value, "__name__", "")
    if home.partition(".")[0] == np.__name__ and callable(value):
        return home in PURE_PARTS_OF_NUMPY and name not in IMPURE_OF_NUMPY
    if isinstance(value, BuiltinFunctionType) and home == builtins.__name__:
        return name in PURE or (INTERPRETED and name in FOR_DEBUGGING)
    if isinstance(value, BuiltinFunctionType) or _is_of_python(home, value):
        return home in PURE_MODULES and name not in IMPURE_OF_OPERATOR
    return True


def is_constant(value: Any) -> bool:
    """Whether something is a number, a text or a type of NumPy's, and not of a subclass."""
    is_of_numpy = isinstance(value, np.generic | np.dtype)
    return type(value) in CONSTANTS or (is_of_numpy and _is_known_class(type(value)))


def is_plain_tuple(value: Any) -> bool:
    """Whether something is a tuple, or a record whose class has no functions of its own."""
    kind = type(value)
    if kind is tuple or kind.__bases__ != (tuple,):
        return kind is tuple
    return {*vars(kind)} <= OF_RECORDS | {*getattr(kind, "_fields", ())}


def may_be_imported(full: str) -> bool:
    """Whether something with this full name is outside this package, or part of its elections."""
    names = full.split(".")
    starts = {".".join(names[:number]) for number in range(1, len(names) + 1)}
    if names[0] != "amoebot" or full == "amoebot":
        return True
    return bool(starts & {*IMPORTABLE}) and not starts & NOT_IMPORTABLE


def _has_numbers(value: Any) -> bool:
    return (value if isinstance(value, np.dtype) else value.dtype).kind not in NO_NUMBERS


def has_own_class(value: Any) -> bool:
    """Whether something is a class that is neither Python's nor NumPy's, or of such a class."""
    kind = value if isinstance(value, type) else type(value)
    home = str(kind.__module__).partition(".")[0]
    return home != np.__name__ and home not in sys.stdlib_module_names | {builtins.__name__}


def _may_be_in_tuple(value: Any) -> bool:
    # What such a function does, and what is done with such a set, is not looked into.
    return may_be_used(value) and not is_own(value) and not isinstance(value, set | frozenset)


def _is_pure_class(kind: type) -> bool:
    if not _is_known_class(kind):
        return False
    if kind.__module__ == builtins.__name__:
        is_error = issubclass(kind, BaseException) and kind is not RecursionError
        return kind.__name__ in PURE or is_error  # how deep calls may be depends on the machine
    pure = (np.generic, *PURE_CLASSES_OF_NUMPY, BaseException)
    return issubclass(kind, pure) and kind.__name__ not in IMPURE_OF_NUMPY


def _is_known_class(kind: type) -> bool:
    """Whether a class is Python's or NumPy's, as it says."""
    home = str(kind.__module__)
    known = home.partition(".")[0] in (builtins.__name__, np.__name__)
    return known and getattr(sys.modules.get(home), kind.__name__, None) is kind


def _is_pure(module: ModuleType) -> bool:
    name = module.__name__
    if name.partition(".")[0] == np.__name__:
        return name in PURE_PARTS_OF_NUMPY
    return name in PURE_MODULES or name not in sys.stdlib_module_names


def _is_of_python(home: str, value: Any) -> bool:
    return isinstance(value, FunctionType) and home.partition(".")[0] in sys.stdlib_module_names


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
