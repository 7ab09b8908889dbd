"""What the names of a file may stand for, as far as its statements say."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from amoebot.linking.syntax import bindings, chain, is_stored, method

#: Methods that return a set, and those that return texts.
OF_SETS = {"union", "intersection", "difference", "symmetric_difference", "copy"}
OF_TEXTS = {"split", "splitlines", "read", "read_text", "readlines"}

#: Functions whose values have texts if what they are given has.
PASSING = {"set", "frozenset", "tuple", "list", "sorted", "reversed", "enumerate", "zip"}

#: Names that are being looked up already.
_Known = frozenset[str]


class Values:
    """All that each name of a file is bound to, in whatever function."""

    def __init__(self, tree: ast.Module) -> None:
        """Collect them. What is bound to an element has ``*`` before it; an unknown value is the
        name itself.
        """
        self._bound: dict[str, list[ast.AST]] = {}
        known: dict[int, ast.AST] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                known |= {id(target): node.value for target in node.targets}
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                known[id(node.target)] = node.value
            elif isinstance(node, ast.For | ast.comprehension):
                known[id(node.target)] = ast.Starred(node.iter, ast.Load())
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and is_stored(node):
                self._bound.setdefault(node.id, []).append(known.get(id(node), node))
            elif isinstance(node, ast.arg):
                self._bound.setdefault(node.arg, []).append(node)

    def _of(self, name: ast.Name, known: _Known) -> list[ast.AST]:
        return [] if name.id in known else self._bound.get(name.id, [])

    def is_none(self, node: ast.AST, known: _Known = frozenset()) -> bool:
        """Whether this can be nothing but None."""
        if isinstance(node, ast.Name):
            values = self._of(node, known)
            return bool(values) and all(self.is_none(one, known | {node.id}) for one in values)
        return isinstance(node, ast.Constant) and node.value is None

    def is_set(self, node: ast.AST, known: _Known = frozenset()) -> bool:
        """Whether this can be nothing but a set."""
        if isinstance(node, ast.Name):
            values = self._of(node, known)
            return bool(values) and all(self.is_set(one, known | {node.id}) for one in values)
        if isinstance(node, ast.BinOp):
            joins = isinstance(node.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub)
            return joins and any(self.is_set(one, known) for one in (node.left, node.right))
        if isinstance(node, ast.Call):
            is_of_set = isinstance(node.func, ast.Attribute) and self.is_set(node.func.value, known)
            makes_set = chain(node.func) in (["set"], ["frozenset"])
            return makes_set or (is_of_set and method(node) in OF_SETS)
        return isinstance(node, ast.Set | ast.SetComp)

    def has_text(self, node: ast.AST, known: _Known = frozenset()) -> bool:
        """Whether a text is in this, or None: their order in a set differs from run to run."""
        parts: list[Any] = []
        if isinstance(node, ast.Constant):
            return node.value is None or isinstance(node.value, str | bytes)
        if isinstance(node, ast.Name):
            parts, known = self._of(node, known), known | {node.id}
        elif isinstance(node, ast.Set | ast.Tuple | ast.List):
            is_alone = isinstance(node, ast.Set) and len(node.elts) == 1
            parts = [one for one in node.elts if not is_alone or isinstance(one, ast.Starred)]
        elif isinstance(node, ast.Dict):
            parts = [one for one in node.keys if one is not None]
        elif isinstance(node, ast.SetComp | ast.ListComp | ast.GeneratorExp):
            parts = [node.elt]
        elif isinstance(node, ast.Starred | ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call):
            if method(node) in OF_TEXTS or chain(node.func) in (["str"], ["repr"], ["chr"]):
                return True
            is_method = isinstance(node.func, ast.Attribute)
            parts = [node.func.value] if is_method else []  # type: ignore[attr-defined]
            parts = node.args if getattr(node.func, "id", "") in PASSING else parts
        return isinstance(node, ast.JoinedStr) or any(self.has_text(one, known) for one in parts)


class Texts:
    """Which expressions of a function may be a text, or have one in them."""

    def __init__(
        self, tree: ast.FunctionDef, outside: Mapping[str, Any], given: Iterable[str] = ()
    ) -> None:
        """Collect the names of the function that may have one.

        ``outside`` are global values, and ``given`` are parameters that have a text.
        """
        self._outside = outside
        self._names = {*given}
        known = -1
        while known < len(self._names):
            known = len(self._names)
            for target, value in bindings(tree):
                if self.are_in(value):
                    parts = ast.walk(target)
                    self._names |= {one.id for one in parts if isinstance(one, ast.Name)}

    def are_in(self, node: ast.AST) -> bool:
        """Whether an expression may have a text; what it is compared with does not matter."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str | bytes)
        if isinstance(node, ast.Name):
            return node.id in self._names or _has_text(self._outside.get(node.id))
        if isinstance(node, ast.Compare | ast.Call | ast.Attribute):
            return False
        parts = [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
        return isinstance(node, ast.JoinedStr) or any(map(self.are_in, parts))

    def are_worked_on(self, node: ast.AST) -> bool:
        """Whether this makes another text of one, or takes a text apart."""
        if isinstance(node, ast.BinOp):
            return self.are_in(node.left) or self.are_in(node.right)
        if isinstance(node, ast.AugAssign):
            return self.are_in(node.target) or self.are_in(node.value)
        if isinstance(node, ast.Attribute):
            return node.attr in _OF_TEXTS and self.are_in(node.value)
        if isinstance(node, ast.Subscript):
            is_apart = isinstance(node.value, ast.Constant) or isinstance(node.slice, ast.Slice)
            return is_apart and self.are_in(node)
        return False


#: Methods of texts alone.
_OF_TEXTS = ({*dir(str)} | {*dir(bytes)}) - {*dir(tuple), *dir(int)}


def _has_text(value: Any) -> bool:
    return isinstance(value, str | bytes) or (
        isinstance(value, tuple | frozenset) and any(map(_has_text, value))
    )


def said(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts that are told somebody, and are read by nothing else.

    They are the message of an error or an assertion, what is printed, and comments.
    """
    for node in ast.walk(tree):
        told: list[Any] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            told = node.exc.args if _is_error(node.exc.func) else []
        elif isinstance(node, ast.Assert):
            told = [node.msg]
        elif isinstance(node, ast.Call) and chain(node.func) == ["print"]:
            told = node.args
        elif isinstance(node, ast.Expr):
            told = [node.value] if isinstance(node.value, ast.Constant) else []
        for one in told:
            yield from _parts_of_text(one)


def _is_error(node: ast.expr) -> bool:
    kind = getattr(builtins, getattr(node, "id", ""), None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _parts_of_text(node: Any) -> Iterator[ast.AST]:
    """Yield a text, and the constants in it."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
        yield node
        yield node.left
    elif isinstance(node, ast.Constant | ast.JoinedStr):
        yield node
    for part in node.values if isinstance(node, ast.JoinedStr) else []:
        yield from _parts_of_text(part)
        yield from _parts_of_text(getattr(part, "format_spec", None))
