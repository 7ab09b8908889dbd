"""Explore all states of a system, then give a verdict for each property."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.faults import CRASH, Change, Fault
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.arrays import Model
from amoebot.verify.boundaries import alone as alone_on
from amoebot.verify.report import (
    HOLDS,
    NOT_DECIDED,
    NOT_EXHAUSTED,
    VIOLATED,
    Counterexample,
    Report,
)
from amoebot.verify.space import Space, disk_used, memory_used
from amoebot.verify.user_properties import FIRST_NUMBER, OwnProperty

from ..algorithms.interface import elects
from . import liveness
from .corruption import Corrupted, explore_corrupted, fault_of
from .counterexample import explain, moment_after
from .crew import Crew
from .liveness import ANYBODY, Step
from .model import model_with_all_fields, new_model
from .properties import AFTER_ELECTION, AFTER_TERMINATION, state_properties

#: A limit for explorations that have to be finished.
NEVER_ENDING = 2**31 - 1

#: States that are explored at most, unless said otherwise: as many as that, or fewer once it is
#: certain that particles can crash so that nobody is elected. Crashes lead to no other states, so
#: of what is left to decide, all but termination is decided without them, too.
MOST_STATES, ENOUGH = 50_000_000, 2_000_000

#: Where a step comes from, if any will do.
ANYWHERE = -1

Progress = Callable[[Report], None] | None

#: What speaks against a property: a state, or states that a fair scheduler never has to leave.
Evidence = int | NDArray[np.bool_]


class Problem(NamedTuple):
    """A property that is violated, and where."""

    sentence: str
    state: int
    before: int = ANYWHERE  #: the state before, if it is the step that is wrong
    #: From the state back to it, if it is wrong to repeat this; empty if all have crashed.
    cycle: tuple[Step, ...] | None = None


def check(
    shape: Shape,
    report: Report,
    max_states: int | None,
    time_limit: float | None,
    progress: Progress,
    own: Sequence[OwnProperty] = (),
    start: tuple[NDArray[Any], NDArray[Any]] | None = None,
    live: bool = True,
) -> None:
    """Explore, and complete the report; ``start`` has the memories to begin with, if not empty.

    ``live`` says whether to decide what must happen, too.
    """
    model = begin(shape, report, start)
    if len(model.world.wiring) == 0:
        alone(report, live)
        return
    space = explore_all(model, report, max_states, time_limit, progress, own)
    problem = judge(space, report, own, live)
    if problem is not None:
        path = shortest_path(space, problem.state, problem.before)
        report.counterexample = example_of(shape, model, report, problem, space, path)
    elif report.corrupted and report.exhausted:
        is_over = limit(space, report, max_states, time_limit, progress)
        change = Change.parse(report.corrupted)
        found = explore_corrupted(model, space, change, own, is_over)
        changed = bool(found.space.progress[0].states)
        problem = judge_corrupted(found, report, own) if changed else None
        if problem is not None:
            steps = shortest_path(found.space, problem.state, problem.before)
            origin = found.origin[steps[0][0] if steps else problem.state]
            path = shortest_path(space, origin // len(model.world.wiring))
            before = [(space, step) for step in path]
            example = example_of(shape, model, report, problem, found.space, steps, before)
            fault = fault_of(change, origin, model, example.schedule[: len(path)])
            faults = ", ".join(filter(None, (str(fault), example.faults)))
            report.counterexample = replace(example, faults=faults)


def begin(shape: Shape, report: Report, start: tuple[NDArray[Any], NDArray[Any]] | None) -> Model:
    """Build the model to explore: of all boundaries or of one, from the start or from a moment."""
    system = build(shape, report.seed)
    first = 0
    if report.boundary is not None:
        first = system.boundaries[report.boundary].first
        system = alone_on(system, report.boundary)
    report.agents = system.agents
    model = new_model(system, report.options, as_run=report.one_order)
    if start is not None:
        memory, particles = start
        units = len(memory) if report.boundary is None else system.agents
        model_with_all_fields(model).world.memory[:units] = memory[first : first + units]
        model.world.particles[:] = particles
    return model


def example_of(
    shape: Shape,
    model: Model,
    report: Report,
    problem: Problem,
    space: Space,
    path: list[Step],
    before: Sequence[tuple[Space, Step]] = (),
) -> Counterexample:
    """Return the run that shows a problem, by a path in a space and what comes before it."""
    again = problem.cycle or ()
    steps = [*before, *((space, step) for step in (*path, *again))]
    example = explain(shape, model, report, problem.sentence, steps)
    if problem.cycle is None:
        return example
    repeated = {particle for _, particle, _ in again}
    crashed = sorted({*range(len(model.outcomes))} - repeated)
    cycle = len(steps) - len(again)
    rounds, position = moment_after(example.schedule[:cycle], len(model.outcomes))
    faults = ", ".join(str(Fault(CRASH, one, report.after + rounds, position)) for one in crashed)
    return replace(example, cycle=cycle if again else None, crashed=crashed, faults=faults)


def limit(
    clean: Space,
    report: Report,
    max_states: int | None,
    time_limit: float | None,
    progress: Progress,
) -> Callable[[Space], bool]:
    """Return what brings the report up to date with what follows a fault, and says when to stop."""
    start = time.monotonic() - report.seconds
    states, transitions, depth = report.states, report.transitions, report.depth

    def is_over(space: Space) -> bool:
        done = space.progress[0]
        report.states = states + int(done.states)
        report.transitions = transitions + int(done.transitions)
        report.depth = max(depth, int(space.depth[: max(1, done.states)].max()))
        report.memory = memory_used(clean) + memory_used(space)
        report.disk = disk_used(clean) + disk_used(space)
        report.seconds = time.monotonic() - start
        if progress is not None:
            progress(report)
        late = time_limit is not None and report.seconds > time_limit
        return late or report.states >= (max_states or MOST_STATES)

    return is_over


def alone(report: Report, live: bool) -> None:
    """Report on one particle: its only activation makes it the leader, and it terminates."""
    report.exhausted, report.states, report.transitions, report.depth = True, 2, 1, 1
    told = [*state_properties(report.options).values(), *(reach_properties(report) if live else ())]
    report.verdicts = dict.fromkeys(told, HOLDS)


def explore_all(
    model: Model,
    report: Report,
    max_states: int | None,
    time_limit: float | None,
    progress: Progress,
    own: Sequence[OwnProperty] = (),
    threads: int = 0,
) -> Space:
    """Explore in batches, keeping the report up to date, until done or a limit is reached."""
    crew = Crew(model, threads)
    crew.start()
    start = time.monotonic()
    seen, next_look = 0, 1
    most = max_states or MOST_STATES
    while True:
        space = crew.space
        note_first(crew)
        check_own(own, model, space, seen)
        done = space.progress[0]
        seen = int(done.states)
        report.states, report.transitions = seen, int(done.transitions)
        if done.violation:
            report.states, report.transitions = found_with_culprit(space)
        report.depth = int(space.depth[report.states - 1])
        report.memory, report.disk = memory_used(space), disk_used(space)
        report.seconds = time.monotonic() - start
        report.exhausted = bool(done.expanded == done.states) and not done.violation
        if progress is not None:
            progress(report)
        if report.crashes and max_states is None and done.expanded >= next_look:
            next_look = 2 * int(done.expanded)
            most = ENOUGH if can_crash(space, report.crashes) else MOST_STATES
        late = time_limit is not None and report.seconds > time_limit
        report.limited = not report.exhausted and not done.violation
        if not report.limited or done.states >= most or late:
            crew.close()
            return space
        compiling = done.expanded == 0  # and what that takes does not count
        crew.expand()
        if compiling:
            start = time.monotonic()


def can_crash(space: Space, crashes: int) -> bool:
    """Whether it is certain by now that particles can crash so that nobody is elected."""
    liveness.close(space)
    return liveness.never_elects(space, crashes) is not None


def found_with_culprit(space: Space) -> tuple[int, int]:
    """Return how many states were found and activations tried up to where a violation shows.

    A batch goes on beyond that, the further the more threads there are.
    """
    progress = space.progress[0]
    culprit, offender = int(progress.culprit), int(progress.offender)
    before = offender if offender >= 0 else int(space.parent[culprit])
    tried = int(space.edge_start[before + 1])
    return max(culprit, int(space.edges[:tried].max(initial=0))) + 1, tried


def note_first(crew: Crew) -> None:
    """Note the first property that the latest batch found violated."""
    progress = crew.space.progress[0]
    for problem, state, before in crew.found[:1]:
        progress.violation, progress.culprit, progress.offender = problem, state, before


def check_own(own: Sequence[OwnProperty], model: Model, space: Space, seen: int) -> None:
    """Check the user's properties on new states: the first that is wrong is a nearest one."""
    progress = space.progress[0]
    for number, one in enumerate(own, start=FIRST_NUMBER):
        state = one.first_against(model_with_all_fields(model), space, seen, int(progress.states))
        if state is not None and (not progress.violation or state < progress.culprit):
            progress.violation, progress.culprit, progress.offender = number, state, ANYWHERE


