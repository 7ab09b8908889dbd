"""Verify an election on a shape: check what is asked for, and let the linked explorer do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms import registry
from amoebot.algorithms.interface import NO_COIN
from amoebot.arguments import check_function, check_seconds, check_truth, whole
from amoebot.faults import Change
from amoebot.linking import Rules, explaining, explorer
from amoebot.options import Options, check_names
from amoebot.shapes import Shape, ShapeLike, as_shape
from amoebot.simulation import Simulation
from amoebot.system import build
from amoebot.verify.parts import check_parts
from amoebot.verify.report import BEFORE, Counterexample, Report
from amoebot.verify.user_properties import Properties, as_properties

#: More particles than this have states by the thousands of millions, or no room for their bits.
MOST_PARTICLES = 12


def verify(
    shape: ShapeLike,
    *,
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    max_states: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Report], None] | None = None,
    properties: Properties = (),
    crashes: int = 0,
    corrupt: str = "",
    boundary: int | None = None,
    after: int = 0,
    seed: int = 0,
    one_order: bool = False,
    by_parts: bool = False,
    **options: Any,
) -> Report:
    """Explore every activation order and every coin on a shape, and check all properties.

    Args:
        shape: At most 12 particles; the number of states grows very fast with them. It may be a
            string or a path.
        algorithm: The election: its name, or the path of a file or package.
        rules: Rules of one's own; by default, those of the election.
        max_states: Stop after N states; by parts, after N of each. By default, after 50,000,000; or
            after 2,000,000 once it is certain that particles can crash so that nobody is elected.
        time_limit: Stop after N seconds; by default, never.
        progress: Is called now and then with the report as it stands.
        properties: Functions that say of everyone's records whether something holds that must
            hold in every state, or the path of a Python file with some.
        crashes: Up to this many particles may crash, at any moment: they keep their memory and are
            never activated again.
        corrupt: A field and a value, such as "leader=1": at any one moment of any schedule, the
            field of any one unit gets this value.
        boundary: Explore the agents of one boundary only: 0 is the outer one. Boundaries do not
            influence each other without the termination message, so what holds on each of them
            holds on all.
        after: Begin after N rounds of an election under ``permutation``, instead of with empty
            memories: explore every way in which this election can go on.
        seed: The seed of that election, or of the order that particles keep to.
        one_order: Each particle keeps to one order of its agents, as in an election with this
            seed, instead of trying all of them: fewer states, above all if it is expanded.
        by_parts: Explore each part of the election by itself, with everything that the others could
            do to it: far fewer states. What a part violates is then "not decided".
        **options: The options of the election by name. Their defaults are those of a run, but for
            the few with which an election has far fewer states.

    Raises:
        ValueError: If there are too many particles, or an option is invalid.
        RulesError: If the rules cannot be compiled.
        PropertyError: If a property cannot be checked.
        FaultError: If there is no such field, or no such value.
    """
    shape = as_shape(shape)
    own = as_properties(properties, algorithm)
    whole(crashes, "the number of crashes", 0, shape.particles)
    if max_states is not None:
        whole(max_states, "max_states", 1, 2**62)
    whole(after, "after", 0, 2**31)
    whole(seed, "seed", 0, 2**64 - 1)
    if after and corrupt:
        raise ValueError("what is corrupted is explored from empty memories: it takes no 'after'")
    check_seconds(time_limit)
    check_function(progress)
    check_truth(one_order, "one_order")
    check_truth(by_parts, "by_parts")
    check_names(options, algorithm, signature(verify).parameters)
    chosen = check_input(shape, algorithm, rules, **options)
    name = chosen.election.name
    report = Report(shape.name, shape.particles, name, dict(chosen.own), chosen.rules_name)
    report.crashes, report.boundary, report.after = crashes, boundary, after
    if by_parts:
        narrowed = after or one_order or boundary is not None
        if rules is not None or own or crashes or corrupt or narrowed:
            raise ValueError(
                "by_parts: it takes no rules, properties, crashes, corrupt, after, one_order or "
                "boundary"
            )
        check_parts(fixed_offsets(shape), chosen, report, max_states, time_limit, progress)
        return report
    if boundary is not None:
        check_boundary(shape, boundary, chosen)
    report.one_order = one_order or after > 0
    if report.one_order:
        report.seed = seed
    if corrupt:
        change = Change.parse(corrupt)
        change.place(chosen.memory_type)
        report.corrupted = str(change)
    with explaining(rules):
        checker = explorer(algorithm, rules).module("verify.checker")
        shape = fixed_offsets(shape)
        start = memories_after(shape, chosen.with_(seed=seed), after) if after else None
        checker.check(shape, report, max_states, time_limit, progress, own, start)
    report.interpreted = [one.sentence for one in own if one.is_left_to_interpreter]
    if report.counterexample is not None and boundary is not None:
        report.counterexample = among_others(report.counterexample, shape, chosen, boundary)
    if report.counterexample is not None and rules is not None:
        report.counterexample = replace(report.counterexample, rules=rules.reference())
    return report


def expected_activations(
    shape: ShapeLike,
    *,
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    **options: Any,
) -> float:
    """Return the expected number of activations under ``uniform`` until an election is decided.

    Decided means that there is a leader, or that the coins flipped allow none. It is the solution
    of a linear system over all states, to at least ten digits. The arguments are those of
    ``verify``.
    """
    shape = as_shape(shape)
    chosen = check_input(shape, algorithm, rules, **options)
    with explaining(rules):
        exact = explorer(algorithm, rules).module("verify.exact")
        expected: float = exact.expected_activations(fixed_offsets(shape), chosen.own)
    return expected


@dataclass(frozen=True)
class WorstCase:
    """How many rounds an election takes until it is decided, expected and exact."""

    rounds: float  #: under the worst fair schedule
    permutation: float  #: with a fresh random order in each round
    schedule: Counterexample  #: a worst schedule, with the coins that take longest


def worst_case(
    shape: ShapeLike,
    *,
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    **options: Any,
) -> WorstCase:
    """Return how long the worst fair schedule takes, of all there are.

    A scheduler sees all memories, but no coin before it is flipped. It may activate particles more
    than once in a round. The arguments are those of ``verify``.

    Raises:
        ValueError: If there is one particle only, or if the election does not hold what it
            claims; then it may take for ever.
    """
    shape = as_shape(shape)
    chosen = check_input(shape, algorithm, rules, **options)
    if shape.particles == 1:
        raise ValueError("one particle elects itself: there is nothing to schedule")
    shape = fixed_offsets(shape)
    report = Report(shape.name, shape.particles, chosen.election.name, dict(chosen.own))
    with explaining(rules):
        worst = explorer(algorithm, rules).module("verify.worst")
        rounds, schedule = worst.worst_rounds(shape, report)
        permutation = worst.permutation_rounds(shape, chosen.own)
    if rules is not None:
        schedule = replace(schedule, rules=rules.reference())
    return WorstCase(rounds, permutation, schedule)


def check_input(
    shape: Shape,
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    **options: Any,
) -> Options:
    """Return the options of an exploration; refuse what cannot be explored."""
    fewest = registry.find(algorithm).explored
    chosen = Options(algorithm=algorithm, own={**fewest, **options}, rules=rules)
    if shape.particles > MOST_PARTICLES:
        given = f"{shape.name} has {shape.particles} particles"
        raise ValueError(f"{given}: at most {MOST_PARTICLES} can be verified")
    return chosen


def check_boundary(shape: Shape, boundary: int, chosen: Options) -> None:
    """Refuse a boundary that there is not, or that others influence."""
    whole(boundary, "boundary", 0, len(build(shape).boundaries) - 1)
    if chosen.election.provides("course", "INNER_BOUNDARIES_MATTER", True):
        raise ValueError(f"boundary: in {chosen.algorithm}, boundaries are not independent")
    if chosen.terminate:
        raise ValueError("boundary: the termination message goes from one to another; leave it out")


def memories_after(shape: Shape, chosen: Options, rounds: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return everyone's memories after some rounds of an election."""
    run = Simulation.of(shape, chosen.with_(scheduler=BEFORE))
    for done in range(rounds):
        run.round()
        if run.rounds == done:
            raise ValueError(f"after {rounds} rounds: all have terminated after {done}")
    return run.memory, run.particle_memory


