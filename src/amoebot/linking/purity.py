"""Rules are pure: their arguments decide what they do, and they change nothing else.

This is looked for in the source, so a rule is refused compiled and interpreted alike.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
import sys
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from amoebot.files import globals_of
from amoebot.jit import INTERPRETED
from amoebot.linking import read_only

#: Built-in functions that give the same answer for the same arguments, and do nothing else.
PURE = {
    *("abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance"),
    *("len", "list", "max", "min", "pow", "range", "reversed", "round", "set", "sorted", "sum"),
    *("tuple", "zip"),
}

#: Harmless built-in functions for debugging in interpreted runs.
FOR_LOOKING = {"print", "breakpoint"}

#: What of NumPy draws at random, leaves memory as it was found, or looks outside.
IMPURE_OF_NUMPY = {
    *(
        "random",
        "empty",
        "empty_like",
        "ndarray",
        "seterr",
        "seterrcall",
        "errstate",
        "printoptions",
    ),
    *("load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromfile"),
    *("fromregex", "memmap", "datetime64", "set_printoptions", "show_config", "lib", "ctypeslib"),
}

#: Modules with only pure functions.
PURE_MODULES = (math.__name__, operator.__name__, operator.abs.__module__)


class Kind(NamedTuple):
    """What a function is for, in the words of messages."""

    name: str
    decided_by: str  #: and by nothing else
    may_change: str  #: and nothing else, if anything


RULE = Kind("a rule", "what a rule does is decided by its agents alone", "its agents")
PROPERTY = Kind("a property", "whether a property holds is decided by the records alone", "")


def complaint(function: FunctionType, returns: bool, kind: Kind = RULE) -> str | None:
    """Return why a function is not pure, or cannot stand for one that returns something.

    None if it is pure. Line numbers are those of the file.
    """
    tree = read_only.tree_of(function)
    if not isinstance(tree, ast.FunctionDef):
        line = function.__code__.co_firstlineno
        words = f"{kind.name}, and what it calls, must be written with def, not as a lambda"
        return f"line {line}: {words}"
    for node, words in _impurities(tree, function, kind):
        return f"line {_line(node, function)}: {words}"
    if returns and (end := _way_out(tree)) is not None:
        return f"line {_line(end, function)}: {function.__name__} must end with a value to return"
    if returns and (wrong := _no_number(tree)) is not None:
        words = f"must return a number or a truth value, not {ast.unparse(wrong)[:40]}"
        return f"line {_line(wrong, function)}: {function.__name__} {words}"
    return None


def _line(node: ast.stmt | ast.expr, function: FunctionType) -> int:
    return function.__code__.co_firstlineno + node.lineno - 1


def line_of(name: str, function: FunctionType) -> int:
    """Return in which line of the file a function first refers to a name."""
    nodes = [*_nodes(read_only.tree_of(function))]
    lines = [_line(one, function) for one in nodes if isinstance(one, ast.Name) and one.id == name]
    return min(lines, default=function.__code__.co_firstlineno)


def _impurities(
    tree: ast.FunctionDef, function: FunctionType, kind: Kind
) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield what a function must not do, and where."""
    name = function.__name__
    changes = f"changes nothing but {kind.may_change}" if kind.may_change else "changes nothing"
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    own |= {node.id for node in _nodes(tree) if _is_stored(node)}
    for node in _nodes(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield node, f"{name} has a global statement, and {kind.name} {changes}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node, f"{name} imports something: import it at the top of the file"
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "at":
            # NumPy lets it write to arrays that are read-only.
            yield node, f"{name} uses {ast.unparse(node.func)}, and {kind.name} {changes}"
        elif isinstance(node, ast.Subscript | ast.Attribute):
            root = _root(node)
            if root is not None and root not in own and not isinstance(node.ctx, ast.Load):
                yield node, f"{name} changes {root}, and {kind.name} {changes}"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                value = function.__globals__.get(node.value.id)
                if value is np and node.attr in IMPURE_OF_NUMPY:
                    yield node, f"{name} uses np.{node.attr}, and {kind.decided_by}"
        elif isinstance(node, ast.Name) and node.id not in own:
            value = function.__globals__.get(node.id, getattr(builtins, node.id, None))
            if not _may_be_used(value):
                yield node, f"{name} uses {node.id}, and {kind.decided_by}"
    used = {one: function.__globals__.get(one) for one in globals_of(function.__code__)}
    arrays = {one for one, value in used.items() if _has_array(value)}
    for node, changed in read_only.writes(tree, function, arrays - own):
        yield node, f"{name} changes {changed}, and {kind.name} {changes}"


def _has_array(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_array, value))
    return isinstance(value, np.ndarray)


def _nodes(tree: ast.FunctionDef) -> Iterator[Any]:
    """Yield all parts of a function but its annotations, which are never run."""
    waiting: list[Any] = [*tree.body, *tree.args.defaults]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [
            part
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "returns")
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, ast.AST)
        ]


def _is_stored(node: Any) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _root(node: ast.expr) -> str | None:
    """Return the name that a chain of subscripts and attributes begins with."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _may_be_used(value: Any) -> bool:
    """Whether a rule may refer to something; what it is at all is checked elsewhere."""
    if isinstance(value, ModuleType):
        return value.__name__ in PURE_MODULES or value.__name__ not in sys.stdlib_module_names
    if isinstance(value, BuiltinFunctionType):
        if value.__module__ == builtins.__name__:
            return value.__name__ in PURE or (INTERPRETED and value.__name__ in FOR_LOOKING)
        if value.__module__ == np.__name__:
            return value.__name__ not in IMPURE_OF_NUMPY
        return value.__module__ in PURE_MODULES
    if isinstance(value, type):
        of_python = value.__module__ == builtins.__name__ and value.__name__ in PURE
        return of_python or issubclass(value, np.generic | BaseException)
    return True


def _way_out(tree: ast.FunctionDef) -> ast.stmt | None:
    """Return where a function ends without a value, if it can."""
    returned = [node for node in _nodes(tree) if isinstance(node, ast.Return)]
    for node in returned:
        if node.value is None:
            return node
    # One that does nothing but raise an error never has a value either.
    return None if returned and _always_returns(tree.body) else tree.body[-1]


def _no_number(tree: ast.FunctionDef) -> ast.expr | None:
    """Return what a function returns that is plainly no number, nor several."""
    bound: dict[str, list[ast.expr]] = {}
    for node in _nodes(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    for node in _nodes(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            for one in choices:
                known = bound.get(one.id, []) if isinstance(one, ast.Name) else [one]
                if known and all(isinstance(each, _TEXT) or _is_text(each) for each in known):
                    return value
    return None


_TEXT = (ast.JoinedStr, ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not isinstance(value.value, int | float)


def _always_returns(body: list[ast.stmt]) -> bool:
    """Whether statements never come to their end without a return."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    if isinstance(last, ast.While):  # as in C, ``while True`` is left by returning only
        forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return forever and not _breaks(last.body)
    if isinstance(last, ast.Match):
        rest = last.cases[-1]
        takes_all = isinstance(rest.pattern, ast.MatchAs) and rest.pattern.pattern is None
        whole = takes_all and rest.guard is None
        return whole and all(_always_returns(case.body) for case in last.cases)
    return False


def _breaks(body: list[ast.stmt]) -> bool:
    """Whether statements leave the loop that they are in; those of loops within it do not."""
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Break):
            return True
        if not isinstance(node, ast.For | ast.While | ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)
    return False


def returns_a_value(rule: Callable[..., Any]) -> bool:
    """Whether a rule of an election says that it returns something."""
    return rule.__annotations__.get("return") not in (None, "None")
