"""Where the values come from that the functions of a file refer to: the same in every run, or not.

This is looked for in the statements of the file that bind these values, and never run.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from amoebot.linking import harmless

#: Modules that know the clock, randomness, the process or the machine.
VARYING_MODULES = {
    *("random", "secrets", "uuid", "numpy.random", "time", "datetime", "os", "platform", "socket"),
    *("threading", "multiprocessing", "subprocess", "tempfile", "getpass", "importlib"),
    *("sys.argv", "sys.flags", "sys.modules", "sys.stdin"),
}

#: Built-in functions that do, and those that reach any name by its text.
REACHING = {"exec", "globals", "locals", "vars"}
VARYING_BUILTINS = {"hash", "id", "input", "eval", "__import__", *REACHING}

#: Parts of these modules that depend on their arguments alone.
STEADY = {"os.path.join", "os.path.dirname", "os.path.basename", "os.PathLike", "os.fspath"}

#: Generators of random numbers that are the same in every run if they are given a seed.
SEEDED = {
    "random.Random",
    *(f"numpy.random.{name}" for name in ("default_rng", "Generator", "RandomState")),
    *(f"numpy.random.{name}" for name in ("SeedSequence", "MT19937", "PCG64", "Philox", "SFC64")),
}

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def complaint(text: str, functions: Iterable[str]) -> str | None:
    """Return why what the functions of a file refer to may differ from run to run.

    None if it does not. The functions are given by name, and so may be other things to look at.
    """
    tree = ast.parse(text)
    imported = _imported(tree)
    statements = [_Statement.of(node, imported) for node in tree.body]
    bound = {name for one in statements for name in one.binds}
    # Each name with the value that it is for, if it is not a function's.
    waiting = dict.fromkeys(functions, "")
    names = [*waiting]
    for name in names:
        for one in statements:
            if name in one.binds or one.binds_anything:
                value = waiting[name] or ("" if one.is_function else name)
                for use in one.uses:
                    if use.varies and (use.first in imported or use.first not in bound):
                        words = f"{value or name} comes from {use.text}"
                        return f"line {use.line}: {words}, which may differ from run to run"
                    if use.first not in waiting:
                        waiting[use.first] = value
                        names.append(use.first)
    return None


class _Use(NamedTuple):
    """A global name that a statement refers to, with the attributes that follow it."""

    first: str
    text: str
    line: int
    varies: bool


class _Statement(NamedTuple):
    """A statement of a file, outside of functions: a whole loop or definition is one."""

    binds: set[str]  #: global names that it binds, or whose values it changes
    binds_anything: bool
    is_function: bool
    uses: list[_Use]

    @classmethod
    def of(cls, node: ast.stmt, imported: dict[str, set[str]]) -> _Statement:
        uses = [_use(one, imported) for one in _global_uses(node, imported, frozenset())]
        shown = {id(one) for call in ast.walk(node) if _is_print(call) for one in ast.walk(call)}
        names = (one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))
        texts = {ast.unparse(one) for one in names if id(one) not in shown}
        binds_anything = bool(texts & {*REACHING, "sys.modules"})
        return cls({*_bound(node)}, binds_anything, isinstance(node, _FUNCTIONS), uses)


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _chain(node.func) == ["print"]


def _imported(tree: ast.Module) -> dict[str, set[str]]:
    """Return what the names are called in full that are imported, or stand for such a name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                full = one.name if one.asname else one.name.partition(".")[0]
                found.setdefault(one.asname or full, set()).add(full)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                everything = vars(sys.modules.get(node.module or "", ast))
                for name in everything if one.name == "*" else [one.name]:
                    found.setdefault(one.asname or name, set()).add(f"{node.module}.{name}")
        elif isinstance(node, ast.Assign) and (names := _chain(node.value)):
            for target in node.targets:
                if isinstance(target, ast.Name) and names[0] in found:
                    found.setdefault(target.id, set()).update(_in_full(names, found))
    return found


