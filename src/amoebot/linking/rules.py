"""Rules of one's own: an election with some of its rules replaced."""

from __future__ import annotations

import ast
import difflib
import hashlib
import inspect
import math
import operator
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from amoebot import jit
from amoebot.algorithms import registry
from amoebot.algorithms.records import layout
from amoebot.errors import ExplainedError, ScheduleEnd
from amoebot.files import as_path, globals_of, read_text, run_file
from amoebot.linking import failures, harmless, origins, purity, returned, shared, source, texts
from amoebot.linking.fixed import frozen
from amoebot.linking.read_only import called, is_own

#: What the rules of the paper are called where a name is expected.
PAPER = "paper"


class RulesError(ExplainedError, ValueError):
    """Invalid rules."""

    topic = "own-rule"


class Rules:
    """The rules of an election, with some of them replaced.

    Each function replaces the rule of the same name, and takes the same arguments. It may call
    other rules, imported from where the election has them, and functions of its own.
    """

    def __init__(
        self,
        *functions: Callable[..., Any],
        name: str = "",
        memory: Mapping[str, Any] | None = None,
        algorithm: str = registry.DEFAULT,
    ) -> None:
        """Take plain or compiled functions; without a name, they are called after themselves.

        Args:
            *functions: Each has the name and the arguments of a rule of the election.
            name: What the rules are called in results; by default, after the functions.
            memory: Fields that every agent's memory has in addition, each with its NumPy type,
                such as ``{"third": np.uint16}``; they start out as zero.
            algorithm: The election that the rules belong to.

        Raises:
            RulesError: If there is no such rule, if it takes other arguments, or if a field
                is invalid.
        """
        plain = [jit.source(function) for function in functions]
        for given in plain:
            if not isinstance(given, FunctionType):
                raise RulesError(f"rules are functions, and not {given!r}")
        if not isinstance(name, str | None):
            raise RulesError(f"the name of rules is a string, and not {name!r}")
        _check_algorithm(algorithm)
        if not isinstance(memory, Mapping | None):
            raise RulesError(f"memory is a dictionary of fields and their types, not {memory!r}")
        self.algorithm = algorithm
        self.file: Path | None = None  #: where they were read from
        self._functions: dict[str, FunctionType] = {rule.__name__: rule for rule in plain}
        #: Fields that they add to a memory, each with its type.
        self.more_memory = {
            field: _field(field, kind, algorithm) for field, kind in (memory or {}).items()
        }
        self.name = name or ", ".join(self._functions)
        if self.name in ("", PAPER):
            raise RulesError(f"changed rules cannot be called {self.name!r}")
        self.replaced = tuple(self._functions)  #: the names of the rules that are replaced
        for rule, function in self._functions.items():
            _check(rule, function, algorithm)
        for function in self.parts():
            _check_purity(function, self._functions.get(function.__name__) is function, algorithm)
        #: Digest of the rules: the same sources have the same digest on every machine.
        self.digest = _digest(self.parts(), self.more_memory, algorithm)

    @classmethod
    def read(cls, path: str | os.PathLike[str], algorithm: str = registry.DEFAULT) -> Rules:
        """Return the rules that a Python file replaces; they are called after the file.

        A function of the file with the name of a rule replaces that rule; others are there to be
        called. A dictionary ``MEMORY`` names additional fields.
        """
        file = as_path(path, RulesError)
        made = cls.parse(read_text(file, RulesError), file.stem, algorithm)
        made.file = file
        return made

    @classmethod
    def parse(cls, text: str, name: str, algorithm: str = registry.DEFAULT) -> Rules:
        """Return the rules in the text of a Python file."""
        _check_algorithm(algorithm)
        if not isinstance(text, str):
            raise RulesError(f"the text of rules is a string, and not {text!r}")
        module = run_file(text, name, RulesError)
        own = {
            key: value
            for key, value in vars(module).items()
            if isinstance(jit.source(value), FunctionType)
            and jit.source(value).__module__ == module.__name__
        }
        known = _originals(algorithm)
        replaced = [function for key, function in own.items() if key in known]
        parts = called(*(jit.source(function) for function in replaced))
        used = _used_at_import(text)
        for key, function in own.items():
            if jit.source(function) not in parts and key not in used:
                unknown = _unknown(key, algorithm)
                raise RulesError(f"{name}.py: {unknown}, and nothing in the file calls it")
        memory = getattr(module, "MEMORY", {})
        if not replaced:
            example = next(iter(known), "activate")
            raise RulesError(f"{name}.py: no function has the name of a rule, such as {example}")
        if not isinstance(memory, dict):
            raise RulesError(f"{name}.py: MEMORY is a dictionary of fields and their types")
        try:
            made = cls(*replaced, name=name, memory=memory, algorithm=algorithm)
        except RulesError as error:
            raise RulesError(f"{name}.py: {error}") from None
        if differs := origins.complaint(text, [*own, "MEMORY"]):
            raise RulesError(f"{name}.py: {differs}")
        return made

    def __repr__(self) -> str:
        """Return the name, and what is replaced."""
        return f"Rules({self.name!r}: {', '.join([*self.replaced, *self.more_memory])})"

    def reference(self) -> dict[str, str]:
        """Return what a run file says of these rules: it never has the rules themselves."""
        return {"name": self.name, "digest": self.digest}

    def replace(self, copies: dict[str, ModuleType], interface: ModuleType) -> None:
        """Bind every replaced name in the copies of an election's modules to its replacement."""
        interface.MORE_MEMORY = self.more_memory  # type: ignore[attr-defined]
        made: dict[FunctionType, FunctionType] = {}  # by the user's function each was made of
        for function in self.parts():
            made[function] = FunctionType(
                function.__code__,
                {},
                function.__name__,
                tuple(frozen(value) for value in function.__defaults__ or ()),
            )
            made[function].__module__ = interface.__name__
        compiled = {function: self._compiled(function, made[function]) for function in made}
        # By the user's functions: the rules that they replace, or help to replace, and may call.
        wrapped: dict[FunctionType, list[tuple[Any, Any]]] = {function: [] for function in made}
        for name, rule in self._functions.items():
            module, original = _originals(self.algorithm)[name]
            copy = getattr(copies[module], name)
            for function in called(rule):
                wrapped[function].append((original, copy))
            _rebind(copies, copy, compiled[rule])
        # Nothing has been compiled so far, and compiling looks names up.
        for function, twin in made.items():
            twin.__globals__.update(function.__globals__)
            for name, value in _uses(function).items():
                own = [copy for original, copy in wrapped[function] if value is original]
                other = None if own else _twin(value, compiled, copies, self.algorithm)
                twin.__globals__[name] = own[0] if own else other

    def parts(self) -> list[FunctionType]:
        """Return the functions that replace rules, and those that they call."""
        return called(*self._functions.values())

    def _compiled(self, function: FunctionType, twin: FunctionType) -> Any:
        """Compile a function as the rule is compiled that it replaces."""
        checked = bool(failures.risks(function))
        if self._functions.get(function.__name__) is function:
            return jit.like(_originals(self.algorithm)[function.__name__][1], twin, checked)
        return jit.compiled(twin, checked)


