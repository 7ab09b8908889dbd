"""The termination message: it spreads as in a flood, under every scheduler."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from statistics import fmean, stdev

import pytest

from amoebot import Simulation, shapes
from amoebot.engine_runs import new_run
from amoebot.jit import INTERPRETED
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import System, build
from helpers import naive
from helpers.full import FULL
from helpers.naive_run import along_boundaries

SOLID = ["hexagon:4", "annulus:6,2", "labyrinth:5", "comb:4,6", "random:80,2"]


def assert_same_mean(one: list[float], other: list[float]) -> None:
    """Compare paired samples; chance fails this once in a hundred million times."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    error = stdev(differences) / len(differences) ** 0.5
    assert abs(fmean(differences)) < 5.7 * error, (fmean(one), fmean(other), error)


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
        system, leader = simulation.system, simulation.leader_particle
        assert result.rounds_terminated is not None
        assert leader is not None
        order = list(range(system.particles))
        if scheduler != "round-robin":
            agents = system.particle.tolist()
            order = along_boundaries(agents, system.particles, scheduler == "against-cycle")
        # The leader has been activated in its round, and so have those before it.
        told_so_far = order[order.index(leader) + 1 :]
        orders = itertools.chain([told_so_far], itertools.repeat(order))
        flood = naive.flood(system, leader, orders)
        assert result.rounds_terminated - result.rounds == flood - 1


@pytest.mark.paper("Appendix A.2")
@pytest.mark.parametrize("text", SOLID)
def test_the_adversary_lets_the_message_move_by_one_bond_a_round_and_nobody_is_slower(
    text: str,
) -> None:
    """Once it knew only tokens, and ``permutation`` took longer than it did."""
    for seed, scheduler in enumerate(naive.SCHEDULERS):
        shape = shapes.parse(text)
        if seed % 2:
            shape = shape.with_expanded(0.5, seed)
        simulation = Simulation(shape, seed, scheduler)
        result = simulation.run(naive.TOO_LONG)
        assert result.rounds_terminated is not None
        assert simulation.leader_particle is not None
        took = result.rounds_terminated - result.rounds
        farthest = 1 + distance_to_the_last(simulation.system, simulation.leader_particle)
        assert took == farthest if scheduler == "adversarial" else took <= farthest


def distance_to_the_last(system: System, leader: int) -> int:
    """Return how many bonds there are from the leader to the particle farthest from it."""
    told, distance = {leader}, -1
    latest = told
    around, of_node = system.neighbouring_particles(), system.particle_of_node
    while latest:
        distance += 1
        nodes = [node for node in range(len(of_node)) if of_node[node] in latest]
        latest = {int(one) for one in around[nodes].ravel() if one >= 0} - told
        told |= latest
    return distance


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("text", ["hexagon:3", "hexagon:6", "labyrinth:4"])
def test_the_message_spreads_in_random_order_as_in_a_naive_flood(text: str) -> None:
    shape = shapes.parse(text)
    waves: list[float] = []
    floods: list[float] = []
    for seed in range(10_000 if FULL else 1_500):
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


# Under the uniform scheduler, against picks among all particles.


def flood_by_picks(
    neighbours: list[set[int]], leader: int, activated: set[int], rounds: int, draw: random.Random
) -> int:
    """Return after how many rounds everyone has terminated, picking particles at random.

    ``rounds`` have passed since that of the leader, and ``activated`` were picked in the next.
    """
    informed, done, picked = {leader}, set[int](), set(activated)
    while len(done) < len(neighbours):
        if len(picked) == len(neighbours):
            rounds, picked = rounds + 1, set()
        particle = draw.randrange(len(neighbours))
        picked.add(particle)
        if particle in informed and particle not in done:
            informed |= neighbours[particle]
            done.add(particle)
    return rounds


def neighbours_of(shape: Shape) -> list[set[int]]:
    """Return the neighbours of each particle of a shape without expanded ones."""
    return [{int(other) for other in row if other >= 0} for row in shape.neighbours]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.paper("Appendix A.2")
@pytest.mark.parametrize("radius", [1, 2, 3])
def test_the_message_spreads_as_by_independent_picks(radius: int) -> None:
    # A round that ended one activation early took 1.52 rounds on average where picks take 1.34,
    # and one that took the end of the round before for its own 1.41.
    shape = shapes.hexagon(radius)
    system, neighbours, draw = build(shape), neighbours_of(shape), random.Random(radius)
    waves: list[float] = []
    floods: list[float] = []
    for seed in range(100_000 if FULL else (4_000, 8_000, 4_000)[radius - 1]):
        options = Options(seed, "uniform", own={"almost_sure": False, "radix": 256})
        run = new_run(system, options, "uniform")
        run.advance()
        if run.outcome != "leader":
            continue
        assert run.leader is not None
        passed = run.rounds + 1 - int(run.watch.leader_declared)
        activated = run.activated_this_round()
        floods.append(flood_by_picks(neighbours, run.leader, activated, passed, draw))
        run.advance()
        waves.append(int(run.watch.all_terminated - run.watch.leader_declared))
    assert stdev(waves) / len(waves) ** 0.5 < 0.012
    assert_same_mean(waves, floods)
    assert_same_mean(*([wave**2 for wave in sample] for sample in (waves, floods)))


def by_naive_picks(shape: Shape, seed: int) -> Simulation:
    draw, everyone = random.Random(seed), shape.particles
    schedule = ([draw.randrange(everyone) for _ in range(500)] for _ in itertools.count())
    return Simulation(shape, seed, schedule, almost_sure=False)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("radius", [2, 3])
def test_uniform_elections_are_those_of_picks_among_all(radius: int) -> None:
    shape = shapes.hexagon(radius)
    runs = 10_000 if FULL else (1_500 if radius == 2 else 600)
    rounds: tuple[list[float], list[float]] = ([], [])
    waves: tuple[list[float], list[float]] = ([], [])
    for seed in range(runs):
        named = Simulation(shape, seed, "uniform", almost_sure=False)
        naively = by_naive_picks(shape, seed)
        for simulation, took, wave in zip((named, naively), rounds, waves, strict=True):
            result = simulation.run(naive.TOO_LONG)
            assert (result.rounds_terminated is not None) == (result.outcome == "leader")
            if result.rounds_terminated is not None:
                took.append(result.rounds)
                wave.append(result.rounds_terminated - result.rounds)
    assert_same_mean(*rounds)
    assert_same_mean(*waves)
