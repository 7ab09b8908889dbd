"""A counterexample: the shortest schedule and coins that lead to a state, ready to be replayed."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np

from amoebot.shapes import Shape
from amoebot.verify.report import Counterexample, Report
from amoebot.verify.seeds import Flip, find_seed

from ..algorithms.interface import NO_COIN
from .explore import look_ahead, try_activations
from .model import Model, choose_outcome
from .space import Space


def explain(
    shape: Shape, model: Model, space: Space, report: Report, sentence: str, path: list[int]
) -> Counterexample:
    """Return the run that passes through these states."""
    schedule: list[int] = []
    coins: list[list[int]] = []
    flips: list[Flip] = []
    drawn: Counter[tuple[int, int]] = Counter()  # coins that each unit has flipped in each lane
    for state, following in itertools.pairwise(path):
        particle, flipped = find_step(model, space, state, following)
        schedule.append(particle)
        coins.append([outcome for *_, outcome in flipped])
        for unit, lane, sides, outcome in flipped:
            flips.append(Flip(unit, lane, drawn[unit, lane], sides, outcome))
            drawn[unit, lane] += 1
    outline = {
        "nodes": shape.nodes.tolist(),
        "expanded": shape.nodes[shape.expanded].tolist(),
        "offsets": [] if shape.offsets is None else shape.offsets.tolist(),
    }
    seed = find_seed(flips)
    return Counterexample(
        sentence, outline, report.algorithm, report.options, schedule, coins, seed
    )


def find_step(
    model: Model, space: Space, state: int, following: int
) -> tuple[int, list[tuple[int, int, int, int]]]:
    """Return whose activation leads from one state to another, and the coins that it flips.

    Each of them is told as unit, lane, sides and outcome.
    """
    look_ahead(model, space, state)
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    try_activations(model, space, row, state)
    ends = np.cumsum(model.outcomes)
    step = space.followers[: ends[-1]].tolist().index(following)
    particle = int(np.searchsorted(ends, step, side="right"))
    coins, sides = np.full_like(model.coins, NO_COIN), model.sides[particle]
    if model.outcomes[particle] > 1:
        choose_outcome(coins, sides, step - (ends[particle] - model.outcomes[particle]))
    flipped = []
    unit = int(model.world.first_unit[particle])
    for number in range(len(coins)):
        for lane in np.flatnonzero(coins[number] != NO_COIN).tolist():
            told = unit, lane, int(sides[number, lane]), int(coins[number, lane])
            flipped.append(told)
        unit = int(model.world.wiring[unit].sibling) if unit >= 0 else -1
    return particle, flipped
