"""Parts of Python code, as the parser gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def chain(node: ast.AST) -> list[str]:
    """Return a name and the attributes that follow it; nothing if this is something else."""
    begin, names = attributes(node)
    return [begin.id, *names] if isinstance(begin, ast.Name) else []


def attributes(node: ast.AST) -> tuple[ast.AST, list[str]]:
    """Return what has attributes, and the names of those that follow it."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return node, names[::-1]


def root(node: ast.AST) -> str:
    """Return the name that a chain of subscripts, attributes and methods begins with."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func
    return node.id if isinstance(node, ast.Name) else ""


def is_stored(node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
    """Whether this is written to or deleted, and not read."""
    return not isinstance(node.ctx, ast.Load)


def arguments(call: Any) -> list[ast.expr]:
    """Return the arguments of a call, those by name last."""
    return [*call.args, *(one.value for one in call.keywords)]


def method(call: ast.Call) -> str:
    """Return the name of the method that is called; nothing if it is none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement that are not within a function or a comprehension."""
    yield node
    if not isinstance(node, SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from outside_functions(part)


def bindings(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what names are bound to: in assignments, and by loops."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=False)
                elif isinstance(target, ast.Name | ast.Tuple | ast.List):
                    yield target, node.value
        elif isinstance(node, ast.NamedExpr | ast.AnnAssign) and node.value is not None:
            yield node.target, node.value
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.target, node.iter
