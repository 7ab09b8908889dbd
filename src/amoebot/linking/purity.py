"""Rules are pure: their arguments decide what they do, and they change nothing else.

This is looked for in the source, so a rule is refused compiled and interpreted alike.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from amoebot.files import globals_of, shown
from amoebot.linking import harmless, read_only, shared, unset


class Kind(NamedTuple):
    """What a function is for, in the words of messages."""

    name: str
    decided_by: str  #: and by nothing else
    changes: str  #: what it changes


RULE = Kind(
    "a rule",
    "what a rule does is decided by its agents alone",
    "a rule changes nothing but its agents",
)
PROPERTY = Kind(
    "a property",
    "whether a property holds is decided by the records alone",
    "a property changes nothing",
)


def complaint(
    function: FunctionType,
    returns: bool,
    kind: Kind = RULE,
    several: bool = False,
    to_read: Sequence[str] = (),
) -> str | None:
    """Return why a function is not pure, or cannot stand for one that returns something.

    None if it is pure; ``several`` says that it may return several numbers, and ``to_read`` which
    parameters it must not write to.
    """
    tree = read_only.tree_of(function)
    if not isinstance(tree, ast.FunctionDef):
        line = function.__code__.co_firstlineno
        what = "with async" if isinstance(tree, ast.AsyncFunctionDef) else "as a lambda"
        words = f"{kind.name}, and what it calls, must be written with def, not {what}"
        return f"{place(line, function)}: {words}"
    for node, words in _impurities(tree, function, kind):
        return f"{place(_line(node, function), function)}: {words}"
    for name in to_read:
        for node in shared.writes(function, name):
            words = f"{function.__name__} changes {name}, which is not an agent's memory"
            return f"{place(_line(node, function), function)}: {words}"
    if returns and (end := _way_out(tree)) is not None:
        where = place(_line(end, function), function)
        return f"{where}: {function.__name__} must end with a value to return"
    if returns and (wrong := _no_number(tree, function, several)) is not None:
        words = f"must return a number or a truth value, not {ast.unparse(wrong)[:40]}"
        return f"{place(_line(wrong, function), function)}: {function.__name__} {words}"
    return None


def _line(node: ast.stmt | ast.expr | ast.arg, function: FunctionType) -> int:
    return function.__code__.co_firstlineno + node.lineno - 1


def place(line: int, function: FunctionType) -> str:
    """Return a line of the file that a function is in, with that file if it can be imported."""
    # Who gives a file, or runs one, is told of it elsewhere.
    is_imported = function.__module__ in sys.modules and function.__module__ != "__main__"
    return f"{shown(function.__code__.co_filename)}, line {line}" if is_imported else f"line {line}"


def line_of(name: str, function: FunctionType) -> int:
    """Return in which line of the file a function first refers to a name."""
    nodes = [*_nodes(read_only.tree_of(function))]
    lines = [_line(one, function) for one in nodes if isinstance(one, ast.Name) and one.id == name]
    return min(lines, default=function.__code__.co_firstlineno)


def _impurities(
    tree: ast.FunctionDef, function: FunctionType, kind: Kind
) -> Iterator[tuple[ast.stmt | ast.expr | ast.arg, str]]:
    """Yield what a function must not do, and where."""
    name, outside = function.__name__, _outside(tree, function)
    yield from _wrong_statements(tree, name, kind)
    for node in _nodes(tree):
        is_part = isinstance(node, ast.Subscript | ast.Attribute)
        if is_part and not isinstance(node.ctx, ast.Load) and (root := _root(node)) in outside:
            yield node, f"{name} changes {root}, and {kind.changes}"
    for node in _sets(tree, outside):
        yield node, f"{name} uses a set, whose order may differ from run to run: use a tuple"
    for node, names in _chains(tree):
        for words in _wrong_uses(names, ast.unparse(node), outside, kind):
            yield node, f"{name} uses {words}"
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if not all(map(_may_be_default, defaults)):
        yield tree, f"{name} has a default that is not a number, an array or a pure function"
    arrays = {one for one in globals_of(function.__code__) if _has_array(outside.get(one))}
    for node, changed in read_only.writes(tree, function, arrays):
        yield node, f"{name} changes {changed}, and {kind.changes}"
    if kind is RULE:
        yield from _starred(tree)
    for node, variable in unset.reads(tree, outside):
        yield node, f"{name} reads {variable}, which may not have been set"


def _starred(tree: ast.FunctionDef) -> Iterator[tuple[ast.arg, str]]:
    """Yield parameters that are not given by their place: compiled functions have no others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            name = getattr(node, "name", "a lambda")
            for one in node.args.kwonlyargs:
                yield one, f"{name} takes {one.arg} by name only: leave out the star before it"
            for one in filter(None, (node.args.vararg, node.args.kwarg)):
                yield one, f"{name} takes any number of arguments: write a parameter for each"


