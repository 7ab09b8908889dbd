"""Explore an election part by part, instead of all states of the whole.

Two algorithms that run in parallel have the product of their states. Where one sees little of the
other, an election says so (``algorithms.part``): each part is then explored with everything that
the others could do to it. Whatever happens in the whole happens there, so what holds of all states
and steps of the parts holds of the whole. The converse is not true: what is violated in a part may
never come up in the whole, so it is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.part import Part
from amoebot.linking import Rules, explorer
from amoebot.linking.link import Link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.report import HOLDS, NOT_DECIDED, VIOLATED, Explored, Report

Start = tuple[NDArray[Any], NDArray[Any]]


def parts_of(chosen: Options) -> tuple[Part, ...]:
    """Return the parts of an election; refuse one that has no parts under these options."""
    found: tuple[Part, ...] = chosen.election.provides("parts", "PARTS", ())
    if not found:
        raise ValueError(f"by_parts: {chosen.algorithm} does not say which parts it has")
    for part in found:
        if part.needs and not chosen.own[part.needs]:
            option = part.needs.replace("_", "-")
            raise ValueError(f"by_parts: without --{option} there is no part but one")
    return found


def check_parts(
    shape: Shape,
    chosen: Options,
    report: Report,
    max_states: int | None,
    time_limit: float | None,
    progress: Callable[[Report], None] | None,
) -> None:
    """Explore all parts, and complete the report; ``max_states`` is the limit for each of them."""
    report.exhausted = True
    for part in parts_of(chosen):
        rules = Rules(*part.rules, name=part.title, memory=part.memory, algorithm=chosen.algorithm)
        linked = explorer(chosen.algorithm, rules)
        options = {**chosen.own, **part.options}
        for agent, start in starts(shape, part, linked, options):
            one = Report(shape.name, shape.particles, report.algorithm, options)
            before = report.states, report.transitions, report.seconds

            def tell(one: Report, before: tuple[int, int, float] = before) -> None:
                add(report, one, before)
                if progress is not None:
                    progress(report)

            left = None if time_limit is None else max(0.0, time_limit - report.seconds)
            linked.module("verify.checker").check(
                shape, one, max_states, left, tell, (), start, part.elects
            )
            add(report, one, before)
            report.agents, report.exhausted = one.agents, report.exhausted and one.exhausted
            report.limited |= one.limited
            found = one.exhausted, one.states, one.transitions
            report.parts.append(Explored(part.title, part.free, agent, *found))
            note(report, one)


def starts(
    shape: Shape, part: Part, linked: Link, options: dict[str, Any]
) -> Iterator[tuple[int | None, Start | None]]:
    """Make the memories that a part begins with: empty ones, then with each agent chosen."""
    yield None, None
    system = build(shape)
    world = linked.module("engine.start").new_world(system, options)
    world = linked.module("engine.layouts").with_all_fields(world)
    for agent in system.boundaries[0].agents if part.chosen and system.boundaries else ():
        memory = world.memory.copy()
        memory[part.chosen][agent] = 1
        yield agent, (memory, world.particles)


def add(report: Report, one: Report, before: tuple[int, int, float]) -> None:
    """Bring the report up to date with what has been found of a part."""
    states, transitions, seconds = before
    report.states, report.transitions = states + one.states, transitions + one.transitions
    report.seconds = seconds + one.seconds
    report.depth, report.memory = max(report.depth, one.depth), max(report.memory, one.memory)
    report.disk = max(report.disk, one.disk)


def note(report: Report, one: Report) -> None:
    """Take over the verdicts of a part: what it does not show to hold is not known to hold."""
    for sentence, verdict in one.verdicts.items():
        if verdict == VIOLATED:
            report.verdicts[sentence] = NOT_DECIDED
        elif report.verdicts.get(sentence, HOLDS) == HOLDS:
            report.verdicts[sentence] = verdict
