"""Exact numbers for small systems: how long an election takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import splu

from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.report import NotExploredError, Report

from ..algorithms.interface import DECIDED, MAY_ELECT
from .checker import NEVER_ENDING, explore_all
from .explore import look_ahead, try_activations
from .model import Model, fixed_models
from .properties import HAS_LEADER
from .space import Space


def expected_activations(shape: Shape, options: Mapping[str, Any]) -> float:
    """Return the expected number of activations under ``uniform`` until an election is decided.

    A particle keeps to one order of its agents, and each of its orders is as likely.
    """
    return sum(
        likely * expected_in(model, Report(shape.name, shape.particles, "", dict(options)))
        for model, likely in fixed_models(build(shape), options)
    )


def expected_in(model: Model, report: Report) -> float:
    """Return the same for particles that keep to certain orders."""
    if len(model.world.wiring) == 0:
        return 1.0
    space = explore_all(model, report, NEVER_ENDING, None, None)
    if not report.exhausted:
        raise NotExploredError(
            f"{report.shape}: a property is violated, so it may never be decided"
        )
    flags = space.flags[: report.states]
    over = ((flags & HAS_LEADER) != 0) | ((flags & (DECIDED | MAY_ELECT)) == DECIDED)
    start, targets, weights = chain(model, space, report.states)
    steps = csr_array((weights, targets, start), shape=(report.states, report.states))
    going_on = np.flatnonzero(~over)
    system = eye_array(len(going_on)) - steps[going_on][:, going_on]
    # States found late lead to others found late: in their own order there is little to eliminate.
    solved = splu(system.tocsc(), permc_spec="NATURAL").solve(np.ones(len(going_on)))
    return float(solved[0])


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
