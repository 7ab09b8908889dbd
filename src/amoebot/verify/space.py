"""The states found so far, kept compactly.

A state is the bytes of everyone's memory. Memories repeat a lot, so each different one is
kept once, and a state is a row of their numbers (as the model checker SPIN's collapse compression
does). States and memories are found again through hash tables with open addressing.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import COUNT
from amoebot.algorithms.records import Record, layout
from amoebot.jit import compiled, inlined, wrapping
from amoebot.rng import GOLDEN

_HALF = np.uint64(32)

#: In the label of an edge: it is another outcome of the coins of the edge before.
SAME_ACTIVATION = 1 << 7


class Progress(Record):
    """How far the exploration is."""

    states: Annotated[int, COUNT, "states found"]
    memories: Annotated[int, COUNT, "different memories among them"]
    edges: Annotated[int, COUNT, "edges kept"]
    expanded: Annotated[int, COUNT, "states whose activations have all been tried"]
    transitions: Annotated[int, COUNT, "activations tried"]
    violation: Annotated[int, COUNT, "the property that is violated, 0 for none"]
    culprit: Annotated[int, COUNT, "the state that shows it"]
    offender: Annotated[int, COUNT, "the state before, if it is the step that is wrong"]


PROGRESS = layout(Progress)


class Space(NamedTuple):
    """All that has been found."""

    progress: NDArray[Any]  # Progress, one record
    states: NDArray[np.uint32]  # numbers of the units' memories, then the particles' bits
    state_table: NDArray[np.int32]
    memories: NDArray[np.uint64]  # every different memory of a unit, as words
    memory_table: NDArray[np.int32]
    parent: NDArray[np.int32]  # the state from which a state was found first
    depth: NDArray[np.uint16]  # activations from the start
    flags: NDArray[np.uint8]  # what a state is, see ``properties``
    leaders: NDArray[np.uint16]  # the particles that are leaders, one bit each
    edge_start: NDArray[np.int64]  # where the edges of a state begin
    edges: NDArray[np.int32]  # the states that its activations lead to
    labels: NDArray[np.uint8]  # whose activation an edge is, and SAME_ACTIVATION
    followers: NDArray[np.int32]  # where each activation of the latest state leads


def new_space(words: NDArray[np.uint64], capacity: int = 1 << 16) -> Space:
    """Return an empty space for states of a memory that is given as words."""
    return Space(
        progress=np.zeros(1, dtype=PROGRESS),
        states=np.zeros((capacity, len(words) + 1), dtype=np.uint32),
        state_table=np.full(4 * capacity, -1, dtype=np.int32),
        memories=np.zeros((1 << 14, words.shape[1]), dtype=np.uint64),
        memory_table=np.full(1 << 16, -1, dtype=np.int32),
        parent=np.full(capacity, -1, dtype=np.int32),
        depth=np.zeros(capacity, dtype=np.uint16),
        flags=np.zeros(capacity, dtype=np.uint8),
        leaders=np.zeros(capacity, dtype=np.uint16),
        edge_start=np.zeros(capacity + 1, dtype=np.int64),
        edges=np.zeros(4 * capacity, dtype=np.int32),
        labels=np.zeros(4 * capacity, dtype=np.uint8),
        followers=np.zeros(1 << 10, dtype=np.int32),
    )


def grow(space: Space, branches: int) -> Space:
    """Return the space with room for one more state to expand, doubling what is too small."""
    progress = space.progress[0]
    while progress.states + branches > len(space.states):
        capacity = 2 * len(space.states)
        table = np.full(4 * capacity, -1, dtype=np.int32)
        fill_table(table, space.states, progress.states)
        space = space._replace(
            states=_longer(space.states, capacity),
            state_table=table,
            parent=_longer(space.parent, capacity),
            depth=_longer(space.depth, capacity),
            flags=_longer(space.flags, capacity),
            leaders=_longer(space.leaders, capacity),
            edge_start=_longer(space.edge_start, capacity + 1),
        )
    while progress.edges + branches > len(space.edges):
        more = 2 * len(space.edges)
        space = space._replace(edges=_longer(space.edges, more), labels=_longer(space.labels, more))
    while branches > len(space.followers):
        space = space._replace(followers=_longer(space.followers, 2 * len(space.followers)))
    while progress.memories + branches * (space.states.shape[1] - 1) > len(space.memories):
        memories = _longer(space.memories, 2 * len(space.memories))
        table = np.full(4 * len(memories), -1, dtype=np.int32)
        fill_table(table, memories, progress.memories)
        space = space._replace(memories=memories, memory_table=table)
    return space


def _longer(array: NDArray, length: int) -> NDArray:  # type: ignore[type-arg]
    longer = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def memory_used(space: Space) -> int:
    """Return the bytes that the space takes."""
    return sum(array.nbytes for array in space)


@wrapping
def stir(value: np.uint64, word: np.uint64) -> np.uint64:
    """Stir one more word into a hash."""
    value = (value ^ word) * GOLDEN
    return value ^ (value >> _HALF)


@inlined
def find(table: NDArray[np.int32], rows: NDArray[Any], among: NDArray[Any], number: int) -> int:
    """Return the slot of the table for row ``number`` of ``among``: where it is, or belongs."""
    value = GOLDEN
    for i in range(rows.shape[1]):
        value = stir(value, np.uint64(among[number, i]))
    slot = np.int64(value & np.uint64(len(table) - 1))
    searching = True
    while searching and table[slot] >= 0:
        candidate = table[slot]
        same = True
        for i in range(rows.shape[1]):
            same &= rows[candidate, i] == among[number, i]
        if same:
            searching = False
        else:
            slot = (slot + 1) & (len(table) - 1)
    return int(slot)


@compiled
def fill_table(table: NDArray[np.int32], rows: NDArray[Any], count: int) -> None:
    """Enter the first rows, which are all different, into an empty table."""
    for number in range(count):
        table[find(table, rows, rows, number)] = number


@inlined
def load(
    states: NDArray[np.uint32],
    memories: NDArray[np.uint64],
    words: NDArray[np.uint64],
    particles: NDArray[Any],
    state: int,
) -> None:
    """Put everyone's memory as it is in a state into words and particles."""
    units = len(words)
    for unit in range(units):
        memory = states[state, unit]
        for i in range(words.shape[1]):
            words[unit, i] = memories[memory, i]
    bits = np.int64(states[state, units])
    for particle in range(len(particles)):
        particles[particle].message = bits & 1
        particles[particle].terminated = (bits >> 1) & 1
        bits >>= 2


