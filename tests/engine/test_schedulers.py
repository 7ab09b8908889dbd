"""Who is activated when: the orders of rounds, and the laws that they follow."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from amoebot import Simulation, elect, shapes
from amoebot.engine import names
from amoebot.engine.schedulers import UNIT, sort_by_time
from amoebot.errors import SchedulerError
from amoebot.shapes import Shape
from helpers import naive, naive_run
from helpers.full import FULL
from helpers.naive import SCHEDULERS
from helpers.unhurried import unhurried

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)])
ORDERED = [name for name in SCHEDULERS if name != "uniform"]


def rounds_of(shape: Shape, seed: int, scheduler: str, count: int) -> list[list[int]]:
    """Return who is activated in each of the first rounds, of those that have agents."""
    simulation = Simulation(shape, seed, scheduler, terminate=False)
    found: list[list[int]] = []
    while simulation.rounds < count:
        if simulation.position == 0:
            found.append([])
        simulation.step()
        assert simulation.latest is not None
        found[-1].append(simulation.latest)
    return found


def test_all_schedulers_are_known_by_name() -> None:
    assert tuple(names.SCHEDULERS) == SCHEDULERS
    assert [names.check_scheduler(name) for name in SCHEDULERS] == [*SCHEDULERS]
    with pytest.raises(SchedulerError, match="no scheduler 'fair': choose from permutation, uni"):
        names.check_scheduler("fair")


# Fixed orders.


@pytest.mark.parametrize("shape", [shapes.line(5), STAR, shapes.annulus(2, 1)])
def test_fixed_orders(shape: Shape) -> None:
    particles = list(range(shape.particles))
    assert rounds_of(shape, 1, "round-robin", 3) == 3 * [particles]
    (along,) = rounds_of(shape, 1, "with-cycle", 1)
    assert sorted(along) == particles
    assert rounds_of(shape, 1, "against-cycle", 3) == 3 * [along[::-1]]
    # Along the outer boundary: each particle where its first agent is.
    system = Simulation(shape).system
    first = [min(system.agents_of(particle)) for particle in along]
    assert first == sorted(first)


def test_the_adversary_delays_the_election() -> None:
    shape = shapes.hexagon(6)
    rounds = {
        scheduler: [
            elect(
                shape, seed, scheduler, almost_sure=False, terminate=False, max_rounds=20_000
            ).rounds
            for seed in range(8)
        ]
        for scheduler in SCHEDULERS
    }
    slowest = fmean(rounds.pop("adversarial"))
    assert slowest >= max(fmean(others) for others in rounds.values())


# A random order. Its law is that of the times, which test_rng looks into.


@pytest.mark.paper("Section 1.1")
@pytest.mark.parametrize("scheduler", ORDERED)
def test_everyone_is_activated_once_in_each_round(scheduler: str) -> None:
    for seed in range(6):
        shape = naive.some_shape(seed, 4, 25, expanded=seed % 2 == 0)
        system = Simulation(shape, seed).system
        everyone = [p for p in range(system.particles) if system.agents_of(p)]
        for order in rounds_of(shape, seed, scheduler, 20):
            assert sorted(order) == everyone


@pytest.mark.parametrize("text", ["line:6", "hexagon:2", "annulus:3,1"])
def test_the_order_of_a_round_is_that_of_the_times_of_its_particles(text: str) -> None:
    shape = shapes.parse(text)
    first = Simulation(shape).system.first_agent
    for seed in (0, 1, 2**64 - 1):
        for number, order in enumerate(rounds_of(shape, seed, "permutation", 8), start=1):
            expected = naive_run.permutation(seed, number, shape.particles)
            assert order == [particle for _, particle in expected if first[particle] >= 0]


def test_permutation_draws_a_new_order_each_round() -> None:
    seen = {
        tuple(order)
        for seed in range(3)
        for order in rounds_of(shapes.line(6), seed, "permutation", 4)
    }
    assert len(seen) == 12


@st.composite
def keys_and_room(draw: st.DrawFn) -> list[int]:
    """Draw keys of a unit of time: spread, crowded, or equal."""
    most = draw(st.sampled_from((1, 1000, UNIT)))
    times = draw(st.lists(st.integers(0, most - 1), max_size=60))
    late = UNIT - most if draw(st.booleans()) else 0
    return [(time + late) << 32 | place for place, time in enumerate(times)]


@unhurried
@given(keys_and_room())
def test_keys_are_sorted_by_time_and_then_by_place(keys: list[int]) -> None:
    random.Random(len(keys)).shuffle(keys)
    given_keys = np.array(keys, dtype=np.uint64)
    order = np.zeros(len(keys), dtype=np.uint64)
    sort_by_time(given_keys, len(keys), np.zeros(len(keys) + 1, dtype=np.int32), order)
    assert order.tolist() == sorted(keys)
    assert given_keys.tolist() == keys


# Independent uniform picks, as ticks of clocks. What the engine activates is compared with these
# clocks activation by activation in test_sequential; here, the clocks are compared with picks.

#: Particles, and those of them that have agents: hexagon:1, hexagon:2, line:4.
SYSTEMS = {
    7: {0, 1, 2, 4, 5, 6},
    19: {0, 1, 2, 3, 6, 7, 11, 12, 15, 16, 17, 18},
    4: {0, 1, 2, 3},
}
LEAST = 1e-6


@cache
def picks(particles: int, seed: int = 1) -> tuple[list[int], ...]:
    """Return whose clocks tick in each of many rounds."""
    total = 1_500_000 if FULL else 150_000
    rounds = int(total / (particles * sum(1 / k for k in range(1, particles + 1))))
    return tuple(
        [who for _, who in naive_run.uniform(seed, number, particles, SYSTEMS[particles])]
        for number in range(1, rounds + 1)
    )


def chances_of_lengths(particles: int, most: int) -> list[float]:
    """Return how likely it takes 0, 1, 2, … picks until everyone has been picked."""
    seen = np.zeros(particles + 1)
    seen[0] = 1
    done = []
    for _ in range(most):
        done.append(seen[-1])
        new = np.arange(particles + 1) / particles
        seen = seen * new + np.append(0, (seen * (1 - new))[:-1])
    return [float(chance) for chance in np.diff(done, prepend=0)]


def assert_as_likely(counted: Counter[int], chances: list[float]) -> None:
    """Compare how often each number came up with how likely it is; rare ones count together."""
    total = counted.total()
    observed, expected = [0.0], [0.0]
    for number, chance in enumerate(chances):
        observed[-1] += counted[number]
        expected[-1] += total * chance
        if expected[-1] >= 20:
            observed.append(0)
            expected.append(0)
    observed[-1] += sum(count for number, count in counted.items() if number >= len(chances))
    expected[-1] += total - sum(expected)
    if expected[-1] < 20:
        observed[-2:], expected[-2:] = [sum(observed[-2:])], [sum(expected[-2:])]
    assert stats.chisquare(observed, expected).pvalue > LEAST


@pytest.mark.parametrize("particles", SYSTEMS)
class TestUniform:
    def test_a_round_ends_when_everyone_has_been_picked(self, particles: int) -> None:
        for picked in picks(particles):
            assert set(picked) == set(range(particles))
            assert picked[-1] not in picked[:-1]

    def test_everyone_is_picked_equally_often(self, particles: int) -> None:
        counted = Counter(who for picked in picks(particles) for who in picked)
        assert stats.chisquare([counted[p] for p in range(particles)]).pvalue > LEAST

    def test_a_pick_says_nothing_about_the_next(self, particles: int) -> None:
        sequence = np.array([who for picked in picks(particles) for who in picked])
        for apart in (1, 2, 3):
            pairs = sequence[apart:] * particles + sequence[:-apart]
            counts = np.bincount(pairs, minlength=particles**2)
            assert stats.chisquare(counts).pvalue > LEAST

    def test_the_waiting_time_of_a_particle_is_geometric(self, particles: int) -> None:
        latest: dict[int, int] = {}
        waits: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
        sequence = (who for picked in picks(particles) for who in picked)
        for now, who in enumerate(sequence):
            if who in latest:
                waits[who in SYSTEMS[particles]][now - latest[who]] += 1
            latest[who] = now
        chance = 1 / particles
        chances = [0.0] + [chance * (1 - chance) ** wait for wait in range(60 * particles)]
        for counted in waits.values():  # with agents, and without
            if counted:
                assert_as_likely(counted, chances)

    def test_a_round_has_as_many_picks_as_it_takes(self, particles: int) -> None:
        chances = chances_of_lengths(particles, 100 * particles)
        assert_as_likely(Counter(map(len, picks(particles))), chances)

    def test_everyone_is_equally_likely_to_be_picked_last(self, particles: int) -> None:
        counted = Counter(picked[-1] for picked in picks(particles))
        assert stats.chisquare([counted[p] for p in range(particles)]).pvalue > LEAST

    def test_successive_rounds_and_neighbouring_seeds_are_independent(self, particles: int) -> None:
        lengths, others = (np.array([len(p) for p in picks(particles, seed)]) for seed in (1, 2))
        limits = np.quantile(lengths, (0.2, 0.4, 0.6, 0.8))
        lengths, others = np.digitize(lengths, limits), np.digitize(others, limits)
        for one, other in ((lengths[1:], lengths[:-1]), (lengths, others)):
            table = np.bincount(5 * one + other, minlength=25).reshape(5, 5)
            assert stats.chi2_contingency(table).pvalue > LEAST


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["hexagon:1", "hexagon:2", "line:4"])
def test_uniform_activates_as_many_as_independent_picks_among_all(text: str) -> None:
    shape = shapes.parse(text)
    on_boundary = SYSTEMS[shape.particles]
    first = Simulation(shape).system.first_agent
    assert on_boundary == set(np.flatnonzero(first >= 0).tolist())
    runs = 40_000 if FULL else 4_000
    draw = random.Random(text)
    naive_picks = []
    for _ in range(runs):
        unseen, count = set(range(shape.particles)), 0
        while unseen:
            particle = draw.randrange(shape.particles)
            unseen.discard(particle)
            count += particle in on_boundary
        naive_picks.append(count)
    simulation = Simulation(shape, 1, "uniform", almost_sure=True, terminate=False)
    counts = []
    for _ in range(runs):
        before, rounds = simulation.activations, simulation.rounds
        while simulation.rounds == rounds:
            simulation.round()
        counts.append(simulation.activations - before)
    assert stats.ks_2samp(counts, naive_picks).pvalue > LEAST
    assert abs(fmean(counts) - fmean(naive_picks)) < 5.7 * np.hypot(
        stats.sem(counts), stats.sem(naive_picks)
    )
