"""Estimates of how long elections take: from the sizes of the shapes, and a few small elections."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from amoebot import measurements
from amoebot.batch import Elections, warm_up
from amoebot.engine.names import LEAST_AGENTS, LEAST_UNITS
from amoebot.errors import SchedulerError
from amoebot.jit import INTERPRETED
from amoebot.options import Options
from amoebot.shapes import ShapeError, hexagon
from amoebot.simulation import Simulation
from amoebot.sweeps.elections import MeasuredShape, make_shape, run_rows
from amoebot.sweeps.plan import Cell, Plan, PlanError
from amoebot.sweeps.store import Block
from amoebot.system import build

#: This many units fit into the caches of a processor, roughly; the time of those beyond.
CACHED, UNCACHED = 50_000, 3

#: The time of skipping a unit that has no part in the result, in units of its activation.
SKIPPED = 0.03

#: Seconds that an election takes before its first round for each particle.
PARTICLE = 1e-7

#: Elections that take at least this many seconds are begun before all others.
LONG = 1.0

#: Small elections that are timed, and the most rounds of each.
TIMED, ROUNDS = 5, 1000

#: Seconds for which runs are timed in which Python is called again and again; with faults, a run
#: that has taken so many times the expected rounds is taken to wait until its end.
TRIED, OVERDUE = 0.2, 2


@dataclass(frozen=True)
class Size:
    """What the time of an election depends on."""

    nodes: int
    particles: int
    agents: int
    length: int


@dataclass(frozen=True)
class Pace:
    """How an election went on a small shape."""

    rounds: float  #: in units of L
    seconds: float  #: for each activation of a unit
    alone: float  #: for each election; interpreted, so that threads wait for each other
    grouped: float  #: the same for small elections, which run in groups

    def overhead(self, size: Size) -> float:
        """Return the interpreted time of each election on a shape."""
        return self.grouped if size.agents < LEAST_AGENTS else self.alone


@dataclass(frozen=True)
class Piece:
    """Elections of one cell, to be run one after another: (number in the block, seed) each."""

    block: Block
    cell: Cell
    seeds: list[tuple[int, int]]


class Costs:
    """The sizes of a plan's shapes, and the pace of its elections on this machine."""

    def __init__(self, plan: Plan) -> None:
        """Build every shape once, which also refuses invalid ones before work begins."""
        self.sizes: dict[tuple[str, int, float], Size] = {}
        self.paces: dict[Options, Pace] = {}
        # Kept, because the file of an election may change during a sweep.
        self.timed: dict[Options, Options] = {}
        self.slow: dict[object, float] = {}  # seconds of a round for each particle
        self.stuck: dict[object, float] = {}  # the share of elections that run to their limit
        largest: dict[Options, int] = {}
        slowest: dict[object, Cell] = {}
        small: dict[Options, int] = {}  # how many small elections
        for cell, runs in plan.items():
            if cell.shape_key not in self.sizes:
                self.sizes[cell.shape_key] = _size(cell)
            timed = self.timed[cell.template] = _timed(cell)
            agents = self.sizes[cell.shape_key].agents
            largest[timed] = max(largest.get(timed, 0), agents)
            in_waves = cell.template.scheduler == "permutation" and not _calls_python(cell)
            if in_waves and LEAST_UNITS <= agents < LEAST_AGENTS:
                elections = sum(end - first for first, end in runs)
                small[timed] = small.get(timed, 0) + elections
            if _calls_python(cell) and agents >= self._agents(slowest.get(self._kind(cell))):
                slowest[self._kind(cell)] = cell
        for timed, agents in largest.items():
            warm_up(timed, agents)  # so that no election waits for the compiler
            self.paces[timed] = _pace(timed, small.get(timed, 0))
        for kind, cell in slowest.items():
            with cell.named():
                seconds, self.stuck[kind] = _try(cell, self._expected_rounds(cell))
            self.slow[kind] = seconds / self.sizes[cell.shape_key].particles

    def _agents(self, cell: Cell | None) -> int:
        return 0 if cell is None else self.sizes[cell.shape_key].agents

    def _kind(self, cell: Cell) -> object:
        """Return what the time of a round depends on, beside the shape, where Python is called."""
        faults = cell.template.faults
        return self.timed[cell.template], cell.scheduler_source, faults, cell.measures

    def _expected_rounds(self, cell: Cell) -> float:
        """Return about how many rounds an election takes in which nothing fails."""
        pace = self.paces[self.timed[cell.template]]
        # A particle alone has a boundary without length, and yet it is run.
        return max(1.0, pace.rounds * self.sizes[cell.shape_key].length)

    def seconds(self, cell: Cell) -> float:
        """Return about how long an election of a cell takes."""
        size, pace = self.sizes[cell.shape_key], self.paces[self.timed[cell.template]]
        rounds = self._expected_rounds(cell)
        if cell.template.faults:  # who waits for a crashed particle waits until the end
            limit = cell.template.round_limit(size.nodes, size.length) or rounds
            rounds += self.stuck[self._kind(cell)] * max(0.0, limit - rounds)
        if cell.template.max_rounds is not None:
            rounds = min(rounds, cell.template.max_rounds)
        if _calls_python(cell):
            return rounds * self.slow[self._kind(cell)] * size.particles
        # Under uniform, a round ends when the last particle has been activated.
        repeated = math.log(size.particles + 2) / 2 if cell.template.scheduler == "uniform" else 1
        busy, skipped = size.length, size.agents - size.length
        if cell.template.election.provides("memory", "ON_NODES", False):
            busy, skipped = size.nodes, 0
        units = busy * (UNCACHED if busy > CACHED else 1) + skipped * SKIPPED
        activations = rounds * units * repeated
        return pace.overhead(size) + activations * pace.seconds + size.particles * PARTICLE

    def total(self, plan: Plan) -> float:
        """Return about how long all elections of a plan take one after another."""
        return sum(
            (end - first) * self.seconds(cell) for cell, runs in plan.items() for first, end in runs
        )

    def wall_clock(self, plan: Plan, threads: int) -> float:
        """Return about how long all elections of a plan take on N threads."""
        interpreted = sum(
            (end - first) * self._interpreted(cell)
            for cell, runs in plan.items()
            for first, end in runs
        )
        return max(interpreted, self.total(plan) / threads)

    def _interpreted(self, cell: Cell) -> float:
        """Return for how long other threads wait for an election."""
        if _calls_python(cell):
            return self.seconds(cell)
        return self.paces[self.timed[cell.template]].overhead(self.sizes[cell.shape_key])

    def pieces(self, blocks: list[Block], seconds: Callable[[], float]) -> Iterator[Piece]:
        """Cut the missing elections into pieces that take about N seconds each.

        The longest elections come first, so that none is left alone at the end. The others keep
        the order of the plan, in which blocks are completed one after another.
        """
        first = sorted(
            (
                (self.seconds(cell), number, cell)
                for number, block in enumerate(blocks)
                for cell in dict.fromkeys(cell for cell, _ in block.cells)
                if self.seconds(cell) >= LONG
            ),
            key=lambda found: (-found[0], found[1]),
        )
        for _, number, cell in first:
            yield from self._cut(blocks[number], seconds, only=cell)
        for block in blocks:
            yield from self._cut(block, seconds)

    def _cut(
        self, block: Block, seconds: Callable[[], float], only: Cell | None = None
    ) -> Iterator[Piece]:
        """Cut what a block misses: one cell, or all that do not take long."""
        for cell, seeds in block.missing():
            each = self.seconds(cell)
            if cell == only if only is not None else each < LONG:
                size = max(1, int(seconds() / each))
                for first in range(0, len(seeds), size):
                    yield Piece(block, cell, seeds[first : first + size])


