"""The inner loop: nanoseconds per agent activation, as ratios to the bare token ring."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from amoebot.bench.figures import Figure, best, processor_seconds
from amoebot.bench.token_ring import time_ring
from amoebot.shapes import Shape, parse
from amoebot.simulation import Simulation, elect

#: What is measured: whether both variants of the appendix run too, and the limit of the ratio.
VARIANTS = {"Section 2": (False, "at most 5"), "default": (True, "at most 9")}


def ratios(
    names: tuple[str, ...], repeats: int = 5, at_least: float = 5.0, activations: int = 10_000_000
) -> Iterator[Figure]:
    """Measure elections and the ring in turn, on each shape."""
    for shape in map(parse, names):
        seed = next(s for s in count() if section_2_elects(shape, s))
        agents = Simulation(shape).system.agents
        ring, *elections = best(
            lambda agents=agents: time_ring(agents, activations),  # type: ignore[misc]
            *(
                lambda shape=shape, seed=seed, both=both: time_election(shape, seed, both)
                for both, _ in VARIANTS.values()
            ),
            repeats=repeats,
            at_least=at_least,
        )
        for (variant, (_, limit)), nanoseconds in zip(VARIANTS.items(), elections, strict=True):
            yield Figure(
                "inner loop",
                f"{variant}, {shape.name}",
                nanoseconds / ring,
                "× ring",
                limit,
                f"{nanoseconds:.1f} ns, ring {ring:.2f} ns",
            )


def section_2_elects(shape: Shape, seed: int) -> bool:
    """Whether Section 2 alone has a leader with this seed: only then are all runs comparable."""
    return elect(shape, seed, almost_sure=False, terminate=False).outcome == "leader"


def time_election(shape: Shape, seed: int, both: bool) -> float:
    """Return nanoseconds per agent activation of a whole election, its termination included."""
    simulation = Simulation(shape, seed, almost_sure=both, terminate=both)
    spent = processor_seconds(simulation.run)
    result = simulation.result()
    return spent / (result.rounds * result.agents) * 1e9
