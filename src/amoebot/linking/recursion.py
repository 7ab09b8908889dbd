"""Functions that call themselves, directly or by way of others: refused where they are written.

Only names are followed. A function that gets itself by a variable cannot be compiled; interpreted,
Python ends it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any, NamedTuple

from amoebot import jit
from amoebot.linking import read_only
from amoebot.linking.source import line_in, outside_of, place
from amoebot.linking.syntax import bindings, is_stored


def recursion(function: FunctionType) -> str | None:
    """Return where a function, or one that it calls, calls itself, and that it does."""
    return _Calls(function).recursion()


class _Calls:
    """Which functions refer to which, beginning with one; those within them are some, too."""

    def __init__(self, function: FunctionType) -> None:
        self._trees: dict[FunctionType, Any] = {}
        self._callees: dict[_Unit, list[tuple[_Unit, ast.expr]]] = {}
        waiting = [self._whole(function)]
        while waiting:
            unit = waiting.pop(0)
            if unit not in self._callees:
                self._callees[unit] = [*self._referred_to(unit)]
                waiting += [callee for callee, _ in self._callees[unit]]

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

    def _referred_to(self, unit: _Unit) -> Iterator[tuple[_Unit, ast.expr]]:
        """Yield the functions that one names, also in a lambda, and where."""
        function = unit.function
        whole = self._trees[function]
        outside = outside_of(whole, function) if isinstance(whole, ast.FunctionDef) else {}
        inner = _functions_within(whole)
        for node in ast.walk(unit.node):
            if isinstance(node, ast.Name) and node.id in inner:
                yield from ((_Unit(function, one), node) for one in inner[node.id])
            elif isinstance(node, ast.Name) and not is_stored(node):
                yield from ((one, node) for one in self._global(outside.get(node.id)))

    def _global(self, value: Any) -> list[_Unit]:
        """Return the function that a value from outside is, if it is the user's."""
        plain = jit.source(value)
        if not read_only.is_own(plain):
            return []
        try:
            return [self._whole(plain)]
        except (OSError, SyntaxError, StopIteration, TypeError):  # it has no source
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