def _wrong_statements(
    tree: ast.FunctionDef, name: str, kind: Kind
) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield what has no place in a pure function, whatever is in it."""
    for node in _nodes(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield node, f"{name} has a global statement, and {kind.changes}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node, f"{name} imports something: import it at the top of the file"
        elif type(node) in _INTERRUPTED:
            words = f"{name} has {_INTERRUPTED[type(node)]}"
            yield node, f"{words}, and {kind.name} is run from its beginning to its end at once"
        elif isinstance(node, ast.GeneratorExp) and kind is RULE:
            yield node, f"{name} has a generator: write a list in brackets, or a loop"
        elif isinstance(node, ast.ClassDef):
            yield node, f"{name} defines a class: {kind.name} consists of statements and functions"


#: What makes a function stop in the middle, and go on later.
_INTERRUPTED = {
    ast.Yield: "a yield",
    ast.YieldFrom: "a yield",
    ast.Await: "an await",
    ast.AsyncFunctionDef: "an async def",
    ast.AsyncFor: "an async for",
    ast.AsyncWith: "an async with",
}


def _outside(tree: ast.FunctionDef, function: FunctionType) -> dict[str, Any]:
    """Return by name what a function finds outside of itself."""
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    own |= {node.id for node in _nodes(tree) if _is_stored(node)}
    own -= {*globals_of(function.__code__)}  # the variable of a comprehension may be called so, too
    around = inspect.getclosurevars(function).nonlocals
    known = {**vars(builtins), **function.__globals__, **around}
    return {name: value for name, value in known.items() if name not in own}


def _sets(tree: ast.FunctionDef, outside: dict[str, Any]) -> Iterator[ast.expr]:
    """Yield where a function uses a set for more than looking whether something is in it."""
    searched = set()
    for node in _nodes(tree):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            searched |= {id(place) for way, place in pairs if isinstance(way, ast.In | ast.NotIn)}
        value = outside.get(node.id) if isinstance(node, ast.Name) else None
        is_set = isinstance(node, ast.Set | ast.SetComp) or isinstance(value, set | frozenset)
        if value is set or value is frozenset or (is_set and id(node) not in searched):
            yield node


def _chains(tree: ast.FunctionDef) -> Iterator[tuple[ast.expr, list[str]]]:
    """Yield names, each with all attributes that follow; nothing is the name of other values."""
    seen = set()
    for node in _nodes(tree):
        is_use = isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Name) and not _is_stored(node)
        )
        if is_use and id(node) not in seen:
            names, part = [], node
            while isinstance(part, ast.Attribute):
                names.append(part.attr)
                part = part.value
                seen.add(id(part))
            names.append(part.id if isinstance(part, ast.Name) else "")
            yield node, names[::-1]


def _wrong_uses(names: list[str], text: str, outside: dict[str, Any], kind: Kind) -> Iterator[str]:
    """Yield what is wrong with a name and with its attributes, whatever they are attributes of."""
    first, rest = outside.get(names[0]), names[1:]
    for number, name in enumerate(rest):
        if harmless.is_module(first, rest[:number]):
            continue
        if name.startswith("__"):
            yield f"{text}, and names that begin with two underscores are Python's own"
        elif name in harmless.WRITING:
            yield f"{text}, and {kind.changes}"
        elif name in harmless.ADDRESSES:
            yield f"{text}, and {kind.decided_by}"
    reason = kind.changes if names[-1] in harmless.CHANGING else kind.decided_by
    if isinstance(first, ModuleType):
        if (wrong := harmless.impure_part(first, rest)) is not None:
            yield f"{'.'.join(names[: wrong + 1])}, and {reason}"
        elif harmless.is_module(first, rest):
            yield f"the module {text} by itself: write {text}. and the name of something in it"
    elif not harmless.may_be_used(first):
        class_of = "a class" if isinstance(first, type) else "of a class"
        own = f"{class_of} that is not Python's or NumPy's: use numbers, tuples and arrays"
        yield f"{names[0]}, {own if harmless.has_own_class(first) else f'and {reason}'}"


def _may_be_default(value: object) -> bool:
    return harmless.may_be_used(value) and not isinstance(value, ModuleType | set | frozenset)


def _has_array(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_array, value))
    return isinstance(value, np.ndarray)


def _nodes(tree: ast.FunctionDef) -> Iterator[Any]:
    """Yield all parts of a function but its annotations, which are never run."""
    named = (default for default in tree.args.kw_defaults if default is not None)
    waiting: list[Any] = [*tree.body, *tree.args.defaults, *named]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [
            part
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "returns")
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, ast.AST)
        ]


def _is_stored(node: Any) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _root(node: ast.expr) -> str | None:
    """Return the name that a chain of subscripts and attributes begins with."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _way_out(tree: ast.FunctionDef) -> ast.stmt | None:
    """Return where a function ends without a value, if it can."""
    returned = [node for node in _nodes(tree) if isinstance(node, ast.Return)]
    for node in returned:
        if node.value is None:
            return node
    # One that does nothing but raise an error never has a value either.
    return None if returned and _always_returns(tree.body) else tree.body[-1]


