"""Variables of a function that may be read before they are set.

A compiled function reads whatever is in memory there. All ways through the source are followed,
together with what depends on conditions: a variable that is set where a condition holds may be read
where the same condition holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: What an expression may consist of for its value to be worked out here.
_PLAIN = (
    *(ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp),
    *(ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop),
    *(ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv),
)

#: Calls that return as many things as they are given.
_AS_MANY = {"enumerate", "list", "reversed", "sorted", "tuple", "zip"}


class _If(NamedTuple):
    """A variable that is set if a condition is true, or if it is false."""

    condition: str
    truth: bool
    name: str


#: Variables that are set, for certain or under a condition; None where nothing ever arrives.
_State = frozenset[str | _If] | None


def reads(tree: ast.FunctionDef, outside: Mapping[str, Any]) -> Iterator[tuple[ast.expr, str]]:
    """Yield where a function may read a variable that it has not set, and which.

    ``outside`` has what it finds outside of itself, by name.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from _Flow(node, outside).found.items()


class _Flow:
    """The ways through one function; functions within it are looked at by themselves."""

    def __init__(self, tree: ast.FunctionDef, outside: Mapping[str, Any]) -> None:
        self.found: dict[ast.expr, str] = {}
        self._outside = outside
        self._own = {*_stored(tree.body)}
        parts = (part for node in tree.body for part in ast.walk(node))
        self._tests = {ast.unparse(part): part for part in parts if _is_plain(part)}
        # Where the innermost loop is left, and where its next turn begins.
        self._breaks: list[_State] = []
        self._continues: list[_State] = []
        arguments = (part.arg for part in ast.walk(tree.args) if isinstance(part, ast.arg))
        given = frozenset(arguments)
        #: Variables for which conditions matter: without them, these may be read too early.
        self._doubtful: set[str] = set()
        self._block(tree.body, given)
        if self.found:
            self._doubtful, self.found = {*self.found.values()}, {}
            self._block(tree.body, given)

    # Statements: each takes what is set before it, and returns what is set after it.

    def _block(self, body: Iterable[ast.stmt], state: _State) -> _State:
        for node in body:
            if state is None:
                return None
            kind = type(node).__name__.lower()
            state = getattr(self, f"_{kind}", self._other)(node, state)
        return state

    def _other(self, node: ast.stmt, state: _State) -> _State:
        if isinstance(node, _DEFINITIONS):
            return self._with_name(state, node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = ((one.asname or one.name).partition(".")[0] for one in node.names)
            return reduce(self._with_name, names, state)
        return self._expressions(ast.iter_child_nodes(node), state)

    def _assign(self, node: ast.Assign, state: _State) -> _State:
        state = self._expression(node.value, state)
        for target in node.targets:
            state = self._store(state, target, node.value)
        return state

    def _annassign(self, node: ast.AnnAssign, state: _State) -> _State:
        if node.value is None:
            return state
        return self._store(self._expression(node.value, state), node.target, node.value)

    def _augassign(self, node: ast.AugAssign, state: _State) -> _State:
        if isinstance(node.target, ast.Name):
            self._read(node.target, state)
        return self._store(self._expression(node.value, state), node.target)

    def _delete(self, node: ast.Delete, state: _State) -> _State:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._read(target, state)
                state = self._with_name(state, target.id)
                state = state - {target.id} if state is not None else None
        return state

    def _return(self, node: ast.Return | ast.Raise, state: _State) -> _State:
        self._expressions(ast.iter_child_nodes(node), state)
        return None

    _raise = _return

    def _break(self, node: ast.Break, state: _State) -> _State:
        self._breaks.append(state)
        return None

    def _continue(self, node: ast.Continue, state: _State) -> _State:
        self._continues.append(state)
        return None

    def _assert(self, node: ast.Assert, state: _State) -> _State:
        holds, _ = self._test(node.test, state)
        return holds

    def _if(self, node: ast.If, state: _State) -> _State:
        holds, fails = self._test(node.test, state)
        return _either(self._block(node.body, holds), self._block(node.orelse, fails))

    def _match(self, node: ast.Match, state: _State) -> _State:
        state, ends = self._expression(node.subject, state), []
        for case in node.cases:
            bound = reduce(self._with_name, _stored([case.pattern]), state)
            fits, fails = self._test(case.guard, bound) if case.guard else (bound, None)
            ends.append(self._block(case.body, fits))
            takes_all = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            state = fails if takes_all else state
        return reduce(_either, ends, state)

    def _with(self, node: ast.With | ast.AsyncWith, state: _State) -> _State:
        for item in node.items:
            state = self._expression(item.context_expr, state)
            if item.optional_vars is not None:
                state = self._store(state, item.optional_vars)
        return self._block(node.body, state)

    _asyncwith = _with

    def _while(self, node: ast.While, state: _State) -> _State:
        around = self._breaks, self._continues
        start, _ = self._turns(
            state, lambda at: self._block(node.body, self._test(node.test, at)[0])
        )
        breaks = self._breaks
        self._breaks, self._continues = around
        _, fails = self._test(node.test, start)
        return reduce(_either, breaks, self._block(node.orelse, fails))

    def _for(self, node: ast.For | ast.AsyncFor, state: _State) -> _State:
        around = self._breaks, self._continues
        state = self._expression(node.iter, state)
        first = self._store(state, node.target, _first_of(node.iter))
        _, end = self._turns(
            first,
            lambda at: self._block(node.body, at),
            lambda at: self._store(at, node.target),
        )
        breaks = self._breaks
        self._breaks, self._continues = around
        end = _either(end, state) if self._may_be_empty(node.iter) else end
        return reduce(_either, breaks, self._block(node.orelse, end))

    _asyncfor = _for

    def _turns(
        self,
        start: _State,
        turn: Callable[[_State], _State],
        between: Callable[[_State], _State] = lambda state: state,
    ) -> tuple[_State, _State]:
        """Follow a loop until one more turn tells nothing new.

        Return what is set at the beginning and at the end of every turn.
        """
        while True:
            self._breaks, self._continues = [], []
            end = turn(start)
            end = reduce(_either, self._continues, end)
            both = _either(start, between(end))
            if _either(start, start) == both:
                return start, end
            start = both

    def _try(self, node: ast.Try, state: _State) -> _State:
        failed = state
        for one in node.body:
            if not (isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)):
                break
            failed = self._assign(one, failed)
        for name in _stored(node.body):  # may have changed what conditions are about
            failed = _without(failed, name)
        ends = [self._block(node.orelse, self._block(node.body, state))]
        for handler in node.handlers:
            names = [handler.name] if handler.name else []
            ends.append(self._block(handler.body, reduce(self._with_name, names, failed)))
        if not node.handlers:
            self._block(node.finalbody, failed)
        return self._block(node.finalbody, reduce(_either, ends))

    _trystar = _try

    # Expressions: the same.

    def _expressions(self, nodes: Iterable[ast.AST], state: _State) -> _State:
        for node in nodes:
            state = self._expression(node, state)
        return state

    def _expression(self, node: ast.AST, state: _State) -> _State:
        if isinstance(node, ast.Name):
            self._read(node, state)
        elif isinstance(node, ast.NamedExpr):
            return self._store(self._expression(node.value, state), node.target, node.value)
        elif isinstance(node, ast.BoolOp):
            return _either(*self._test(node, state))
        elif isinstance(node, ast.IfExp):
            holds, fails = self._test(node.test, state)
            return _either(self._expression(node.body, holds), self._expression(node.orelse, fails))
        elif isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node, state)
        elif not isinstance(node, ast.Lambda):
            return self._expressions(ast.iter_child_nodes(node), state)
        return state

    def _comprehension(self, node: Any, state: _State) -> _State:
        inner, targets = state, set()
        for part in node.generators:
            inner = self._expression(part.iter, inner)
            targets |= {*_stored([part.target])}
            inner = None if inner is None else inner | targets
            for test in part.ifs:
                inner, _ = self._test(test, inner)
        values = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        inner = self._expressions(values, inner)
        if state is None or inner is None or self._may_be_empty(node):
            return state
        return state | {one for one in inner if one not in targets}

    def _test(self, node: ast.expr, state: _State) -> tuple[_State, _State]:
        """Return what is set where a condition is true, and where it is false."""
        holds, fails = state, state
        if isinstance(node, ast.Constant):
            return (state, None) if node.value else (None, state)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            fails, holds = self._test(node.operand, state)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            fails = None
            for value in node.values:
                holds, failed = self._test(value, holds)
                fails = _either(fails, failed)
        elif isinstance(node, ast.BoolOp):
            holds = None
            for value in node.values:
                held, fails = self._test(value, fails)
                holds = _either(holds, held)
        else:
            holds = fails = self._expression(node, state)
        text = ast.unparse(node)
        return self._where(holds, text, truth=True), self._where(fails, text, truth=False)

    def _where(self, state: _State, condition: str, truth: bool) -> _State:
        """Add what a condition tells that is known to be true, or to be false."""
        if state is None:
            return None
        given = (one for one in state if isinstance(one, _If))
        told = {one.name for one in given if (one.condition, one.truth) == (condition, truth)}
        return state | told | self._unless(condition, truth)

    def _unless(self, condition: str, truth: bool) -> set[_If]:
        """Say of variables that they are set if a condition is not what it is."""
        return {_If(condition, not truth, name) for name in self._doubtful}

    # Variables.

    def _read(self, node: ast.Name, state: _State) -> None:
        if state is not None and node.id in self._own and node.id not in state:
            self.found[node] = node.id

    def _with_name(self, state: _State, name: str) -> _State:
        state = _without(state, name)
        return None if state is None else state | {name}

    def _store(self, state: _State, target: ast.expr, value: ast.expr | None = None) -> _State:
        if isinstance(target, ast.Tuple | ast.List):
            same = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            values = value.elts if isinstance(value, ast.Tuple) and same else [None] * 99
            for one, its_value in zip(target.elts, values, strict=False):
                state = self._store(state, one, its_value)
            return state
        if isinstance(target, ast.Starred):
            return self._store(state, target.value)
        if not isinstance(target, ast.Name):
            state = self._expressions(ast.iter_child_nodes(target), state)
            return _without(state, ast.unparse(target))
        state = self._with_name(state, target.id)
        known = self._value(value)
        for text, test in self._tests.items() if known else ():
            names = {one.id for one in ast.walk(test) if isinstance(one, ast.Name)}
            truth = self._value(test, {target.id: known[0]}) if target.id in names else []
            if truth and state is not None:
                state |= self._unless(text, bool(truth[0]))
        return state

    def _value(self, node: ast.AST | None, given: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the value of an expression, or nothing if that is not known."""
        if isinstance(node, ast.Tuple | ast.List) and not node.elts:
            return [()]
        if node is None or not _is_plain(node):
            return []
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        known = {name: self._outside[name] for name in names & {*self._outside} - self._own}
        known |= given or {}
        if names - {*known} or not all(
            isinstance(one, int | float | tuple | None) for one in known.values()
        ):
            return []
        try:
            code: Any = ast.Expression(node)  # type: ignore[arg-type]
            return [eval(compile(code, "", "eval"), {"__builtins__": {}}, known)]
        except Exception:  # such as a division by zero
            return []

    def _may_be_empty(self, node: ast.expr) -> bool:
        """Whether a loop over something may have no turns, as far as that can be told."""
        if isinstance(node, ast.Tuple | ast.List):
            return not node.elts
        if isinstance(node, _COMPREHENSIONS):
            return any(part.ifs or self._may_be_empty(part.iter) for part in node.generators)
        if isinstance(node, ast.Name) and node.id not in self._own:
            value: Any = self._outside.get(node.id)
            return hasattr(value, "__len__") and not len(value)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        if node.func.id in _AS_MANY:
            return any(map(self._may_be_empty, node.args))
        if node.func.id != "range":
            return False
        limits = [self._value(one) for one in node.args]
        if all(limits):
            return not range(*(int(one[0]) for one in limits))
        # The length of something is that of a loop over it.
        return not any(isinstance(part, ast.Call) for one in node.args for part in ast.walk(one))


def _either(one: _State, other: _State) -> _State:
    """Return what is set whichever of two ways was taken."""
    if one is None or other is None:
        return other if one is None else one
    names = {name for name in one & other if isinstance(name, str)}
    conditions = (part for part in one | other if isinstance(part, _If) and part.name not in names)
    return frozenset(names) | {
        part
        for part in conditions
        if all(part in state or part.name in state for state in (one, other))
    }


def _without(state: _State, changed: str) -> _State:
    """Leave out what depends on conditions in which something occurs that has changed."""
    if state is None:
        return None
    found = re.compile(rf"(?<!\w){re.escape(changed)}(?!\w)").search
    return frozenset(one for one in state if isinstance(one, str) or not found(one.condition))


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the variables that belong to the function that these are statements of."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(node, _COMPREHENSIONS):
            named = (part for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
            yield from (part.target.id for part in named)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif not isinstance(node, ast.Lambda):
            if isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
                yield node.name
            elif isinstance(node, ast.MatchMapping) and node.rest:
                yield node.rest
            waiting += ast.iter_child_nodes(node)


def _is_plain(node: ast.AST) -> bool:
    numbers = (int, float, type(None))
    return isinstance(node, ast.expr) and all(
        isinstance(part.value, numbers)
        if isinstance(part, ast.Constant)
        else isinstance(part, _PLAIN)
        for part in ast.walk(node)
    )


def _first_of(node: ast.expr) -> ast.expr | None:
    """Return the first value that a loop is over, if it is there to be read."""
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts[0] if node.elts else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        return node.args[0] if len(node.args) > 1 else ast.copy_location(ast.Constant(0), node)
    return None
