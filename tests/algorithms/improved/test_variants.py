"""The appendix: expanded particles, termination for all, almost sure election, all combined."""

from __future__ import annotations

import random
from collections import Counter
from statistics import median

import pytest

from amoebot import Simulation, elect, shapes
from amoebot.shapes import Shape
from helpers import looking, naive
from helpers.full import FULL
from helpers.naive import SCHEDULERS

pytestmark = pytest.mark.compiled

RUNS = 8_500 if FULL else 150  # for each scheduler, with and without termination: 102,000 in all
STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")


@pytest.mark.paper("Theorem 3")
@pytest.mark.slow
@pytest.mark.parametrize("terminate", [False, True])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_almost_sure_elections_always_have_exactly_one_leader(
    scheduler: str, terminate: bool
) -> None:
    draw = random.Random(f"{scheduler} {terminate}")
    by_second = 0
    for _ in range(RUNS):
        seed, radix = draw.randrange(2**64), draw.choice((2, 2, 4, 16))
        shape = naive.some_shape(draw.randrange(2**32), 2, 12, expanded=draw.random() < 0.4)
        simulation = Simulation(shape, seed, scheduler, terminate=terminate, radix=radix)
        result = simulation.run(naive.TOO_LONG)
        story = f"{shape.nodes.tolist()}, {shape.expanded.tolist()}, seed={seed}, radix={radix}"
        assert result.outcome == "leader", story
        (leader,) = looking.leaders(simulation.memory)
        assert simulation.leader_particle == simulation.system.particle[leader], story
        assert leader in simulation.system.boundaries[0].agents, story
        assert simulation.leader_particle is not None, story
        assert result.leader == simulation.system.nodes_of(simulation.leader_particle), story
        by_second += result.milestones["stop_token_sent"] is not None
        if terminate:
            assert looking.terminated(simulation).all(), story
        else:
            simulation.goto(simulation.rounds + 10 * simulation.system.outer_boundary_length)
            assert looking.leaders(simulation.memory) == [leader], story
    assert RUNS // 20 < by_second < RUNS - RUNS // 20


@pytest.mark.paper("Appendix A.3")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_where_section_2_fails_the_second_algorithm_elects(scheduler: str) -> None:
    failures = 0
    for shape in (shapes.line(2), shapes.line(3), STAR, shapes.annulus(1, 0)):
        for seed in range(40):
            simulation = Simulation(shape, seed, scheduler, radix=2)
            expected = naive.winner(*naive.coins(simulation.system, seed, 2))
            result = simulation.run(naive.TOO_LONG)
            assert result.outcome == "leader"
            if isinstance(expected, str):
                failures += 1
                assert result.milestones["stop_token_sent"] is not None
    assert failures > 20


@pytest.mark.paper("Appendix A.2", "Corollary 4", "Corollary 5")
@pytest.mark.slow
@pytest.mark.parametrize("expanded", [0.0, 0.7])
@pytest.mark.parametrize("almost_sure", [False, True])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_everyone_terminates_in_time(scheduler: str, almost_sure: bool, expanded: float) -> None:
    for text in ("comb:6,8", "labyrinth:6", "hexagon:5", "annulus:7,4", "tree:60", "swiss:6,0.2"):
        for seed in range(2):
            shape = shapes.parse(text).with_expanded(expanded, seed)
            simulation = Simulation(shape, seed, scheduler, almost_sure=almost_sure)
            result = simulation.run(naive.TOO_LONG)
            if result.outcome != "leader":
                assert not almost_sure
                assert not looking.terminated(simulation).any()
                continue
            assert looking.terminated(simulation).all()
            assert looking.has_message(simulation).all()
            assert simulation.finished
            length, diameter = result.outer_boundary_length, naive.diameter(shape)
            assert result.rounds_terminated is not None
            assert result.rounds <= result.rounds_terminated <= 6 * (length + diameter)
            # The message crosses at least one bond in each round.
            assert result.rounds_terminated - result.rounds <= diameter + 1


def test_the_message_needs_as_many_rounds_as_the_shape_is_deep_when_orders_oppose_it() -> None:
    long = shapes.line(40)
    result = elect(long, seed=3, scheduler="round-robin")
    assert result.leader is not None
    assert result.rounds_terminated is not None
    ((place, _),) = result.leader
    # Particles are in order: to the right all in one round, to the left one in each.
    assert result.rounds_terminated - result.rounds == max(1, place + 1)


@pytest.mark.paper("Appendix A.1")
def test_expanded_particles_elect_whom_their_two_nodes_would() -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(200):
        contracted = naive.some_shape(seed, 2, 30)
        paired = contracted.with_expanded(0.8, seed)
        one, other = (
            elect(shape, seed, almost_sure=False, terminate=False) for shape in (contracted, paired)
        )
        assert one.outer_boundary_length == other.outer_boundary_length
        assert one.outcome == other.outcome
        outcomes[one.outcome] += 1
        if one.leader is not None and other.leader is not None:
            assert set(one.leader) <= set(other.leader)
            assert len(other.leader) in (1, 2)
    assert outcomes["leader"] > 100


@pytest.mark.paper("Theorem 3")
@pytest.mark.slow
@pytest.mark.parametrize("text", ["hexagon:35", "line:110", "tree:120", "annulus:35,30"])
def test_almost_sure_costs_at_most_a_tenth_more_rounds(text: str) -> None:
    shape = shapes.parse(text)
    alone, both = [], []
    for seed in range(40 if FULL else 12):
        section_2 = elect(shape, seed, almost_sure=False, terminate=False)
        if section_2.outcome == "leader":
            assert section_2.outer_boundary_length >= 200
            alone.append(section_2.rounds)
            both.append(elect(shape, seed, terminate=False).rounds)
    assert len(alone) >= 8
    assert median(both) <= 1.1 * median(alone), (alone, both)


@pytest.mark.paper("Appendix A")
def test_variants_do_not_change_the_course_of_section_2() -> None:
    for seed in range(30):
        shape = naive.some_shape(seed, 4, 30)
        plain = elect(shape, seed, almost_sure=False, terminate=False)
        if plain.outcome != "leader":
            continue
        ended = elect(shape, seed, almost_sure=False, terminate=True)
        assert (ended.leader, ended.rounds) == (plain.leader, plain.rounds)
        sure = elect(shape, seed, almost_sure=True, terminate=False)
        if sure.milestones["stop_token_sent"] is None:
            assert (sure.leader, sure.rounds) == (plain.leader, plain.rounds)
