"""The states found so far, kept compactly.

A state is the bytes of everyone's memory. Memories repeat a lot, so each different one is
kept once, and a state is a row of their numbers (as the model checker SPIN's collapse compression
does), packed into words with as many bits for each as fit. States and memories are found again
through hash tables with open addressing; ``table`` has that of the states.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import COUNT
from amoebot.algorithms.records import Record, layout
from amoebot.jit import acquire, compiled, inlined, read_shared, wrapping, write_shared
from amoebot.rng import GOLDEN
from amoebot.verify.growable import Files, lengthen, lengthened, on_disk
from amoebot.verify.table import enter_again, new_table, wider_table

_HALF = np.uint64(32)
_WORD = 64

#: Memories that there is room for at the beginning, and the bits of their numbers at most.
FIRST_MEMORIES, MOST_BITS = 1 << 14, 31

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
    places: NDArray[np.uint64]  # in a row, of each unit and the particles' bits: word, shift, mask
    states: NDArray[np.uint64]  # rows: numbers of the units' memories, then the particles' bits
    table: NDArray[np.uint64]  # finds states, see ``table``
    memories: NDArray[np.uint64]  # every different memory of a unit, as words
    memory_table: NDArray[np.int32]
    lock: NDArray[np.int64]  # who has it may number a memory
    parent: NDArray[np.int32]  # the state from which a state was found first
    depth: NDArray[np.uint16]  # activations from the start
    flags: NDArray[np.uint8]  # what a state is, see ``properties``
    leaders: NDArray[np.uint16]  # the particles that are leaders, one bit each
    edge_start: NDArray[np.int64]  # where the edges of a state begin
    edges: NDArray[np.int32]  # the states that its activations lead to
    labels: NDArray[np.uint8]  # whose activation an edge is, and SAME_ACTIVATION


def new_space(
    words: NDArray[np.uint64], particles: int, parts: int = 1, capacity: int = 1 << 16
) -> Space:
    """Return an empty space for states of a memory that is given as words.

    Its table is in parts, each for a thread of its own.
    """
    size = 1
    while not len(places := places_in(size, len(words), particles)):
        size += 1
    return Space(
        progress=np.zeros(1, dtype=PROGRESS),
        places=places,
        states=np.zeros((capacity, size), dtype=np.uint64),
        table=new_table(2 * capacity, parts),
        memories=np.zeros((FIRST_MEMORIES, words.shape[1]), dtype=np.uint64),
        memory_table=np.full(4 * FIRST_MEMORIES, -1, dtype=np.int32),
        lock=np.zeros(1, dtype=np.int64),
        parent=np.full(capacity, -1, dtype=np.int32),
        depth=np.zeros(capacity, dtype=np.uint16),
        flags=np.zeros(capacity, dtype=np.uint8),
        leaders=np.zeros(capacity, dtype=np.uint16),
        edge_start=np.zeros(capacity + 1, dtype=np.int64),
        edges=np.zeros(4 * capacity, dtype=np.int32),
        labels=np.zeros(4 * capacity, dtype=np.uint8),
    )


def places_in(
    size: int, units: int, particles: int, memories: int = FIRST_MEMORIES
) -> NDArray[np.uint64]:
    """Return where numbers go in a row of N words, with as many bits as fit; empty if too few."""
    for bits in range(MOST_BITS, (memories - 1).bit_length() - 1, -1):
        places, word, used = [], 0, 0
        for width in [bits] * units + ([2 * particles] if particles else []):
            if used + width > _WORD:
                word, used = word + 1, 0
            places.append((word, used, (1 << width) - 1))
            used += width
        if word < size:
            return np.array(places, dtype=np.uint64)
    return np.zeros((0, 3), dtype=np.uint64)


def with_room_for_states(space: Space, more: int, parts: int, files: Files) -> Space:
    """Return the space with room for more states, and as many edges.

    Arrays grow in place, so that there are never two of them, and large ones by a little. Those
    that are written from end to end go into files.
    """
    progress = space.progress[0]
    states, edges = int(progress.states) + more, int(progress.edges) + more
    longer = {}
    if states > len(space.states):
        capacity = states + states // 4
        for array in (space.states, space.flags, space.leaders):
            lengthen(array, capacity)
        longer = {"parent": capacity, "depth": capacity, "edge_start": capacity + 1}
    if edges > len(space.edges):
        longer |= {"edges": edges + edges // 4, "labels": edges + edges // 4}
    for name, length in longer.items():
        kept: Any = lengthened(getattr(space, name), length, name, files)
        space = space._replace(**{name: kept})
    if 4 * states > 3 * len(space.table):
        space = space._replace(table=wider_table(space.table, 2 * states, parts))
    return space


def with_room_for_memories(space: Space, more: int, particles: int, parts: int) -> Space:
    """Return the space with room for more memories, with wider rows if it takes more bits."""
    progress = space.progress[0]
    count = len(space.memories)
    while progress.memories + more > count:
        count *= 2
    if count > len(space.memories):
        lengthen(space.memories, count)
        space = space._replace(memory_table=np.full(4 * count, -1, dtype=np.int32))
        fill_table(space.memory_table, space.memories, progress.memories)
    units = len(space.places) - (particles > 0)
    if count <= int(space.places[0, 2]) + 1:
        return space
    size = space.states.shape[1] + 1
    while not len(places := places_in(size, units, particles, count)):
        size += 1
    states = np.zeros((len(space.states), size), dtype=np.uint64)
    repack(space.states, space.places, states, places, progress.states)
    found = new_table(2 * len(states), parts)
    enter_again(found, states, progress.states, parts)
    return space._replace(places=places, states=states, table=found)


@compiled
def repack(
    states: NDArray[np.uint64],
    places: NDArray[np.uint64],
    wider: NDArray[np.uint64],
    new_places: NDArray[np.uint64],
    count: int,
) -> None:
    """Write the first rows with other places."""
    for state in range(count):
        for slot in range(len(places)):
            put(wider, new_places, state, slot, read(states, places, state, slot))


def memory_used(space: Space) -> int:
    """Return the bytes that the space takes, in memory and in files."""
    return sum(array.nbytes for array in space)


def disk_used(space: Space) -> int:
    """Return how many of these are in files."""
    return sum(array.nbytes for array in space if on_disk(array))


@inlined
def read(states: NDArray[np.uint64], places: NDArray[np.uint64], state: int, slot: int) -> int:
    """Return a number of a row."""
    place = np.int64(places[slot, 0])
    return np.int64((states[state, place] >> places[slot, 1]) & places[slot, 2])  # type: ignore[return-value]


@inlined
def put(
    states: NDArray[np.uint64], places: NDArray[np.uint64], state: int, slot: int, change: int
) -> None:
    """Write a number into a row where it is zero; where it is not, it is xored with it."""
    place = np.int64(places[slot, 0])
    states[state, place] ^= np.uint64(change) << places[slot, 1]


@wrapping
def stir(value: np.uint64, word: np.uint64) -> np.uint64:
    """Stir one more word into a hash."""
    value = (value ^ word) * GOLDEN
    return value ^ (value >> _HALF)


@inlined
def find(
    table: NDArray[np.int32], rows: NDArray[Any], among: NDArray[Any], number: int
) -> tuple[int, int]:
    """Return where row ``number`` of ``among`` is in the table, and as which number.

    If it is not there, the number is -1, and the slot is free as long as nobody else takes it.
    """
    value = GOLDEN
    for i in range(rows.shape[1]):
        value = stir(value, among[number, i])
    slot: int = np.int64(stir(value, GOLDEN) & np.uint64(len(table) - 1))  # type: ignore[assignment]
    candidate = read_shared(table, slot)
    while candidate >= 0:
        same = True
        for i in range(rows.shape[1]):
            same &= rows[candidate, i] == among[number, i]
        if same:
            break
        slot = (slot + 1) & (len(table) - 1)
        candidate = read_shared(table, slot)
    return slot, np.int64(candidate)  # type: ignore[return-value]


@compiled
def fill_table(table: NDArray[np.int32], rows: NDArray[Any], count: int) -> None:
    """Enter the first rows, which are all different, into an empty table."""
    for number in range(count):
        table[find(table, rows, rows, number)[0]] = number


@inlined
def load(
    states: NDArray[np.uint64],
    places: NDArray[np.uint64],
    memories: NDArray[np.uint64],
    words: NDArray[np.uint64],
    particles: NDArray[Any],
    state: int,
) -> None:
    """Put everyone's memory as it is in a state into words and particles."""
    units = len(words)
    for unit in range(units):
        memory = read(states, places, state, unit)
        for i in range(words.shape[1]):
            words[unit, i] = memories[memory, i]
    if len(particles) > 0:
        bits = read(states, places, state, units)
        for particle in range(len(particles)):
            particles[particle].message = bits & 1
            particles[particle].terminated = (bits >> 1) & 1
            bits >>= 2


@inlined
def bits_of(particles: NDArray[Any]) -> int:
    """Return what particles remember, two bits each."""
    bits = np.int64(0)
    for particle in range(len(particles)):
        me = particles[particle]
        bits |= (np.int64(me.message) | np.int64(me.terminated) << 1) << (2 * particle)
    return bits  # type: ignore[return-value]


@inlined
def number_memory(
    memories: NDArray[np.uint64],
    memory_table: NDArray[np.int32],
    lock: NDArray[np.int64],
    progress: Any,
    words: NDArray[np.uint64],
    unit: int,
) -> int:
    """Return the number of a unit's memory, a new one if it has not been seen before.

    Other threads may do the same. Without the lock one may not see the latest memories, and a slot
    that was free may be taken by now, so it looks again with it.
    """
    _, number = find(memory_table, memories, words, unit)
    if number < 0:
        acquire(lock)
        slot, number = find(memory_table, memories, words, unit)
        if number < 0:
            number = progress.memories
            for i in range(words.shape[1]):
                memories[number, i] = words[unit, i]
            progress.memories += 1
            write_shared(memory_table, slot, number)
        write_shared(lock, 0, 0)
    return number
