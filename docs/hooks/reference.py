"""Let the reference show what it cannot see in the source by itself."""

from __future__ import annotations

import ast
from typing import Any

import griffe

MARK = "#:"


class Reader(griffe.Extension):
    """Reads ``#:`` comments, and knows what functions return that generate shapes."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Say that a generator returns a shape: its decorator makes one of the nodes."""
        if any(str(decorator.value) == "generator" for decorator in func.decorators):
            func.returns = "Shape"

    def on_attribute_instance(
        self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, **_: Any
    ) -> None:
        """Take the comment at the end of an attribute's line, or above it, for its docstring."""
        if attr.docstring or not isinstance(node, ast.stmt) or attr.lineno is None:
            return
        lines = attr.lines_collection[attr.filepath]
        last = lines[(attr.endlineno or attr.lineno) - 1]
        text = last.partition(MARK)[2].strip()
        above = attr.lineno - 2
        while lines[above].strip().startswith(MARK):
            text = f"{lines[above].strip().removeprefix(MARK).strip()} {text}"
            above -= 1
        if text:
            sentence = text[0].upper() + text[1:].rstrip()
            attr.docstring = griffe.Docstring(
                sentence if sentence.endswith((".", "?")) else f"{sentence}.",
                lineno=attr.lineno,
                parent=attr,
            )
