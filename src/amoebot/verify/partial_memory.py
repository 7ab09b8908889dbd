"""Memory of which only some is known: whatever else a rule looks at, every value of it is tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from amoebot.algorithms.abstraction import Abstraction, Kept
from amoebot.algorithms.records import Record, fields
from amoebot.verify.open_numbers import Choices, Open, Source, answer, same

#: What is known of an agent: what is kept of each field, in the order of the abstraction.
Known = tuple[int, ...]


class UnknownFieldError(Exception):
    """A rule looks at a field that an abstraction says nothing about."""


class OutOfRangeError(Exception):
    """A rule sets a field to a value that it cannot have."""


class ElsewhereError(Exception):
    """A rule does what another lane shows that it does not."""


class Layout:
    """The fields of an election's memory by their paths, and what an abstraction keeps of them."""

    def __init__(self, memory: type[Record], abstraction: Abstraction) -> None:
        """Read the fields from the record."""
        self.kept: dict[str, Kept] = {
            **abstraction.fields,
            **{name: Kept((0, 1)) for name in abstraction.history},
        }
        self.place = {path: number for number, path in enumerate(self.kept)}
        self.values: list[dict[int, list[int]]] = []
        for kept in self.kept.values():
            found: dict[int, list[int]] = {}
            for value in kept.values:
                found.setdefault(kept.keeps(value), []).append(value)
            self.values.append(found)
        self.records: set[str] = set()
        self.views: dict[str, list[str]] = {}
        self._read(memory, "")

    @property
    def empty(self) -> Known:
        """What is known of an agent that has not been activated."""
        return tuple(kept.keeps(0) for kept in self.kept.values())

    def _read(self, record: type[Record], before: str) -> None:
        names = [one.name for one in fields(record) if one.view_of is None]
        for one in fields(record):
            path = f"{before}{one.name}"
            if one.record is not None:
                self.records.add(path)
                self._read(one.record, f"{path}.")
            elif one.view_of is not None:
                seen = names[names.index(one.view_of) :]
                size, parts = one.kind.itemsize, []
                for name, kind in ((f.name, f.kind) for f in fields(record) if f.name in seen):
                    if size > 0:
                        parts.append(f"{before}{name}")
                    size -= kind.itemsize
                self.views[path] = parts

    def parts(self, path: str) -> Iterator[str]:
        """Yield the fields that a view or a record consists of."""
        if path in self.views:
            for part in self.views[path]:
                yield from self.parts(part)
        elif path in self.records:
            yield from (one for one in self.kept if one.startswith(f"{path}."))
        else:
            yield path


class Agent:
    """The memory of one agent, while a rule runs."""

    def __init__(self, layout: Layout, known: Known, choices: Choices | None = None) -> None:
        """Begin with what is known; without choices, no more can be looked at."""
        self._layout, self._known, self._choices = layout, known, choices
        self._values: dict[str, Any] = {}

    def get(self, path: str) -> Any:
        """Return a field, choosing among the values that it can have."""
        layout = self._layout
        if path in self._values:
            return self._values[path]
        if path in layout.records:
            return Fields(self, f"{path}.")
        if path in layout.views:
            return self._view(path)
        if path not in layout.place:
            raise UnknownFieldError(path)
        place = layout.place[path]
        if self._choices is None:
            return self._known[place]
        values = layout.values[place][self._known[place]]
        value = Open(Source(self._choices, values), same) if len(values) > 1 else values[0]
        self._values[path] = value
        return value

    def _view(self, path: str) -> int:
        """Return whether anything is there: 0 or not is all that rules ask."""
        unsure = False
        for part in self._layout.parts(path):
            if part in self._values:
                values = [self._values[part]]
            elif part in self._layout.place:
                place = self._layout.place[part]
                values = self._layout.values[place][self._known[place]]
            else:
                values = [0, 1]
            if 0 not in values:
                return 1
            unsure |= len(values) > 1
        return self._choices.choose((0, 1)) if unsure and self._choices else 0

    def set(self, path: str, value: Any) -> None:
        """Set a field."""
        kept = self._layout.kept.get(path)
        if kept is not None and not answer(value, lambda number: number in kept.values):
            raise ElsewhereError(path) if kept.assumed else OutOfRangeError(path)
        self._values[path] = value

    def known(self) -> Known:
        """Return what is known of it now."""
        layout, known = self._layout, [*self._known]
        for path, value in self._values.items():
            if path in layout.place:
                known[layout.place[path]] = answer(value, layout.kept[path].keeps)
        return tuple(known)


class Fields:
    """What a rule holds: the fields of a record, as attributes."""

    __slots__ = ("_agent", "_before")

    def __init__(self, agent: Agent, before: str = "") -> None:
        """Be the record whose fields' paths begin like this."""
        object.__setattr__(self, "_agent", agent)
        object.__setattr__(self, "_before", before)

    def __str__(self) -> str:
        """Return the path of the record."""
        return str(self._before).rstrip(".")

    def __getattr__(self, name: str) -> Any:
        """Return a field, or a record within this one."""
        return self._agent.get(self._before + name)

    def __setattr__(self, name: str, value: int) -> None:
        """Set a field."""
        self._agent.set(self._before + name, value)


class Chosen:
    """What rules are given besides memories, with every value of it tried."""

    def __init__(self, choices: Choices, values: Mapping[str, Sequence[int]]) -> None:
        """Leave open what these names stand for."""
        self._choices, self._values = choices, values

    def __getattr__(self, name: str) -> int:
        """Choose a value."""
        return self._choices.choose(self._values[name])
