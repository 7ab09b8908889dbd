"""Functions that look at arrays and must not change them: a scheduler that is compiled.

The compiler refuses to write to a read-only array, but not to a record in one. So this is looked
for in the source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType

from amoebot import jit
from amoebot.files import globals_of

#: Calls that return something new, whatever they are given: it may be written to.
FRESH = {
    *("abs", "all", "any", "bool", "copy", "divmod", "float", "int", "len", "pow", "range"),
    *("round", "sum", "zeros_like", "ones_like", "full_like", "flatnonzero", "nonzero", "argsort"),
}


def change(function: FunctionType) -> str | None:
    """Return where a function, or one that it calls, writes to what its arguments lead to.

    None if nowhere. Line numbers are those of the file.

    Raises:
        OSError: If there is no source.
    """
    for part in _called(function):
        if part.__name__ == "<lambda>":  # has no statements, and so writes nothing
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
        given = {*part.__code__.co_varnames[: part.__code__.co_argcount]}
        reached = _reached(tree, given)
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript | ast.Attribute) and _is_written(node):
                names = _names(node.value) & reached
                if names:
                    line = part.__code__.co_firstlineno + node.lineno - 1
                    return f"line {line} changes {min(names)}"
    return None


def _is_written(node: ast.Subscript | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _called(function: FunctionType) -> list[FunctionType]:
    """Return a function, and those of the user's that it calls in turn."""
    found = [function]
    for one in found:
        used = (jit.source(one.__globals__.get(name)) for name in globals_of(one.__code__))
        found += [part for part in used if _is_own(part) and part not in found]
    return found


def _is_own(value: object) -> bool:
    if not isinstance(value, FunctionType):
        return False
    return str(value.__module__).partition(".")[0] not in ("amoebot", "numpy")


def _reached(tree: ast.AST, given: set[str]) -> set[str]:
    """Return all names that may stand for something that these lead to."""
    reached, known = {*given}, 0
    while known < len(reached):
        known = len(reached)
        for targets, value in _bindings(tree):
            if _names(value) & reached:
                reached |= {node.id for node in ast.walk(targets) if isinstance(node, ast.Name)}
    return reached


def _bindings(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what names are bound to: in assignments, and by loops."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name | ast.Tuple | ast.List):
                    yield target, node.value
        elif isinstance(node, ast.NamedExpr | ast.AnnAssign) and node.value is not None:
            yield node.target, node.value
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.target, node.iter


def _names(value: ast.expr) -> set[str]:
    """Return the names that an expression may be a part of; numbers are part of nothing."""
    if isinstance(value, ast.Name):
        return {value.id}
    if isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant):
        return set()
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else _name(value.func)
        if called in FRESH:
            return set()
    parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
    if isinstance(value, ast.Subscript):  # what the place is does not matter
        parts = [value.value]
    return set().union(*map(_names, parts))


def _name(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else ""
