"""Where the values come from that the functions of a file refer to: the same in every run, or not.

This is looked for in the statements of the file that bind these values, and in other files of
the user's that it imports them from; nothing is run.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from amoebot.files import shown
from amoebot.linking import harmless
from amoebot.linking.syntax import (
    FUNCTIONS,
    SCOPES,
    arguments,
    chain,
    is_stored,
    method,
    outside_functions,
    root,
)
from amoebot.linking.values import Values

#: Modules that know the clock, randomness, the process or the machine.
VARYING_MODULES = {
    *("random", "secrets", "uuid", "numpy.random", "time", "datetime", "os", "platform", "socket"),
    *("threading", "multiprocessing", "subprocess", "tempfile", "getpass", "importlib"),
    *("timeit", "gc", "runpy", "resource", "tracemalloc", "ctypes", "posix", "_random"),
    *("sys.argv", "sys.flags", "sys.modules", "sys.stdin", "sys.getrefcount"),
    *("amoebot.jit", "numba.config", "numba.get_num_threads", "pathlib.Path.cwd"),
}

#: Built-in functions that do, and those that reach any name by its text.
REACHING = {"exec", "globals", "locals", "vars"}
VARYING_BUILTINS = {"hash", "id", "input", "eval", "__import__", *REACHING}

#: Parts of these modules that depend on their arguments alone.
STEADY = {
    *("os.path.join", "os.path.dirname", "os.path.basename", "os.PathLike", "os.fspath"),
    *(f"amoebot.jit.{name}" for name in ("compiled", "inlined", "rule", "inlined_rule")),
}

#: Generators of random numbers that are the same in every run if they are given a seed.
SEEDED = {
    "random.Random",
    *(f"numpy.random.{name}" for name in ("default_rng", "Generator", "RandomState")),
    *(f"numpy.random.{name}" for name in ("SeedSequence", "MT19937", "PCG64", "Philox", "SFC64")),
}

#: Methods that draw random numbers, each with the package it is of and its argument for a seed.
DRAWING = {"samples": ("statistics", "seed"), "rvs": ("scipy", "random_state")}

#: Arrays that nobody has written to.
UNWRITTEN = {"numpy.empty", "numpy.empty_like"}

#: Beginnings of the names of files that are never the same.
VARYING_FILES = ("/proc/", "/dev/random/", "/dev/urandom/")

#: Functions whose values depend on the order of what they are given, and those whose do not.
ORDERED = {"tuple", "list", "enumerate", "iter", "zip", "map", "filter", "str", "repr"}
ORDERED_PARTS = {"join", "fromkeys", "fromiter", "pop"}
ORDERLESS = {"sorted", "len", "sum", "min", "max", "any", "all", "set", "frozenset"}

#: Where packages are installed, and the modules whose files are looked at elsewhere.
INSTALLED = {"site-packages", "dist-packages"}
OTHERS = {*sys.stdlib_module_names, "amoebot", "numpy", "numba"}


def complaint(text: str, functions: Iterable[str]) -> str | None:
    """Return why what the functions of a file refer to may differ from run to run.

    None if it does not. The functions are given by name, and so may be other things to look at.
    """
    files = _Files({"": _File(text)})
    # Each name and its module, with the value that it is for, if it is not a function's.
    waiting = {("", name): "" for name in functions}
    for name in [name for _, name in waiting]:
        imported = files[""].imported.get(name, set())
        waiting |= dict.fromkeys(files.meant_by(imported)[1], "")
    names = [*waiting]
    for home, name in names:
        file = files[home]
        for one in file.statements:
            if name in one.binds or one.binds_anything:
                value = waiting[home, name] or ("" if one.is_function else name)
                for use in one.uses:
                    varies, elsewhere = _looked_up(use, file, files)
                    if varies:
                        words = f"{value or name} comes from {use.text}"
                        where = f"{file.name}, line" if file.name else "line"
                        return f"{where} {use.line}: {words}, which may differ from run to run"
                    for found in sorted({(home, use.names[0]), *elsewhere} - {*waiting}):
                        waiting[found] = value
                        names.append(found)
    return None


def _looked_up(use: _Use, file: _File, files: _Files) -> tuple[bool, set[tuple[str, str]]]:
    """Return whether a use varies by itself, and which names of other modules it is of."""
    first = use.names[0]
    if not first:
        return True, set()
    if first not in file.imported:
        return first not in file.bound and _varies(".".join(use.names)), set()
    meant, elsewhere = files.meant_by(_in_full(use.names, file.imported))
    return any(map(_varies, meant)), elsewhere


class _Use(NamedTuple):
    """A global name that a statement refers to, with the attributes that follow it.

    One without a name is an expression that varies by itself.
    """

    names: list[str]
    text: str
    line: int


class _File:
    """A Python file of the user's; the one that is asked about has no name."""

    def __init__(self, text: str, name: str = "", package: str = "") -> None:
        tree = ast.parse(text)
        self.name = name
        self.imported = _imported(tree, package)
        self.values = Values(tree)
        #: Parts of statements that write to their arrays.
        self.written = {*_written(tree)}
        self.statements = [_Statement.of(node, self) for node in tree.body]
        self.bound = {name for one in self.statements for name in one.binds}

    @classmethod
    def of(cls, module: ModuleType) -> _File:
        """Read the file of a module that has been imported."""
        name, package = shown(str(module.__file__)), str(module.__package__ or "")
        try:
            return cls(inspect.getsource(module), name, package)
        except (OSError, SyntaxError):  # an empty one, or one that has been changed
            return cls("", name, package)


