"""A search for schedules that take long, on shapes too large for the worst to be computed.

A schedule is an order of all particles for each round. From the longest one known, a stretch of
rounds is given other orders; what takes at least as long is kept. Coins are those of one seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from amoebot.algorithms import registry
from amoebot.arguments import check_function, check_seconds, whole
from amoebot.engine.names import BY_HAND, SCHEDULERS
from amoebot.engine_runs import new_run
from amoebot.linking import Rules
from amoebot.options import Options, default_round_limit
from amoebot.shapes import ShapeLike, as_shape
from amoebot.simulation import Simulation
from amoebot.system import System

#: An order of all particles for each round.
Orders = list[list[int]]

#: A stretch of rounds that is given other orders has this many rounds at most.
LONGEST_STRETCH = 8


@dataclass(frozen=True)
class LongSchedule:
    """A schedule under which an election takes long."""

    rounds: int
    others: dict[str, int]  #: the rounds under the built-in schedulers, with the same coins
    run: Simulation  #: as it stands when the leader is declared; it can be saved


def search_worst(
    shape: ShapeLike,
    seed: int = 0,
    *,
    tries: int = 1000,
    time_limit: float | None = None,
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> LongSchedule:
    """Search for a schedule under which the election takes as many rounds as possible.

    Everyone is activated once in each round, so it is fair. Nothing says that there is no worse
    one; ``worst_case`` computes the worst on shapes that are small enough.

    Args:
        shape: Any shape, or its string or path.
        seed: What coins depend on, and where the search goes.
        tries: How many schedules to try.
        time_limit: Stop after N seconds; by default, never.
        algorithm: The election.
        rules: Rules of one's own; by default, those of the election.
        progress: Is called with the number of schedules tried, and the most rounds so far.
        **options: The options of the election by name.
    """
    shape = as_shape(shape)
    whole(tries, "tries", 0, 2**62)
    check_seconds(time_limit)
    check_function(progress)
    chosen = Options(seed, "permutation", algorithm, options, rules=rules)
    runs = {name: Simulation.of(shape, chosen.with_(scheduler=name)) for name in SCHEDULERS}
    starts = [orders_of(run) for run in runs.values()]
    others = {name: run.result().rounds for name, run in runs.items()}
    search = _Search(Simulation.of(shape, chosen), seed, starts)
    begin = time.monotonic()
    for tried in range(tries):
        if time_limit is not None and time.monotonic() - begin > time_limit:
            break
        search.go_on()
        if progress is not None:
            progress(tried + 1, search.most)
    return LongSchedule(search.most, others, search.replay())


class _Search:
    """The longest schedule so far, and how to change it."""

    def __init__(self, run: Simulation, seed: int, starts: list[Orders]) -> None:
        self._at_first = run
        self._engine = new_run(run.system, run.options, BY_HAND)
        self._draw = np.random.default_rng(seed)
        self._limit = default_round_limit(len(run.shape), run.system.agents)
        self._fixed = fixed_orders(run.system)
        played = [self._play(orders) for orders in starts]
        self.most, self._best = max(played, key=lambda one: one[0])

    def go_on(self) -> None:
        """Try another schedule; keep it if it takes at least as long."""
        orders = [*self._best]
        first = int(self._draw.integers(len(orders)))
        last = min(first + 1 + int(self._draw.integers(LONGEST_STRETCH)), len(orders))
        change = self._change()
        orders[first:last] = [change(order) for order in orders[first:last]]
        rounds, played = self._play(orders)
        if rounds >= self.most:
            self.most, self._best = rounds, played

    def replay(self) -> Simulation:
        """Return the longest run, as it stands when it has an outcome."""
        run = self._at_first
        for order in self._best:
            for particle in order:
                if run.outcome is None:
                    run.activate(particle)
        return run

    def _play(self, orders: Orders) -> tuple[int, Orders]:
        """Run a schedule; return its rounds, and the orders of these. Others are drawn."""
        engine = self._engine
        played: Orders = []
        engine.begin_again()
        while engine.outcome is None and len(played) < self._limit:
            order = orders[len(played)] if len(played) < len(orders) else self._random()
            played.append(order)
            for place, particle in enumerate(order, start=1):
                engine.activate(particle, place == len(order))
                if engine.watch.outcome:
                    break
        return len(played), played

    def _change(self) -> Callable[[list[int]], list[int]]:
        """Choose how to change orders: another one, or one particle first or last."""
        kind = int(self._draw.integers(4))
        if kind == 0:
            order = self._random()
            return lambda old: order
        if kind == 1:
            order = self._fixed[int(self._draw.integers(len(self._fixed)))]
            return lambda old: order
        one = int(self._draw.integers(self._at_first.system.particles))
        if kind == 2:
            return lambda old: [one, *(other for other in old if other != one)]
        return lambda old: [*(other for other in old if other != one), one]

    def _random(self) -> list[int]:
        order: list[int] = self._draw.permutation(self._at_first.system.particles).tolist()
        return order


def orders_of(run: Simulation) -> Orders:
    """Run an election to its outcome; return the order of each round in which all come once."""
    orders: Orders = []
    now = -1
    while run.outcome is None:
        if run.rounds > now:
            orders.append([])
            now = run.rounds
        run.step()
        if run.latest is not None and run.latest not in orders[-1]:
            orders[-1].append(run.latest)
    everyone = range(run.system.particles)
    # Whoever has nothing to do, and whoever the outcome came before, is still to be activated.
    return [[*order, *(one for one in everyone if one not in order)] for order in orders]


def fixed_orders(system: System) -> list[list[int]]:
    """Return all particles along the boundaries, and against them; interior ones come last."""
    along = dict.fromkeys(system.particle.tolist())
    rest = [particle for particle in range(system.particles) if particle not in along]
    return [[*along, *rest], [*reversed(along), *rest]]
