"""Explore all states of a system, then give a verdict for each property."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.report import HOLDS, NOT_EXHAUSTED, VIOLATED, Report

from ..algorithms.interface import elects
from . import liveness
from .counterexample import explain
from .explore import explore
from .model import Model, new_model
from .properties import AFTER_ELECTION, AFTER_TERMINATION, LEADER_STAYS, state_properties
from .space import Space, grow, memory_used, new_space

#: States expanded between two looks at the clock and the keyboard.
BATCH = 2_000

#: More outcomes than one state's coins may have.
MOST_BRANCHES = 1 << 24

#: A limit for explorations that have to be finished.
NEVER_ENDING = 2**31 - 1

Progress = Callable[[Report], None] | None


class Problem(NamedTuple):
    """A property that is violated, and where."""

    sentence: str
    state: int
    before: int = -1  #: the state before, if it is the step that is wrong


def check(
    shape: Shape, report: Report, max_states: int, time_limit: float | None, progress: Progress
) -> None:
    """Explore, and complete the report."""
    system = build(shape)
    report.agents = system.agents
    model = new_model(system, report.options)
    if len(model.world.wiring) == 0:
        alone(report)
        return
    space = explore_all(model, report, max_states, time_limit, progress)
    problem = judge(space, report)
    if problem is not None:
        steps = shortest_path(space, problem.state, problem.before)
        report.counterexample = explain(shape, model, space, report, problem.sentence, steps)


def alone(report: Report) -> None:
    """Report on one particle: its only activation makes it the leader, and it terminates."""
    report.exhausted, report.states, report.transitions, report.depth = True, 2, 1, 1
    told = [*state_properties(report.options).values(), *reach_properties(report)]
    report.verdicts = dict.fromkeys(told, HOLDS)


def explore_all(
    model: Model, report: Report, max_states: int, time_limit: float | None, progress: Progress
) -> Space:
    """Explore in batches, keeping the report up to date, until done or a limit is reached."""
    start = time.monotonic()
    space = new_space(model.words)
    while True:
        branches = explore(model, space, BATCH)
        if branches > MOST_BRANCHES:
            raise ValueError(f"the coins of one state have {branches:,} outcomes: too many to try")
        done = space.progress[0]
        report.states, report.transitions = int(done.states), int(done.transitions)
        report.depth = int(space.depth[done.states - 1])
        report.memory, report.seconds = memory_used(space), time.monotonic() - start
        report.exhausted = bool(done.expanded == done.states) and not done.violation
        if progress is not None:
            progress(report)
        late = time_limit is not None and report.seconds > time_limit
        if report.exhausted or done.violation or done.states >= max_states or late:
            return space
        if branches:
            space = grow(space, branches)


def reach_properties(report: Report) -> dict[str, Callable[[Space], int | None]]:
    """Return the properties about what can be reached, with what finds a state against them."""
    checks: dict[str, Callable[[Space], int | None]] = {
        elects(report.options): liveness.elects_if_it_may
    }
    if report.options["terminate"]:
        checks[AFTER_ELECTION.sentence] = liveness.always_terminates
        checks[AFTER_TERMINATION.sentence] = liveness.stays_terminated
    return checks


def judge(space: Space, report: Report) -> Problem | None:
    """Write the verdicts; return a violated property with the state that shows it."""
    found = space.progress[0]
    problem = None
    sentences = state_properties(report.options)
    for sentence in sentences.values():
        report.verdicts[sentence] = HOLDS if report.exhausted else NOT_EXHAUSTED
    if found.violation:
        sentence = sentences[int(found.violation)]
        report.verdicts[sentence] = VIOLATED
        before = int(found.offender) if found.violation == LEADER_STAYS else -1
        problem = Problem(sentence, int(found.culprit), before)
    for sentence, check in reach_properties(report).items():
        report.verdicts[sentence] = NOT_EXHAUSTED
        if report.exhausted:
            state = check(space)
            report.verdicts[sentence] = HOLDS if state is None else VIOLATED
            if state is not None and problem is None:
                problem = Problem(sentence, state)
    return problem


def shortest_path(space: Space, state: int, before: int = -1) -> list[int]:
    """Return the states on a shortest way to one, through the state before it if that is given."""
    path = [state]
    step = before if before >= 0 else int(space.parent[state])
    while step >= 0:
        path.append(step)
        step = int(space.parent[step])
    return path[::-1]
