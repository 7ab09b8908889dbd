"""Where functions format values as strings: an address is in some, and others read anything."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np

from amoebot.linking import harmless
from amoebot.linking.source import nodes_of
from amoebot.linking.syntax import arguments, chain, method

#: Built-in functions and methods that make strings of values.
FORMATTING = {"ascii", "format", "repr", "str"}
FORMATTING_METHODS = {"format", "format_map", "join"}

#: Methods of arrays and functions of NumPy that are given types.
TYPED = {"array", "asarray", "astype", "dtype", "full", "ones", "zeros"}


def formatted(tree: ast.FunctionDef, outside: dict[str, Any]) -> Iterator[ast.expr]:
    """Yield where a function formats a value as a string, but for what only somebody is told.

    That is the message of an error or an assertion, and what is printed.
    """
    told = {id(part) for one in _told(tree) for part in ast.walk(one)}
    for node in nodes_of(tree):
        if id(node) not in told and _formats(node, outside):
            yield node


def _formats(node: ast.AST, outside: dict[str, Any]) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(_value(node.left, outside), str | bytes)
    if isinstance(node, ast.Attribute):
        return node.attr in FORMATTING_METHODS
    return isinstance(node, ast.Name) and is_formatting(node.id, outside)


def is_formatting(name: str, outside: dict[str, Any]) -> bool:
    """Whether a name is that of a built-in function that makes strings."""
    return name in FORMATTING and outside.get(name) is getattr(builtins, name)


def _told(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from arguments(node.exc)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.Call) and chain(node.func) == ["print"]:
            yield from arguments(node)


def wrong_types(tree: ast.FunctionDef, outside: dict[str, Any]) -> Iterator[tuple[ast.expr, str]]:
    """Yield strings that stand for a type of something else than numbers: dates, for one."""
    for call in nodes_of(tree):
        if isinstance(call, ast.Call):
            given = arguments(call) if method(call) in TYPED else []
            for one in given:
                text = _value(one, outside)
                if isinstance(text, str) and not _is_of_numbers(text):
                    yield one, text


def _value(node: ast.expr, outside: dict[str, Any]) -> Any:
    """Return the value of a constant or of a name from outside; otherwise, nothing."""
    if isinstance(node, ast.Name):
        return outside.get(node.id)
    return node.value if isinstance(node, ast.Constant) else None


def _is_of_numbers(text: str) -> bool:
    try:
        return np.dtype(text).kind not in harmless.NO_NUMBERS
    except TypeError:  # it stands for no type at all
        return True