def reach_properties(report: Report) -> dict[str, Callable[[Space], Evidence | None]]:
    """Return the properties of the whole graph, with what finds something against them."""
    options, crashes = report.options, report.crashes
    checks: dict[str, Callable[[Space], Evidence | None]] = {
        elects(options): partial(against_election, crashes=crashes)
    }
    if options["terminate"]:
        checks[AFTER_ELECTION.sentence] = partial(liveness.never_terminates, crashes=crashes)
        checks[AFTER_TERMINATION.sentence] = liveness.stays_terminated
    return checks


def against_election(space: Space, crashes: int) -> Evidence | None:
    """Return what speaks against the claim about elections."""
    state = liveness.elects_where_it_may_not(space)
    return state if state is not None else liveness.never_elects(space, crashes)


def judge(
    space: Space, report: Report, own: Sequence[OwnProperty] = (), live: bool = True
) -> Problem | None:
    """Write the verdicts; return a violated property with the state that shows it."""
    found = space.progress[0]
    problem = None
    sentences = state_properties(report.options)
    sentences |= {number: one.sentence for number, one in enumerate(own, start=FIRST_NUMBER)}
    for sentence in sentences.values():
        report.verdicts[sentence] = HOLDS if report.exhausted else NOT_EXHAUSTED
    if found.violation:
        sentence = sentences[int(found.violation)]
        report.verdicts[sentence] = VIOLATED
        problem = Problem(sentence, int(found.culprit), int(found.offender))
    liveness.close(space)
    for sentence, check in reach_properties(report).items() if live else ():
        looked = found.expanded and not found.violation
        evidence = check(space) if looked else None
        report.verdicts[sentence] = HOLDS if report.exhausted else NOT_EXHAUSTED
        if evidence is not None:
            report.verdicts[sentence] = VIOLATED
            problem = problem or located(space, sentence, evidence)
    return problem


