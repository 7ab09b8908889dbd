"""A run to hold: stepping, running and rewinding meet in the same moments."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import amoebot
from amoebot import Simulation, elect, shapes
from amoebot.jit import INTERPRETED
from amoebot.shapes import Shape
from amoebot.simulation import Election
from helpers import looking, naive
from helpers.naive import SCHEDULERS, VARIANTS

SOLID = shapes.hexagon(2)  # has particles without agents
PAIRED = shapes.hexagon(2).with_expanded(0.6, seed=1)


def moments(simulation: Simulation) -> dict[tuple[int, int], tuple[bytes, ...]]:
    """Step to the end; return what each moment looked like."""
    seen = {(simulation.rounds, simulation.position): looking.contents(simulation)}
    while not simulation.finished:
        assert simulation.rounds < naive.TOO_LONG
        simulation.step()
        seen[simulation.rounds, simulation.position] = looking.contents(simulation)
    return seen


@pytest.mark.parametrize("shape", [SOLID, PAIRED], ids=["contracted", "expanded"])
@pytest.mark.parametrize(("almost_sure", "terminate"), VARIANTS)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_moment_can_be_gone_to_from_anywhere(
    scheduler: str, almost_sure: bool, terminate: bool, shape: Shape
) -> None:
    def start() -> Simulation:
        return Simulation(shape, 5, scheduler, almost_sure=almost_sure, terminate=terminate)

    stepped = start()
    seen = moments(stepped)
    ran = start()
    assert ran.run() == stepped.result()
    assert looking.contents(ran) == looking.contents(stepped)
    by_rounds = start()
    while not by_rounds.finished:
        assert by_rounds.rounds < naive.TOO_LONG
        by_rounds.round()
    assert by_rounds.result() == stepped.result()

    # Go back and forth; half of the moments are late ones, when the message spreads.
    draw = random.Random(scheduler)
    late = [moment for moment in seen if moment[0] >= stepped.result().rounds - 1]
    targets = draw.sample(list(seen), 8) + draw.sample(late, min(8, len(late)))
    draw.shuffle(targets)
    for simulation in (stepped, ran, start()):
        for moment in targets:
            simulation.goto(*moment)
            assert (simulation.rounds, simulation.position) == moment
            assert looking.contents(simulation) == seen[moment]
        assert simulation.run() == start().run()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_snapshot_brings_a_moment_back(scheduler: str) -> None:
    simulation = Simulation(SOLID, 2, scheduler)
    simulation.goto(7, 3)
    then, looked = simulation.snapshot(), looking.contents(simulation)
    end = simulation.run()
    simulation.restore(then)
    assert looking.contents(simulation) == looked
    assert (simulation.rounds, simulation.position) == (7, 3)
    assert not simulation.finished
    assert simulation.run() == end


def test_steps_are_activations_and_rounds_contain_all_boundary_particles() -> None:
    simulation = Simulation(SOLID, 3, almost_sure=False)
    on_boundary = sum(
        1 for p in range(simulation.system.particles) if simulation.system.agents_of(p)
    )
    assert on_boundary == 12
    for activation in range(1, 5 * on_boundary + 1):
        simulation.step()
        assert simulation.activations == activation
        assert (simulation.rounds, simulation.position) == divmod(activation, on_boundary)
    simulation.step()
    simulation.round()  # finishes the round under way
    assert (simulation.rounds, simulation.position) == (6, 0)


def test_a_run_by_hand_that_repeats_a_scheduler_is_the_same_run() -> None:
    for seed in range(5):
        shape = naive.some_shape(seed, 5, 15)
        named = Simulation(shape, seed, "round-robin")
        # Those without agents come last.
        everyone = sorted(range(shape.particles), key=lambda p: named.system.agents_of(p) == [])
        by_hand = Simulation(shape, seed, itertools.cycle(everyone))
        one, other = by_hand.run(), named.run()
        assert by_hand.scheduler == one.scheduler == "by hand"
        assert (by_hand.memory == named.memory).all()
        assert looking.terminated(by_hand).all()
        assert (one.leader, one.rounds, one.milestones) == (
            other.leader,
            other.rounds,
            other.milestones,
        )


def test_activate_chooses_who_is_next() -> None:
    simulation = Simulation(shapes.line(3), 1)
    assert not looking.started(simulation.memory).any()
    simulation.activate(2)
    (agent,) = simulation.system.agents_of(2)
    assert np.flatnonzero(looking.started(simulation.memory)).tolist() == [agent]
    simulation.activate(2)
    simulation.activate(0)
    assert (simulation.rounds, simulation.position, simulation.activations) == (0, 3, 3)
    simulation.activate(1)  # now everyone has had a turn
    assert (simulation.rounds, simulation.position, simulation.activations) == (1, 0, 4)
    assert simulation.scheduler == "by hand"


def test_a_run_by_hand_can_be_rewound_and_taken_elsewhere() -> None:
    shape = shapes.line(4)
    simulation = Simulation(shape, 8, naive.bursts(shape, 8))
    seen = moments(simulation)
    for moment in random.Random(1).sample(list(seen), 20):
        simulation.goto(*moment)
        assert looking.contents(simulation) == seen[moment]
    simulation.goto(2)
    simulation.activate(0)  # from here on it is another run
    other = looking.contents(simulation)
    simulation.goto(1)
    simulation.goto(2, 1)
    assert looking.contents(simulation) == other


def test_a_schedule_that_ends_leaves_the_run_where_it_is() -> None:
    simulation = Simulation(shapes.line(3), 1, [0, 1, 2, 0])
    result = simulation.run()
    assert (result.outcome, result.rounds) == ("round-limit", 2)
    assert (simulation.rounds, simulation.position) == (1, 1)
    with pytest.raises(StopIteration):
        simulation.step()


def test_a_named_run_can_be_taken_over_by_hand() -> None:
    simulation = Simulation(SOLID, 4, "uniform")
    simulation.goto(6)
    draw = random.Random(4)
    while not simulation.finished:
        simulation.activate(draw.randrange(simulation.system.particles))
    assert looking.leader_particles(simulation) == {simulation.leader_particle}
    assert looking.terminated(simulation).all()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scheduler", [*SCHEDULERS, "by hand"])
def test_one_particle_elects_itself(variant: tuple[bool, bool], scheduler: str) -> None:
    almost_sure, terminate = variant
    chosen = [0] * 5 if scheduler == "by hand" else scheduler
    result = elect(shapes.line(1), 3, chosen, almost_sure=almost_sure, terminate=terminate)
    assert (result.outcome, result.leader, result.rounds) == ("leader", ((0, 0),), 1)
    assert result.rounds_terminated == (1 if terminate else None)
    assert (result.particles, result.agents, result.outer_boundary_length) == (1, 0, 0)
    assert result.inner_boundaries == 0


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_one_expanded_particle_elects_itself(scheduler: str) -> None:
    shape = Shape([(0, 0), (1, 0)], expanded=[(0, 1)])
    for seed in range(20):
        result = elect(shape, seed, scheduler)
        assert (result.outcome, result.leader) == ("leader", ((0, 0), (1, 0)))
        assert result.rounds_terminated is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed -1"),
        ({"seed": 2**64}, "seed 18446744073709551616"),
        ({"radix": 1}, "radix 1 "),
        ({"radix": 257}, "radix 257"),
        ({"scheduler": "fair"}, "no scheduler 'fair': choose from permutation, uniform"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        elect(shapes.line(2), **options)  # type: ignore[arg-type]


def test_extreme_options_are_accepted() -> None:
    assert elect(shapes.line(5), seed=2**64 - 1, radix=256).outcome == "leader"
    assert elect(shapes.line(5), seed=0, radix=2).outcome == "leader"


def test_particles_and_moments_that_do_not_exist_are_refused() -> None:
    simulation = Simulation(shapes.line(3))
    for particle in (-1, 3):
        with pytest.raises(ValueError, match=f"no particle {particle}: they are numbered 0 to 2"):
            simulation.activate(particle)
    with pytest.raises(ValueError, match="no particle 7"):
        Simulation(shapes.line(3), 0, [7]).step()
    for moment in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="no moment"):
            simulation.goto(*moment)


def test_results_say_what_was_run() -> None:
    result = elect(shapes.annulus(4, 2), seed=6, scheduler="uniform", radix=8)
    assert (result.particles, result.agents) == (42, 24 + 18)
    assert (result.outer_boundary_length, result.inner_boundary_lengths) == (24, (18,))
    assert (result.inner_boundaries, result.shape) == (1, "annulus:4,2")
    assert (result.seed, result.scheduler, result.radix) == (6, "uniform", 8)
    assert (result.almost_sure, result.terminate) == (True, True)
    assert result.as_dict()["leader"] == result.leader
    assert amoebot.Result(**result.as_dict()) == result


def test_milestones_come_in_their_order() -> None:
    checked = 0
    for seed in range(40):
        result = elect(shapes.hexagon(4), seed=seed, almost_sure=False)
        if result.outcome != "leader":
            continue
        marks = result.milestones
        assert marks["stop_token_sent"] is None
        assert marks["leader_declared"] == result.rounds
        assert marks["all_terminated"] == result.rounds_terminated
        in_order = (
            "identifiers_set_up",
            "digit_tokens_created",
            "last_rival_gone",
            "boundary_identification",
            "leader_declared",
            "all_terminated",
        )
        rounds = [marks[name] for name in in_order]
        assert rounds == sorted(rounds)
        assert marks["first_solitude_verification"] <= marks["last_solitude_verification"]
        assert marks["last_rival_gone"] <= marks["last_solitude_verification"]
        left = [candidates for _, candidates in result.candidates]
        assert left == sorted(left, reverse=True)
        assert left[-1] == 1
        checked += 1
    assert checked > 20


def test_the_milestone_of_digit_tokens_is_the_round_before_the_papers_t() -> None:
    simulation = Simulation(shapes.hexagon(3), 1, almost_sure=False, terminate=False)
    while not looking.has_created(simulation.memory).all():
        simulation.round()
    assert simulation.rounds == simulation.milestones["digit_tokens_created"]
    assert simulation.milestones == simulation.result().milestones


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_there_is_nothing_after_the_last_termination(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation(SOLID, 2, scheduler)
    simulation.run()
    end = looking.contents(simulation)
    steps = itertools.count()
    step = Simulation.step

    def counted_step(self: Simulation) -> None:
        assert next(steps) < 10_000, "goes on for ever"
        step(self)

    monkeypatch.setattr(Simulation, "step", counted_step)
    for moment in ((simulation.rounds, 5_000), (simulation.rounds + 3, 0), (10_000, 7)):
        simulation.goto(*moment)
        assert looking.contents(simulation) == end
    simulation.step()
    simulation.round()
    assert looking.contents(simulation) == end
    assert simulation.run() == elect(SOLID, 2, scheduler)


def test_a_run_taken_over_by_hand_can_be_rewound_to_before_that() -> None:
    named = Simulation(SOLID, 4)
    taken_over = Simulation(SOLID, 4)
    then = taken_over.snapshot()
    taken_over.goto(6)
    draw = random.Random(1)
    seen = {}
    for _ in range(60):
        taken_over.activate(draw.randrange(19))
        seen[taken_over.rounds, taken_over.position] = looking.contents(taken_over)
    for moment in [(2, 0), *draw.sample(list(seen), 5), (5, 3), *draw.sample(list(seen), 5)]:
        taken_over.goto(*moment)
        if moment in seen:
            assert looking.contents(taken_over) == seen[moment]
        else:
            named.goto(*moment)
            assert looking.contents(taken_over) == looking.contents(named)
    # From an earlier moment on by hand: those are activated who are asked to.
    taken_over.restore(then)
    for particle in range(12):
        before = looking.started(taken_over.memory).copy()
        taken_over.activate(particle)
        now = np.flatnonzero(looking.started(taken_over.memory) & ~before).tolist()
        assert now == sorted(taken_over.system.agents_of(particle))


HOLES = ("annulus:4,2", "annulus:2,1", "labyrinth:4", "swiss:6,0.3", "swiss:7,0.35", "swiss:8,0.25")


@pytest.mark.parametrize("expanded", [0.0, 0.7])
@pytest.mark.parametrize(("almost_sure", "terminate"), VARIANTS)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_inner_boundaries_have_no_part_in_the_result(
    scheduler: str, almost_sure: bool, terminate: bool, expanded: float
) -> None:
    for number, text in enumerate(HOLES[:2] if INTERPRETED else HOLES):
        shape = shapes.parse(text, number)
        shape = shape.with_expanded(expanded, number) if expanded else shape
        for seed, radix, limit in ((0, 16, naive.TOO_LONG), (1, 2, naive.TOO_LONG), (2, 16, 40)):
            options = {"almost_sure": almost_sure, "terminate": terminate, "radix": radix}
            whole = Simulation(shape, seed, scheduler, **options)  # type: ignore[arg-type]
            assert len(whole.system.boundaries) > 1
            result = elect(shape, seed, scheduler, max_rounds=limit, **options)  # type: ignore[arg-type]
            assert result == whole.run(limit)


def test_inner_boundaries_are_left_out_where_only_the_result_is_wanted() -> None:
    for terminate in (False, True):
        election, whole = (
            kind(shapes.annulus(6, 4), terminate=terminate) for kind in (Election, Simulation)
        )
        assert election.run() == whole.run()
        length = whole.system.outer_boundary_length
        assert not election.memory[length:].view(np.uint8).any()
        assert whole.memory[length:].view(np.uint8).any()
        assert (election.memory[:length] == whole.memory[:length]).all()


def test_nobody_looks_into_a_run_of_which_only_the_result_is_wanted() -> None:
    election = Election(shapes.annulus(2, 1))
    for forbidden in (election.goto, election.activate, election.what_if):
        with pytest.raises(TypeError, match="use a Simulation"):
            forbidden(1)


def test_an_election_by_hand_activates_whoever_has_a_turn() -> None:
    shape = shapes.annulus(3, 1)
    particles = [*range(shape.particles)]
    turns = particles * 400
    result = elect(shape, 3, turns, terminate=False)
    assert result.outcome == "leader"
    assert result == Simulation(shape, 3, turns, terminate=False).run()
