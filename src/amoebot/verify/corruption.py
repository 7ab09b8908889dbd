"""One corrupted memory: all that follows if a field gets a value, in any unit and at any moment.

The states without a fault are known. Each of them, with the field of one unit changed, is a state
to start from, at the depth of the one that it comes from. So states are found in the order of their
depth, and the way back from one is a shortest schedule: to the fault, and from there on.

Exploration goes on where a property is lost, since others may hold all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amoebot.faults import CORRUPT, Change, Fault
from amoebot.jit import compiled
from amoebot.verify.arrays import Batch, Model
from amoebot.verify.space import Space, bits_of, load, number_memory, put
from amoebot.verify.table import mark_of
from amoebot.verify.user_properties import FIRST_NUMBER, OwnProperty

from ..algorithms.interface import ON_NODES
from ..engine.layouts import MEMORY
from .counterexample import moment_after
from .crew import Crew
from .liveness import first
from .model import model_with_all_fields
from .properties import EMPTY_NODES, LEADER_STAYS, ONE_LEADER, flags_of


@dataclass
class Corrupted:
    """The states after a fault."""

    crew: Crew
    #: Of each that was started from: the state without a fault, times the units, plus the unit.
    origin: dict[int, int] = field(default_factory=dict)
    exhausted: bool = False
    #: Of each property that is lost: the first state against it, and the one before it, or -1.
    lost: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def space(self) -> Space:
        """What has been found."""
        return self.crew.space

    def lose(self, number: int, state: int | None, before: int = -1) -> None:
        """Note the first state against a property."""
        if state is not None:
            self.lost.setdefault(number, (state, before))

    def note_violations(self) -> None:
        """Take down the properties that the latest batch found violated."""
        for problem, state, before in self.crew.found:
            self.lose(problem, state, before)


def explore_corrupted(
    model: Model,
    clean: Space,
    change: Change,
    own: Sequence[OwnProperty],
    is_over: Callable[[Space], bool],
) -> Corrupted:
    """Explore all that follows a change, in the order of depth, unless a limit is reached."""
    found = Corrupted(Crew(model))
    depths = clean.depth[: int(clean.progress[0].states)]
    depth = 0
    while depth <= depths[-1] or found.space.progress[0].expanded < found.space.progress[0].states:
        start_at(depth, model, clean, change, found)
        seen = int(found.space.progress[0].expanded)
        layer = int(found.space.progress[0].states)
        for number, one in enumerate(own, start=FIRST_NUMBER):
            against = one.first_against(model_with_all_fields(model), found.space, seen, layer)
            found.lose(number, against)
        while found.space.progress[0].expanded < layer:
            if is_over(found.space):
                return found
            found.crew.expand(layer - int(found.space.progress[0].expanded))
            found.note_violations()
        depth += 1
    found.crew.close()
    found.exhausted = True
    is_over(found.space)
    decide(model, found)
    flag_anew(model, found.space)
    return found


def start_at(depth: int, model: Model, clean: Space, change: Change, found: Corrupted) -> None:
    """Enter the states of some depth, each with the field of one unit changed."""
    depths = clean.depth[: int(clean.progress[0].states)]
    state, last = np.searchsorted(depths, [depth, depth + 1]).tolist()
    place, kind = change.place(MEMORY)
    value = np.frombuffer(np.array(change.value, dtype=kind).tobytes(), dtype=np.uint8)
    octets = model.words.view(np.uint8)[:, place : place + len(value)]
    units = len(model.world.wiring)
    while state < last:
        batch = found.crew.room_for(units, len(model.words))
        origins = np.zeros(len(batch.marks), dtype=np.int64)
        known = int(found.space.progress[0].states)
        state, count = write_changed(
            model, clean, found.space, batch, origins, octets, value, state, last
        )
        found.crew.enter_rows(count)
        found.note_violations()
        for number, origin in zip(batch.found[:count].tolist(), origins.tolist(), strict=False):
            if number >= known:
                found.origin.setdefault(number, origin)
        found.space.depth[known : int(found.space.progress[0].states)] = depth


@compiled
def write_changed(
    model: Model,
    clean: Space,
    space: Space,
    batch: Batch,
    origins: NDArray[np.int64],
    octets: NDArray[np.uint8],
    value: NDArray[np.uint8],
    state: int,
    last: int,
) -> tuple[int, int]:
    """Write rows of some states with one unit's bytes changed, as long as there is room.

    Return the first state without room for it, and how many rows there are.
    """
    words, particles = model.words, model.world.particles
    units, slots = len(model.world.wiring), len(words)
    room = len(batch.marks) // len(batch.first)
    progress = space.progress[0]
    if progress.memories == 0:
        # The first memory is the empty one.
        words[0] = 0
        number_memory(space.memories, space.memory_table, space.lock, progress, words, 0)
    count = 0
    while (
        state < last
        and count + units <= room
        and progress.memories + units * slots <= len(space.memories)
    ):
        for unit in range(units):
            load(clean.states, clean.places, clean.memories, words, particles, state)
            same = True
            for i in range(len(value)):
                same &= octets[unit, i] == value[i]
                octets[unit, i] = value[i]
            if same:
                continue
            batch.rows[count] = 0
            for slot in range(slots):
                number = number_memory(
                    space.memories, space.memory_table, space.lock, progress, words, slot
                )
                put(batch.rows, space.places, count, slot, number)
            if len(particles) > 0:
                put(batch.rows, space.places, count, slots, bits_of(particles))
            batch.marks[count] = mark_of(batch.rows, count)
            batch.parents[count] = -1
            origins[count] = state * units + unit
            count += 1
        state += 1
    return state, count


def decide(model: Model, found: Corrupted) -> None:
    """Decide exactly what every election promises; of the other properties one may hide another."""
    space = found.space
    states = int(space.progress[0].states)
    leaders = space.leaders[:states].astype(np.int64)
    start = space.edge_start[: states + 1]
    edges = space.edges[: start[-1]]
    for number in (ONE_LEADER, LEADER_STAYS, EMPTY_NODES):
        found.lost.pop(number, None)
    found.lose(ONE_LEADER, first(leaders & (leaders - 1) != 0))
    edge = first(np.repeat(leaders, np.diff(start)) & ~leaders[edges] != 0)
    if edge is not None:
        found.lose(LEADER_STAYS, int(edges[edge]), int(np.searchsorted(start, edge, "right")) - 1)
    if ON_NODES:
        word, shift, mask = space.places[len(model.world.wiring)]
        found.lose(EMPTY_NODES, first((space.states[:states, word] >> shift) & mask != 0))


@compiled
def flag_anew(model: Model, space: Space) -> None:
    """Say what each state is by its memories alone: what was decided before may have changed."""
    for state in range(space.progress[0].states):
        load(
            space.states,
            space.places,
            space.memories,
            model.words,
            model.world.particles,
            state,
        )
        space.flags[state] = flags_of(model.addresses, model.world, int(space.leaders[state]), 0)


def fault_of(change: Change, origin: int, model: Model, schedule: Iterable[int]) -> Fault:
    """Return the fault that a state starts with, after a schedule."""
    unit = origin % len(model.world.wiring)
    particle = int(model.world.particle[unit])
    agent = np.flatnonzero(model.world.particle == particle).tolist().index(unit)
    moment = moment_after(schedule, len(model.outcomes))
    return Fault(CORRUPT, particle, *moment, agent, change)
