"""Functions that look at arrays and must not change them, looked for in the source.

The compiler refuses to write to a read-only array, in words of its own, but not to a record in one.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from amoebot import jit
from amoebot.files import globals_of, shown
from amoebot.linking.syntax import bindings, is_stored

#: Methods that write to the array they belong to.
WRITING = {"fill", "itemset", "partition", "put", "resize", "setflags", "sort"}

#: Calls that return something new, whatever they are given: it may be written to.
FRESH = {
    *("abs", "all", "any", "argsort", "astype", "bool", "copy", "cumsum", "divmod", "float", "int"),
    *("len", "max", "mean", "min", "nonzero", "pow", "range", "repeat", "round", "sum", "take"),
}

#: Functions of NumPy that return what they are given, or a part of it; all others make a new array.
SAME = {
    *("asarray", "asanyarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d"),
    *("broadcast_to", "diagonal", "expand_dims", "flip", "fliplr", "flipud", "moveaxis", "ravel"),
    *("reshape", "rollaxis", "rot90", "split", "squeeze", "swapaxes", "transpose", "array_split"),
}

#: Functions of NumPy that write to their first argument.
INTO = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


def change(function: FunctionType) -> str | None:
    """Return where a function, or one that it calls, writes to what its arguments lead to.

    None if nowhere. Line numbers are those of the file.

    Raises:
        OSError: If there is no source.
    """
    for part in called(function):
        if part.__name__ == "<lambda>":  # has no statements, and so writes nothing
            continue
        tree = tree_of(part)
        given = {*part.__code__.co_varnames[: part.__code__.co_argcount]}
        reached = _reached(tree, given)
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript | ast.Attribute) and is_stored(node):
                names = _names(node.value) & reached
                if names:
                    line = part.__code__.co_firstlineno + node.lineno - 1
                    file = part.__code__.co_filename
                    is_near = file == function.__code__.co_filename
                    where = f"line {line}" if is_near else f"{shown(file)}, line {line}"
                    return f"{where} changes {min(names)}"
    return None


def writes(
    tree: ast.FunctionDef,
    function: FunctionType,
    names: set[str],
    known: frozenset[tuple[FunctionType, str]] = frozenset(),
) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield where a function writes to what these names lead to, and to which of them.

    It may also hand it to a function of the user's that writes; ``known`` are those being looked
    into.
    """
    for name in sorted(names):
        aliases, reached = _aliases(tree, name), _reached(tree, {name}, function)
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript | ast.Attribute) and is_stored(node):
                found = bool(_names(node.value, function) & reached)
            elif isinstance(node, ast.AugAssign):
                found = _name(node.target) in aliases
            elif isinstance(node, ast.Call):
                method = node.func if isinstance(node.func, ast.Attribute) else None
                found = (
                    method is not None and method.attr in WRITING and _name(method.value) in aliases
                ) or _hands_over(node, function, reached, known)
                found = found or any(_names(one, function) & reached for one in written_by(node))
            else:
                continue
            if found:
                yield node, name


def written_by(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that a function of NumPy writes to."""
    name = _of_numpy(call.func)
    if not name:
        return []
    given = [one.value for one in call.keywords if one.arg == "out"]
    made = getattr(np, name, None)
    if isinstance(made, np.ufunc):
        given += call.args[made.nin :]
    return given + (call.args[:1] if name in INTO else [])


def _of_numpy(function: ast.expr) -> str:
    """Return the name of a function of NumPy, or nothing."""
    is_numpy = isinstance(function, ast.Attribute) and _name(function.value) in ("np", "numpy")
    return function.attr if is_numpy else ""  # type: ignore[attr-defined]


def _hands_over(
    call: ast.Call,
    function: FunctionType,
    reached: set[str],
    known: frozenset[tuple[FunctionType, str]],
) -> bool:
    """Whether one of these names is given to a function of the user's that writes to it."""
    other = jit.source(function.__globals__.get(_name(call.func)))
    if not is_own(other) or other.__name__ == "<lambda>":
        return False
    parameters = other.__code__.co_varnames[: other.__code__.co_argcount]
    given = [*zip(parameters, call.args, strict=False)]
    given += [(str(one.arg), one.value) for one in call.keywords]
    handed = {name for name, value in given if _names(value, function) & reached}
    new = {name for name in handed if (other, name) not in known}
    inner = known | {(other, name) for name in new}
    return any(True for _ in writes(tree_of(other), other, new, inner))


def tree_of(function: FunctionType) -> Any:
    """Return the definition of a function, or the statement with a lambda.

    Raises:
        OSError, SyntaxError: If there is no source, or it cannot be read by itself.
    """
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


def _aliases(tree: ast.AST, name: str) -> set[str]:
    """Return the names that stand for the same as this one."""
    found, known = {name}, 0
    while known < len(found):
        known = len(found)
        for target, value in bindings(tree):
            if _name(target) and _name(value) in found:
                found.add(_name(target))
    return found


def called(*functions: FunctionType) -> list[FunctionType]:
    """Return functions, and those of the user's that they call in turn."""
    found = [*dict.fromkeys(functions)]
    for one in found:
        for name in globals_of(one.__code__):
            part = jit.source(one.__globals__.get(name))
            if is_own(part) and part not in found:
                found.append(part)
    return found


def is_own(value: object) -> bool:
    """Whether something is a function of the user's, compiled or not."""
    plain = jit.source(value)
    home = str(getattr(plain, "__module__", None)).partition(".")[0]
    return isinstance(plain, FunctionType) and home not in ("amoebot", "numpy")


def _reached(tree: ast.AST, given: set[str], function: FunctionType | None = None) -> set[str]:
    """Return all names that may stand for something that these lead to."""
    reached, known = {*given}, 0
    while known < len(reached):
        known = len(reached)
        for targets, value in bindings(tree):
            if _names(value, function) & reached:
                reached |= {node.id for node in ast.walk(targets) if isinstance(node, ast.Name)}
    return reached


def _names(value: ast.expr, function: FunctionType | None = None) -> set[str]:
    """Return the names that an expression may be a part of; numbers are part of nothing."""
    if isinstance(value, ast.Name):
        return {value.id}
    if isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant):
        return set()
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else _name(value.func)
        of_numpy = _of_numpy(value.func)
        if (of_numpy and of_numpy not in SAME) or (not of_numpy and called in FRESH):
            return set()
    parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
    if isinstance(value, ast.IfExp):  # what the choice depends on does not matter
        parts = [value.body, value.orelse]
    if isinstance(value, ast.Subscript):  # what the place is does not matter
        parts = [] if _is_number(value, function) else [value.value]
    return set().union(*(_names(part, function) for part in parts))


def _is_number(value: ast.Subscript, function: FunctionType | None) -> bool:
    """Whether this is an item of a global array of numbers."""
    array = function.__globals__.get(_name(value.value)) if function else None
    index = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    is_part = any(
        isinstance(one, ast.Slice) or (isinstance(one, ast.Constant) and one.value in (None, ...))
        for one in index
    )
    return isinstance(array, np.ndarray) and array.ndim == len(index) and not is_part


def _name(value: ast.AST) -> str:
    return value.id if isinstance(value, ast.Name) else ""
