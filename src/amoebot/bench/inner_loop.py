"""What an agent activation costs, as ratios to the bare token rings.

The inner loop is a run that has been set up; end to end is ``elect``, set-up included.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, product

from amoebot.algorithms import registry
from amoebot.batch import run_election
from amoebot.bench.figures import Figure, best, processor_seconds
from amoebot.bench.token_ring import rings, time_ring
from amoebot.options import Options
from amoebot.results import Result
from amoebot.shapes import Shape, parse
from amoebot.simulation import Simulation

#: The limits of the ratios for the least variant of the default election, and for its defaults.
LIMITS = {"inner loop": ("at most 5", "at most 9"), "end to end": ("at most 2", "at most 3")}


def variants() -> dict[str, Options]:
    """Return what is measured: the first variant of the default election, and its defaults."""
    first = registry.presets_of(registry.DEFAULT)[0]
    return {first.name: Options(own=dict(first.values)), "default": Options()}


def ratios(
    names: tuple[str, ...], repeats: int = 5, at_least: float = 5.0, activations: int = 10_000_000
) -> Iterator[Figure]:
    """Measure elections and the rings alternately, on each shape."""
    timers = {"inner loop": time_run, "end to end": time_election}
    for shape in map(parse, names):
        agents = Simulation(shape).system.agents
        seed = next(s for s in count() if all(elects(shape, s, o) for o in variants().values()))
        bare = {
            unit: partial(time_ring, agents, activations, ring) for unit, ring in rings().items()
        }
        elections = {
            (part, name, limit): partial(timers[part], shape, options.with_(seed=seed))
            for part, limits in LIMITS.items()
            for (name, options), limit in zip(variants().items(), limits, strict=True)
        }
        times = best(*bare.values(), *elections.values(), repeats=repeats, at_least=at_least)
        of_rings = zip(bare, times[: len(bare)], strict=True)
        of_elections = zip(elections, times[len(bare) :], strict=True)
        for ((part, name, limit), nanoseconds), (unit, ring) in product(of_elections, of_rings):
            yield Figure(
                part,
                f"{name}, {shape.name}",
                nanoseconds / ring,
                f"× {unit}",
                limit,
                f"{nanoseconds:.1f} ns, {unit} {ring:.2f} ns",
            )


def elects(shape: Shape, seed: int, options: Options) -> bool:
    """Whether a seed gives a leader: only if it does for all variants are they comparable."""
    return run_election(shape, options.with_(seed=seed)).outcome == "leader"


def time_run(shape: Shape, options: Options) -> float:
    """Return nanoseconds per agent activation of a run that has been set up."""
    simulation = Simulation.of(shape, options)
    return per_activation(processor_seconds(simulation.run), simulation.result())


def time_election(shape: Shape, options: Options) -> float:
    """Return nanoseconds per agent activation of an election, set-up included."""
    results: list[Result] = []
    spent = processor_seconds(lambda: results.append(run_election(shape, options)))
    return per_activation(spent, results[0])


def per_activation(seconds: float, result: Result) -> float:
    """Return nanoseconds for each agent in each round until the election."""
    return seconds / (result.rounds * result.agents) * 1e9
