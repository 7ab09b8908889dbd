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
from amoebot.verify.own import FIRST_NUMBER, OwnProperty

from ..algorithms.interface import ON_NODES
from ..engine.start import MEMORY
from .explore import enter, explore_batch, lacks_room
from .liveness import first
from .model import Model
from .properties import EMPTY_NODES, LEADER_STAYS, ONE_LEADER, flags_of
from .space import Space, find, grow, load, new_space, number_memory, write_row


@dataclass
class Corrupted:
    """The states after a fault."""

    space: Space
    #: Of each that was started from: the state without a fault, times the units, plus the unit.
    origin: NDArray[np.int64]
    exhausted: bool = False
    #: Of each property that is lost: the first state against it, and the one before it, or -1.
    lost: dict[int, tuple[int, int]] = field(default_factory=dict)

    def make_room(self, branches: int) -> None:
        """Make room for one more state to expand."""
        self.space = grow(self.space, branches)
        more = len(self.space.states) - len(self.origin)
        self.origin = np.concatenate([self.origin, np.zeros(more, dtype=np.int64)])

    def lose(self, number: int, state: int | None, before: int = -1) -> None:
        """Note the first state against a property."""
        if state is not None:
            self.lost.setdefault(number, (state, before))


def explore_corrupted(
    model: Model,
    clean: Space,
    change: Change,
    own: Sequence[OwnProperty],
    is_over: Callable[[Space], bool],
) -> Corrupted:
    """Explore all that follows a change, in the order of depth, unless a limit is reached."""
    new = new_space(model.words)
    found = Corrupted(new, np.zeros(len(new.states), dtype=np.int64))
    depths = clean.depth[: int(clean.progress[0].states)]
    depth = 0
    while depth <= depths[-1] or found.space.progress[0].expanded < found.space.progress[0].states:
        start_at(depth, model, clean, change, found)
        seen = int(found.space.progress[0].expanded)
        layer = int(found.space.progress[0].states)
        for number, one in enumerate(own, start=FIRST_NUMBER):
            found.lose(number, one.first_against(model, found.space, seen, layer))
        while found.space.progress[0].expanded < layer:
            if is_over(found.space):
                return found
            rest = layer - int(found.space.progress[0].expanded)
            branches = explore_batch(model, found.space, rest)
            note_violation(found)
            if branches:
                found.make_room(branches)
        depth += 1
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
    while state < last:
        space = found.space
        state = enter_changed(model, clean, space, found.origin, octets, value, state, last)
        note_violation(found)
        if state < last:
            found.make_room(len(model.words))


@compiled
def enter_changed(
    model: Model,
    clean: Space,
    space: Space,
    origin: NDArray[np.int64],
    octets: NDArray[np.uint8],
    value: NDArray[np.uint8],
    state: int,
    last: int,
) -> int:
    """Enter some states with one unit's bytes changed; return the first without room for it."""
    progress, world = space.progress[0], model.world
    units = len(world.wiring)
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    if progress.memories == 0:
        # Rows are written as changes of a state. The first one has only empty memories.
        model.words[0] = 0
        number_memory(space.memories, space.memory_table, progress, model.words, 0)
    while state < last and not lacks_room(space, len(model.words)):
        for unit in range(units):
            load(clean.states, clean.memories, model.words, world.particles, state)
            same = True
            for i in range(len(value)):
                same &= octets[unit, i] == value[i]
                octets[unit, i] = value[i]
            write_row(
                space.states,
                space.memories,
                space.memory_table,
                progress,
                model.words,
                world.particles,
                0,
                row,
            )
            if not same and space.state_table[find(space.state_table, space.states, row, 0)] < 0:
                number = enter(model, space, row, np.int64(-1))
                space.depth[number] = clean.depth[state]
                origin[number] = state * units + unit
        state += 1
    return state


def note_violation(found: Corrupted) -> None:
    """Take down the property that was found violated, so that exploration can go on."""
    progress = found.space.progress[0]
    if progress.violation:
        found.lose(int(progress.violation), int(progress.culprit), int(progress.offender))
        progress.violation = 0


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
        found.lose(EMPTY_NODES, first(space.states[:states, len(model.world.wiring)] != 0))


@compiled
def flag_anew(model: Model, space: Space) -> None:
    """Say what each state is by its memories alone: what was decided before may have changed."""
    for state in range(space.progress[0].states):
        load(space.states, space.memories, model.words, model.world.particles, state)
        space.flags[state] = flags_of(model.world, int(space.leaders[state]), 0)


def fault_of(change: Change, origin: int, model: Model, schedule: Iterable[int]) -> Fault:
    """Return the fault that a state starts with, after a schedule."""
    unit = origin % len(model.world.wiring)
    particle = int(model.world.particle[unit])
    agent = np.flatnonzero(model.world.particle == particle).tolist().index(unit)
    rounds, position = 0, 0
    activated: set[int] = set()
    for one in schedule:
        activated.add(one)
        position += 1
        if len(activated) == len(model.outcomes):
            rounds, position = rounds + 1, 0
            activated.clear()
    return Fault(CORRUPT, particle, rounds, position, agent, change)
