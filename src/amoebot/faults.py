"""Faults: particles that crash and memories that are corrupted, at chosen moments of a run.

They are written as they are told: ``crash 3@10`` after 10 rounds, ``corrupt ?@20+5`` after 20
rounds and 5 activations, a particle that the seed of the run chooses. ``corrupt 3.1@10 leader=1``
sets one field of its agent 1, counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.records import Record, fields
from amoebot.engine.names import number_of
from amoebot.errors import ExplainedError

#: A crashed particle is never activated again; a corrupted one gets fields of others' memories.
CRASH, CORRUPT = "crash", "corrupt"

_MOMENT = r"@(?P<rounds>\d+)(?:\+(?P<position>\d+))?"
_CHANGE = r"(?P<field>[a-z_]\w*(?:\.[a-z_]\w*)*)=(?P<value>-?\d+)"
_CRASH = re.compile(rf"(?P<kind>crash) +(?P<who>\d+|\?){_MOMENT}")
_CORRUPT = re.compile(
    rf"(?P<kind>corrupt) +(?P<who>\d+|\?)(?:\.(?P<agent>\d+))?{_MOMENT}(?: +{_CHANGE})?"
)


class FaultError(ExplainedError, ValueError):
    """Invalid fault."""

    topic = "faults"


@dataclass(frozen=True)
class Change:
    """One field of a memory, and the value that it gets."""

    field: str  #: with dots where a record is part of another, as in ``part.field``
    value: int

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.field}={self.value}"

    @classmethod
    def parse(cls, text: str) -> Change:
        """Return the change that is written as ``FIELD=VALUE``."""
        found = re.fullmatch(_CHANGE, str(text).strip())
        if found is None or len(found["value"]) > 18:
            raise FaultError(f"{str(text)[:60]!r} is not a field and its value: write leader=1")
        return cls(found["field"], int(found["value"]))

    def place(self, memory: np.dtype[Any]) -> tuple[int, np.dtype[Any]]:
        """Return where the field begins in a memory, in bytes, and its type."""
        start, kind, record = 0, memory, ""
        for name in self.field.split("."):
            if kind.fields is None or name not in kind.fields:
                known = ", ".join(kind.fields or ()) or "none"
                raise FaultError(
                    f"{self}: there is no field {name}; {record or 'a memory'} has {known}"
                )
            offset, kind = place_of(kind, (name,))
            start, record = start + offset, name
        if kind.fields is not None:
            raise FaultError(f"{self}: {self.field} has fields: {', '.join(kind.fields)}")
        if kind.subdtype is not None:
            raise FaultError(f"{self}: {self.field} is not a single number")
        least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        if not least <= self.value <= most:
            raise FaultError(f"{self}: {self.field} can be {least} to {most}")
        return start, kind


@dataclass(frozen=True)
class Fault:
    """What happens to a particle, and after how many rounds and activations."""

    kind: str
    particle: int | None  #: None for one that the seed chooses
    rounds: int
    position: int = 0
    agent: int | None = None  #: which of its agents is corrupted, None for all
    change: Change | None = None  #: what is corrupted, None for every field

    def __str__(self) -> str:
        """Return it as it is written."""
        who = "?" if self.particle is None else self.particle
        agent = "" if self.agent is None else f".{self.agent}"
        position = f"+{self.position}" if self.position else ""
        change = "" if self.change is None else f" {self.change}"
        return f"{self.kind} {who}{agent}@{self.rounds}{position}{change}"


def moment_of(fault: Fault) -> tuple[int, int]:
    """Return when a fault happens: rounds, and activations after them."""
    return fault.rounds, fault.position


def as_faults(given: str | Iterable[Fault | str]) -> tuple[Fault, ...]:
    """Return faults in the order of their moments; they may be written, separated by commas."""
    made: list[Fault] = []
    for one in _written(given) if isinstance(given, str) else _several(given):
        if isinstance(one, str):
            made += as_faults(one)
        elif isinstance(one, Fault):
            made.append(one)
        else:
            raise FaultError(f"{one!r} is not a fault: write one as crash 3@10")
    return tuple(sorted(made, key=moment_of))


def _written(text: str) -> list[Fault]:
    parts = [one.strip() for one in text.split(",")] if text.strip() else []
    if "" in parts:
        words = "has a comma too many: write crash 3@10, corrupt 4@20"
        raise FaultError(f"{text[:60]!r} {words}")
    return [_read(one) for one in parts]


def _several(given: Any) -> Iterable[Any]:
    return given if isinstance(given, Iterable) else [given]


def _read(text: str) -> Fault:
    found = _CRASH.fullmatch(text) or _CORRUPT.fullmatch(text)
    if found is None:
        raise FaultError(f"{text[:60]!r} is not a fault: write crash 3@10 or corrupt 3@10")
    said: dict[str, Any] = {"agent": None, "field": None, **found.groupdict()}
    numbers = ("who", "agent", "rounds", "position")
    if any(len(said[name] or "") > 18 for name in numbers):
        raise FaultError(f"{text[:60]!r}: there is no such moment")
    who, agent, rounds, position = (
        None if said[name] in (None, "?") else int(said[name]) for name in numbers
    )
    change = Change.parse(f"{said['field']}={said['value']}") if said["field"] else None
    return Fault(said["kind"], who, rounds or 0, position or 0, agent, change)


def check_changes(faults: Iterable[Fault], memory: np.dtype[Any]) -> None:
    """Refuse changes of fields that memories do not have, or of values that do not fit."""
    for one in faults:
        if one.change is not None:
            one.change.place(memory)


def located(faults: tuple[Fault, ...], simulation: Any) -> list[Fault]:
    """Return faults with the particles that the seed chooses, each another one."""
    if not faults:
        return []
    engine, particles = simulation.linked("engine.faults"), simulation.system.particles
    named = {one.particle for one in faults}
    order = engine.victims(particles, np.uint64(simulation.seed)).tolist()
    free = (particle for particle in order if particle not in named)
    found = []
    for one in faults:
        particle = next(free, None) if one.particle is None else one.particle
        if particle is None:
            raise FaultError(f"{one}: each ? is a different particle, and none is left")
        if particle >= particles:
            raise FaultError(f"{one}: {_numbered(particles)}")
        found.append(replace(one, particle=particle))
        _units_of(found[-1], simulation)
    return found


def _numbered(particles: int) -> str:
    if particles == 1:
        return "the only particle is number 0"
    return f"the particles are numbered 0 to {particles - 1}"


def _units_of(fault: Fault, simulation: Any) -> NDArray[np.int64]:
    """Return the units that a fault corrupts."""
    state = simulation.engine_run.state
    units: NDArray[np.int64] = simulation.linked("engine.faults").units_of(state, fault.particle)
    if fault.agent is None:
        return units
    if fault.agent >= len(units):
        has = f"it has {len(units)}, numbered from 0"
        raise FaultError(f"{fault}: particle {fault.particle} has no agent {fault.agent} ({has})")
    return units[fault.agent : fault.agent + 1]


def corrupt(fault: Fault, simulation: Any) -> None:
    """Corrupt a memory, as a fault says."""
    engine, units = simulation.linked("engine.faults"), _units_of(fault, simulation)
    records = simulation.engine_run.memory
    memory, size = records.view(np.uint8), records.dtype.itemsize
    if fault.change is not None:
        start, kind = fault.change.place(records.dtype)
        engine.put(memory, size, units, start, kind.itemsize, fault.change.value)
    else:
        record = simulation.options.election.provides("memory", "Memory")
        engine.corrupt(
            memory, size, units, places(record, records.dtype), np.uint64(simulation.seed)
        )


def places(record: type[Record], memory: np.dtype[Any]) -> NDArray[np.int64]:
    """Return where each field begins that has memory of its own, and how many bytes it has."""
    found = [place_of(memory, path) for path in leaves(record)]
    return np.array([(start, kind.itemsize) for start, kind in found], np.int64)


def leaves(record: type[Record], with_views: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield the names that lead to each field that has memory of its own, or to all."""
    for field in fields(record):
        if field.record is not None:
            yield from ((field.name, *rest) for rest in leaves(field.record, with_views))
        elif with_views or field.view_of is None:
            yield (field.name,)


def place_of(memory: np.dtype[Any], path: tuple[str, ...]) -> tuple[int, np.dtype[Any]]:
    """Return where a field begins in a memory, in bytes, and its type."""
    start, kind = 0, memory
    for name in path:
        kind, offset, *_ = kind.fields[name]  # type: ignore[index]
        start += offset
    return start, kind


def scheduled(simulation: Any) -> Iterator[NDArray[np.int32]]:
    """Yield the particles of the round under way in the order of the simulation's scheduler.

    With the round, or when all have been activated that have not crashed, this is asked again.
    """
    rest_of_round = simulation.linked("engine.faults").rest_of_round
    scheduler, particles = number_of(simulation.options.scheduler), simulation.system.particles
    now, first = -1, 0
    while alive := sorted({*range(particles)} - simulation.crashed):
        first = first + particles if simulation.rounds == now else 0
        now, waiting = simulation.rounds, np.zeros(particles, np.uint8)
        # If all that were left in a round have crashed, it ends with whoever is next.
        waiting[simulation.waiting or alive] = 1
        yield rest_of_round(simulation.engine_run.state, scheduler, waiting, first)
