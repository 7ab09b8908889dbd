"""Whole elections by the algorithm of Section 2: who wins, who never does, how long it takes."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from statistics import median

import numpy as np
import pytest

from amoebot import Simulation, elect, shapes
from amoebot.shapes import Shape
from amoebot.system import build
from helpers import looking, naive
from helpers.full import FULL
from helpers.naive import SCHEDULERS

pytestmark = pytest.mark.compiled

RUNS = 5_000 if FULL else 400  # for each scheduler, with and without expanded particles


def section_2(shape: Shape, seed: int, **options: object) -> Simulation:
    return Simulation(shape, seed, almost_sure=False, terminate=False, **options)  # type: ignore[arg-type]


@pytest.mark.paper("Section 1.3", "Theorem 1")
@pytest.mark.slow
@pytest.mark.parametrize("expanded", [False, True], ids=["contracted", "expanded"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_highest_identifier_wins_and_nobody_else_ever_does(
    scheduler: str, expanded: bool
) -> None:
    draw = random.Random(f"{scheduler} {expanded}")
    outcomes: Counter[str] = Counter()
    for _ in range(RUNS):
        seed, radix = draw.randrange(2**64), draw.choice((2, 3, 5, 8, 16))
        most = draw.choice((4, 20, 60))
        shape = naive.some_shape(draw.randrange(2**32), 2, most, expanded)
        simulation = section_2(shape, seed, scheduler=scheduler, radix=radix)
        system = simulation.system
        expected = naive.winner(*naive.coins(system, seed, radix))
        result = simulation.run(naive.TOO_LONG)
        outcomes[result.outcome] += 1
        story = f"{shape.nodes.tolist()}, {shape.expanded.tolist()}, seed={seed}, radix={radix}"
        if isinstance(expected, str):
            assert result.outcome == expected, story
            assert result.leader is None, story
        else:
            assert result.outcome == "leader", story
            assert simulation.leader_particle == system.particle[expected], story
            assert result.leader == system.nodes_of(int(system.particle[expected])), story
        winners = looking.leaders(simulation.memory)
        assert len(winners) == (result.outcome == "leader"), story
        # Run on long after, and nobody else ever declares; on a failed boundary nobody does.
        simulation.goto(simulation.rounds + 10 * system.outer_boundary_length)
        assert looking.leaders(simulation.memory) == winners, story
    assert outcomes["leader"] > RUNS // 2
    assert outcomes["no-candidates"] > 0
    assert outcomes["tied-identifiers"] > 0


@pytest.mark.paper("Section 1.3")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_failed_election_never_has_a_leader(scheduler: str) -> None:
    failures = 0
    for seed in range(60):
        simulation = section_2(shapes.line(3), seed, scheduler=scheduler, radix=2)
        if simulation.run(naive.TOO_LONG).outcome != "leader":
            failures += 1
            simulation.goto(2_000)
            assert looking.leaders(simulation.memory) == []
    assert failures > 0


def test_the_round_limit_is_an_outcome() -> None:
    result = elect(shapes.hexagon(5), seed=1, almost_sure=False, terminate=False, max_rounds=20)
    assert (result.outcome, result.leader, result.rounds) == ("round-limit", None, 20)
    assert result.rounds_terminated is None


# The lengths of the outer boundaries lie between 50 and a few thousand.
LONG = [
    "line:27",
    "hexagon:9",
    "tree:40",
    "annulus:12,6",
    "line:150",
    "hexagon:60",
    "tree:150",
    "annulus:50,40",
    "line:600",
    "hexagon:200",
    "tree:600",
    "annulus:100,97",
    *(["line:2500", "hexagon:830", "tree:2400", "annulus:830,826"] if FULL else []),
]


@pytest.mark.paper("Theorem 2")
@pytest.mark.slow
@pytest.mark.parametrize("text", LONG)
def test_an_election_takes_about_three_rounds_for_each_agent_of_the_outer_boundary(
    text: str,
) -> None:
    shape = shapes.parse(text)
    ratios = []
    for seed in itertools.count():
        result = elect(shape, seed=seed, almost_sure=False, terminate=False)
        if result.outcome == "leader":
            ratios.append(result.rounds / result.outer_boundary_length)
        if len(ratios) == (15 if FULL else 7):
            break
    length = build(shape).outer_boundary_length
    assert 50 <= length <= 5_000
    assert 2.5 <= median(ratios) <= (3.6 if length >= 100 else 4.0), ratios


def brute_force_failures(length: int, radix: int) -> Fraction:
    """Try all coins and all digits."""
    failures = total = 0
    for heads in itertools.product((False, True), repeat=length):
        for digits in itertools.product(range(radix), repeat=length):
            total += 1
            failures += isinstance(naive.winner(list(heads), list(digits)), str)
    return Fraction(failures, total)


def test_failure_probabilities_are_those_of_enumeration() -> None:
    for length, radix in [(2, 2), (2, 3), (2, 7), (3, 2), (4, 2), (4, 3), (5, 2), (6, 2), (7, 2)]:
        assert naive.failure_probability(length, radix) == brute_force_failures(length, radix)
    # Two particles: nobody flips heads, or both do and draw the same digit.
    assert naive.failure_probability(2, 2) == Fraction(1, 4) + Fraction(1, 4) / 2
    # A line of three: no heads; four, and not exactly one of them draws a one; two opposite each
    # other with the same two digits.
    assert naive.failure_probability(4, 2) == Fraction(1 + 3 / 4 + 2 / 4) / 16


@pytest.mark.paper("Lemma 3", "Theorem 1")
@pytest.mark.slow
@pytest.mark.parametrize("radix", [2, 16])
@pytest.mark.parametrize("size", [2, 3, 6, 12])
def test_elections_fail_as_often_as_enumeration_says(size: int, radix: int) -> None:
    runs = 50_000 if FULL else 4_000
    shape = shapes.line(size)
    length = 2 * (size - 1)
    expected = naive.failure_probability(length, radix)
    failed = 0
    for seed in range(runs):
        result = elect(shape, seed=seed, radix=radix, almost_sure=False, terminate=False)
        assert result.outer_boundary_length == length
        failed += result.outcome != "leader"
    deviation = float(runs * expected * (1 - expected)) ** 0.5
    assert abs(failed - runs * float(expected)) < 5 * deviation + 3, f"{failed} of {runs}"


def test_the_same_seed_gives_the_same_result() -> None:
    for seed in range(20):
        shape = naive.some_shape(seed, 2, 40)
        for scheduler in SCHEDULERS:
            one, other = (elect(shape, seed=seed, scheduler=scheduler) for _ in range(2))
            assert one == other


def test_other_seeds_give_other_results() -> None:
    shape = shapes.hexagon(4)
    assert len({elect(shape, seed=seed).leader for seed in range(30)}) > 10


@pytest.mark.paper("Section 1.1")
def test_other_port_offsets_do_not_change_who_wins() -> None:
    draw = np.random.default_rng(0)
    for seed in range(150):
        shape = naive.some_shape(seed, 2, 30, expanded=seed % 2 == 1)
        results = []
        for _ in range(4):
            turned = Shape(shape.nodes, shape.expanded, draw.integers(0, 6, len(shape)))
            results.append(elect(turned, seed=seed, almost_sure=False, terminate=False))
        assert len({(result.outcome, result.leader) for result in results}) == 1


def test_every_scheduler_sees_the_same_coins() -> None:
    for seed in range(30):
        shape = naive.some_shape(seed, 5, 30)
        memories = []
        for scheduler in SCHEDULERS:
            simulation = section_2(shape, seed, scheduler=scheduler)
            simulation.goto(600)
            memory = simulation.memory
            memories.append((looking.heads(memory).tolist(), looking.digits(memory)))
        assert all(memory == memories[0] for memory in memories)
        heads, digits = naive.coins(simulation.system, seed, 16)
        assert memories[0][0][: len(heads)] == heads
        if any(heads):
            assert memories[0][1][: len(heads)] == digits