def _size(cell: Cell) -> Size:
    try:
        shape = make_shape(cell)
        system = build(shape)
    except ShapeError as error:
        drawn = f" (shape seed {cell.shape_seed})" if cell.shape_seed else ""
        raise PlanError(f"{error}{drawn}") from None
    return Size(len(shape), system.particles, system.agents, system.outer_boundary_length)


def _timed(cell: Cell) -> Options:
    """Return the options of the small elections from which a cell's time is estimated."""
    return cell.template.with_(scheduler="permutation", faults=(), max_rounds=ROUNDS)


def _calls_python(cell: Cell) -> bool:
    """Whether Python is called for every activation, or after every round."""
    return bool(cell.scheduler or cell.template.faults or cell.measures)


def _try(cell: Cell, expected: float) -> tuple[float, float]:
    """Begin a few elections in which Python is called, and time them.

    Return the seconds of a round, and which share is overdue: all, if none got as far.
    """
    shape, options = make_shape(cell), cell.options()
    ran = rounds = 0.0
    ended = overdue = 0
    for seed in range(TIMED):
        if ran >= TRIED:
            break
        simulation = Simulation.of(shape, options.with_(seed=seed))
        start = time.perf_counter()
        # How far this comes depends on the machine; an unfair scheduler is told when it is run.
        with suppress(StopIteration, SchedulerError):
            while time.perf_counter() < start + TRIED - ran and not simulation.finished:
                simulation.step(simulation.system.particles)
                if simulation.rounds >= OVERDUE * expected:
                    overdue += 1
                    break
        ended += simulation.finished
        ran += time.perf_counter() - start
        rounds += max(1, simulation.steps) / simulation.system.particles
    start = time.perf_counter()
    for name, measurement in cell.measurements.items():
        measurements.number(measurement, simulation, name)
    share = overdue / (ended + overdue) if ended + overdue else 1.0
    return ran / rounds + time.perf_counter() - start, share


def _pace(options: Options, small: int) -> Pace:
    """Run a few small elections; the fastest counts: the machine may do other things meanwhile.

    They are run as those of a plan are that has so many small ones.
    """
    best, rounds = float("inf"), 0
    alone = min(_row_seconds(options, 1) for _ in range(2 * TIMED))
    grouped = min(_row_seconds(options, 2 * TIMED) for _ in range(TIMED))
    elections = Elections(hexagon(2 if INTERPRETED else 10 if small else 20), options)
    elections.warm_up(small)
    count = min(16, elections.at_once) if small and not INTERPRETED else 1
    for number in range(TIMED):
        start = time.perf_counter()
        ends = list(elections.run(range(number * count, (number + 1) * count)))
        seconds = time.perf_counter() - start - count * (grouped if count > 1 else alone)
        total = sum(result.rounds for result, _ in ends)
        best = min(best, seconds / (max(1, total) * max(1, len(ends[0][1].watched_memory))))
        rounds += total
    length = ends[0][0].outer_boundary_length
    return Pace(rounds / (TIMED * count) / length, max(best, 1e-9), alone, grouped)


def _row_seconds(options: Options, elections: int) -> float:
    """Return how long it takes to run, and to write down, each of some very small elections."""
    cell = Cell("hexagon:1", 0, 0.0, options.with_(seed=0, rules=None))
    measured = MeasuredShape(hexagon(1), 6, 2, True)
    start = time.perf_counter()
    for row in run_rows(cell, range(elections), measured):
        json.dumps(row)
    return (time.perf_counter() - start) / elections
