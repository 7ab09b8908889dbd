"""What functions of the user's return: a value at each end, and a number or several."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from amoebot.files import globals_of
from amoebot.linking.source import is_bound, nodes_of
from amoebot.linking.syntax import root


def way_out(tree: ast.FunctionDef) -> ast.stmt | None:
    """Return where a function ends without a value, if it can."""
    returned = [node for node in nodes_of(tree) if isinstance(node, ast.Return)]
    for node in returned:
        if node.value is None:
            return node
    # One that does nothing but raise an error never has a value either.
    return None if returned and _always_returns(tree.body) else tree.body[-1]


def no_number(tree: ast.FunctionDef, function: FunctionType, several: bool) -> ast.expr | None:
    """Return what a function returns that is plainly no number, nor several if it may be."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            for one in choices:
                known = _bound_to(one, tree)
                if all(_is_no_number(each) for each in known):
                    return value
                if not several and all(_is_several(each, function) for each in known):
                    return value
    return None


def _bound_to(value: ast.expr, tree: ast.FunctionDef) -> list[ast.expr]:
    """Return all that a name is assigned; the expression itself if that cannot be told."""
    if not isinstance(value, ast.Name):
        return [value]
    nodes = [*nodes_of(tree)]
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    found = [
        one.value
        for one in assigned
        if isinstance(one.targets[0], ast.Name) and one.targets[0].id == value.id
    ]
    # Loops and the like bind names as well.
    times = sum(is_bound(node) and node.id == value.id for node in nodes)
    return found if found and len(found) == times else [value]


#: Expressions for texts, lists, dictionaries and sets.
_NO_NUMBERS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)

#: Functions of NumPy that always make an array.
_ARRAYS = {"arange", "array", "asarray", "copy", "flatnonzero", "full", "ones", "zeros"}


def _is_no_number(value: ast.expr) -> bool:
    is_number = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return isinstance(value, _NO_NUMBERS) or (isinstance(value, ast.Constant) and not is_number)


def _is_several(value: ast.expr, function: FunctionType) -> bool:
    """Whether an expression is plainly a tuple or an array."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        value = value.value
    if isinstance(value, ast.Name):
        return isinstance(_global(value.id, function), tuple | np.ndarray)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        module = _global(root(value.func), function)
        return module is np and value.func.attr in _ARRAYS
    return isinstance(value, ast.Tuple)


def _global(name: str, function: FunctionType) -> Any:
    """Return what a global name that a function refers to stands for."""
    return function.__globals__.get(name) if name in globals_of(function.__code__) else None


def _always_returns(body: list[ast.stmt]) -> bool:
    """Whether statements never come to their end without a return."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    if isinstance(last, ast.With):
        return _always_returns(last.body)
    if isinstance(last, ast.Try):
        tried = _always_returns(last.body) or _always_returns(last.orelse)
        caught = all(_always_returns(one.body) for one in last.handlers)
        return (tried and caught) or _always_returns(last.finalbody)
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


def returns_several(rule: Callable[..., Any]) -> bool:
    """Whether a rule of an election says that it returns several numbers."""
    said = str(rule.__annotations__.get("return"))
    return said.startswith("tuple") or said == "Coins"
