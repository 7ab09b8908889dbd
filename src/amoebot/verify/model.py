"""What is explored: a small system, its variant, and one activation with given coins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.system import System, build

from ..election.activation import activate_agent, sides_of_coin
from ..election.almost_sure import flip_coin
from ..election.memory import DECLARED, FLIPS_COIN, has_started
from ..election.termination import declare_particle, must_terminate
from ..engine.activation import (
    DIGIT_COIN,
    FIRST_COIN_OF_SECOND,
    MOST_NEIGHBOURS,
    SEGMENT_COIN,
    broadcast,
)

#: An expanded particle has at most six agents, and each flips at most two coins.
MOST_COINS = 12


class Model(NamedTuple):
    """A system whose activation orders and coins are explored."""

    wiring: NDArray[Any]  # of each agent
    particle: NDArray[np.int32]  # of each agent
    boundary: NDArray[np.int32]  # of each agent, 0 is the outer one
    first_agent: NDArray[np.int32]  # of each particle
    nodes: NDArray[np.int32]  # of each particle
    neighbours: NDArray[np.int32]  # of each node, as particles
    length: int  # of the outer boundary
    radix: int
    almost_sure: bool
    terminate: bool


class Moment(NamedTuple):
    """The memory of everyone at one moment, to work on."""

    agents: NDArray[Any]  # AGENT
    words: NDArray[np.uint64]  # the same memory as words, one row for each agent
    particles: NDArray[Any]  # PARTICLE
    choices: NDArray[np.int64]  # the coins that an activation is given
    sides: NDArray[np.int64]  # how many outcomes each of them has
    flips: NDArray[np.int64]  # who flipped each of them, and its draw number
    tokens: NDArray[np.int64]  # room to write down the digit tokens of a boundary


def fixed_offsets(shape: Shape) -> Shape:
    """Return the shape with port offsets of its own, so that no seed matters."""
    if shape.offsets is not None:
        return shape
    return Shape(shape.nodes, shape.expanded, np.zeros(len(shape), dtype=np.uint8), name=shape.name)


def new_model(shape: Shape, radix: int, almost_sure: bool, terminate: bool) -> Model:
    """Return what there is to explore on a shape."""
    system: System = build(fixed_offsets(shape))
    boundary = np.empty(system.agents, dtype=np.int32)
    for number, cycle in enumerate(system.boundaries):
        boundary[cycle.agents] = number
    return Model(
        wiring=system.wiring,
        particle=system.particle,
        boundary=boundary,
        first_agent=system.first_agent,
        nodes=system.nodes_of_particles(),
        neighbours=system.neighbouring_particles(),
        length=system.outer_boundary_length,
        radix=radix,
        almost_sure=almost_sure,
        terminate=terminate,
    )


@compiled
def activate(model: Model, moment: Moment, particle: int) -> int:
    """Activate a particle with the coins in ``choices``; return how many of them it used."""
    used = 0
    if model.terminate and moment.particles[particle].message:
        if must_terminate(moment.particles[particle]):
            reached = np.empty(MOST_NEIGHBOURS, dtype=np.int64)
            broadcast(
                particle,
                model.nodes,
                model.neighbours,
                moment.particles,
                model.first_agent,
                reached,
            )
        return used
    agent = int(model.first_agent[particle])
    while agent >= 0:
        wires = model.wiring[agent]
        me, pred, succ = (
            moment.agents[agent],
            moment.agents[wires.pred],
            moment.agents[wires.succ],
        )
        coin = 0
        sides = sides_of_coin(me, model.radix)
        if sides > 1:
            number = DIGIT_COIN if has_started(me.candidacy) else SEGMENT_COIN
            moment.flips[used, 0], moment.flips[used, 1] = agent, number
            moment.sides[used] = sides
            coin = moment.choices[used]
            used += 1
        events = activate_agent(me, pred, succ, wires.sight, coin, model.almost_sure)
        if events & FLIPS_COIN:
            moment.flips[used, 0], moment.flips[used, 1] = agent, FIRST_COIN_OF_SECOND
            moment.sides[used] = 2
            flip_coin(me.second, moment.choices[used] == 1)
            used += 1
        if events & DECLARED and model.terminate:
            declare_particle(moment.particles[model.particle[agent]])
        agent = int(wires.sibling)
    return used


@compiled
def next_choices(moment: Moment, used: int) -> bool:
    """Turn to the next outcome of the coins that were used; return whether there is one."""
    last = used - 1
    while last >= 0 and moment.choices[last] == moment.sides[last] - 1:
        moment.choices[last] = 0
        last -= 1
    if last < 0:
        return False
    moment.choices[last] += 1
    return True