def _in_full(names: list[str], imported: dict[str, set[str]]) -> set[str]:
    return {".".join([full, *names[1:]]) for full in imported.get(names[0], {names[0]})}


def _use(node: ast.expr, imported: dict[str, set[str]]) -> _Use:
    names = _chain(node)
    varies = any(map(_varies, _in_full(names, imported)))
    return _Use(names[0], ast.unparse(node), node.lineno, varies)


def _varies(full: str) -> bool:
    """Whether what has this full name may differ from run to run."""
    names = full.removeprefix(f"{builtins.__name__}.").split(".")
    if names[0] in VARYING_BUILTINS:
        return True
    starts = {".".join(names[:number]) for number in range(1, len(names) + 1)}
    return bool(starts & VARYING_MODULES) and not starts & STEADY


def _global_uses(
    node: ast.AST, imported: dict[str, set[str]], local: frozenset[str]
) -> Iterator[ast.expr]:
    """Yield each global name that is referred to, with its attributes; annotations do not count."""
    if isinstance(node, ast.Name | ast.Attribute) and (names := _chain(node)):
        if names[0] not in local and isinstance(node.ctx, ast.Load):
            yield node
        return
    if isinstance(node, _SCOPES):
        local |= _own_names(node)
    for name, value in ast.iter_fields(node):
        seeds = name == "func" and isinstance(node, ast.Call) and _is_seeded(node, imported)
        if name not in ("annotation", "returns") and not seeds:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _global_uses(part, imported, local)


def _is_seeded(call: ast.Call, imported: dict[str, set[str]]) -> bool:
    """Whether a call makes a generator of random numbers with a seed."""
    given = [*call.args, *(one.value for one in call.keywords)]
    has_seed = any(not (isinstance(one, ast.Constant) and one.value is None) for one in given)
    names = _chain(call.func)
    return bool(names) and has_seed and _in_full(names, imported) <= SEEDED


def _own_names(scope: Any) -> set[str]:
    """Return the names that belong to a function or a comprehension."""
    parts = [*ast.walk(scope)]
    stored = {one.id for one in parts if isinstance(one, ast.Name) and _is_stored(one)}
    arguments = {one.arg for one in parts if isinstance(one, ast.arg)}
    declared = {name for one in parts if isinstance(one, ast.Global) for name in one.names}
    return (stored | arguments) - declared


def _is_stored(node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the global names that a statement binds, or whose values it changes."""
    for one in _outside_functions(node):
        if isinstance(one, ast.Name) and _is_stored(one):
            yield one.id
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, ast.alias):
            yield one.asname or one.name.partition(".")[0]
    for one in ast.walk(node):
        if isinstance(one, ast.Global):
            yield from one.names
        elif isinstance(one, ast.Attribute | ast.Subscript) and _is_stored(one):
            yield _root(one)
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            yield from _handed_over(one.value)


def _handed_over(call: ast.Call) -> Iterator[str]:
    """Yield the names of what a call may change: its arguments, and what it is a method of."""
    if isinstance(call.func, ast.Attribute):
        yield _root(call.func)
    elif isinstance(call.func, ast.Name) and call.func.id in {*harmless.PURE, "print"}:
        return
    for given in (*call.args, *(one.value for one in call.keywords)):
        yield from (one.id for one in ast.walk(given) if isinstance(one, ast.Name))


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement that are not within a function or a comprehension."""
    yield node
    if not isinstance(node, _SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from _outside_functions(part)


def _chain(node: ast.AST) -> list[str]:
    """Return a name and the attributes that follow it; nothing if this is something else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *names[::-1]] if isinstance(node, ast.Name) else []


def _root(node: ast.AST) -> str:
    """Return the name that a chain of subscripts, attributes and methods begins with."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func
    return node.id if isinstance(node, ast.Name) else ""
