"""Exact numbers for small systems: how long an election takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.report import Report

from ..algorithms.interface import DECIDED, MAY_ELECT
from .checker import NEVER_ENDING, explore_all
from .explore import look_ahead, try_activations
from .model import Model, new_model
from .properties import HAS_LEADER
from .space import Space

#: The linear system counts as solved when no unknown moves by more than this part of itself.
PRECISION = 1e-13


def expected_activations(shape: Shape, options: Mapping[str, Any]) -> float:
    """Return the expected number of activations under ``uniform`` until an election is decided."""
    model = new_model(build(shape), options)
    if len(model.world.wiring) == 0:
        return 1.0
    report = Report(shape.name, shape.particles, "", dict(options))
    space = explore_all(model, report, NEVER_ENDING, None, None)
    flags = space.flags[: report.states]
    over = ((flags & HAS_LEADER) != 0) | ((flags & (DECIDED | MAY_ELECT)) == DECIDED)
    start, targets, weights = chain(model, space, report.states)
    return float(solve(start, targets, weights, over)[0])


@compiled
def chain(
    model: Model, space: Space, states: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the Markov chain of uniform activation: for each state, where to and how likely."""
    transitions = space.progress[0].transitions
    start = np.zeros(states + 1, dtype=np.int64)
    targets = np.empty(transitions, dtype=np.int32)
    weights = np.empty(transitions, dtype=np.float64)
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    count = 0
    for state in range(states):
        look_ahead(model, space, state)
        tried = try_activations(model, space, row, state)
        targets[count : count + tried] = space.followers[:tried]
        particles = len(model.outcomes)
        for particle in range(particles):
            for _ in range(model.outcomes[particle]):
                weights[count] = 1 / particles / model.outcomes[particle]
                count += 1
        start[state + 1] = count
    return start, targets, weights


@compiled
def solve(
    start: NDArray[np.int64],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    over: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the expected number of steps until a state that is over, from every state.

    Gauss-Seidel: states found late lead to others found late, so it sweeps from the last to the
    first, and repeats until nothing moves.
    """
    expected = np.zeros(len(over), dtype=np.float64)
    moved = 1.0
    while moved > PRECISION:
        moved = 0.0
        for state in range(len(over) - 1, -1, -1):
            if over[state]:
                continue
            steps = 1.0
            stay = 0.0
            for edge in range(start[state], start[state + 1]):
                if targets[edge] == state:
                    stay += weights[edge]
                else:
                    steps += weights[edge] * expected[targets[edge]]
            steps /= 1.0 - stay
            moved = max(moved, (steps - expected[state]) / steps)
            expected[state] = steps
    return expected
