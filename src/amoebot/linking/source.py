"""A function of the user's as it is written: its parts, their lines, and what it finds outside."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from amoebot.files import globals_of, shown
from amoebot.linking import read_only
from amoebot.linking.syntax import is_stored

#: Parts of a function that are in a line.
Placed = ast.stmt | ast.expr | ast.arg | ast.pattern | ast.ExceptHandler


def line_in(node: Placed, function: FunctionType) -> int:
    """Return the line of the file that a part of a function begins in."""
    return function.__code__.co_firstlineno + node.lineno - 1


def place(line: int, function: FunctionType) -> str:
    """Return a line of the file that a function is in, with that file if it can be imported."""
    # Who gives a file, or runs one, is told of it elsewhere.
    is_imported = function.__module__ in sys.modules and function.__module__ != "__main__"
    return f"{shown(function.__code__.co_filename)}, line {line}" if is_imported else f"line {line}"


def line_of(name: str, function: FunctionType) -> int:
    """Return in which line of the file a function first refers to a name."""
    nodes = [*nodes_of(read_only.tree_of(function))]
    lines = [
        line_in(one, function) for one in nodes if isinstance(one, ast.Name) and one.id == name
    ]
    return min(lines, default=function.__code__.co_firstlineno)


def nodes_of(tree: ast.FunctionDef) -> Iterator[Any]:
    """Yield all parts of a function but its annotations, which are never run."""
    named = (default for default in tree.args.kw_defaults if default is not None)
    waiting: list[Any] = [*tree.body, *tree.args.defaults, *named]
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


def is_bound(node: ast.AST) -> bool:
    """Whether a name is given a value here."""
    return isinstance(node, ast.Name) and is_stored(node)


def outside_of(tree: ast.FunctionDef, function: FunctionType) -> dict[str, Any]:
    """Return by name what a function finds outside of itself."""
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    own |= {node.id for node in nodes_of(tree) if is_bound(node)}
    own -= {*globals_of(function.__code__)}  # the variable of a comprehension may be called so, too
    around = inspect.getclosurevars(function).nonlocals
    known = {**vars(builtins), **function.__globals__, **around}
    return {name: value for name, value in known.items() if name not in own}


def values_of(value: Any, names: list[str]) -> Iterator[Any]:
    """Yield a value, and those that names lead to from a module."""
    yield value
    for name in names:
        value = vars(value).get(name) if isinstance(value, ModuleType) else None
        yield value
