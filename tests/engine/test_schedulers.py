"""Who is activated when: the orders of rounds, and what is skipped without a trace."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from statistics import fmean, stdev

import numpy as np
import pytest

from amoebot import Simulation, elect, engine, shapes
from amoebot.jit import INTERPRETED
from amoebot.shapes import Shape
from amoebot.system import System
from helpers import looking, naive
from helpers.naive import FULL, SCHEDULERS

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)])
ORDERED = [name for name in SCHEDULERS if name != "uniform"]
compiled = pytest.mark.skipif(INTERPRETED, reason="too long without the compiler")


def first_round(shape: Shape, seed: int, scheduler: str) -> list[int]:
    """Return the particles in the order in which they start."""
    simulation = Simulation(shape, seed, scheduler)
    order = []
    while len(order) < simulation.system.particles:
        before = looking.started(simulation.memory).copy()
        simulation.step()
        now = np.flatnonzero(looking.started(simulation.memory) & ~before)
        order += sorted({int(simulation.system.particle[agent]) for agent in now})
    return order


def test_all_schedulers_are_known_by_name() -> None:
    assert tuple(engine.SCHEDULERS) == SCHEDULERS


@pytest.mark.parametrize("shape", [shapes.line(5), STAR, shapes.annulus(2, 1)])
def test_fixed_orders(shape: Shape) -> None:
    particles = list(range(shape.particles))
    assert first_round(shape, 1, "round-robin") == particles
    along = first_round(shape, 1, "with-cycle")
    assert sorted(along) == particles
    assert first_round(shape, 1, "against-cycle") == along[::-1]
    # Along the outer boundary: each particle where its first agent is.
    system = Simulation(shape).system
    first = [min(system.agents_of(particle)) for particle in along]
    assert first == sorted(first)


@compiled
def test_permutation_is_uniform_over_all_orders() -> None:
    runs = 12_000
    orders = Counter(tuple(first_round(STAR, seed, "permutation")) for seed in range(runs))
    assert len(orders) == 24
    expected = runs / 24
    statistic = sum((count - expected) ** 2 / expected for count in orders.values())
    assert statistic < 75  # chi square with 23 degrees of freedom: once in four million times


def test_permutation_draws_a_new_order_each_round() -> None:
    seen = set()
    for shape_seed in range(3):
        simulation = Simulation(shapes.line(6), shape_seed)
        for _ in range(4):
            seen.add(tuple(orders_of(simulation)))
    assert len(seen) == 12


def orders_of(simulation: Simulation) -> list[int]:
    """Run a round that has just begun; return its order as first agents."""
    simulation.round()
    return simulation._state.order.tolist()


@pytest.mark.paper("Section 1.1")
@pytest.mark.parametrize("scheduler", ORDERED)
def test_everyone_has_one_turn_in_each_round(scheduler: str) -> None:
    for seed in range(6):
        simulation = Simulation(naive.some_shape(seed, 4, 25), seed, scheduler, terminate=False)
        first = simulation.system.first_agent
        everyone = sorted(first[first >= 0].tolist())
        while not simulation.finished:
            activations = simulation.activations
            simulation.step()
            simulation.round()
            assert simulation.activations == activations + len(everyone)
            assert sorted(simulation._state.order.tolist()) == everyone


def test_the_adversary_delays_the_election() -> None:
    shape = shapes.hexagon(6)
    options = {"almost_sure": False, "terminate": False, "max_rounds": naive.TOO_LONG}
    rounds = {
        scheduler: [elect(shape, seed, scheduler, **options).rounds for seed in range(8)]
        for scheduler in SCHEDULERS
    }
    slowest = fmean(rounds.pop("adversarial"))
    assert slowest >= max(fmean(others) for others in rounds.values())


# The uniform scheduler skips particles without agents; the naive one picks among all.


def uniform_picks(particles: int, seed: int) -> Iterator[int]:
    draw = random.Random(seed)
    while True:
        yield draw.randrange(particles)


def by_naive_picks(shape: Shape, seed: int, terminate: bool) -> Simulation:
    schedule = uniform_picks(shape.particles, seed)
    return Simulation(shape, seed, schedule, almost_sure=False, terminate=terminate)


def assert_same_mean(one: list[float], other: list[float]) -> None:
    """Compare paired samples; chance fails this once in a hundred million times."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    error = stdev(differences) / len(differences) ** 0.5
    assert abs(fmean(differences)) < 5.7 * error, (fmean(one), fmean(other), error)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("radius", [2, 3])
