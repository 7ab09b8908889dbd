"""Exact numbers for small systems: how long an election takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import splu

from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.arrays import Model
from amoebot.verify.report import NotExploredError, Report
from amoebot.verify.space import SAME_ACTIVATION, Space

from ..algorithms.interface import DECIDED, MAY_ELECT
from .checker import NEVER_ENDING, explore_all
from .model import fixed_models
from .properties import HAS_LEADER


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
    start = space.edge_start[: report.states + 1]
    targets, weights = space.edges[: start[-1]], chances(space, len(model.outcomes))
    steps = csr_array((weights, targets, start), shape=(report.states, report.states))
    going_on = np.flatnonzero(~over)
    system = eye_array(len(going_on)) - steps[going_on][:, going_on]
    # States found late lead to others found late: in their own order there is little to eliminate.
    solved = splu(system.tocsc(), permc_spec="NATURAL").solve(np.ones(len(going_on)))
    return float(solved[0])


def chances(space: Space, particles: int) -> NDArray[np.float64]:
    """Return how likely each edge is taken under uniform activation, in one order of units."""
    labels = space.labels[: space.progress["edges"][0]]
    begin = np.flatnonzero((labels & SAME_ACTIVATION) == 0)
    outcomes = np.diff(begin, append=len(labels))
    return np.repeat(1 / particles / outcomes, outcomes)
