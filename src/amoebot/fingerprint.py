"""Digests of compiled functions: of all that has a part in their machine code.

A function's machine code depends on its own code, on the values that it refers to, and on the same
of every function that it calls. Two functions with one digest have the same machine code, be it in
another version of the package, in the copy of another link, or at another place on the disk.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from amoebot.cache import digest_of_sources

#: Packages whose functions are the same in one version of theirs, which the store is named after.
_FIXED = ("builtins", "llvmlite", "math", "numba", "numpy", "operator", "typing")

_SIMPLE = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), np.generic)


class _Function:
    """What a function consists of by itself: a text, and the functions that it refers to."""

    def __init__(self, function: Any) -> None:
        self.called: list[Any] = []
        plain = _plain(function)
        parts = [*_code(plain.__code__), *_settings(function)]
        known = plain.__globals__
        names = sorted({*_names(plain.__code__)} & known.keys())
        parts += [f"{name} = {self._value(known[name], plain)}" for name in names]
        cells = [cell.cell_contents for cell in plain.__closure__ or ()]
        named = sorted((plain.__kwdefaults__ or {}).items())
        parts += [self._value(value, plain) for value in (plain.__defaults__, cells, named)]
        self.text = "\n".join(parts).encode()

    def _value(self, value: Any, user: FunctionType) -> str:
        kind = type(value)
        if isinstance(value, _SIMPLE):
            return f"{kind.__name__} {value!r}"
        if isinstance(value, Dispatcher | FunctionType | _Intrinsic):
            if str(_plain(value).__module__).partition(".")[0] in _FIXED:
                return f"{_plain(value).__module__}.{_plain(value).__qualname__}"
            self.called.append(value)
            return "function"
        if isinstance(value, tuple | list):
            named = " ".join(getattr(value, "_fields", ()))
            return f"{kind.__name__} {named}({', '.join(self._value(v, user) for v in value)})"
        if isinstance(value, set | frozenset):
            return f"set {sorted(self._value(one, user) for one in value)}"
        if isinstance(value, dict | MappingProxyType):
            return f"dict {[(self._value(k, user), self._value(value[k], user)) for k in value]}"
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
        if isinstance(value, np.dtype | types.Type | np.ufunc | BuiltinFunctionType):
            return f"{kind.__name__} {value!r}"
        if isinstance(value, ModuleType):
            return self._module(value, user)
        return self._class(value) if isinstance(value, type) else _anything()

    def _module(self, module: ModuleType, user: FunctionType) -> str:
        """Describe what could be taken from a module: all names that the function mentions."""
        if module.__name__.partition(".")[0] in _FIXED:
            return f"module {module.__name__}"
        taken = [name for name in sorted({*_names(user.__code__)}) if hasattr(module, name)]
        return f"module {[(name, self._value(getattr(module, name), user)) for name in taken]}"

    @staticmethod
    def _class(kind: type) -> str:
        if kind.__module__.partition(".")[0] in _FIXED:
            return f"class {kind.__module__}.{kind.__qualname__}"
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            defaults = repr(kind._field_defaults)  # type: ignore[attr-defined]
            return f"class {kind.__module__}.{kind.__qualname__} {kind._fields} {defaults}"
        return _anything()


def _anything() -> str:
    """Stand for a value of which nothing is known: it may be another one in every version."""
    return f"sources {digest_of_sources()}"


def _plain(function: Any) -> Any:
    """Return the function that Python would run."""
    return getattr(function, "py_func", None) or getattr(function, "_defn", function)


def _settings(function: Any) -> Iterator[str]:
    """Yield how a function is compiled."""
    if isinstance(function, Dispatcher):
        yield repr(sorted(function.targetoptions.items()))
        yield getattr(function._compiler._customize_flags, "__qualname__", "")
    yield type(function).__name__


def _code(code: CodeType) -> Iterator[str]:
    """Yield what code does, without where it is and what it says about itself."""
    yield f"{code.co_name} {code.co_argcount} {code.co_kwonlyargcount} {code.co_flags}"
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield code.co_exceptiontable.hex()
    for number, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _code(constant)
        elif number > 0 or not isinstance(constant, str):  # the first one may be a docstring
            yield _constant(constant)
        elif not _is_docstring(code):
            yield repr(constant)


def _is_docstring(code: CodeType) -> bool:
    """Whether the first constant is nothing but a docstring: no instruction loads it."""
    return all(
        not (step.opname == "LOAD_CONST" and step.arg == 0) for step in dis.get_instructions(code)
    )


def _constant(constant: Any) -> str:
    if isinstance(constant, frozenset):
        return f"frozenset {sorted(map(repr, constant))}"
    return f"{type(constant).__name__} {constant!r}"


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    """Yield code, and that of functions and comprehensions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _names(code: CodeType) -> Iterator[str]:
    """Yield all names that code refers to, those of functions within it included."""
    for part in _with_inner(code):
        yield from part.co_names


_known: WeakKeyDictionary[Any, _Function] = WeakKeyDictionary()


def _function(function: Any) -> _Function:
    if function not in _known:
        _known[function] = _Function(function)
    return _known[function]


def fingerprint(function: Any) -> str:
    """Return the digest of a compiled function, as it is when it is compiled."""
    numbers = {id(function): 0}
    waiting = [function]
    digest = hashlib.sha256()
    for found in waiting:  # it grows meanwhile
        own = _function(found)
        digest.update(own.text)
        for called in own.called:
            if id(called) not in numbers:
                numbers[id(called)] = len(waiting)
                waiting.append(called)
            digest.update(b"\n%d" % numbers[id(called)])
    return digest.hexdigest()


def reaches_a_cycle(function: Any) -> bool:
    """Whether a function, or one that it calls in turn, calls itself."""
    done: set[int] = set()
    open_calls: list[int] = []

    def finds_one(function: Any) -> bool:
        if id(function) in open_calls:
            return True
        if id(function) in done:
            return False
        open_calls.append(id(function))
        found = any(map(finds_one, _calls(_plain(function))))
        open_calls.pop()
        done.add(id(function))
        return found

    return finds_one(_plain(function))


def _calls(function: Any) -> list[Any]:
    """Return the functions that one names itself; an attribute may be called like one of them."""
    if not isinstance(function, FunctionType):
        return []
    named = {
        step.argval
        for code in _with_inner(function.__code__)
        for step in dis.get_instructions(code)
        if step.opname == "LOAD_GLOBAL"
    }
    values = [function.__globals__.get(name) for name in sorted(named)]
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    found = [_plain(value) for value in values if isinstance(value, Dispatcher | FunctionType)]
    return [one for one in found if str(one.__module__).partition(".")[0] not in _FIXED]
