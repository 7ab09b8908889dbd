"""What could happen next: the activation of each particle, with every way its coins can fall."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from amoebot.render.frames import Encoder, is_empty
from amoebot.simulation import Simulation

#: Moves in one answer.
MOST = 120

#: Ways in which a particle's coins can fall that are all listed; of more, one coin is varied.
MOST_WAYS = 20


def list_moves(
    simulation: Simulation, encoder: Encoder, first: int, must_stop: Callable[[], bool]
) -> dict[str, Any]:
    """Return what particles would do, from number ``first`` on, as far as one answer goes.

    The move that the schedule makes next comes before all others. Who would change nothing is left
    out. ``last`` is where the next answer begins; however little time there is, it comes closer.
    """
    scheduled, chosen = simulation.next_move or (-1, ())
    moves = []
    if first == 0 and scheduled >= 0:
        moves += [
            move(simulation, encoder, scheduled, *way)
            for way in ways(simulation, scheduled, chosen)
        ]
    last = simulation.system.particles
    for particle in actors(simulation, first):
        if particle > first and (len(moves) >= MOST or must_stop()):
            last = particle
            break
        if particle != scheduled:
            found = [
                move(simulation, encoder, particle, *way) for way in ways(simulation, particle)
            ]
            moves += [one for one in found if one["acts"]]
    return {"kind": "moves", "scheduled": scheduled, "moves": moves, "last": last}


def actors(simulation: Simulation, first: int) -> Iterator[int]:
    """Return who can do anything at all: who has units, or the termination message.

    Whoever has crashed is never activated again.
    """
    world = simulation.engine_run.state.world
    can = world.first_unit >= 0
    if simulation.outcome is not None and len(world.particles):
        can |= world.particles["message"] != 0
    can[[*simulation.crashed]] = False
    return iter((np.flatnonzero(can[first:]) + first).tolist())


def ways(
    simulation: Simulation, particle: int, chosen: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Yield how the coins of an activation can fall, and whether this is how they will."""
    ahead = simulation.coins_ahead(particle)
    drawn = tuple(
        chosen[number] if number < len(chosen) else outcome
        for number, (_, outcome) in enumerate(ahead)
    )
    sides = [range(count) for count, _ in ahead]
    if prod(map(len, sides)) <= MOST_WAYS:
        yield from ((coins, coins == drawn) for coins in product(*sides))
        return
    yield drawn, True
    for number, outcomes in enumerate(sides):
        for outcome in outcomes:
            if outcome != drawn[number]:
                yield (*drawn[:number], outcome, *drawn[number + 1 :]), False


def move(
    simulation: Simulation, encoder: Encoder, particle: int, coins: tuple[int, ...], is_drawn: bool
) -> dict[str, Any]:
    """Return one activation, and what it would change."""
    frame = encoder.what_if(*simulation.what_if(particle, coins))
    return {
        "particle": particle,
        "coins": list(coins),
        "drawn": is_drawn,
        "acts": not is_empty(frame),
        "frame": base64.b64encode(frame).decode(),
    }
