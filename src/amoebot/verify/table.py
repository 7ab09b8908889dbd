"""The hash table in which states are found, in parts that threads of their own look after.

An entry is the mark of a state, half a word of its hash, and its number, from 1 on. Entries are in
the order of their marks but for what was in the way, so a wider table is filled from end to end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled, inlined, wrapping
from amoebot.rng import GOLDEN

_HALF = np.uint64(32)
_NUMBER = np.uint64((1 << 32) - 1)

#: The mark of what no part of a table looks for.
UNMARKED = np.uint64(1 << 32)


def new_table(length: int, parts: int) -> NDArray[np.uint64]:
    """Return an empty table with at least ``length`` slots."""
    return np.zeros(parts * -(-length // parts), dtype=np.uint64)


def wider_table(table: NDArray[np.uint64], length: int, parts: int) -> NDArray[np.uint64]:
    """Return a table with the same states and more slots."""
    wider = new_table(length, parts)
    copy_entries(table, wider, parts)
    return wider


@compiled
def copy_entries(table: NDArray[np.uint64], wider: NDArray[np.uint64], parts: int) -> None:
    """Enter all states of a table into an empty one."""
    for entry in table:
        if entry:
            wider[free_slot(wider, parts, entry >> _HALF)] = entry


@compiled
def enter_again(
    table: NDArray[np.uint64], states: NDArray[np.uint64], count: int, parts: int
) -> None:
    """Enter the first states into an empty table."""
    for number in range(count):
        mark = mark_of(states, number)
        table[free_slot(table, parts, mark)] = mark << _HALF | np.uint64(number + 1)


@wrapping
def mark_of(rows: NDArray[np.uint64], number: int) -> np.uint64:
    """Return the mark of a row: the upper half of its hash."""
    value = GOLDEN
    for i in range(rows.shape[1]):
        value = (value ^ rows[number, i]) * GOLDEN
        value ^= value >> _HALF
    return (value * GOLDEN) >> _HALF


@inlined
def part_of(mark: np.uint64, parts: int) -> int:
    """Return the part of a table that a mark belongs to."""
    return np.int64((mark * np.uint64(parts)) >> _HALF)  # type: ignore[return-value]


@inlined
def first_slot(length: int, parts: int, mark: np.uint64) -> int:
    """Return the slot at which to begin looking for a mark."""
    size = length // parts
    scaled = mark * np.uint64(parts)
    inside = ((scaled & _NUMBER) * np.uint64(size)) >> _HALF
    return np.int64(scaled >> _HALF) * size + np.int64(inside)  # type: ignore[return-value]


@inlined
def next_slot(length: int, parts: int, slot: int) -> int:
    """Return the slot after another one: in a part, the first comes after the last."""
    size = length // parts
    return slot + 1 if (slot + 1) % size else slot + 1 - size


@inlined
def free_slot(table: NDArray[np.uint64], parts: int, mark: np.uint64) -> int:
    """Return the slot for a state that is not in the table."""
    slot = first_slot(len(table), parts, mark)
    while table[slot]:
        slot = next_slot(len(table), parts, slot)
    return slot


@inlined
def number_at(entry: np.uint64) -> int:
    """Return the number of the state of an entry."""
    return np.int64(entry & _NUMBER) - 1  # type: ignore[return-value]
