"""A counterexample: the shortest schedule and coins that lead to a state, ready to be replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify.arrays import Model
from amoebot.verify.report import Counterexample, Report
from amoebot.verify.seeds import Flip, Precedence, find_seed
from amoebot.verify.space import Space

from ..algorithms.interface import NO_COIN
from .explore import look_ahead
from .liveness import ANYBODY, Step
from .model import choose_outcome, count_outcomes, link_units


class Way(NamedTuple):
    """One way to take a step: who is activated, in which order of units, with which coins."""

    particle: int
    order: int
    outcome: int


def explain(
    shape: Shape, model: Model, report: Report, sentence: str, steps: list[tuple[Space, Step]]
) -> Counterexample:
    """Return the run that takes these steps, each in a space that has it."""
    first = 0 if report.boundary is None else build(shape).boundaries[report.boundary].first
    ways = [find_ways(model, space, step) for space, step in steps]
    orders = fixed_orders(ways)
    schedule: list[int] = []
    coins: list[list[int]] = []
    flips: list[Flip] = []
    drawn: Counter[tuple[int, int]] = Counter()  # coins that each unit has flipped in each lane
    for (space, (state, _, _)), known in zip(steps, ways, strict=True):
        way = next((way for way in known if orders.get(way.particle) == way.order), known[0])
        flipped = list(coins_of(model, space, state, way))
        schedule.append(way.particle)
        coins.append([outcome for *_, outcome in flipped])
        for unit, lane, sides, outcome in flipped:
            flips.append(Flip(first + unit, lane, drawn[unit, lane], sides, outcome))
            drawn[unit, lane] += 1
    outline = {
        "nodes": shape.nodes.tolist(),
        "expanded": shape.nodes[shape.expanded].tolist(),
        "offsets": [] if shape.offsets is None else shape.offsets.tolist(),
    }
    # In a run a particle keeps its order. A schedule that needs several is no run.
    seed = None
    if report.after:
        seed = report.seed  # the run of this seed goes on, with coins that are chosen
    elif set(schedule) <= set(orders):
        seed = find_seed(flips, precedences(model, orders, first))
    found = (schedule, coins, seed)
    example = Counterexample(sentence, outline, report.algorithm, report.options, *found)
    return replace(example, after=report.after)


def find_ways(model: Model, space: Space, step: Step) -> list[Way]:
    """Return all ways to take a step; if it can be anybody's, those of the first who can."""
    state, who, following = step
    look_ahead(model, space, state)
    followers = space.edges[space.edge_start[state] : space.edge_start[state + 1]]
    starts = np.cumsum(model.outcomes * model.order_counts) - model.outcomes * model.order_counts
    found = []
    for number in np.flatnonzero(followers == following).tolist():
        particle = int(np.searchsorted(starts, number, side="right")) - 1
        order, outcome = divmod(number - int(starts[particle]), int(model.outcomes[particle]))
        found.append(Way(particle, order, outcome))
    who = found[0].particle if who == ANYBODY else who
    return [way for way in found if way.particle == who]


def moment_after(schedule: Iterable[int], particles: int) -> tuple[int, int]:
    """Return the moment after a schedule by hand: rounds, and activations after them."""
    rounds, position = 0, 0
    activated: set[int] = set()
    for one in schedule:
        activated.add(one)
        position += 1
        if len(activated) == particles:
            rounds, position = rounds + 1, 0
            activated.clear()
    return rounds, position


def fixed_orders(ways: list[list[Way]]) -> dict[int, int]:
    """Return for each particle an order in which all its steps can be taken, if there is one."""
    allowed: dict[int, set[int]] = {}
    for known in ways:
        orders = {way.order for way in known}
        particle = known[0].particle
        allowed[particle] = allowed.get(particle, orders) & orders
    return {particle: min(orders) for particle, orders in allowed.items() if orders}


def precedences(model: Model, orders: dict[int, int], first: int) -> Iterable[Precedence]:
    """Return which units have to be run before which, for particles to have these orders.

    ``first`` is the number that the model's first unit has in a run.
    """
    for particle, order in orders.items():
        units = [unit for unit in model.orders[particle, order].tolist() if unit >= 0]
        for one, other in pairwise(units):
            nodes = int(model.node[one]), int(model.node[other])
            yield Precedence(nodes[0], first + one, nodes[1], first + other)


def coins_of(
    model: Model, space: Space, state: int, way: Way
) -> Iterator[tuple[int, int, int, int]]:
    """Return the coins that are flipped in a step, each as unit, lane, sides and outcome."""
    look_ahead(model, space, state)
    if model.outcomes[way.particle] == 1:
        return
    world, sides = model.world, model.sides[way.particle]
    unit = link_units(model.orders[way.particle], way.order, world.wiring)
    count_outcomes(
        model.addresses,
        way.particle,
        unit,
        world.memory,
        world.wiring,
        world.particles,
        world.options[0],
        sides,
    )
    coins = np.full_like(model.coins, NO_COIN)
    choose_outcome(coins, sides, way.outcome)
    for number, unit in enumerate(model.orders[way.particle, way.order, : len(coins)].tolist()):
        for lane in np.flatnonzero(coins[number] != NO_COIN).tolist():
            yield unit, lane, int(sides[number, lane]), int(coins[number, lane])
