"""Rules are pure: their arguments decide what they do, and they change nothing else.

This is looked for in the source, so a rule is refused compiled and interpreted alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from amoebot import jit
from amoebot.files import globals_of
from amoebot.linking import harmless, origins, read_only, shared, unset
from amoebot.linking.recursion import recursion
from amoebot.linking.returned import no_number, way_out
from amoebot.linking.source import (
    Placed,
    is_bound,
    line_in,
    nodes_of,
    outside_of,
    place,
    values_of,
)
from amoebot.linking.syntax import attributes, is_stored, root
from amoebot.linking.texts import formatted, is_formatting, wrong_types


class Kind(NamedTuple):
    """What a function is for, in the words of messages."""

    name: str
    decided_by: str  #: and by nothing else
    changes: str  #: what it changes


RULE = Kind(
    "a rule",
    "what a rule does is decided by its agents alone",
    "a rule changes nothing but its agents",
)
PROPERTY = Kind(
    "a property",
    "whether a property holds is decided by the records alone",
    "a property changes nothing",
)


def complaint(
    function: FunctionType,
    returns: bool,
    kind: Kind = RULE,
    several: bool = False,
    to_read: Sequence[str] = (),
) -> str | None:
    """Return why a function is not pure, or cannot stand for one that returns something.

    None if it is pure; ``several`` says that it may return several numbers, and ``to_read`` which
    parameters it must not write to.
    """
    tree = read_only.tree_of(function)
    if not isinstance(tree, ast.FunctionDef):
        line = function.__code__.co_firstlineno
        what = "with async" if isinstance(tree, ast.AsyncFunctionDef) else "as a lambda"
        words = f"{kind.name}, and what it calls, must be written with def, not {what}"
        return f"{place(line, function)}: {words}"
    for node, words in _impurities(tree, function, kind):
        return f"{place(line_in(node, function), function)}: {words}"
    if (repeated := recursion(function)) is not None:
        return repeated
    for name in to_read:
        for node in shared.writes(function, name):
            words = f"{function.__name__} changes {name}, which is not an agent's memory"
            return f"{place(line_in(node, function), function)}: {words}"
    if returns and (end := way_out(tree)) is not None:
        where = place(line_in(end, function), function)
        return f"{where}: {function.__name__} must end with a value to return"
    if returns and (wrong := no_number(tree, function, several)) is not None:
        words = f"must return a number or a truth value, not {ast.unparse(wrong)[:40]}"
        return f"{place(line_in(wrong, function), function)}: {function.__name__} {words}"
    return None


def _impurities(
    tree: ast.FunctionDef, function: FunctionType, kind: Kind
) -> Iterator[tuple[Placed, str]]:
    """Yield what a function must not do, and where."""
    name, outside = function.__name__, outside_of(tree, function)
    yield from _wrong_statements(tree, name, kind)
    for node in nodes_of(tree):
        is_part = isinstance(node, ast.Subscript | ast.Attribute)
        if is_part and is_stored(node) and (changed := root(node)) in outside:
            yield node, f"{name} changes {changed}, and {kind.changes}"
    for node in _sets(tree, outside):
        yield node, f"{name} uses a set, whose order may differ from run to run: use a tuple"
    for node, names in _chains(tree):
        for words in _wrong_uses(names, ast.unparse(node), outside, kind):
            yield node, f"{name} uses {words}"
    homes = ", ".join(harmless.IMPORTABLE[:-1]), harmless.IMPORTABLE[-1]
    for node, full in _own_parts(tree, function, outside):
        words = f"{name} uses {full}, which is not part of an election"
        yield node, f"{words}: {kind.name} may import from {' and '.join(homes)}"
    for node in formatted(tree, outside):
        words = f"{name} formats a value as a string"
        yield node, f"{words}: {kind.name} computes with numbers only"
    for node, text in wrong_types(tree, outside):
        yield node, f"{name} uses {text!r}, which is not a type of numbers"
    for node in _unwritten(tree, outside):
        words = f"{name} uses where= without out=, which leaves elements uninitialised"
        yield node, f"{words}: use np.where"
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if not all(map(_may_be_default, defaults)):
        yield tree, f"{name} has a default that is not a number, an array or a pure function"
    arrays = {one for one in globals_of(function.__code__) if _has_array(outside.get(one))}
    for node, changed in read_only.writes(tree, function, arrays):
        yield node, f"{name} changes {changed}, and {kind.changes}"
    if kind is RULE:
        yield from _starred(tree)
    for node, variable in unset.reads(tree, outside):
        yield node, f"{name} reads {variable}, which may not have been set"


def _own_parts(
    tree: ast.FunctionDef, function: FunctionType, outside: dict[str, Any]
) -> Iterator[tuple[Placed, str]]:
    """Yield what a function uses of this package that rules are not made of.

    Constants do not tell where they are from: this is looked up in the imports of the file.
    """
    imported = origins.imports(function.__code__.co_filename, function.__module__)
    for node, names in _chains(tree):
        if names[0] in outside:
            for full in imported.get(names[0], ()):
                if not harmless.may_be_imported(".".join([full, *names[1:]])):
                    yield node, ".".join([full, *names[1:]])
            for value in values_of(outside[names[0]], names[1:]):
                home = _home(value)
                if home and not harmless.may_be_imported(home):
                    yield node, home


def _home(value: Any) -> str:
    """Return what a module, a function or a class is called in full; nothing for all else."""
    if isinstance(value, ModuleType):
        return value.__name__
    plain: Any = jit.source(value) if callable(value) else None
    is_named = isinstance(plain, FunctionType | type)
    return f"{plain.__module__}.{plain.__name__}" if is_named else ""


def _unwritten(tree: ast.FunctionDef, outside: dict[str, Any]) -> Iterator[ast.expr]:
    """Yield calls of NumPy that leave a part of a new array as the memory was."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call):
            given = {one.arg: one.value for one in node.keywords}
            is_new = isinstance(given.get("out", ast.Constant(None)), ast.Constant)
            if "where" in given and is_new and not _is_reduction(node.func, outside):
                yield node