class _Files(dict[str, _File]):
    """The file that is asked about, and those that it imports, by the names of their modules."""

    def __missing__(self, module: str) -> _File:
        self[module] = _File.of(sys.modules[module])
        return self[module]

    def meant_by(self, names: set[str]) -> tuple[set[str], set[tuple[str, str]]]:
        """Return what full names stand for in the end, and which names of the user's modules."""
        meant, found = [*names], set()
        for full in meant:
            module, parts = _in_module(full)
            if module:
                other = self[module]
                # All that is in a module can be reached if it is used by itself.
                found |= {(module, name) for name in parts[:1] or other.bound}
                if parts and parts[0] in other.imported:
                    meant += _in_full(parts, other.imported) - {*meant}
        return {*meant}, found


def _in_module(full: str) -> tuple[str, list[str]]:
    """Return the module of the user's that a full name is in, and the rest; nothing if in none."""
    names = full.split(".")
    for number in range(len(names), 0, -1):
        module = sys.modules.get(".".join(names[:number]))
        if module is not None:
            return (".".join(names[:number]) if _is_own(module) else ""), names[number:]
    return "", []


def _is_own(module: ModuleType) -> bool:
    """Whether a module is a Python file of the user's."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return False
    return not INSTALLED & {*Path(file).parts} and module.__name__.partition(".")[0] not in OTHERS


class _Statement(NamedTuple):
    """A statement of a file, outside of functions: a whole loop or definition is one."""

    binds: set[str]  #: global names that it binds, or whose values it changes
    binds_anything: bool
    is_function: bool
    uses: list[_Use]

    @classmethod
    def of(cls, node: ast.stmt, file: _File) -> _Statement:
        uses = [_Use(chain(one), *_told(one)) for one in _global_uses(node, file, frozenset())]
        uses += [_Use([""], *_told(one)) for one in _varying_parts(node, file)]
        shown = {id(one) for call in ast.walk(node) if _is_print(call) for one in ast.walk(call)}
        names = (one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))
        texts = {ast.unparse(one) for one in names if id(one) not in shown}
        binds_anything = bool(texts & {*REACHING, "sys.modules"})
        return cls({*_bound(node)}, binds_anything, isinstance(node, FUNCTIONS), uses)


def _told(node: ast.expr) -> tuple[str, int]:
    return ast.unparse(node), node.lineno


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and chain(node.func) == ["print"]


def imports(file: str, module: str) -> dict[str, set[str]]:
    """Return what the names that a file imports are called in full; nothing without a source."""
    package = getattr(sys.modules.get(module), "__package__", None)
    return _imports("".join(linecache.getlines(file)), package or "")


@lru_cache
def _imports(text: str, package: str) -> dict[str, set[str]]:
    try:
        return _imported(ast.parse(text), package)
    except SyntaxError:  # it has been changed meanwhile
        return {}


def _imported(tree: ast.Module, package: str) -> dict[str, set[str]]:
    """Return what the names are called in full that are imported, or stand for such a name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                full = one.name if one.asname else one.name.partition(".")[0]
                found.setdefault(one.asname or full, set()).add(full)
        elif isinstance(node, ast.ImportFrom):
            home = _home(node, package)
            for one in node.names:
                everything = vars(sys.modules.get(home, ast))
                for name in everything if one.name == "*" else [one.name]:
                    found.setdefault(one.asname or name, set()).add(f"{home}.{name}")
        elif isinstance(node, ast.Assign) and (names := chain(node.value)):
            for target in node.targets:
                if isinstance(target, ast.Name) and names[0] in found:
                    found.setdefault(target.id, set()).update(_in_full(names, found))
    return found


