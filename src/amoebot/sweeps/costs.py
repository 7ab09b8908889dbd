"""Roughly how long elections take: from the sizes of the shapes, and a few small elections."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from amoebot.sweeps.elections import make_shape
from amoebot.sweeps.plan import VARIANTS, Cell, Plan, PlanError
from amoebot.sweeps.store import Block
from amoebot.jit import INTERPRETED
from amoebot.shapes import ShapeError, hexagon
from amoebot.simulation import elect
from amoebot.system import build

#: Rounds in units of L, as measured; the exact number hardly matters here.
ROUNDS = 3.2

#: So many agents fit into the caches of a processor, roughly.
CACHED = 50_000

#: What the turn of an agent on an inner boundary, which is left out, costs beside another.
LEFT_OUT = 0.25

#: What an election costs before its first round, in seconds.
SETUP = 3e-4


@dataclass(frozen=True)
class Size:
    """What the time of an election depends on."""

    particles: int
    agents: int
    length: int


@dataclass(frozen=True)
class Piece:
    """Elections of one cell, to be run one after another: (number in the block, seed) each."""

    block: Block
    cell: Cell
    seeds: list[tuple[int, int]]


class Costs:
    """The sizes of a plan's shapes, and how fast this machine is."""

    def __init__(self, plan: Plan) -> None:
        """Build every shape once, which also refuses those that cannot be before work begins."""
        self.sizes: dict[tuple[str, int, float], Size] = {}
        for cell in plan.cells:
            if cell.ground not in self.sizes:
                self.sizes[cell.ground] = _size(cell)
        self.speeds = {variant: _speed(*VARIANTS[variant]) for variant in VARIANTS}

    def seconds(self, cell: Cell) -> float:
        """Return about how long an election of a cell takes."""
        size = self.sizes[cell.ground]
        rounds = ROUNDS * size.length
        if cell.max_rounds is not None:
            rounds = min(rounds, cell.max_rounds)
        # Under uniform, a round is over when the last one has had a turn.
        turns = math.log(size.particles + 2) / 2 if cell.scheduler == "uniform" else 1
        # Memories that no cache holds take longer to come by.
        far = 3 if size.length > CACHED else 1
        agents = size.length * far + (size.agents - size.length) * LEFT_OUT
        activations = rounds * agents * turns
        return SETUP + activations * self.speeds[cell.variant] + size.particles * 1e-7

    def total(self, plan: Plan) -> float:
        """Return about how long all elections of a plan take one after another."""
        return sum(
            (end - first) * self.seconds(cell) for cell, runs in plan.items() for first, end in runs
        )

    def pieces(self, blocks: list[Block], seconds: float) -> Iterator[Piece]:
        """Cut what is missing into pieces that take about so long."""
        for block in blocks:
            for cell, seeds in block.missing():
                size = max(1, int(seconds / self.seconds(cell)))
                for first in range(0, len(seeds), size):
                    yield Piece(block, cell, seeds[first : first + size])


def _size(cell: Cell) -> Size:
    try:
        system = build(make_shape(cell))
    except ShapeError as error:
        drawn = f" (shape seed {cell.shape_seed})" if cell.shape_seed else ""
        raise PlanError(f"{error}{drawn}") from None
    return Size(system.particles, system.agents, system.outer_boundary_length)


def _speed(almost_sure: bool, terminate: bool) -> float:
    """Return the seconds per activation of an agent."""
    shape = hexagon(2 if INTERPRETED else 20)
    best = float("inf")
    for seed in range(5):  # the fastest, because a machine that does other things is slower
        start = time.perf_counter()
        result = elect(shape, seed, almost_sure=almost_sure, terminate=terminate)
        best = min(best, (time.perf_counter() - start - SETUP) / (result.rounds * result.agents))
    return max(best, 1e-9)