@inlined
def write_row(
    states: NDArray[np.uint32],
    memories: NDArray[np.uint64],
    memory_table: NDArray[np.int32],
    progress: Any,
    words: NDArray[np.uint64],
    particles: NDArray[Any],
    before: int,
    row: NDArray[np.uint32],
) -> None:
    """Write the row of the state that words and particles are in, coming from the state before."""
    units = len(words)
    for unit in range(units):
        memory = int(np.int64(states[before, unit]))
        same = True
        for i in range(words.shape[1]):
            same &= words[unit, i] == memories[memory, i]
        if not same:
            memory = number_memory(memories, memory_table, progress, words, unit)
        row[0, unit] = memory
    bits = np.int64(0)
    for particle in range(len(particles)):
        me = particles[particle]
        bits |= (np.int64(me.message) | np.int64(me.terminated) << 1) << (2 * particle)
    row[0, units] = bits


@inlined
def number_memory(
    memories: NDArray[np.uint64],
    memory_table: NDArray[np.int32],
    progress: Any,
    words: NDArray[np.uint64],
    unit: int,
) -> int:
    """Return the number of a unit's memory, a new one if it has not been seen before."""
    slot = find(memory_table, memories, words, unit)
    if memory_table[slot] < 0:
        memory_table[slot] = progress.memories
        for i in range(words.shape[1]):
            memories[progress.memories, i] = words[unit, i]
        progress.memories += 1
    return int(memory_table[slot])
