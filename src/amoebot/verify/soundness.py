"""Why leaving functions out of a lane proves nothing: they change what the lane keeps."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from amoebot.algorithms.abstraction import Abstraction
from amoebot.algorithms.records import Record, fields
from amoebot.linking import Link, Rules, link


def unsound(linked: Link, abstraction: Abstraction, rules: Rules | None = None) -> str:
    """Return why an abstraction proves nothing, or an empty string.

    What it assumes of functions that it leaves out is argued for those of the election. So rules of
    the user's that take their place may do what those do, whenever they like, and nothing else.
    """
    modules = linked.copies().values()
    kept = {
        path.rpartition(".")[2]
        for path, field in abstraction.fields.items()
        if len({field.keeps(value) for value in field.values}) > 1
    } | views(modules)
    for name, out in abstraction.left_out.items():
        functions = [one for module in modules for one in called_by(vars(module).get(name))]
        changed = kept & {one for function in functions for one in written_by(function)}
        if changed and not out.assumed:
            return f"{name} is left out, which changes {', '.join(sorted(changed))}"
        for function in functions:
            if rules and function.__name__ in rules.replaced:
                more = deeds(function) - deeds_of_own(function.__name__, rules.algorithm)
                if out.assumed and more:
                    told = min(more, key=len)
                    return f"{name} is left out, in which {function.__name__} now has {told}"
    return ""


def views(modules: Iterable[ModuleType]) -> set[str]:
    """Return the names of fields that stand for several others."""
    records = {value for module in modules for value in vars(module).values() if is_record(value)}
    return {field.name for one in records for field in fields(one) if field.view_of is not None}


def is_record(value: object) -> bool:
    """Whether this is a kind of record, and not that of all of them."""
    return isinstance(value, type) and issubclass(value, Record) and value is not Record


def called_by(function: Any, seen: set[Any] | None = None) -> Iterator[FunctionType]:
    """Yield a function, and all that it calls."""
    seen = set() if seen is None else seen
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    yield function
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from called_by(function.__globals__.get(node.id), seen)


def written_by(function: FunctionType) -> Iterator[str]:
    """Yield the names of all fields that a function itself sets."""
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def deeds(function: FunctionType) -> set[str]:
    """Return what a function does, without when: all its assignments and calls, as they read."""
    done = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr | ast.Call
    return {ast.unparse(node) for node in ast.walk(tree_of(function)) if isinstance(node, done)}


def deeds_of_own(name: str, algorithm: str) -> set[str]:
    """Return the same of the election's own rule with a name."""
    for module in link(algorithm, plain=True).copies().values():
        if isinstance(own := vars(module).get(name), FunctionType):
            return deeds(own)
    return set()


def tree_of(function: FunctionType) -> ast.AST:
    """Return the syntax tree of a function."""
    return ast.parse(textwrap.dedent(inspect.getsource(function)))
