"""Rules of one's own: the paper's algorithm with some of its rules replaced.

A rule is compiled into those that call it. So changed rules get a copy of the modules that run
rules: the same files, imported once more under another name, in which every reference to a
replaced rule leads to its replacement. Those modules import each other relatively, and everything
else absolutely: that is what makes the copies refer to each other and share the rest.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import linecache
import math
import os
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from amoebot import election, jit
from amoebot.errors import ExplainedError

#: What the rules of the paper are called where a name is expected.
PAPER = "paper"

#: Modules are imported and names are bound by one thread at a time.
_linking = threading.Lock()


class RulesError(ExplainedError, ValueError):
    """Rules that cannot be: a sentence that says why."""

    topic = "own-rule"


class Rules:
    """The rules of the paper, with some of them replaced.

    Each function replaces the rule of the same name, and takes the same arguments. It may call
    other rules, imported from ``amoebot.election``, and functions of its own.
    """

    def __init__(
        self,
        *functions: Callable[..., Any],
        name: str = "",
        memory: Mapping[str, Any] | None = None,
    ) -> None:
        """Take plain or compiled functions; without a name, they are called after themselves.

        Args:
            *functions: Each has the name and the arguments of a rule in ``amoebot.election``.
            name: What the rules are called in results; by default, after the functions.
            memory: Fields that every agent's memory has in addition, each with its NumPy type,
                such as ``{"third": np.uint16}``; they start out as zero.

        Raises:
            RulesError: If there is no such rule, if it takes other arguments, or if a field
                cannot be.
        """
        plain = [jit.source(function) for function in functions]
        self._functions: dict[str, FunctionType] = {rule.__name__: rule for rule in plain}
        self._memory = {field: _field(field, kind) for field, kind in (memory or {}).items()}
        self.name = name or ", ".join(self._functions)
        if self.name in ("", PAPER):
            raise RulesError(f"changed rules cannot be called {self.name!r}")
        self.replaced = tuple(self._functions)  #: the names of the rules that are replaced
        for rule, function in self._functions.items():
            _check(rule, function)
        #: Tells these rules from all others: the same sources have the same digest anywhere.
        self.digest = _digest(self._parts(), self._memory)
        self._package = f"amoebot_with_rules_{self.digest}"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Rules:
        """Return the rules that a Python file replaces; they are called after the file.

        A function of the file with the name of a rule replaces that rule; others are there to be
        called. A dictionary ``MEMORY`` names additional fields.
        """
        file = Path(path)
        try:
            return cls.parse(file.read_text(encoding="utf-8"), file.stem)
        except OSError as error:
            raise RulesError(f"{file}: {(error.strerror or str(error)).lower()}") from None
        except UnicodeDecodeError:
            raise RulesError(f"{file}: this is not a text file") from None

    @classmethod
    def parse(cls, text: str, name: str) -> Rules:
        """Return the rules in the text of a Python file."""
        module = _run(text, name)
        own = {
            key: value
            for key, value in vars(module).items()
            if isinstance(jit.source(value), FunctionType)
            and jit.source(value).__module__ == module.__name__
        }
        known = _originals()
        replaced = [function for key, function in own.items() if key in known]
        called = _parts(*(jit.source(function) for function in replaced))
        for key, function in own.items():
            if jit.source(function) not in called:
                raise RulesError(f"{name}.py: {_unknown(key)}, and no rule in the file calls it")
        memory = getattr(module, "MEMORY", {})
        if not replaced:
            raise RulesError(f"{name}.py: no function has the name of a rule, such as judge")
        if not isinstance(memory, dict):
            raise RulesError(f"{name}.py: MEMORY is a dictionary of fields and their types")
        try:
            return cls(*replaced, name=name, memory=memory)
        except RulesError as error:
            raise RulesError(f"{name}.py: {error}") from None

    def __repr__(self) -> str:
        """Return the name, and what is replaced."""
        return f"Rules({self.name!r}: {', '.join([*self.replaced, *self._memory])})"

    def linked(self, module: str) -> ModuleType:
        """Return the copy of a module, such as ``engine``, in which these rules are in force."""
        import_module(f"amoebot.{module}")  # what copies share is compiled with the paper's rules
        with _linking, jit.apart(self.digest):
            if self._package not in sys.modules:
                try:
                    self._link()
                except BaseException:
                    # A copy that is not finished would pass for one with these rules.
                    for name in [name for name in sys.modules if name.startswith(self._package)]:
                        del sys.modules[name]
                    raise
            return import_module(f"{self._package}.{module}")

    def reference(self) -> dict[str, str]:
        """Return what a run file says of these rules: it never has the rules themselves."""
        return {"name": self.name, "digest": self.digest}

    def _link(self) -> None:
        """Import the algorithm once more, and bind every replaced name to its replacement."""
        package = ModuleType(self._package)
        package.__path__ = [str(Path(__file__).parent)]
        sys.modules[self._package] = package
        copies = {name: import_module(f"{self._package}.{name}") for name in _modules()}
        memory = copies["election.memory"]
        if self._memory:
            _rebind(copies, memory.AGENT, memory.extended(memory.AGENT, **self._memory))
        made: dict[FunctionType, FunctionType] = {}  # by the user's function each was made of
        for function in self._parts():
            made[function] = FunctionType(
                function.__code__,
                {},
                function.__name__,
                function.__defaults__,
            )
            made[function].__module__ = self._package
            made[function].__kwdefaults__ = function.__kwdefaults__
        compiled = {function: self._compiled(function, made[function]) for function in made}
        for name, rule in self._functions.items():
            module, _ = _originals()[name]
            _rebind(copies, getattr(copies[module], name), compiled[rule])
        # Nothing has been compiled so far, and compiling looks names up.
        for function, twin in made.items():
            twin.__globals__.update(function.__globals__)
            for name, value in _uses(function).items():
                twin.__globals__[name] = _twin(value, compiled, copies)

    def _parts(self) -> list[FunctionType]:
        return _parts(*self._functions.values())

    def _compiled(self, function: FunctionType, twin: FunctionType) -> Any:
        """Compile a function as the rule is compiled that it replaces."""
        if self._functions.get(function.__name__) is function:
            return jit.like(_originals()[function.__name__][1], twin)
        return jit.rule(twin)


@contextmanager
def explaining(rules: Rules | None) -> Iterator[None]:
    """Say in one sentence why changed rules cannot be compiled or run."""
    try:
        yield
    except (RulesError, MemoryError):
        raise
    except Exception as error:  # whatever is in a rule
        if rules is None:
            raise
        raise RulesError(f"{rules.name} does not run: {jit.reason(error)}") from error


@cache
def _modules() -> dict[str, ModuleType]:
    """Return the modules of the algorithm, as the paper has it."""
    names = [found.name for found in iter_modules(election.__path__)]
    return {f"election.{name}": import_module(f"amoebot.election.{name}") for name in names}


@cache
def _originals() -> dict[str, tuple[str, Any]]:
    """Return all rules of the paper by name, each with its module."""
    return {
        name: (key, value)
        for key, module in _modules().items()
        for name, value in vars(module).items()
        if isinstance(jit.source(value), FunctionType)
        and jit.source(value).__module__ == module.__name__
    }


def _check(name: str, function: FunctionType) -> None:
    """Refuse a function that cannot stand in for a rule."""
    if name not in _originals():
        raise RulesError(_unknown(name))
    expected, given = (
        [*inspect.signature(jit.source(one)).parameters]
        for one in (_originals()[name][1], function)
    )
    if given != expected:
        raise RulesError(f"the rule {name} takes ({', '.join(expected)}), not ({', '.join(given)})")


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _originals(), n=1)
    return f"{name} is not a rule" + (f" (did you mean {near[0]}?)" if near else "")


def _field(name: str, kind: Any) -> np.dtype[Any]:
    """Return the type of an additional field, if it is one of constant size."""
    memory = _modules()["election.memory"]
    known = isinstance(name, str) and (name in memory.AGENT.names or hasattr(np.record, name))
    if not (isinstance(name, str) and name.isidentifier()) or known:
        raise RulesError(f"a field cannot be called {name!r}")
    try:
        found: np.dtype[Any] = np.dtype(kind)
    except TypeError:
        found = np.dtype(object)
    if found.kind not in "biu" or found.itemsize > 8:
        raise RulesError(f"the field {name} is not an integer or a boolean of NumPy")
    return found


def _names(code: CodeType) -> Iterator[str]:
    """Yield all names that code refers to, that of functions within it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _uses(function: FunctionType) -> dict[str, Any]:
    """Return what a function refers to outside of itself."""
    known = function.__globals__
    return {name: known[name] for name in _names(function.__code__) if name in known}


