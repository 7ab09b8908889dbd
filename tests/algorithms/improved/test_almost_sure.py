"""The race of the two algorithms: the stop token meets the first one's winner at any moment."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from amoebot import Simulation, shapes
from amoebot.shapes import Shape
from helpers import looking, naive
from helpers.full import FULL

pytestmark = pytest.mark.compiled

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")
SMALL = (shapes.line(2), shapes.line(3), shapes.triangle(2), STAR)


def line_of(size: int, *expanded: tuple[int, int]) -> Shape:
    return Shape([(x, 0) for x in range(size)], expanded)


# Many particles here have several agents on the outer boundary.
RACES = (
    STAR,
    line_of(4),
    line_of(4, (0, 1)),
    line_of(4, (1, 2)),
    line_of(5, (0, 1), (2, 3)),
)
SEEDS = 15_000 if FULL else 2_500


def close_races(shape: Shape) -> Iterator[tuple[Simulation, int]]:
    """Yield runs in which someone has won the first algorithm, has not declared, and the stop
    token of the second is out.
    """
    for seed in range(SEEDS):
        simulation = Simulation(shape, seed, terminate=False)
        simulation.run(naive.TOO_LONG)
        simulation.goto(simulation.rounds + 4 * simulation.system.agents)
        marks = simulation.result().milestones
        identified, sent = marks["boundary_identification_begins"], marks["stop_token_sent"]
        if identified is None or sent is None or abs(identified - sent) > shape.particles:
            continue
        simulation.goto(max(0, min(identified, sent) - 2))
        simulation.activate(0)  # from here on by hand
        then = simulation.snapshot()
        for attempt in range(4):
            simulation.restore(then)
            if steer(simulation, random.Random(f"{seed} {attempt}")):
                yield simulation, seed


def steer(simulation: Simulation, draw: random.Random) -> bool:
    """Play on by hand. A winner who has not declared gets no turn, and the stop token few."""
    particle_of = simulation.system.particle
    for _ in range(100):
        memory = simulation.memory
        if looking.leaders(memory):
            return False
        waiting, tokens = looking.about_to_declare(memory), looking.stop_tokens(memory)
        if waiting and tokens:
            return True
        held_back = set(particle_of[waiting if draw.random() < 0.1 else waiting + tokens].tolist())
        others = [p for p in range(simulation.system.particles) if p not in held_back]
        if others:
            simulation.activate(draw.choice(others))
    return False


def kind_of(simulation: Simulation) -> str:
    """Say how the winner of the first algorithm and the candidate of the second are related."""
    (first,) = looking.about_to_declare(simulation.memory)
    (second,) = looking.stopping(simulation.memory)
    particle_of = simulation.system.particle
    if first == second:
        return "same agent"
    return "same particle" if particle_of[first] == particle_of[second] else "apart"


def play_on(simulation: Simulation, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(60 * simulation.system.agents):
        simulation.activate(draw.randrange(simulation.system.particles))
        assert len(looking.leaders(simulation.memory)) <= 1


@pytest.mark.paper("Appendix A.3")
@pytest.mark.slow
def test_exactly_one_wins_when_the_stop_token_meets_the_winner() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for simulation, seed in itertools.chain.from_iterable(map(close_races, RACES)):
        system, then = simulation.system, simulation.snapshot()
        (first,) = looking.about_to_declare(simulation.memory)
        (second,) = looking.stopping(simulation.memory)
        (at,) = looking.stop_tokens(simulation.memory)
        kind = kind_of(simulation)
        winner = int(system.particle[first])

        # Just after: it declares, and then the token comes.
        if not looking.frozen(simulation.memory)[first]:
            simulation.activate(winner)
            assert looking.leaders(simulation.memory) == [first]
            play_on(simulation, seed)
            assert looking.leaders(simulation.memory) == [first]
            assert not looking.candidates(simulation.memory, second=True)[second]
            seen[kind, "after"] += 1
            simulation.restore(then)

        # Just before: the token steps on it, and it never declares.
        came = "long before" if looking.frozen(simulation.memory)[first] else "before"
        while not looking.frozen(simulation.memory)[first] and system.particle[at] != winner:
            simulation.activate(int(system.particle[at]))
            (at,) = looking.stop_tokens(simulation.memory)
        if looking.frozen(simulation.memory)[first]:
            play_on(simulation, seed)
            assert looking.leaders(simulation.memory) == [second]
            assert simulation.leader_particle == system.particle[second]
            seen[kind, came] += 1
    assert seen["apart", "before"] > 0, seen
    assert seen["apart", "after"] > 0, seen
    assert seen["same particle", "after"] > 0, seen
    assert seen["same particle", "before"] + seen["same particle", "long before"] > 0, seen
    assert sum(seen.values()) > 50, seen


@pytest.mark.slow
def test_when_one_agent_wins_both_algorithms_it_declares_once() -> None:
    won_both = 0
    for shape in SMALL:
        for seed in range(300):
            simulation = Simulation(shape, seed, terminate=False)
            result = simulation.run(naive.TOO_LONG)
            (leader,) = looking.leaders(simulation.memory)
            simulation.goto(simulation.rounds + 40 * simulation.system.agents)
            assert looking.leaders(simulation.memory) == [leader]
            sent = simulation.result().milestones["stop_token_sent"]
            if sent is not None and sent >= result.rounds:  # after the first algorithm's winner
                won_both += 1
                assert not looking.candidates(simulation.memory, second=True).any()
    assert won_both > 50


@pytest.mark.paper("Appendix A.3")
def test_the_stop_token_freezes_everyone_on_the_outer_boundary_and_nobody_else() -> None:
    frozen = 0
    for seed in range(60):
        simulation = Simulation(shapes.annulus(1, 0), seed, terminate=False, radix=2)
        simulation.run(naive.TOO_LONG)
        simulation.goto(simulation.rounds + 200)
        if simulation.result().milestones["stop_token_sent"] is None:
            continue
        outer, inner = simulation.system.boundaries
        assert looking.frozen(simulation.memory)[list(outer.agents)].all()
        assert not looking.frozen(simulation.memory)[list(inner.agents)].any()
        assert looking.stop_tokens(simulation.memory) == []
        frozen += 1
    assert frozen > 10


@pytest.mark.paper("Appendix A.3")
def test_everyone_starts_as_a_candidate_of_the_second_algorithm() -> None:
    """It knows its boundary as the first algorithm does."""
    for shape in (*SMALL, shapes.annulus(1, 0)):
        simulation = Simulation(shape, 1, "round-robin", terminate=False)
        for _ in range(simulation.system.particles):
            before = looking.started(simulation.memory, second=True).copy()
            simulation.step()
            new = looking.started(simulation.memory, second=True) & ~before
            assert new.any()
            assert looking.candidates(simulation.memory, second=True)[new].all()
        views = [looking.views(simulation.memory, second) for second in (False, True)]
        assert (views[0] == views[1]).all()


@pytest.mark.paper("Appendix A.3")
def test_on_an_inner_boundary_the_second_algorithm_ends_without_a_candidate() -> None:
    for seed in range(10):
        simulation = Simulation(shapes.annulus(1, 0), seed, terminate=False)
        inner = list(simulation.system.boundaries[1].agents)
        identified = False
        for _ in range(2_000):
            simulation.round()
            identified |= bool(looking.identifying(simulation.memory, second=True)[inner].any())
            if not looking.candidates(simulation.memory, second=True)[inner].any():
                break
        assert identified
        assert not looking.candidates(simulation.memory, second=True)[inner].any()
        assert not set(looking.leaders(simulation.memory)) & {*inner}
