"""One activation of a particle: sequential engine, activations by hand and explorer call it.

Two faster forms of it exist, which tests compare with it: ``wavefront`` runs the rules of many
agents at once, and ``termination.spread_through_round`` is ``broadcast`` for a whole round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compilable, compiled, inlined

from ..algorithms.interface import COIN_LANES, NO_COIN
from .calls import (
    Addresses,
    call_activate,
    call_count_sides,
    call_declare,
    call_must_terminate,
    call_pass_message,
    call_terminate,
)

#: An expanded particle has two nodes, with at most three agents each.
MOST_UNITS = 6


@inlined
def activate_particle(
    addresses: Addresses,
    particle: int,
    unit: int,
    memory: NDArray[Any],
    wiring: NDArray[Any],
    particles: NDArray[Any],
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    options: Any,
    message_is_out: bool,
    flipped: bool,
    coins: NDArray[np.int64],
    events: NDArray[np.int64],
) -> int:
    """Activate a particle: it passes the termination message on, or runs each of its units once.

    ``addresses`` are those of rules that are called by address (see ``calls``).
    ``unit`` is its first one, and the others follow from there; -1 for a particle without any.
    ``coins`` are those of its units, in their order, NO_COIN for none (see ``count_sides``), and
    ``flipped`` says whether there are any.
    ``events`` gets what each of them did. Return the events of all. Whether the message is out is
    handed in because nobody need look for it before.
    """
    if message_is_out and particles[particle].message:
        if call_must_terminate(addresses, particles[particle]):
            broadcast(addresses, particle, nodes, neighbours, particles)
        return 0
    happened = 0
    number = 0
    while unit >= 0:
        wires = wiring[unit]
        me = memory[unit]
        events[number] = call_activate(
            addresses, memory, wires, me, coins[number], flipped, options
        )
        happened |= events[number]
        if me.leader and len(particles) > 0:
            call_declare(addresses, particles[particle])
        number += 1
        unit = int(wires.sibling)
    return happened


@inlined
def broadcast(
    addresses: Addresses,
    particle: int,
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    particles: NDArray[Any],
) -> None:
    """Write the message into all neighbours' memories and terminate (Appendix A.2)."""
    for end in range(2):
        node = nodes[particle, end]
        for direction in range(6 if node >= 0 else 0):
            neighbour = neighbours[node, direction]
            if neighbour >= 0:
                call_pass_message(addresses, particles[neighbour])
    call_terminate(addresses, particles[particle])


@inlined
def count_sides(
    addresses: Addresses,
    unit: int,
    memory: NDArray[Any],
    wiring: NDArray[Any],
    options: Any,
    sides: NDArray[np.int64],
) -> int:
    """Note how many sides the coins have that a particle's activation begins with.

    ``unit`` is the particle's first one. Return how many coins there are; the others get one side.
    """
    flipped = 0
    number = 0
    while unit >= 0:
        first, second = call_count_sides(addresses, memory[unit], options)
        sides[number, 0] = first
        sides[number, 1] = second
        flipped += (first > 1) + (second > 1)
        number += 1
        unit = int(wiring[unit].sibling)
    return flipped


@inlined
def draw_coins(
    addresses: Addresses,
    unit: int,
    memory: NDArray[Any],
    wiring: NDArray[Any],
    options: Any,
    seed: np.uint64,
    draws: NDArray[np.uint32],
    coins: NDArray[np.int64],
) -> bool:
    """Flip the coins that a particle's activation begins with, from its first unit on.

    Return whether there are any.
    """
    flipped = False
    number = 0
    while unit >= 0:
        first, second = call_count_sides(addresses, memory[unit], options)
        if (first > 1) | (second > 1):
            flip(unit, number, first, second, seed, draws, coins)
            flipped = True
        number += 1
        unit = int(wiring[unit].sibling)
    return flipped


@compiled
def flip(
    unit: int,
    number: int,
    first: int,
    second: int,
    seed: np.uint64,
    draws: NDArray[np.uint32],
    coins: NDArray[np.int64],
) -> None:
    """Flip the coins of one unit, given how many sides they have."""
    for lane in range(COIN_LANES):
        sides = second if lane else first
        if sides > 1:
            coins[number, lane] = rng.coin(seed, unit, lane, draws[unit, lane], sides)
            draws[unit, lane] += 1


@compilable
def no_coins() -> NDArray[np.int64]:
    """Return room for the coins of an activation, with none flipped."""
    return np.full((MOST_UNITS, 2), NO_COIN, dtype=np.int64)
