"""Verify a shape: explore all of it, then give a verdict for each property."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from amoebot.results import check_options
from amoebot.linking import PAPER, Rules, explaining
from amoebot.shapes import Shape
from amoebot.verify.report import HOLDS, NOT_EXHAUSTED, VIOLATED, Report

from . import liveness
from .counterexample import explain
from .explore import explore, new_moment
from .model import Model, fixed_offsets, new_model
from .properties import LEADER_STAYS, RIVALS, SENTENCES
from .space import Space, grow, memory_used, new_space

#: States expanded between two looks at the clock and the keyboard.
BATCH = 20_000

#: A limit for explorations that have to be finished.
NEVER_ENDING = 2**31 - 1

#: More particles than this have states by the thousands of millions, or no room for their bits.
MOST_PARTICLES = 12


def verify(
    shape: Shape,
    *,
    almost_sure: bool = True,
    terminate: bool = True,
    radix: int = 2,
    rules: Rules | None = None,
    max_states: int = 50_000_000,
    time_limit: float | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Explore every activation order and every coin on a shape, and check all properties.

    Args:
        shape: At most 12 particles; the number of states grows very fast with them.
        almost_sure: Whether to run the variant of Appendix A.3.
        terminate: Whether to run the variant of Appendix A.2.
        radix: How many values a digit of an identifier can take, from 2 to 256.
        rules: Rules of one's own; by default, those of the paper.
        max_states: Stop once there are so many states.
        time_limit: Stop after so many seconds; by default, never.
        progress: Is called now and then with the report as it stands.

    Raises:
        ValueError: If there are too many particles, or if the radix cannot be.
        RulesError: If the rules cannot be compiled.
    """
    check_input(shape, radix)
    report = Report(
        shape.name,
        shape.particles,
        radix=radix,
        almost_sure=almost_sure,
        terminate=terminate,
        rules=PAPER if rules is None else rules.name,
    )
    # Rules of one's own are explored by a copy of this module in which they are in force.
    explorer = check if rules is None else rules.linked("verify.checker").check
    with explaining(rules):
        explorer(fixed_offsets(shape), report, max_states, time_limit, progress)
    if report.counterexample is not None and rules is not None:
        report.counterexample = replace(report.counterexample, rules=rules.reference())
    return report


def check_input(shape: Shape, radix: int) -> None:
    """Refuse what cannot be explored."""
    check_options(0, radix)
    if shape.particles > MOST_PARTICLES:
        given = f"{shape.name} has {shape.particles} particles"
        raise ValueError(f"{given}: at most {MOST_PARTICLES} can be verified")


def check(
    shape: Shape,
    report: Report,
    max_states: int,
    time_limit: float | None,
    progress: Callable[[Report], None] | None,
) -> None:
    """Explore, and complete the report."""
    model = new_model(shape, report.radix, report.almost_sure, report.terminate)
    report.agents = len(model.wiring)
    if report.agents == 0:
        alone(report)
        return
    space = explored(model, report, max_states, time_limit, progress)
    problem = judge(space, report)
    if problem is not None:
        report.counterexample = explain(shape, model, space, *problem)


def alone(report: Report) -> None:
    """Report on one particle: its only activation makes it the leader, and it terminates."""
    report.exhausted, report.states, report.transitions, report.depth = True, 2, 1, 1
    report.verdicts = dict.fromkeys([*state_sentences(report), *reach_sentences(report)], HOLDS)


def explored(
    model: Model,
    report: Report,
    max_states: int,
    time_limit: float | None,
    progress: Callable[[Report], None] | None,
) -> Space:
    """Explore in batches, keeping the report up to date, until done or a limit is reached."""
    start = time.monotonic()
    space, moment = new_space(len(model.wiring)), new_moment(model)
    branching = most_branches(model)
    while True:
        batch = max(1, min(BATCH, len(space.states) // (4 * branching)))
        space = grow(space, batch * branching)
        explore(model, space, moment, batch)
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


def most_branches(model: Model) -> int:
    """Return the greatest number of states that one state can lead to.

    Every agent of an activated particle may flip two coins: one of each algorithm.
    """
    sides = 2 * max(2, model.radix) if model.almost_sure else max(2, model.radix)
    agents = np.bincount(model.particle, minlength=len(model.first_agent))
    return int(sum(sides**count for count in agents.tolist()))


def state_sentences(report: Report) -> list[str]:
    """Return the properties of states and steps that concern a variant."""
    return [text for code, text in SENTENCES.items() if report.almost_sure or code != RIVALS]


def reach_sentences(report: Report) -> dict[str, Callable[[Space], int | None]]:
    """Return the properties about what can be reached, with what finds a state against them."""
    checks: dict[str, Callable[[Space], int | None]] = {}
    if report.almost_sure:
        checks["a leader can be elected from every state"] = liveness.always_elects
    else:
        checks["a leader can be elected if and only if the highest identifier is unique"] = (
            liveness.elects_if_it_may
        )
    if report.terminate:
        checks["after an election everyone can terminate"] = liveness.always_terminates
        checks["when everyone has terminated nothing changes"] = liveness.stays_terminated
    return checks


def judge(space: Space, report: Report) -> tuple[str, int, int] | None:
    """Write the verdicts; return a violated property with the state that shows it."""
    found = space.progress[0]
    problem = None
    for sentence in state_sentences(report):
        report.verdicts[sentence] = HOLDS if report.exhausted else NOT_EXHAUSTED
    if found.violation:
        sentence = SENTENCES[int(found.violation)]
        report.verdicts[sentence] = VIOLATED
        before = int(found.offender) if found.violation == LEADER_STAYS else -1
        problem = sentence, int(found.culprit), before
    for sentence, check in reach_sentences(report).items():
        report.verdicts[sentence] = NOT_EXHAUSTED
        if report.exhausted:
            state = check(space)
            report.verdicts[sentence] = HOLDS if state is None else VIOLATED
            if state is not None and problem is None:
                problem = sentence, state, -1
    return problem
