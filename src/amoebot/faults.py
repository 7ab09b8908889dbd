"""Faults: particles that crash and memories that are corrupted, at chosen moments of a run.

They are written as they are told: ``crash 3@10`` after 10 rounds, ``corrupt ?@20+5`` after 20
rounds and 5 activations, a particle that the seed of the run chooses. ``corrupt 3.1@10 head=1``
sets one field of its agent 1, counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.algorithms.records import Record, fields, layout
from amoebot.engine.names import NO_END
from amoebot.errors import ExplainedError
from amoebot.shapes.expansion import shuffled

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

    field: str  #: with dots where a record is part of another, as in ``candidacy.role``
    value: int

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.field}={self.value}"

    @classmethod
    def parse(cls, text: str) -> Change:
        """Return the change that is written as ``FIELD=VALUE``."""
        found = re.fullmatch(_CHANGE, text.strip())
        if found is None or len(found["value"]) > 18:
            raise FaultError(f"{text[:60]!r} is not a field and its value: write head=1")
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
            kind, offset, *_ = kind.fields[name]
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


def as_faults(given: str | Iterable[Fault]) -> tuple[Fault, ...]:
    """Return faults in the order of their moments; they may be written, separated by commas."""
    if isinstance(given, str):
        given = [_read(one.strip()) for one in given.split(",") if one.strip()]
    made = [*given]
    for one in made:
        if not isinstance(one, Fault):
            raise FaultError(f"{one!r} is not a fault: write one as crash 3@10")
    return tuple(sorted(made, key=moment_of))


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


def located(faults: tuple[Fault, ...], particles: int, seed: int) -> list[Fault]:
    """Return faults with the particles that a seed chooses, each another one."""
    named = {one.particle for one in faults}
    order = shuffled(particles, np.uint64(rng.key(np.uint64(seed), rng.FAIR, NO_END)))
    free = (int(particle) for particle in order if particle not in named)
    found = []
    for one in faults:
        particle = next(free, particles) if one.particle is None else one.particle
        if particle >= particles:
            raise FaultError(f"{one}: there are {particles} particles, numbered from 0")
        found.append(replace(one, particle=particle))
    return found


def check_changes(faults: Iterable[Fault], record: type[Record]) -> None:
    """Refuse changes of fields that memories do not have, or of values that do not fit."""
    for one in faults:
        if one.change is not None:
            one.change.place(layout(record))


def units_of(fault: Fault, particle: NDArray[Any]) -> list[int]:
    """Return the units that a fault corrupts, given the particle of each."""
    units: list[int] = np.flatnonzero(particle == fault.particle).tolist()
    if fault.agent is None:
        return units
    if fault.agent >= len(units):
        raise FaultError(f"{fault}: particle {fault.particle} has {len(units)} agents, from 0 on")
    return [units[fault.agent]]


def put(memory: NDArray[Any], units: Iterable[int], change: Change) -> None:
    """Change one field of some units' memories."""
    *records, name = change.field.split(".")
    for part in records:
        memory = memory[part]
    memory[name][[*units]] = change.value


def corrupt(memory: NDArray[Any], units: Iterable[int], record: type[Record], seed: int) -> None:
    """Give each field of some units' memories the value that a random unit has there."""
    stream = np.uint64(rng.key(np.uint64(seed), rng.FAIR, NO_END - 1))
    numbers = count()
    others = memory.copy()
    for unit in units:
        for path in _leaves(record):
            here, there = memory[unit], others[rng.below(len(memory), stream, next(numbers))]
            for name in path[:-1]:
                here, there = here[name], there[name]
            here[path[-1]] = there[path[-1]]


def scheduled(simulation: Any) -> Iterator[int]:
    """Yield particles in the order of the simulation's scheduler, without those that crashed."""
    order = _ORDERS[simulation.options.scheduler]
    while len(simulation.crashed) < simulation.system.particles:
        now = simulation.rounds
        for particle in order(simulation):
            if particle in simulation.crashed:
                continue
            yield particle
            if simulation.rounds != now:
                break


def _stream(simulation: Any) -> np.uint64:
    """Return what the order of the round under way depends on."""
    return np.uint64(rng.key(np.uint64(simulation.seed), rng.SCHEDULE, simulation.rounds + 1))


def _permutation(simulation: Any) -> Iterable[int]:
    stream = _stream(simulation)
    return sorted(simulation.waiting, key=lambda one: (int(rng.activation_time(stream, one)), one))


def _uniform(simulation: Any) -> Iterable[int]:
    stream = _stream(simulation)
    return (rng.below(simulation.system.particles, stream, number) for number in count())


def _along(simulation: Any, step: int = 1) -> list[int]:
    """Return who is waiting, along the boundaries, then the others."""
    order = [*dict.fromkeys(simulation.system.particle.tolist())][::step]
    waiting = {*simulation.waiting}
    inside = sorted(waiting - {*order})
    return [*(one for one in order if one in waiting), *inside]


def _adversarial(simulation: Any) -> list[int]:
    world = simulation.engine_run.state.world
    found = simulation.linked("algorithms.interface").awaited(world)
    first, last = (-1 if unit < 0 else int(world.particle[unit]) for unit in found)
    return sorted(_along(simulation), key=lambda one: (one == last, one != first))


#: The order of what is left of a round, under each scheduler.
_ORDERS: dict[str, Callable[[Any], Iterable[int]]] = {
    "permutation": _permutation,
    "uniform": _uniform,
    "round-robin": lambda simulation: simulation.waiting,
    "with-cycle": _along,
    "against-cycle": lambda simulation: _along(simulation, -1),
    "adversarial": _adversarial,
}


def _leaves(record: type[Record]) -> Iterator[tuple[str, ...]]:
    """Yield the names that lead to each field that has memory of its own."""
    for field in fields(record):
        if field.record is not None:
            yield from ((field.name, *rest) for rest in _leaves(field.record))
        elif field.view_of is None:
            yield (field.name,)
