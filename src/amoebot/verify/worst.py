"""The scheduler as a player: how long the worst fair schedule takes, exactly.

A scheduler sees everything but the coins to come, and chooses who is activated next. It wants as
many rounds as possible until the election is decided. The rounds that it can expect are the value
of a Markov decision process over states and who has been activated in the round under way. Values
are improved from zero on, until they change no more; since every fair schedule ends the election,
they are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.arrays import Model
from amoebot.verify.report import Counterexample, NotExploredError, Report
from amoebot.verify.space import SAME_ACTIVATION, Space

from ..algorithms.interface import DECIDED, MAY_ELECT
from .checker import NEVER_ENDING, explore_all, judge
from .counterexample import explain
from .liveness import Step, particles_of
from .model import fixed_models, new_model
from .properties import HAS_LEADER

#: Values that change by less than this have converged.
SMALLEST = 1e-11

#: The note in the run file of a worst schedule.
NO_PROPERTY = ""


def worst_rounds(shape: Shape, report: Report) -> tuple[float, Counterexample]:
    """Return the greatest expected number of rounds, and a schedule that gets there.

    Of the coins it shows the outcomes that take longest, as long as that has an end.
    """
    model = new_model(build(shape), report.options)
    space = explored(model, report)
    value, choice = play(space, is_over(space), worst=True)
    steps = [(space, step) for step in unlucky_run(space, is_over(space), value, choice)]
    return float(value[0, 0]), explain(shape, model, report, NO_PROPERTY, steps)


def permutation_rounds(shape: Shape, options: Mapping[str, Any]) -> float:
    """Return the expected number of rounds under ``permutation``, with any order of agents."""
    expected = 0.0
    for model, likely in fixed_models(build(shape), options):
        space = explored(model, Report(shape.name, shape.particles, "", dict(options)))
        value, _ = play(space, is_over(space), worst=False)
        expected += likely * float(value[0, 0])
    return expected


def explored(model: Model, report: Report) -> Space:
    """Explore all states; refuse an election that does not hold what it claims."""
    space = explore_all(model, report, NEVER_ENDING, None, None)
    if judge(space, report) is not None:
        raise NotExploredError(
            f"{report.shape}: a property is violated, so there is no worst schedule"
        )
    return space


def is_over(space: Space) -> NDArray[np.bool_]:
    """Return for each state whether the election is decided: a leader, or none possible."""
    flags = space.flags[: space.progress["states"][0]]
    decided = (flags & (DECIDED | MAY_ELECT)) == DECIDED
    return np.asarray(((flags & HAS_LEADER) != 0) | decided)


def play(
    space: Space, over: NDArray[np.bool_], worst: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rounds to expect, and the edge to take, for each state and set of activated ones.

    With ``worst``, the schedule is the worst; otherwise everyone comes once a round, in an order
    that is drawn.
    """
    sets = (1 << particles_of(space)) - 1
    value = np.zeros((len(over), sets))
    choice = np.full((len(over), sets), -1, dtype=np.int64)
    start = space.edge_start[: len(over) + 1]
    while improve(start, space.edges, space.labels, over, value, choice, worst) > SMALLEST:
        pass
    return value, choice


@compiled
def improve(
    start: NDArray[np.int64],
    edges: NDArray[np.int32],
    labels: NDArray[np.uint8],
    over: NDArray[np.bool_],
    value: NDArray[np.float64],
    choice: NDArray[np.int64],
    worst: bool,
) -> float:
    """Improve all values once, those of states found late first; return by how much at most."""
    states, sets = value.shape
    most = 0.0
    for state in range(states - 1, -1, -1):
        for activated in range(0 if over[state] else sets - 1, -1, -1):
            if over[state]:
                break
            best = value[state, activated]
            total = 0.0
            others = 0
            edge = start[state]
            while edge < start[state + 1]:
                particle = labels[edge]
                now = int(activated | 1 << np.int64(particle))
                expected = 0.0
                end = edge
                while end == edge or (end < start[state + 1] and labels[end] & SAME_ACTIVATION):
                    expected += after(over, value, edges[end], now)
                    end += 1
                expected /= end - edge
                if worst and expected > best + SMALLEST:
                    best = expected
                    choice[state, activated] = edge
                if now != activated:
                    total += expected
                    others += 1
                edge = end
            if not worst:
                best = total / others
            most = max(most, abs(best - value[state, activated]))
            value[state, activated] = best
    return most


@compiled
def after(over: NDArray[np.bool_], value: NDArray[np.float64], state: int, activated: int) -> float:
    """Return the rounds to expect after an activation, with the one under way if it ends."""
    if over[state]:
        return 1.0
    if activated == value.shape[1]:
        return 1.0 + value[state, 0]
    return value[state, activated]


def unlucky_run(
    space: Space,
    over: NDArray[np.bool_],
    value: NDArray[np.float64],
    choice: NDArray[np.int64],
) -> list[Step]:
    """Return the steps of a worst schedule, with the coins after which most is to be expected.

    Where coins can fall like that for ever, a moment comes again: from there on they fall so that
    least is to be expected, and the run ends.
    """
    steps: list[Step] = []
    state, activated = 0, 0
    passed: set[tuple[int, int]] = set()
    fall: Callable[..., int] = max
    while not over[state]:
        if (state, activated) in passed:
            fall = min
        passed.add((state, activated))
        edge = int(choice[state, activated])
        particle = int(space.labels[edge])
        now = activated | 1 << particle
        end = edge + 1
        while end < space.edge_start[state + 1] and space.labels[end] & SAME_ACTIVATION:
            end += 1
        outcomes = space.edges[edge:end].tolist()
        following = fall(outcomes, key=lambda outcome: after(over, value, outcome, now))
        steps.append((state, particle, following))
        state, activated = following, now % value.shape[1]
    return steps