#: Functions and methods that leave out what is not to be counted.
_REDUCTIONS = {
    *("all", "amax", "amin", "any", "max", "mean", "min", "prod", "reduce", "std", "sum", "var"),
    *("nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"),
}


def _is_reduction(function: ast.expr, outside: dict[str, Any]) -> bool:
    if isinstance(function, ast.Name):
        known = (getattr(np, name, None) for name in _REDUCTIONS)
        return any(outside.get(function.id, np) is one for one in known)
    return isinstance(function, ast.Attribute) and function.attr in _REDUCTIONS


def _starred(tree: ast.FunctionDef) -> Iterator[tuple[ast.arg, str]]:
    """Yield parameters that are not given by their place: compiled functions have no others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            name = getattr(node, "name", "a lambda")
            for one in node.args.kwonlyargs:
                yield one, f"{name} takes {one.arg} by name only: leave out the star before it"
            for one in filter(None, (node.args.vararg, node.args.kwarg)):
                yield one, f"{name} takes any number of arguments: write a parameter for each"


def _wrong_statements(tree: ast.FunctionDef, name: str, kind: Kind) -> Iterator[tuple[Placed, str]]:
    """Yield what has no place in a pure function, whatever is in it."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield node, f"{name} has a global statement, and {kind.changes}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node, f"{name} imports something: import it at the top of the file"
        elif type(node) in _INTERRUPTED:
            words = f"{name} has {_INTERRUPTED[type(node)]}"
            yield node, f"{words}, and {kind.name} is run from its beginning to its end at once"
        elif isinstance(node, ast.GeneratorExp) and kind is RULE:
            yield node, f"{name} has a generator: write a list in brackets, or a loop"
        elif isinstance(node, ast.ExceptHandler) and node.name:  # an error has a message in it
            yield node, f"{name} catches an error by name: remove `as {node.name}`"
        elif isinstance(node, ast.ClassDef):
            yield node, f"{name} defines a class: {kind.name} consists of statements and functions"


#: What makes a function stop in the middle, and go on later.
_INTERRUPTED = {
    ast.Yield: "a yield",
    ast.YieldFrom: "a yield",
    ast.Await: "an await",
    ast.AsyncFunctionDef: "an async def",
    ast.AsyncFor: "an async for",
    ast.AsyncWith: "an async with",
}


def _sets(tree: ast.FunctionDef, outside: dict[str, Any]) -> Iterator[ast.expr]:
    """Yield where a function uses a set for more than looking whether something is in it."""
    searched = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            searched |= {id(place) for way, place in pairs if isinstance(way, ast.In | ast.NotIn)}
        value = outside.get(node.id) if isinstance(node, ast.Name) else None
        is_set = isinstance(node, ast.Set | ast.SetComp) or isinstance(value, set | frozenset)
        if value is set or value is frozenset or (is_set and id(node) not in searched):
            yield node


def _chains(tree: ast.FunctionDef) -> Iterator[tuple[Placed, list[str]]]:
    """Yield names, each with all attributes that follow; nothing is the name of other values."""
    inner = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute):
            inner.add(id(node.value))
        is_use = isinstance(node, ast.Attribute | ast.Name) and not is_bound(node)
        if is_use and id(node) not in inner:
            begin, names = attributes(node)
            yield node, [begin.id if isinstance(begin, ast.Name) else "", *names]
        if isinstance(node, ast.MatchClass):  # its attributes are read by their names
            yield from ((node, ["", name]) for name in node.kwd_attrs)


def _wrong_uses(names: list[str], text: str, outside: dict[str, Any], kind: Kind) -> Iterator[str]:
    """Yield what is wrong with a name and with its attributes, whatever they are attributes of."""
    first, rest = outside.get(names[0]), names[1:]
    for number, name in enumerate(rest):
        if harmless.is_module(first, rest[:number]):
            continue
        if name.startswith("__"):
            yield f"{text}, and names that begin with two underscores are Python's own"
        elif name in harmless.WRITING:
            yield f"{text}, and {kind.changes}"
        elif name in harmless.UNSAFE_ATTRIBUTES:
            yield f"{text}, and {kind.decided_by}"
    if rest and isinstance(jit.source(first), FunctionType):
        yield f"{text}, an attribute of a function: call it"
    reason = kind.changes if names[-1] in harmless.CHANGING else kind.decided_by
    if isinstance(first, ModuleType):
        if (wrong := harmless.impure_part(first, rest)) is not None:
            yield f"{'.'.join(names[: wrong + 1])}, and {reason}"
        elif harmless.is_module(first, rest):
            yield f"the module {text} by itself: write {text}. and the name of something in it"
    elif isinstance(first, np.ndarray) and first.dtype.kind in "SU":
        yield f"{names[0]}, an array of strings: use a tuple"
    elif not (harmless.may_be_used(first) or is_formatting(names[0], outside)):
        class_of = "a class" if isinstance(first, type) else "of a class"
        own = f"{class_of} that is not Python's or NumPy's: use numbers, tuples and arrays"
        yield f"{names[0]}, {own if harmless.has_own_class(first) else f'and {reason}'}"


def _may_be_default(value: object) -> bool:
    return harmless.may_be_used(value) and not isinstance(value, ModuleType | set | frozenset)


def _has_array(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_array, value))
    return isinstance(value, np.ndarray)
