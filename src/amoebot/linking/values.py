"""What the names of a file may stand for, as far as its statements say."""

from __future__ import annotations

import ast
from typing import Any

from amoebot.linking.syntax import chain, is_stored, method

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
