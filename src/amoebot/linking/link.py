"""Binds engine and explorer to one election, or to one with replaced rules.

A rule is compiled into the loops that run it, or called by its address (see ``engine.calls``). So
each election, and each set of changed rules, gets a copy of the modules that run rules: the same
files, imported once more under another name, in which ``algorithms.interface`` has the names of the
election, and every reference to a replaced rule leads to its replacement. Those modules import each
other relatively, and everything else absolutely: that is what makes the copies refer to each other
and share the rest.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import amoebot
from amoebot import jit
from amoebot.algorithms import registry
from amoebot.algorithms.interface import PROVIDED
from amoebot.algorithms.records import Record, fields, has_room
from amoebot.algorithms.registry import Election, ElectionError
from amoebot.cache import digest_of_sources

if TYPE_CHECKING:
    from amoebot.linking.rules import Rules

#: The parts of an election that engine and explorer are compiled with.
LINKED = ("options", "memory", "activation", "course", "properties", "adversary", "lanes")

#: Links that are kept; a simulation that holds on to an older one keeps it alive by itself.
MOST_LINKS = 12

#: Modules are imported and names are bound by one thread at a time.
_linking = threading.RLock()

_links: OrderedDict[str, Link] = OrderedDict()


class Label(NamedTuple):
    """What the line about compiling says of a link."""

    title: str  # what loops are compiled for
    once_for: str  # how long they stay so
    election: str  # its name, if it is built in
    rules: str  # what rules are called that are in the place of its own


def _label(election: Election, rules: Rules | None) -> Label:
    if rules is not None and not has_room(_memory_of(election), rules.more_memory):
        title = f"{election.name} with more memory"
        return Label(title, "rules with as much", "", rules.name)
    title = f"{election.name} with changed rules" if rules else election.name
    unit = "this version" if election.is_built_in else "this file"
    own = election.name if election.is_built_in else ""
    return Label(title, unit, own, rules.name if rules else "")


def _memory_of(election: Election) -> type[Record]:
    found: type[Record] = election.provides("memory", "Memory")
    return found


def label_of(function: Any) -> Label | None:
    """Return the label of the link that a function belongs to."""
    package = sys.modules.get(str(function.__module__).partition(".")[0])
    return getattr(package, "LABEL", None)


class Link:
    """Engine and explorer, bound to one election."""

    def __init__(
        self,
        election: Election,
        rules: Rules | None = None,
        plain: bool = False,
        by_address: bool = False,
    ) -> None:
        """Import the modules of the election once more, with its rules or those in their place.

        ``plain`` leaves all functions to the interpreter. ``by_address`` has loops call rules by
        their addresses, instead of compiling them into the loops.
        """
        self.election = election
        self.digest = digest_of(election, rules, plain, by_address)
        self._plain = plain
        # Functions of another version never have the same names, in machine code either.
        version = digest_of_sources()[:8]
        self._package = f"amoebot_linked_{self.digest}_{version}".replace("-", "_")
        self._name = election.name.replace("-", "_")
        self._shell(self._package, [str(Path(amoebot.__path__[0]))], _label(election, rules))
        with self._importing():
            interface = import_module(f"{self._package}.algorithms.interface")
            self._bind(interface)
            if rules is not None:
                rules.replace(self.copies(), interface)
                vars(interface)["CHANGED"] = True
            vars(interface)["BY_ADDRESS"] = by_address and not (plain or jit.INTERPRETED)

    @contextmanager
    def _importing(self) -> Iterator[None]:
        with _linking, jit.left_plain() if self._plain else nullcontext():
            yield

    @staticmethod
    def _shell(name: str, path: list[str], label: Label) -> None:
        package = ModuleType(name)
        package.__path__ = path
        vars(package)["LABEL"] = label
        sys.modules[name] = package

    def _bind(self, interface: ModuleType) -> None:
        """Put the names that the election provides in the place of those of the interface."""
        nothing = interface.activate
        for part in LINKED:
            module = self.part(part)
            for name in PROVIDED[part]:
                if hasattr(module, name):
                    setattr(interface, name, getattr(module, name))
        name = self.election.name
        if interface.activate is nothing:
            raise ElectionError(f"the election {name} provides no activate")
        if "leader" not in {field.name for field in fields(interface.Memory)}:
            raise ElectionError(f"the memory of {name} has no field leader")

    def part(self, part: str) -> ModuleType | None:
        """Return a module of the election; None if it has no such part."""
        with self._importing():
            return self._part(part)

    def _part(self, part: str) -> ModuleType | None:
        election = self.election
        home = f"{self._package}.algorithms.{self._name}"
        if home not in sys.modules and not election.is_built_in:
            registry.load(home, election.file)
        if not election.is_package:
            return sys.modules[home]
        if not (election.file.parent / f"{part}.py").exists():
            return None
        return import_module(f"{home}.{part}")

    def copies(self) -> dict[str, ModuleType]:
        """Return the modules of this link that hold rules, by their name within ``algorithms``."""
        prefix = f"{self._package}.algorithms."
        found = {name: module for name, module in sys.modules.items() if name.startswith(prefix)}
        import_module(f"{prefix}termination")
        found[f"{prefix}termination"] = sys.modules[f"{prefix}termination"]
        return {name.removeprefix(prefix): module for name, module in found.items()}

    def module(self, name: str) -> Any:
        """Return a module of this link, such as ``engine.run``."""
        with self._importing():
            return import_module(f"{self._package}.{name}")

    def drop(self) -> None:
        """Forget the modules; what still refers to them keeps them, and goes on working."""
        prefix = f"{self._package}."
        names = [name for name in sys.modules if f"{name}.".startswith(prefix)]
        modules = [sys.modules[name] for name in names]
        _detach([value for module in modules for value in vars(module).values()], prefix)
        for name in names:
            del sys.modules[name]


def _detach(values: list[Any], prefix: str) -> None:
    """Let functions of a link be compiled when its modules cannot be imported any more.

    What is kept on disk is found by the name of its module. Without one, the compiler takes what a
    function refers to from the function itself; and what it would then save, nobody could load.
    """
    while values:
        value = values.pop()
        function = jit.source(value)
        if isinstance(function, FunctionType) and str(function.__module__).startswith(prefix):
            function.__module__ = None  # type: ignore[assignment]
            if hasattr(value, "py_func"):
                value._cache.disable()
            values += function.__globals__.values()  # functions of the user's are in no module


def digest_of(election: Election, rules: Rules | None, plain: bool, by_address: bool) -> str:
    """Return the digest of a link."""
    way = "-plain" if plain else "-by-address" if by_address else ""
    return election.digest + (f"-{rules.digest}" if rules else "") + way


def explorer(algorithm: str, rules: Rules | None = None) -> Link:
    """Return the link for exploring an election: the same machine code for all rules."""
    return link(algorithm, rules, by_address=True)


def link(
    algorithm: str,
    rules: Rules | None = None,
    plain: bool = False,
    by_address: bool | None = None,
) -> Link:
    """Return the link of an election, made when it is first asked for.

    Unless ``by_address`` says otherwise, changed rules are called by their addresses.
    """
    by_address = rules is not None if by_address is None else by_address
    election = registry.find(algorithm)
    if rules is not None and rules.algorithm != algorithm:
        raise ElectionError(f"the rules {rules.name} belong to {rules.algorithm}, not {algorithm}")
    key = digest_of(election, rules, plain, by_address)
    with _linking:
        if key not in _links:
            made = Link.__new__(Link)
            try:
                made.__init__(election, rules, plain, by_address)  # type: ignore[misc]
            except BaseException:
                made.drop()  # a copy that is not finished would pass for a whole one
                raise
            _links[key] = made
        _links.move_to_end(key)
        while len(_links) > MOST_LINKS:
            _links.popitem(last=False)[1].drop()
        return _links[key]
