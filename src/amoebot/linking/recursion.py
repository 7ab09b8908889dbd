"""Functions that call themselves, directly or by way of others: refused where they are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any, NamedTuple

from amoebot import jit
from amoebot.linking import read_only
from amoebot.linking.syntax import FUNCTIONS, attributes, bindings, is_stored
from amoebot.linking.written import line_in, outside_of, place, values_of


def recursion(function: FunctionType) -> str | None:
    """Return where a function, or one that it calls, calls itself, and that it does."""
    return _Calls(function).recursion()


class _Calls:
    """Which functions refer to which, beginning with one; those within them are some, too.

    A function that is handed over may be called by any that calls one of its variables.
    """

    def __init__(self, function: FunctionType) -> None:
        self._trees: dict[FunctionType, Any] = {}
        self._callees: dict[_Unit, list[tuple[_Unit, ast.expr]]] = {}
        self._handed: list[_Unit] = []
        blind: list[tuple[_Unit, ast.expr]] = []
        waiting = [self._whole(function)]
        while waiting:
            unit = waiting.pop(0)
            if unit not in self._callees:
                self._callees[unit] = []
                self._look_at(unit, blind)
                waiting += [callee for callee, _ in self._callees[unit]]
        for unit, node in blind:
            self._callees[unit] += [(callee, node) for callee in self._handed]

    def recursion(self) -> str | None:
        """Return where a function calls itself, and that it does; None if none does."""
        for unit in self._callees:
            for callee, node in self._callees[unit]:
                if unit in self._reached(callee):
                    by_way = "" if callee == unit else f" by way of {callee.name}"
                    where = place(line_in(node, unit.function), unit.function)
                    return f"{where}: {unit.name} calls itself{by_way}: write a loop"
        return None

    def _reached(self, unit: _Unit) -> set[_Unit]:
        found, waiting = {unit}, [unit]
        while waiting:
            new = {callee for callee, _ in self._callees[waiting.pop()]} - found
            found |= new
            waiting += new
        return found

    def _whole(self, function: FunctionType) -> _Unit:
        if function not in self._trees:
            tree = read_only.tree_of(function)
            lambdas = (node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
            is_function = isinstance(tree, ast.FunctionDef)
            self._trees[function] = tree if is_function else next(lambdas)
        return _Unit(function, self._trees[function])

    def _look_at(self, unit: _Unit, blind: list[tuple[_Unit, ast.expr]]) -> None:
        """Note what a function refers to, and where it calls what it does not know."""
        function = unit.function
        whole = self._trees[function]
        outside = outside_of(whole, function) if isinstance(whole, ast.FunctionDef) else {}
        inner = _functions_within(whole)
        nodes = [*_of_one_function(unit.node)]
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            found = []
            if isinstance(node, ast.Lambda):
                found = [_Unit(function, node)]
            elif isinstance(node, ast.Name) and node.id in inner:
                found = [_Unit(function, one) for one in inner[node.id]]
            elif isinstance(node, ast.Name | ast.Attribute) and not is_stored(node):
                found = self._global(node, outside)
            self._callees[unit] += [(one, node) for one in found]
            self._handed += found if id(node) not in called else []
            if isinstance(node, ast.Call) and _calls_a_variable(node, {*outside, *inner}):
                blind.append((unit, node))

    def _global(self, node: ast.Name | ast.Attribute, outside: dict[str, Any]) -> list[_Unit]:
        """Return the function that a name from outside stands for, if it is one."""
        begin, names = attributes(node)
        first = outside.get(begin.id) if isinstance(begin, ast.Name) else None
        return self._function([*values_of(first, names)][-1])

    def _function(self, value: Any) -> list[_Unit]:
        plain = jit.source(value) if callable(value) else None
        if not isinstance(plain, FunctionType) or not read_only.is_own(plain):
            return []
        try:
            return [self._whole(plain)]
        except (OSError, SyntaxError, StopIteration, TypeError):  # nothing of the user's
            return []


class _Unit(NamedTuple):
    """A function of the user's, or one that is defined within it."""

    function: Any
    node: Any

    @property
    def name(self) -> str:
        """What it is called."""
        return str(getattr(self.node, "name", "a lambda"))


def _functions_within(tree: ast.AST) -> dict[str, list[Any]]:
    """Return the functions that are defined within one, by name."""
    found: dict[str, list[Any]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node is not tree:
            found.setdefault(node.name, []).append(node)
    for target, value in bindings(tree):
        if isinstance(value, ast.Lambda) and isinstance(target, ast.Name):
            found.setdefault(target.id, []).append(value)
    return found


def _of_one_function(tree: Any) -> Iterator[Any]:
    """Yield the parts of a function that are not within another one in it."""
    waiting = [*_defaults(tree), *(tree.body if isinstance(tree.body, list) else [tree.body])]
    while waiting:
        node: Any = waiting.pop(0)
        yield node
        is_inner = isinstance(node, FUNCTIONS)
        waiting += _defaults(node) if is_inner else ast.iter_child_nodes(node)


def _defaults(tree: Any) -> list[ast.expr]:
    return [*tree.args.defaults, *filter(None, tree.args.kw_defaults)]


#: Functions of Python and NumPy that call what they are given.
_CALLING = {"call", "apply_along_axis", "apply_over_axes", "fromfunction", "piecewise"}


def _calls_a_variable(call: ast.Call, known: set[str]) -> bool:
    """Whether it cannot be told by its name what is called here."""
    if any(one.arg == "key" for one in call.keywords):
        return True
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _CALLING
    if isinstance(call.func, ast.Name):
        return call.func.id not in known or call.func.id in _CALLING
    return not isinstance(call.func, ast.Lambda)