def _home(node: ast.ImportFrom, package: str) -> str:
    """Return which module a statement imports from."""
    try:
        return resolve_name("." * node.level + (node.module or ""), package)
    except ImportError:  # it has never been run
        return ""


def _in_full(names: list[str], imported: dict[str, set[str]]) -> set[str]:
    return {".".join([full, *names[1:]]) for full in imported.get(names[0], {names[0]})}


def _varies(full: str) -> bool:
    """Whether what has this full name may differ from run to run."""
    names = full.removeprefix(f"{builtins.__name__}.").split(".")
    if names[0] in VARYING_BUILTINS:
        return True
    starts = {".".join(names[:number]) for number in range(1, len(names) + 1)}
    return bool(starts & VARYING_MODULES) and not starts & STEADY


def _global_uses(node: ast.AST, file: _File, local: frozenset[str]) -> Iterator[ast.expr]:
    """Yield each global name that is referred to, with its attributes; annotations do not count."""
    if isinstance(node, ast.Name | ast.Attribute) and (names := chain(node)):
        if names[0] not in local and isinstance(node.ctx, ast.Load):
            yield node
        return
    if isinstance(node, SCOPES):
        local |= _own_names(node)
    for name, value in ast.iter_fields(node):
        seeds = name == "func" and isinstance(node, ast.Call) and _is_seeded(node, file)
        if name not in ("annotation", "returns") and not seeds:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _global_uses(part, file, local)


def _is_seeded(call: ast.Call, file: _File) -> bool:
    """Whether a call makes a generator of random numbers with a seed."""
    has_seed = any(not file.values.is_none(one) for one in arguments(call))
    names = chain(call.func)
    return bool(names) and has_seed and _in_full(names, file.imported) <= SEEDED


