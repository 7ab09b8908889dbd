"""Why functions of the user's cannot be compiled or run, and in which line of which file."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType

import amoebot
from amoebot import jit
from amoebot.files import named, shown
from amoebot.linking.read_only import tree_of

_DIVISION = (ast.Div, ast.FloorDiv, ast.Mod)

#: Places in the compiler's messages, the innermost first.
_PLACE = re.compile(r'File "(.+?)", line (\d+)|typing of .* at (.+) \((\d+)\)')


def failure(error: BaseException, *functions: FunctionType) -> str:
    """Return in one line what went wrong in these functions, and where.

    Without functions, where it did outside of this package.
    """
    where = _run_in(error, functions)
    if where:
        return f"{where}: {named(error)}"
    where = _compiled_in(error, functions)
    return f"{where}: {jit.reason(error)}" if where else jit.reason(error)


def risks(function: FunctionType) -> dict[type[BaseException], list[int]]:
    """Return by error the lines that can raise it: where a function indexes, and where it divides.

    The fields of a record are always there, and a number other than 0 always divides.
    """
    try:
        tree = tree_of(function)
    except (OSError, SyntaxError):  # or one that cannot be read without what is around it
        return {}
    first = function.__code__.co_firstlineno - 1
    found: dict[type[BaseException], list[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(_constant(node.slice), str):
            found.setdefault(IndexError, []).append(first + node.lineno)
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, _DIVISION):
            divisor = node.right if isinstance(node, ast.BinOp) else node.value
            if not _constant(divisor):
                found.setdefault(ZeroDivisionError, []).append(first + node.lineno)
    return found


def _constant(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _run_in(error: BaseException, functions: tuple[FunctionType, ...]) -> str:
    """Return which line raised an error, if that can be told."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file, line = frame.filename, frame.lineno or 0
        if _is_in(functions, file, line) if functions else not _is_ours(file):
            return f"{shown(file)}, line {line}"
    return ""


def _compiled_in(error: BaseException, functions: tuple[FunctionType, ...]) -> str:
    """Return which line the compiler speaks of or, if of none, which it can be about."""
    if isinstance(error, jit.CompilerError):
        for first, number, other, its_number in _PLACE.findall(jit.plain(error)):
            file, line = first or other, int(number or its_number)
            if _is_in(functions, file, line):
                return f"{shown(file)}, line {line}"
    # The compiled check of an index or a divisor does not say where it is.
    lines = [line for one in functions for line in risks(one).get(type(error), ())]
    if not lines:
        lines = [one.__code__.co_firstlineno for one in functions]
    if not lines or len({one.__code__.co_filename for one in functions}) > 1:
        return ""
    return f"{shown(functions[0].__code__.co_filename)}, line {_either(lines)}"


def _is_in(functions: Iterable[FunctionType], file: str, line: int) -> bool:
    """Whether a line belongs to one of some functions."""
    for function in functions:
        code = function.__code__
        if Path(file).absolute() == Path(code.co_filename).absolute():
            try:
                length = getattr(tree_of(function), "end_lineno", 1)
            except (OSError, SyntaxError):
                length = 1
            if code.co_firstlineno <= line < code.co_firstlineno + length:
                return True
    return False


def _is_ours(file: str) -> bool:
    return Path(file).is_relative_to(Path(amoebot.__file__).parent)


def _either(lines: list[int]) -> str:
    *others, last = map(str, sorted({*lines}))
    return f"{', '.join(others)} or {last}" if others else last
