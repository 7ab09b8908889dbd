"""Texts that rules make of values: an address is in some of them, and others read anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from amoebot import jit
from amoebot.linking import harmless, read_only
from amoebot.linking.values import Texts, said
from amoebot.linking.written import nodes_of, outside_of


def wrong_texts(
    tree: ast.FunctionDef, outside: dict[str, Any]
) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield where a function makes a text of values, or has one that stands for others.

    With such a text it could read addresses, and the attributes of anything.
    """
    told, texts = {id(one) for one in said(tree)}, Texts(tree, outside)
    told |= {id(part) for node in nodes_of(tree) for part in _names_in(node)}
    for node in nodes_of(tree):
        if id(node) in told:
            continue
        has_values = isinstance(node, ast.JoinedStr) and not _is_plain(node)
        if has_values or texts.are_worked_on(node) or _hands_on(node, texts, outside):
            yield node, "makes a text of values"
        elif isinstance(node, ast.Constant | ast.Name):
            value = node.value if isinstance(node, ast.Constant) else outside.get(node.id)
            for fault in filter(None, map(harmless.text_fault, _texts_in(value))):
                yield node, f"has {fault}"


def _hands_on(
    call: ast.AST,
    texts: Texts,
    outside: dict[str, Any],
    known: frozenset[tuple[FunctionType, str]] = frozenset(),
) -> bool:
    """Whether a function is given a text here that makes another one of it."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    other = jit.source(outside.get(call.func.id))
    if not isinstance(other, FunctionType) or not read_only.is_own(other):
        return False
    parameters = other.__code__.co_varnames[: other.__code__.co_argcount]
    given = [*zip(parameters, call.args, strict=False)]
    given += [(str(one.arg), one.value) for one in call.keywords]
    names = {name for name, value in given if texts.are_in(value)}
    tree, inner = read_only.tree_of(other), known | {(other, name) for name in names}
    if inner == known or not isinstance(tree, ast.FunctionDef):
        return False
    theirs = outside_of(tree, other)
    more = Texts(tree, theirs, names)
    return any(
        more.are_worked_on(node) or _hands_on(node, more, theirs, inner) for node in nodes_of(tree)
    )


def _is_plain(text: ast.JoinedStr) -> bool:
    return all(isinstance(part, ast.Constant) for part in text.values)


def _names_in(node: ast.AST) -> list[ast.expr]:
    """Return the names of fields that are read or compared here."""
    if isinstance(node, ast.Compare):
        pair = (node.left, *node.comparators)
        return [one for one in pair if isinstance(one, ast.Constant)]
    if not isinstance(node, ast.Subscript):
        return []
    return node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]


def _texts_in(value: Any) -> list[str | bytes]:
    if isinstance(value, tuple | frozenset):
        return [text for part in value for text in _texts_in(part)]
    return [value] if isinstance(value, str | bytes) else []