def test_uniform_rounds_are_those_of_picks_among_all(radius: int) -> None:
    shape = shapes.hexagon(radius)
    runs = 3_000 if FULL else (200 if radius == 2 else 80)
    rounds: tuple[list[float], list[float]] = ([], [])
    waves: tuple[list[float], list[float]] = ([], [])
    for seed in range(runs):
        named = Simulation(shape, seed, "uniform", almost_sure=False)
        naively = by_naive_picks(shape, seed, terminate=True)
        for simulation, took, wave in zip((named, naively), rounds, waves, strict=True):
            result = simulation.run(naive.TOO_LONG)
            assert (result.rounds_terminated is not None) == (result.outcome == "leader")
            if result.rounds_terminated is not None:
                took.append(result.rounds)
                wave.append(result.rounds_terminated - result.rounds)
    assert_same_mean(*rounds)
    assert_same_mean(*waves)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("text", ["hexagon:1", "hexagon:2", "hexagon:3", "line:4"])
def test_uniform_rounds_have_as_many_picks_as_among_all(text: str) -> None:
    shape = shapes.parse(text)
    first = Simulation(shape).system.first_agent
    runs = 20_000 if FULL else 4_000
    draw = random.Random(text)
    naive_picks: list[float] = []
    for _ in range(runs):
        unseen, picks = set(range(shape.particles)), 0
        while unseen:
            particle = draw.randrange(shape.particles)
            unseen.discard(particle)
            picks += bool(first[particle] >= 0)
        naive_picks.append(picks)
    simulation = Simulation(shape, 1, "uniform", almost_sure=True, terminate=False)
    picks = []
    for _ in range(runs):
        before = simulation.activations
        while simulation.rounds < len(picks) + 1:
            simulation.round()
        picks.append(float(simulation.activations - before))
    assert_same_mean(picks, naive_picks)
    assert_same_mean([pick**2 for pick in picks], [pick**2 for pick in naive_picks])


# The termination message: only those who hold it are looked at; the naive flood looks at all.


def fixed_order(system: System, scheduler: str) -> list[int]:
    """Return the order of all particles: those without agents come last."""
    order = list(dict.fromkeys(system.particle.tolist()))
    if scheduler == "round-robin":
        order.sort()
    elif scheduler == "against-cycle":
        order.reverse()
    return order + [p for p in range(system.particles) if p not in set(order)]


SOLID = ["hexagon:4", "annulus:6,2", "labyrinth:5", "comb:4,6", "random:80,2"]


@pytest.mark.paper("Appendix A.2")
@pytest.mark.parametrize("text", SOLID)
@pytest.mark.parametrize("scheduler", ["round-robin", "with-cycle", "against-cycle"])
def test_the_message_spreads_as_in_a_naive_flood(scheduler: str, text: str) -> None:
    for seed in range(3 if INTERPRETED else 12):
        shape = shapes.parse(text)
        if seed % 2:
            shape = shape.with_expanded(0.5, seed)
        simulation = Simulation(shape, seed, scheduler)
        result = simulation.run(naive.TOO_LONG)
        assert result.rounds_terminated is not None
        assert simulation.leader_particle is not None
        orders = itertools.repeat(fixed_order(simulation.system, scheduler))
        flood = naive.flood(simulation.system, simulation.leader_particle, orders)
        assert result.rounds_terminated - result.rounds == flood


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("text", ["hexagon:3", "hexagon:6", "labyrinth:4"])
def test_the_message_spreads_in_random_order_as_in_a_naive_flood(text: str) -> None:
    shape = shapes.parse(text)
    waves: list[float] = []
    floods: list[float] = []
    for seed in range(3_000 if FULL else 400):
        simulation = Simulation(shape, seed, "permutation")
        result = simulation.run(naive.TOO_LONG)
        assert result.rounds_terminated is not None
        assert simulation.leader_particle is not None
        waves.append(result.rounds_terminated - result.rounds)
        orders = shuffles(shape.particles, seed)
        floods.append(naive.flood(simulation.system, simulation.leader_particle, orders))
    assert_same_mean(waves, floods)
    squares = [[wave**2 for wave in sample] for sample in (waves, floods)]
    assert_same_mean(*squares)


def shuffles(particles: int, seed: int) -> Iterator[list[int]]:
    draw = random.Random(seed)
    while True:
        yield draw.sample(range(particles), particles)
