"""Rules that write to what all agents share: what they see, and the options.

Only memories may change: all else would be a memory that no state has.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from amoebot import jit
from amoebot.algorithms.interface import NodeView, View
from amoebot.algorithms.records import Record, layout
from amoebot.linking import read_only

#: What rules call what is shared, where its class is not said.
NAMES = {"view", "options"}

_VIEWS = (View, NodeView)

#: Fields that are arrays; all others are numbers.
_ARRAYS = {name for view in _VIEWS for name in layout(view).names or () if layout(view)[name].shape}

#: Attributes and methods that return the same array.
_SAME = {*read_only.SAME, "T", "base", "flat", "real", "view"}

#: Built-in functions that return what is in their arguments, as a loop over them does.
_SAME_PARTS = {"enumerate", "list", "reversed", "sorted", "tuple", "zip"}

#: What an expression may be: a shared record, an array of one, or something with such in it.
_Kinds = frozenset[str]
_NOTHING: _Kinds = frozenset()
_WITH = "with "

_Function = ast.FunctionDef | ast.Lambda


def parameters(rule: FunctionType) -> list[str]:
    """Return which parameters of a rule of an election are shared."""
    names = rule.__code__.co_varnames[: rule.__code__.co_argcount]
    return [name for name in names if _is_shared(name, rule)]


def _is_shared(name: str, rule: FunctionType) -> bool:
    kind = rule.__annotations__.get(name)
    kind = rule.__globals__.get(kind) if isinstance(kind, str) else kind
    if not isinstance(kind, type) or kind is Any or kind is object:
        return name in NAMES
    known = kind.__module__ in (builtins.__name__, np.__name__)
    return kind in _VIEWS or not (known or issubclass(kind, Record))


def writes(function: FunctionType, name: str) -> Iterator[ast.stmt | ast.expr]:
    """Yield where a function, or one that it calls, writes to a parameter."""
    tree = read_only.tree_of(function)
    yield from _Use(tree, function, {name: frozenset({"record"})}, set()).found


class _Use:
    """What a function does to what is shared; its variables are followed in any order."""

    def __init__(
        self,
        tree: _Function,
        function: FunctionType,
        given: Mapping[str, _Kinds],
        known: set[Any],
    ) -> None:
        self.found: list[ast.stmt | ast.expr] = []
        self.returned = _NOTHING
        self._function, self._known = function, known
        self._kinds = {**given}
        nodes: list[Any] = [node for node in ast.walk(tree) if node is not tree]
        #: Functions within it, by name.
        self._inner: dict[str, _Function] = {}
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                self._inner[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                names = (one.id for one in node.targets if isinstance(one, ast.Name))
                self._inner |= dict.fromkeys(names, node.value)
        before = None
        while before != self._kinds:
            before = {**self._kinds}
            for node in nodes:
                self._bind(node)
        self._look(tree, nodes)

    def _look(self, tree: _Function, nodes: list[Any]) -> None:
        """Note what is written to, and what is returned."""
        for node in nodes:
            if isinstance(node, ast.Return) and node.value is not None:
                self.returned |= self._of(node.value)
            if isinstance(node, ast.Attribute | ast.Subscript):
                written = not isinstance(node.ctx, ast.Load) and self._is_part(node.value)
            elif isinstance(node, ast.AugAssign):
                written = "array" in self._of(node.target)
            else:
                written = isinstance(node, ast.Call) and self._is_changed_by(node)
            if written:
                self.found.append(node)
        if isinstance(tree, ast.Lambda):
            self.returned |= self._of(tree.body)

    def _is_part(self, node: ast.expr) -> bool:
        return bool(self._of(node) & {"record", "array"})

    def _is_changed_by(self, call: ast.Call) -> bool:
        if any(map(self._is_part, read_only.written_by(call))):
            return True
        if isinstance(call.func, ast.Attribute):
            changing = {*read_only.WRITING, "setfield"}
            return call.func.attr in changing and self._is_part(call.func.value)
        return any(use.found for use in self._called(call))

    def _bind(self, node: Any) -> None:
        """Note what a statement lets names stand for."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._set(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._set(node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            self._add(node.target, _part_of(self._of(node.iter)))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._add(node.optional_vars, self._of(node.context_expr))
        elif isinstance(node, ast.Match):
            kinds = self._of(node.subject)
            for part in (part for case in node.cases for part in ast.walk(case.pattern)):
                if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self._add(ast.Name(part.name), kinds | _part_of(kinds))

    def _set(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._set(one, other)
        else:
            self._add(target, self._of(value))

    def _add(self, target: ast.expr, kinds: _Kinds) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._add(one, _part_of(kinds))
        elif isinstance(target, ast.Starred):
            self._add(target.value, _within(kinds))
        elif isinstance(target, ast.Name):
            self._kinds[target.id] = self._kinds.get(target.id, _NOTHING) | kinds
        elif isinstance(target, ast.Subscript) and kinds:  # a list that it is put into
            self._add(target.value, _within(kinds) - self._of(target.value))

    def _of(self, node: ast.AST) -> _Kinds:
        """Return what an expression may be."""
        if isinstance(node, ast.Name):
            return self._kinds.get(node.id, _NOTHING)
        if isinstance(node, ast.Attribute):
            return self._field(self._of(node.value), node.attr)
        if isinstance(node, ast.Subscript):
            return self._item(self._of(node.value), node.slice)
        if isinstance(node, ast.NamedExpr | ast.Starred):
            return self._of(node.value)
        if isinstance(node, ast.Call):
            return self._result(node)
        if isinstance(node, ast.IfExp):
            return self._of(node.body) | self._of(node.orelse)
        if isinstance(node, ast.BoolOp):
            return _NOTHING.union(*map(self._of, node.values))
        if isinstance(node, ast.Tuple | ast.List | ast.Dict):
            parts = [*node.values] if isinstance(node, ast.Dict) else node.elts
            return _within(_NOTHING.union(*map(self._of, parts)))
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return _within(self._of(node.elt))
        if isinstance(node, ast.BinOp):  # two tuples in one; arithmetic makes new arrays
            both = self._of(node.left) | self._of(node.right)
            return frozenset(kind for kind in both if kind.startswith(_WITH))
        return _NOTHING

    def _field(self, kinds: _Kinds, name: str) -> _Kinds:
        is_array = ("record" in kinds and name in _ARRAYS) or ("array" in kinds and name in _SAME)
        return frozenset({"array"}) if is_array else _NOTHING

    def _item(self, kinds: _Kinds, place: ast.expr) -> _Kinds:
        found = _part_of(kinds)
        if isinstance(place, ast.Constant) and isinstance(place.value, str):
            found |= self._field(kinds, place.value)
        slices = (ast.Slice, ast.Tuple)
        if isinstance(place, slices) or (isinstance(place, ast.Constant) and place.value is ...):
            found |= kinds  # a part of an array, or of a tuple
        return found

    def _result(self, call: ast.Call) -> _Kinds:
        given = _NOTHING.union(*map(self._of, call.args))
        if isinstance(call.func, ast.Attribute):
            is_array = call.func.attr in _SAME and "array" in given | self._of(call.func.value)
            return frozenset({"array"}) if is_array else _NOTHING
        if isinstance(call.func, ast.Name) and call.func.id in _SAME_PARTS:
            return _within(_part_of(given))
        return _NOTHING.union(*(use.returned for use in self._called(call)))

    def _called(self, call: ast.Call) -> Iterator[_Use]:
        """Yield what functions do with what they are handed here."""
        for tree, function in self._callees(call.func):
            around = self._kinds if function is self._function else {}
            known = {**around, **self._handed(call, tree)}
            shared = {name: kinds for name, kinds in known.items() if kinds}
            key = (ast.dump(tree), tuple(sorted((name, *kind) for name, kind in shared.items())))
            if shared and key not in self._known:
                yield _Use(tree, function, shared, self._known | {key})

    def _handed(self, call: ast.Call, tree: _Function) -> dict[str, _Kinds]:
        """Return what each parameter of a function is that is called."""
        names = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
        found = dict.fromkeys(names, _NOTHING)
        found |= zip(names, map(self._of, call.args), strict=False)
        found |= {one.arg: self._of(one.value) for one in call.keywords if one.arg in names}
        spread = [one.value for one in call.args if isinstance(one, ast.Starred)]
        spread += [one.value for one in call.keywords if one.arg is None]
        anywhere = _part_of(_NOTHING.union(*map(self._of, spread)))
        return {name: kinds | anywhere for name, kinds in found.items()}

    def _callees(self, node: ast.expr) -> Iterator[tuple[_Function, FunctionType]]:
        """Yield the functions that may be called by an expression."""
        if isinstance(node, ast.Lambda):
            yield node, self._function
        elif isinstance(node, ast.Name) and node.id in self._inner:
            yield self._inner[node.id], self._function
        elif isinstance(node, ast.Name) and node.id not in self._function.__code__.co_varnames:
            yield from _definition(self._function.__globals__.get(node.id))
        elif isinstance(node, ast.Name):  # a variable: any that the function refers to
            defaults = self._function.__defaults__ or ()
            used = map(self._function.__globals__.get, self._function.__code__.co_names)
            for one in (*used, *defaults):
                yield from _definition(one)


def _definition(value: Any) -> Iterator[tuple[_Function, FunctionType]]:
    """Yield a function with its source, if this is one."""
    plain = jit.source(value)
    if isinstance(plain, FunctionType) and not str(plain.__module__).startswith("numpy"):
        try:
            tree = read_only.tree_of(plain)
        except (OSError, SyntaxError):
            return
        if isinstance(tree, ast.FunctionDef):
            yield tree, plain


def _within(kinds: _Kinds) -> _Kinds:
    """Return what something is that these are in."""
    return frozenset(kind if kind.startswith(_WITH) else f"{_WITH}{kind}" for kind in kinds)


def _part_of(kinds: _Kinds) -> _Kinds:
    """Return what something may be that is in these."""
    found = {kind for kind in kinds if kind.startswith(_WITH)}
    return frozenset(found | {kind.removeprefix(_WITH) for kind in found})