@contextmanager
def explaining(rules: Rules | None) -> Iterator[None]:
    """Say in one sentence why changed rules cannot be compiled or run."""
    try:
        yield
    except (ExplainedError, MemoryError, ScheduleEnd, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever is in a rule
        if rules is None:
            raise
        reason = failures.failure(error, *rules.parts())
        raise RulesError(f"{rules.name} does not run: {reason}") from error


def _modules(algorithm: str) -> dict[str, ModuleType]:
    """Return the modules of an election that hold its rules, by the names that copies have."""
    return _modules_of(registry.find(algorithm))


@cache
def _modules_of(election: registry.Election) -> dict[str, ModuleType]:
    own = import_module(election.module)
    name = election.name.replace("-", "_")
    found = {"termination": import_module("amoebot.algorithms.termination")}
    if election.is_package:
        for part in iter_modules(own.__path__):
            found[f"{name}.{part.name}"] = import_module(f"{election.module}.{part.name}")
    else:
        found[name] = own
    waiting = list(found.values())
    while waiting:  # what elections have from each other
        for value in vars(waiting.pop()).values():
            home = str(getattr(jit.source(value), "__module__", None))
            key = home.removeprefix("amoebot.algorithms.")
            if jit.is_rule(value) and key != home and key not in found:
                found[key] = import_module(home)
                waiting.append(found[key])
    return found


def _originals(algorithm: str) -> dict[str, tuple[str, Any]]:
    """Return all rules of an election by name, each with its module."""
    return _originals_of(registry.find(algorithm))


@cache
def _originals_of(election: registry.Election) -> dict[str, tuple[str, Any]]:
    return {
        name: (key, value)
        for key, module in _modules_of(election).items()
        for name, value in vars(module).items()
        if jit.is_rule(value) and jit.source(value).__module__ == module.__name__
    }


def _check_algorithm(given: object) -> None:
    if not isinstance(given, str):
        raise RulesError(f"an election is given by its name or path, and not as {given!r}")


def _check(name: str, function: FunctionType, algorithm: str) -> None:
    """Refuse a function that cannot stand in for a rule."""
    originals = _originals(algorithm)
    if name not in originals:
        raise RulesError(_unknown(name, algorithm))
    expected, given = (
        [*inspect.signature(jit.source(one)).parameters] for one in (originals[name][1], function)
    )
    if given != expected:
        raise RulesError(f"the rule {name} takes ({', '.join(expected)}), not ({', '.join(given)})")


def _check_purity(function: FunctionType, is_rule: bool, algorithm: str) -> None:
    """Refuse a function that is not pure, or a rule that forgets to return something."""
    original = jit.source(_originals(algorithm)[function.__name__][1]) if is_rule else None
    returns = original is not None and returned.returns_a_value(original)
    several = original is not None and returned.returns_several(original)
    to_read = [] if original is None else shared.parameters(original)
    try:
        wrong = purity.complaint(function, returns, several=several, to_read=to_read)
    except (OSError, SyntaxError):  # or one that cannot be read without what is around it
        raise RulesError(
            f"the source of {function.__name__} cannot be found: write it to a file"
        ) from None
    if wrong is not None:
        raise RulesError(wrong)


def _unknown(name: str, algorithm: str) -> str:
    near = difflib.get_close_matches(name, _originals(algorithm), n=1)
    return f"{name} is not a rule" + (f" (did you mean {near[0]}?)" if near else "")


def _field(name: str, kind: Any, algorithm: str) -> np.dtype[Any]:
    """Return the type of an additional field, if it is one of constant size."""
    own = layout(registry.find(algorithm).provides("memory", "Memory")).names or ()
    # What purity takes for other things.
    taken = {*own, *harmless.WRITING, *harmless.UNSAFE_ATTRIBUTES, *texts.FORMATTING_METHODS}
    known = isinstance(name, str) and (name in taken or hasattr(np.record, name))
    if not (isinstance(name, str) and name.isidentifier()) or known or name.startswith("__"):
        raise RulesError(f"a field cannot be called {name!r}")
    try:
        found: np.dtype[Any] = np.dtype(kind)
    except TypeError:
        found = np.dtype(object)
    if found.kind not in "biu" or found.itemsize > 8:
        raise RulesError(f"the field {name} is not an integer or a boolean of NumPy")
    return found


def _used_at_import(text: str) -> set[str]:
    """Return the names that statements of a file refer to, and the functions that these call."""
    tree = ast.parse(text)
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    found: set[str] = set()
    waiting: list[ast.AST] = [one for one in tree.body if not isinstance(one, ast.FunctionDef)]
    for one in functions.values():
        waiting += [*one.decorator_list, *one.args.defaults, *filter(None, one.args.kw_defaults)]
    while waiting:
        parts = ast.walk(waiting.pop())
        names = {part.id for part in parts if isinstance(part, ast.Name)} - found
        found |= names
        waiting += [functions[name] for name in names & functions.keys()]
    return found


def _uses(function: FunctionType) -> dict[str, Any]:
    """Return what a function refers to outside of itself."""
    known = function.__globals__
    return {name: known[name] for name in globals_of(function.__code__) if name in known}


def _twin(
    value: Any, compiled: dict[FunctionType, Any], copies: dict[str, ModuleType], algorithm: str
) -> Any:
    """Return what takes the place of something that a function refers to."""
    if is_own(value):
        return compiled[jit.source(value)]
    for name, module in _modules(algorithm).items():
        if name not in copies:  # one that runs no rules
            continue
        if value is module:
            return copies[name]
        for key, original in vars(module).items():
            if value is original and not isinstance(value, int):
                return getattr(copies[name], key)
    return frozen(value)


def _rebind(copies: dict[str, ModuleType], old: Any, new: Any) -> None:
    """Rebind module globals from ``old`` to ``new``."""
    for copy in copies.values():
        for name, value in list(vars(copy).items()):
            if value is old:
                setattr(copy, name, new)


def _digest(parts: list[FunctionType], memory: Mapping[str, np.dtype[Any]], algorithm: str) -> str:
    """Return a digest of the sources of functions and of all values that they refer to."""
    digest = hashlib.sha256(repr({name: kind.str for name, kind in memory.items()}).encode())
    for function in sorted(parts, key=lambda part: part.__qualname__):
        digest.update(textwrap.dedent(inspect.getsource(function)).encode())
        if function.__closure__:
            names = ", ".join(function.__code__.co_freevars)
            raise RulesError(f"{function.__name__} uses variables of a function around it: {names}")
        defaults = [("", value) for value in function.__defaults__ or ()]
        for name, value in [*sorted(_uses(function).items()), *defaults]:
            digest.update(f"{name} = {_spelled(value, function, name, algorithm)}\n".encode())
    return digest.hexdigest()[:16]


def _spelled(value: Any, function: FunctionType, name: str, algorithm: str) -> str:
    """Return an unambiguous text for a value, for the digest; refuse values that may change.

    The machine code of a rule has the values built in that the rule refers to.
    """
    if isinstance(value, tuple | frozenset):
        parts = [_spelled(part, function, name, algorithm) for part in value]
        if isinstance(value, frozenset):
            return f"{{{', '.join(sorted(parts))}}}"
        return f"{' '.join(getattr(value, '_fields', ()))}({', '.join(parts)})"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if harmless.is_constant(value) or isinstance(value, type):
        return f"{type(value).__name__} {value!r}"
    modules = (np, math, operator, *_modules(algorithm).values())
    is_module = any(value is module for module in modules)
    if is_module or isinstance(value, np.ufunc | BuiltinFunctionType):
        return repr(value.__name__)
    plain = jit.source(value)
    if isinstance(plain, FunctionType):  # a part itself, or one of this package's
        return repr(plain.__qualname__)
    where = source.place(source.line_of(name, function), function)
    what = name or "a default"
    raise RulesError(
        f"{where}: {function.__name__} refers to {what}, "
        "which is neither a number, an array nor a pure function"
        + (": import what it needs from there by name" if isinstance(value, ModuleType) else "")
    )
