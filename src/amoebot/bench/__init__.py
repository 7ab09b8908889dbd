"""How fast it runs: every figure beside its limit, measured here and now."""

from __future__ import annotations

import time
from collections.abc import Iterator

from amoebot import batch
from amoebot.bench.figures import Figure
from amoebot.bench.inner_loop import ratios
from amoebot.bench.machine import machine
from amoebot.bench.scale import cost_of_a_round, costs
from amoebot.bench.startup import cold_starts, warm_starts
from amoebot.bench.throughput import throughput
from amoebot.bench.token_ring import rings, time_ring

__all__ = ["Figure", "machine", "measure", "warm_up"]

#: Seconds after which no further cold start is tried: the whole benchmark takes two minutes.
LATEST_COLD_START = 70


def warm_up() -> None:
    """Compile beforehand, so that no figure includes it."""
    batch.warm_up()
    for ring in rings().values():
        time_ring(2, 2, ring)


def measure(short: bool = False, cold: bool = True) -> Iterator[Figure]:
    """Measure one figure after another; in short form only to see that it can be done."""
    start = time.monotonic()
    if short:
        small = ("hexagon:4", "line:10", "annulus:4,2")
        yield from ratios(small, repeats=1, at_least=0, activations=2_000)
        yield from costs(("hexagon:3", "hexagon:6"), repeats=1)
        yield from cost_of_a_round("hexagon:4", "parallelogram:11,3", repeats=1)
        yield from throughput("hexagon:2", elections=4, repeats=1)
        yield from warm_starts(repeats=1)
        return
    yield from ratios(("hexagon:100", "line:2000", "annulus:60,30"))
    yield from costs(("hexagon:50", "hexagon:100", "hexagon:200", "hexagon:400", "hexagon:800"))
    yield from cost_of_a_round("hexagon:400", "parallelogram:1199,3")
    yield from throughput("hexagon:10")
    yield from warm_starts()
    if cold and time.monotonic() - start < LATEST_COLD_START:
        yield from cold_starts()