def among_others(
    example: Counterexample, shape: Shape, chosen: Options, boundary: int
) -> Counterexample:
    """Return a counterexample of one boundary as one of the whole system.

    Where agents of other boundaries flip coins in the same activations, these fall as drawn.
    """
    run = Simulation.of(shape, chosen.with_(seed=example.seed or 0, scheduler=BEFORE))
    run.goto(example.after)
    state = run.engine_run.state
    world = state.world
    count_sides = run.linked("engine.activation").count_sides
    own, coins = run.system.boundaries[boundary].agents, []
    for particle, flipped in zip(example.schedule, example.coins, strict=True):
        agents, known = run.system.agents_of(particle), iter(flipped)
        sides = np.ones((max(1, len(agents)), 2), dtype=np.int64)
        first = int(world.first_unit[particle])
        count_sides(state.addresses, first, world.memory, world.wiring, world.options[0], sides)
        coins.append(
            [
                next(known) if agent in own else NO_COIN
                for agent, lanes in zip(agents, sides.tolist(), strict=False)
                for sides_of_one in lanes
                if sides_of_one > 1
            ]
        )
        run.activate(particle, coins[-1])
    return replace(example, coins=coins)


def fixed_offsets(shape: Shape) -> Shape:
    """Return the shape with port offsets of its own, so that no seed matters."""
    if shape.offsets is not None:
        return shape
    return Shape(shape.nodes, shape.expanded, np.zeros(len(shape), dtype=np.uint8), name=shape.name)