def judge_corrupted(found: Corrupted, report: Report, own: Sequence[OwnProperty]) -> Problem | None:
    """Write the verdicts on what follows a fault; return the first property that is lost.

    First come the user's, then what every election promises, then the other properties of states,
    of which one may hide another: in a state, the first that is violated is found.
    """
    report.exhausted, report.limited = found.exhausted, not found.exhausted
    users = {number: one.sentence for number, one in enumerate(own, start=FIRST_NUMBER)}
    sentences = state_properties(report.options)
    hidden = any(number in sentences for number in found.lost)
    problems = {}
    for number, sentence in (users | sentences).items():
        decided = number in users or number < 0 or not hidden
        otherwise = HOLDS if decided else NOT_DECIDED
        report.verdicts[sentence] = otherwise if found.exhausted else NOT_EXHAUSTED
        if number in found.lost:
            report.verdicts[sentence] = VIOLATED
            problems[number] = Problem(sentence, *found.lost[number])
    for sentence, check in reach_properties(report).items():
        report.verdicts[sentence] = NOT_EXHAUSTED
        if found.exhausted:
            evidence = check(found.space)
            report.verdicts[sentence] = HOLDS if evidence is None else VIOLATED
            if evidence is not None:
                problems.setdefault(0, located(found.space, sentence, evidence))
    order = sorted(problems, key=lambda number: (number < FIRST_NUMBER, number > 0, number))
    return problems[order[0]] if order else None


def located(space: Space, sentence: str, evidence: Evidence) -> Problem:
    """Return the problem that a state shows, or a component that need never be left."""
    if isinstance(evidence, int):
        return Problem(sentence, evidence)
    cycle = tuple(liveness.round_trip(space, evidence))
    return Problem(sentence, int(np.argmax(evidence)), cycle=cycle)


def shortest_path(space: Space, state: int, before: int = ANYWHERE) -> list[Step]:
    """Return the steps on a shortest way to a state, through the state before it if given."""
    steps = []
    step = before if before != ANYWHERE else int(space.parent[state])
    while step >= 0:
        steps.append((step, ANYBODY, state))
        state, step = step, int(space.parent[step])
    return steps[::-1]
