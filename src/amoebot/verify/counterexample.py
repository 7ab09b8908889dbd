"""A counterexample: the shortest schedule and coins that lead to a state, ready to be replayed.

A run is a function of shape, seed and schedule, so a schedule with coins becomes a run as soon as a
seed is found whose coins are these. Every seed is as good as any other, and short schedules flip
few coins: trying them one after another finds it.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.verify.report import Counterexample

from ..engine.activation import FIRST_COIN_OF_SECOND
from .explore import new_moment
from .model import Model, Moment, activate, next_choices
from .space import Space, load

#: Seeds tried before giving up: enough for about 28 coins of two sides.
MOST_SEEDS = 1 << 28


def explain(
    shape: Shape, model: Model, space: Space, sentence: str, state: int, before: int
) -> Counterexample:
    """Retrace the shortest schedule to a state, through the state before it if that is given."""
    path = [state]
    step = before if before >= 0 else int(space.parent[state])
    while step >= 0:
        path.append(step)
        step = int(space.parent[step])
    path.reverse()
    moment = new_moment(model)
    turns: list[int] = []
    coins: list[list[int]] = []
    flips: list[tuple[int, int, int, int]] = []  # agent, draw number, sides, outcome
    draws = [0] * len(model.wiring)
    for one, following in itertools.pairwise(path):
        particle, used = find_step(model, space, moment, one, following)
        turns.append(int(particle))
        coins.append(moment.choices[:used].tolist())
        for coin in range(used):
            agent, number = moment.flips[coin].tolist()
            if number == FIRST_COIN_OF_SECOND:
                number += draws[agent]
                draws[agent] += 1
            flips.append((agent, number, int(moment.sides[coin]), int(moment.choices[coin])))
    outline: dict[str, object] = {
        "nodes": shape.nodes.tolist(),
        "expanded": shape.nodes[shape.expanded].tolist(),
        "offsets": [] if shape.offsets is None else shape.offsets.tolist(),
    }
    return Counterexample(
        sentence,
        outline,
        model.radix,
        model.almost_sure,
        model.terminate,
        turns,
        coins,
        find_seed(flips),
    )


def find_seed(flips: list[tuple[int, int, int, int]]) -> int | None:
    """Return a seed that gives these agents these coins."""
    seed = int(search_seed(np.array(flips, dtype=np.int64).reshape(-1, 4), MOST_SEEDS))
    return None if seed < 0 else seed


@compiled
def search_seed(flips: NDArray[np.int64], most: int) -> int:
    """Try seeds one after another; return the first that fits, or -1."""
    for seed in range(most):
        fits = True
        for i in range(len(flips)):
            fits = rng.coin(np.uint64(seed), flips[i, 0], flips[i, 1], flips[i, 2]) == flips[i, 3]
            if not fits:
                break
        if fits:
            return seed
    return -1


@compiled
def find_step(
    model: Model, space: Space, moment: Moment, state: int, following: int
) -> tuple[int, int]:
    """Find the activation that leads from one state to another; its coins are in ``choices``."""
    target = np.empty_like(moment.words)
    load(space.states, space.memories, moment.words, moment.particles, following)
    target[:] = moment.words
    bits = moment.particles.copy()
    for particle in range(len(model.first_agent)):
        moment.choices[:] = 0
        more = True
        while more:
            load(space.states, space.memories, moment.words, moment.particles, state)
            used = activate(model, moment, particle)
            same = True
            for agent in range(target.shape[0]):
                for i in range(target.shape[1]):
                    same = same and target[agent, i] == moment.words[agent, i]
            for other in range(len(bits)):
                same = same and bits[other].message == moment.particles[other].message
                same = same and bits[other].terminated == moment.particles[other].terminated
            if same:
                return particle, used
            more = next_choices(moment, used)
    return -1, 0