def _no_number(tree: ast.FunctionDef, function: FunctionType, several: bool) -> ast.expr | None:
    """Return what a function returns that is plainly no number, nor several if it may be."""
    for node in _nodes(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            for one in choices:
                known = _bound_to(one, tree)
                if all(_is_no_number(each) for each in known):
                    return value
                if not several and all(_is_several(each, function) for each in known):
                    return value
    return None


def _bound_to(value: ast.expr, tree: ast.FunctionDef) -> list[ast.expr]:
    """Return all that a name is assigned; the expression itself if that cannot be told."""
    if not isinstance(value, ast.Name):
        return [value]
    nodes = [*_nodes(tree)]
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    found = [
        one.value
        for one in assigned
        if isinstance(one.targets[0], ast.Name) and one.targets[0].id == value.id
    ]
    # Loops and the like bind names as well.
    times = sum(_is_stored(node) and node.id == value.id for node in nodes)
    return found if found and len(found) == times else [value]


#: Expressions for texts, lists, dictionaries and sets.
_NO_NUMBERS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)

#: Functions of NumPy that always make an array.
_ARRAYS = {"arange", "array", "asarray", "copy", "flatnonzero", "full", "ones", "zeros"}


def _is_no_number(value: ast.expr) -> bool:
    is_number = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return isinstance(value, _NO_NUMBERS) or (isinstance(value, ast.Constant) and not is_number)


def _is_several(value: ast.expr, function: FunctionType) -> bool:
    """Whether an expression is plainly a tuple or an array."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        value = value.value
    if isinstance(value, ast.Name):
        return isinstance(_global(value.id, function), tuple | np.ndarray)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        module = _global(_root(value.func) or "", function)
        return module is np and value.func.attr in _ARRAYS
    return isinstance(value, ast.Tuple)


def _global(name: str, function: FunctionType) -> Any:
    """Return what a global name that a function refers to stands for."""
    return function.__globals__.get(name) if name in globals_of(function.__code__) else None


def _always_returns(body: list[ast.stmt]) -> bool:
    """Whether statements never come to their end without a return."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    if isinstance(last, ast.With):
        return _always_returns(last.body)
    if isinstance(last, ast.Try):
        tried = _always_returns(last.body) or _always_returns(last.orelse)
        caught = all(_always_returns(one.body) for one in last.handlers)
        return (tried and caught) or _always_returns(last.finalbody)
    if isinstance(last, ast.While):  # as in C, ``while True`` is left by returning only
        forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return forever and not _breaks(last.body)
    if isinstance(last, ast.Match):
        rest = last.cases[-1]
        takes_all = isinstance(rest.pattern, ast.MatchAs) and rest.pattern.pattern is None
        whole = takes_all and rest.guard is None
        return whole and all(_always_returns(case.body) for case in last.cases)
    return False


def _breaks(body: list[ast.stmt]) -> bool:
    """Whether statements leave the loop that they are in; those of loops within it do not."""
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Break):
            return True
        if not isinstance(node, ast.For | ast.While | ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)
    return False


def returns_a_value(rule: Callable[..., Any]) -> bool:
    """Whether a rule of an election says that it returns something."""
    return rule.__annotations__.get("return") not in (None, "None")


def returns_several(rule: Callable[..., Any]) -> bool:
    """Whether a rule of an election says that it returns several numbers."""
    said = str(rule.__annotations__.get("return"))
    return said.startswith("tuple") or said == "Coins"
