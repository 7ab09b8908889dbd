"""Faults: particles that crash and memories that are corrupted, at chosen moments of a run.

They are written as they are told: ``crash 3@10`` after 10 rounds, ``corrupt ?@20+5`` after 20
rounds and 5 activations, a particle that the seed of the run chooses.
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
from amoebot.algorithms.records import Record, fields
from amoebot.engine.names import NO_END
from amoebot.errors import ExplainedError
from amoebot.shapes.expansion import shuffled

#: A crashed particle is never activated again; a corrupted one gets fields of others' memories.
CRASH, CORRUPT = "crash", "corrupt"

_WRITTEN = re.compile(r"(crash|corrupt) +(\d+|\?)@(\d+)(?:\+(\d+))?")


class FaultError(ExplainedError, ValueError):
    """Invalid fault."""

    topic = "faults"


@dataclass(frozen=True)
class Fault:
    """What happens to a particle, and after how many rounds and activations."""

    kind: str
    particle: int | None  #: None for one that the seed chooses
    rounds: int
    position: int = 0

    def __str__(self) -> str:
        """Return it as it is written."""
        who = "?" if self.particle is None else self.particle
        position = f"+{self.position}" if self.position else ""
        return f"{self.kind} {who}@{self.rounds}{position}"


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
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise FaultError(f"{text[:60]!r} is not a fault: write crash 3@10 or corrupt 3@10")
    kind, who, rounds, position = found.groups()
    if max(map(len, found.groups(default=""))) > 18:
        raise FaultError(f"{text[:60]!r}: there is no such moment")
    return Fault(kind, None if who == "?" else int(who), int(rounds), int(position or 0))


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