def _parts(*functions: FunctionType) -> list[FunctionType]:
    """Return functions, and all functions of the user's that they call in turn."""
    found: list[FunctionType] = []
    waiting = list(functions)
    while waiting:
        function = waiting.pop(0)
        if function not in found:
            found.append(function)
            waiting += [jit.source(value) for value in _uses(function).values() if _is_own(value)]
    return found


def _is_own(value: Any) -> bool:
    """Whether something is a function that does not belong to this package."""
    plain = jit.source(value)
    return isinstance(plain, FunctionType) and plain.__module__.partition(".")[0] != "amoebot"


def _twin(value: Any, compiled: dict[FunctionType, Any], copies: dict[str, ModuleType]) -> Any:
    """Return what takes the place of something that a function refers to."""
    if _is_own(value):
        return compiled[jit.source(value)]
    for name, module in _modules().items():
        if value is module:
            return copies[name]
        for key, original in vars(module).items():
            if value is original and not isinstance(value, int):
                return getattr(copies[name], key)
    return value


def _rebind(copies: dict[str, ModuleType], old: Any, new: Any) -> None:
    """Have every name in the copies that stands for one thing stand for another."""
    for copy in copies.values():
        for name, value in list(vars(copy).items()):
            if value is old:
                setattr(copy, name, new)


