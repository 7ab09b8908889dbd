"""How the cost grows: set-up with the particles n, the election with the square of L."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from amoebot.bench.figures import Figure, best, processor_seconds
from amoebot.bench.inner_loop import variants
from amoebot.shapes import parse
from amoebot.simulation import Simulation


def costs(names: tuple[str, ...], repeats: int = 2) -> Iterator[Figure]:
    """Measure set-up and election on shapes whose n and L grow."""
    for name in names:
        (set_up,) = best(partial(time_set_up, name), repeats=repeats)
        simulation = Simulation(parse(name))
        particles, length = simulation.system.particles, simulation.system.outer_boundary_length
        election = processor_seconds(simulation.run)
        yield Figure(
            "set-up",
            f"{name}, {particles:,} particles",
            set_up,
            "s",
            "linear in n",
            f"{set_up / particles * 1e9:.0f} ns per particle",
        )
        yield Figure(
            "election",
            f"{name}, L = {length:,}",
            election,
            "s",
            "quadratic in L",
            f"{election / length**2 * 1e9:.0f} ns per L², "
            f"{simulation.result().rounds / length:.2f} L rounds",
        )


def time_set_up(name: str) -> float:
    """Return the seconds before the first activation.

    The shape is generated and checked to be connected, the boundaries are found, and everything
    is laid out in arrays.
    """
    return processor_seconds(lambda: Simulation(parse(name)))


def cost_of_a_round(solid: str, thin: str, repeats: int = 3) -> Iterator[Figure]:
    """Compare two shapes with outer boundaries of the same length, one with far more particles."""
    systems = [Simulation(parse(name)).system for name in (solid, thin)]
    assert systems[0].outer_boundary_length == systems[1].outer_boundary_length
    times = best(*(partial(time_round, name) for name in (solid, thin)), repeats=repeats)
    more = systems[0].particles / systems[1].particles
    yield Figure(
        "election",
        f"a round, {more:.0f} × the particles",
        times[0] / times[1],
        "×",
        "1: the same",
        f"{solid} / {thin}, L = {systems[0].outer_boundary_length:,} both",
    )


def time_round(name: str) -> float:
    """Return the seconds that a round takes, on average over a run of the least variant."""
    simulation = Simulation.of(parse(name), next(iter(variants().values())))
    return processor_seconds(simulation.run) / simulation.rounds
