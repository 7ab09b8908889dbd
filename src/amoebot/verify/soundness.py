"""Why leaving functions out of a lane proves nothing: they change what the lane keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from amoebot.algorithms.abstraction import Abstraction
from amoebot.algorithms.records import Record, fields
from amoebot.jit import source
from amoebot.linking import Link, Rules, read_only


def unsound(linked: Link, abstraction: Abstraction, rules: Rules | None = None) -> str:
    """Return why an abstraction proves nothing, or an empty string.

    What it assumes of functions that it leaves out is argued for the election's own, and for no
    rule that takes the place of one.
    """
    modules = linked.copies().values()
    kept = {
        path.rpartition(".")[2]
        for path, field in abstraction.fields.items()
        if len({field.keeps(value) for value in field.values}) > 1
    } | views(modules)
    replaced = {*rules.replaced} if rules else set()
    for name, out in abstraction.left_out.items():
        functions = [one for module in modules for one in called_by(vars(module).get(name))]
        changed = kept & {one for function in functions for one in written_by(function)}
        if changed and not out.assumed:
            return f"{name} is left out, which changes {', '.join(sorted(changed))}"
        for rule in sorted(replaced & {one.__name__ for one in functions}):
            if out.assumed:
                told = "" if rule == name else f", which runs {rule}"
                return f"{name} is left out{told}: it was argued about the rule as it was"
    return ""


def views(modules: Iterable[ModuleType]) -> set[str]:
    """Return the names of fields that stand for several others."""
    records = {value for module in modules for value in vars(module).values() if is_record(value)}
    return {field.name for one in records for field in fields(one) if field.view_of is not None}


def is_record(value: object) -> bool:
    """Whether this is a record class of an election."""
    return isinstance(value, type) and issubclass(value, Record) and value is not Record


def called_by(function: Any, seen: set[Any] | None = None) -> Iterator[FunctionType]:
    """Yield a function, and all that it calls."""
    seen = set() if seen is None else seen
    function = source(function)
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    yield function
    for node in ast.walk(read_only.tree_of(function)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from called_by(function.__globals__.get(node.id), seen)


def written_by(function: FunctionType) -> Iterator[str]:
    """Yield the names of all fields that a function itself sets."""
    for node in ast.walk(read_only.tree_of(function)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