def _varying_parts(node: ast.AST, file: _File) -> Iterator[ast.expr]:
    """Yield the parts of a statement that vary although no name in them does."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and (_is_unwritten(one, file) or _is_drawn(one, file)):
            yield one
        if isinstance(one, ast.Constant) and f"{one.value!s}/".startswith(VARYING_FILES):
            yield one
    orderless = {
        id(one) for call in ast.walk(node) if _is_orderless(call) for one in arguments(call)
    }
    for one in ast.walk(node):
        parts = [] if id(one) in orderless else _in_order(one, file)
        if any(file.values.is_set(part) and file.values.has_text(part) for part in parts):
            yield one if isinstance(one, ast.expr) else parts[0]


def _is_unwritten(call: ast.Call, file: _File) -> bool:
    """Whether a call makes an array that holds whatever was in the memory, and keeps it."""
    names = chain(call.func)
    is_empty = bool(names) and bool(_in_full(names, file.imported) & UNWRITTEN)
    return is_empty and call not in file.written


def _written(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the parts of a file whose values something is written to afterwards."""
    changed = {name for node in ast.walk(tree) for name in _changed(node)}
    for node in ast.walk(tree):
        written: list[Any] = []
        if isinstance(node, ast.keyword) and node.arg == "out":
            written = [node.value]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {one.id for to in targets for one in ast.walk(to) if isinstance(one, ast.Name)}
            written = [node.value] if names & changed and node.value else []
        elif isinstance(node, ast.Call) and not hasattr(builtins, getattr(node.func, "id", "len")):
            written = arguments(node)  # a function of the user's may fill it
        for one in written:
            yield from ast.walk(one)


def _is_drawn(call: ast.Call, file: _File) -> bool:
    """Whether a call returns the time, or numbers drawn without a seed."""
    names = chain(call.func)
    if names and "numpy.datetime64" in _in_full(names, file.imported):
        return any(getattr(one, "value", None) in ("now", "today") for one in arguments(call))
    modules = {full.partition(".")[0] for fulls in file.imported.values() for full in fulls}
    package, seed = DRAWING.get(method(call), ("", ""))
    seeds = (one.value for one in call.keywords if one.arg == seed)
    return package in modules and all(map(file.values.is_none, seeds))


def _in_order(node: ast.AST, file: _File) -> list[ast.expr]:
    """Return that whose order decides what this is or does."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        names = chain(node.func)
        fulls = _in_full(names, file.imported) if names else set()
        if fulls & ORDERED or any(full.startswith("itertools.") for full in fulls):
            given = arguments(node)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ORDERED_PARTS:
            given = [node.func.value, *arguments(node)]
    elif isinstance(node, ast.For | ast.ListComp):
        given = [node.iter if isinstance(node, ast.For) else node]
    elif isinstance(node, ast.Tuple | ast.List):
        given = [one.value for one in node.elts if isinstance(one, ast.Starred)]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
        given = [node.value]
    inner = (ast.GeneratorExp, ast.ListComp)
    return [one.generators[0].iter if isinstance(one, inner) else one for one in given]


def _is_orderless(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ORDERLESS


def _own_names(scope: Any) -> set[str]:
    """Return the names that belong to a function or a comprehension."""
    parts = [*ast.walk(scope)]
    stored = {one.id for one in parts if isinstance(one, ast.Name) and is_stored(one)}
    parameters = {one.arg for one in parts if isinstance(one, ast.arg)}
    declared = {name for one in parts if isinstance(one, ast.Global) for name in one.names}
    return (stored | parameters) - declared


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the global names that a statement binds, or whose values it changes."""
    for one in outside_functions(node):
        if isinstance(one, ast.Name) and is_stored(one):
            yield one.id
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, ast.alias):
            yield one.asname or one.name.partition(".")[0]
    for one in ast.walk(node):
        if isinstance(one, ast.Global):
            yield from one.names
        yield from _changed(one)


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield the names whose values this changes, but for parts of it."""
    if isinstance(node, ast.Attribute | ast.Subscript) and is_stored(node):
        yield root(node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _handed_over(node.value)


def _handed_over(call: ast.Call) -> Iterator[str]:
    """Yield the names of what a call may change: its arguments, and what it is a method of."""
    if isinstance(call.func, ast.Attribute):
        yield root(call.func)
    elif isinstance(call.func, ast.Name) and call.func.id in {*harmless.PURE, "print"}:
        return
    for given in arguments(call):
        yield from (one.id for one in ast.walk(given) if isinstance(one, ast.Name))