def _digest(parts: list[FunctionType], memory: Mapping[str, np.dtype[Any]]) -> str:
    """Return a digest of the sources of functions and of all values that they refer to."""
    digest = hashlib.sha256(repr({name: kind.str for name, kind in memory.items()}).encode())
    for function in sorted(parts, key=lambda part: part.__qualname__):
        try:
            digest.update(textwrap.dedent(inspect.getsource(function)).encode())
        except OSError:
            raise RulesError(
                f"the source of {function.__name__} cannot be found: write it to a file"
            ) from None
        if function.__closure__:
            names = ", ".join(function.__code__.co_freevars)
            raise RulesError(f"{function.__name__} uses variables of a function around it: {names}")
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for name, value in [*sorted(_uses(function).items()), *(("", value) for value in defaults)]:
            digest.update(f"{name} = {_spelled(value, function, name)}\n".encode())
    return digest.hexdigest()[:16]


def _spelled(value: Any, function: FunctionType, name: str) -> str:
    """Return what a value is, so that another value is spelled differently; refuse what may change.

    The machine code of a rule has the values built in that the rule refers to.
    """
    if isinstance(value, tuple):
        return f"({', '.join(_spelled(part, function, name) for part in value)})"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, bool | int | float | str | np.generic | np.dtype | type | NoneType):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ufunc | BuiltinFunctionType) or value in (np, math):
        return repr(value.__name__)
    if any(value is module for module in _modules().values()):
        return repr(value.__name__)
    plain = jit.source(value)
    if isinstance(plain, FunctionType):  # a part itself, or one of this package's
        return repr(plain.__qualname__)
    raise RulesError(
        f"{function.__name__} refers to {name}, which is neither a number, an array nor a function"
        + (": import what it needs from there by name" if isinstance(value, ModuleType) else "")
    )


def _run(text: str, name: str) -> ModuleType:
    """Run the text of a Python file as a module of its own."""
    file = f"<rules {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    # As for a file, tracebacks and ``inspect`` find the source there.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = ModuleType(f"rules_{name}")
    try:
        exec(compile(text, file, "exec"), vars(module))
    except SyntaxError as error:
        raise RulesError(f"{name}.py, line {error.lineno}: {error.msg}") from None
    except Exception as error:
        raise RulesError(f"{name}.py: {type(error).__name__}: {error}") from None
    return module
