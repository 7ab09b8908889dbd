"""A run to hold: stepping, running and rewinding meet in the same moments."""

from __future__ import annotations

import inspect
import itertools
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Simulation, elect, shapes
from amoebot.algorithms import registry
from amoebot.algorithms.description import Course
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.snapshots import APART, MOST_SNAPSHOTS
from amoebot.system import build
from helpers import looking, moments, naive
from helpers.naive import SCHEDULERS, VARIANTS

SOLID = shapes.hexagon(2)  # has particles without agents
PAIRED = shapes.hexagon(2).with_expanded(0.6, seed=1)


def all_moments(simulation: Simulation) -> dict[tuple[int, int], tuple[bytes, ...]]:
    """Step to the end; return what each moment looked like."""
    seen = {(simulation.rounds, simulation.position): moments.contents(simulation)}
    while not simulation.finished:
        assert simulation.rounds < naive.TOO_LONG
        simulation.step()
        seen[simulation.rounds, simulation.position] = moments.contents(simulation)
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
    seen = all_moments(stepped)
    ran = start()
    assert ran.run() == stepped.result()
    assert moments.contents(ran) == moments.contents(stepped)
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
            assert moments.contents(simulation) == seen[moment]
        assert simulation.run() == start().run()


@pytest.mark.parametrize("shape", [shapes.hexagon(4), PAIRED], ids=["contracted", "expanded"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_message_spreads_on_from_the_middle_of_a_round(scheduler: str, shape: Shape) -> None:
    simulation = Simulation(shape, 5, scheduler, almost_sure=False)
    end = simulation.run()
    assert end.rounds_terminated is not None
    for number in range(end.rounds, end.rounds_terminated):
        simulation.goto(number, 0)
        middle = []
        while simulation.rounds == number and not simulation.finished:
            middle.append(simulation.snapshot())
            simulation.step()
        for moment in middle[1::7]:
            simulation.restore(moment)
            assert simulation.run() == end


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_snapshot_brings_a_moment_back(scheduler: str) -> None:
    simulation = Simulation(SOLID, 2, scheduler)
    simulation.goto(7, 3)
    then, looked = simulation.snapshot(), moments.contents(simulation)
    end = simulation.run()
    simulation.restore(then)
    assert moments.contents(simulation) == looked
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


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_many_steps_at_once_are_as_many_steps(scheduler: str) -> None:
    one, many = Simulation(SOLID, 3, scheduler), Simulation(SOLID, 3, scheduler)
    chance = random.Random(4)
    while not one.finished:
        steps = chance.choice([1, 2, 5, 40])
        many.step(steps)
        for _ in range(steps):
            one.step()
        assert moments.contents(many) == moments.contents(one)
        assert (many.rounds, many.position) == (one.rounds, one.position)
    there = (one.rounds - 1, 3)
    one.goto(0)
    while (one.rounds, one.position) != there:
        one.step()
    many.goto(*there)
    assert moments.contents(many) == moments.contents(one)
    many.goto(2, 10**9)  # more than a round has
    assert (many.rounds, many.position) == (3, 0)


def test_a_run_by_hand_that_repeats_a_scheduler_is_the_same_run() -> None:
    for seed in range(5):
        shape = naive.some_shape(seed, 5, 15)
        named = Simulation(shape, seed, "round-robin")
        by_hand = Simulation(shape, seed, itertools.cycle(range(shape.particles)))
        one, other = by_hand.run(), named.run()
        assert by_hand.scheduler == one.scheduler == "by hand"
        assert (by_hand.memory == named.memory).all()
        assert by_hand.particle_memory["terminated"].all()
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
    simulation.activate(1)  # now everyone has been activated
    assert (simulation.rounds, simulation.position, simulation.activations) == (1, 0, 4)
    assert simulation.scheduler == "by hand"


def test_a_run_by_hand_can_be_rewound_and_taken_elsewhere() -> None:
    shape = shapes.line(4)
    simulation = Simulation(shape, 8, naive.bursts(shape, 8))
    seen = all_moments(simulation)
    for moment in random.Random(1).sample(list(seen), 20):
        simulation.goto(*moment)
        assert moments.contents(simulation) == seen[moment]
    simulation.goto(2)
    simulation.activate(0)  # from here on it is another run
    other = moments.contents(simulation)
    simulation.goto(1)
    simulation.goto(2, 1)
    assert moments.contents(simulation) == other


def test_a_schedule_that_ends_leaves_the_run_where_it_is() -> None:
    simulation = Simulation(shapes.line(3), 1, [0, 1, 2, 0])
    result = simulation.run()
    assert (result.outcome, result.rounds) == ("round-limit", 2)
    assert (simulation.rounds, simulation.position) == (1, 1)
    with pytest.raises(StopIteration):
        simulation.step()
    simulation.goto(0)
    simulation.goto(9, 2)
    assert (simulation.rounds, simulation.position) == (1, 1)


def test_a_named_run_can_be_taken_over_by_hand() -> None:
    simulation = Simulation(SOLID, 4, "uniform")
    simulation.goto(6)
    draw = random.Random(4)
    while not simulation.finished:
        simulation.activate(draw.randrange(simulation.system.particles))
    assert looking.leader_particles(simulation) == {simulation.leader_particle}
    assert simulation.particle_memory["terminated"].all()


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


def test_particles_and_moments_that_do_not_exist_are_refused() -> None:
    simulation = Simulation(shapes.line(3))
    for particle in (-1, 3):
        with pytest.raises(ValueError, match=f"no particle {particle}: they are numbered 0 to 2"):
            simulation.activate(particle)
    with pytest.raises(ValueError, match="no particle '0'"):
        simulation.activate("0")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no particle 7"):
        Simulation(shapes.line(3), 0, [7]).step()
    for moment in ((-1, 0), (0, -1), (1.5, 0), (0, "1"), (10**30, 0), (True, 0)):
        with pytest.raises(ValueError, match="no moment"):
            simulation.goto(*moment)
    for schedule in ([1.5], ["0"], [None]):
        with pytest.raises(ValueError, match="no particle"):
            Simulation(shapes.line(3), 0, schedule).step()  # type: ignore[arg-type]
    for limit in (1.5, -1, 10**30):
        with pytest.raises(ValueError, match="max_rounds"):
            simulation.run(limit)  # type: ignore[arg-type]


def test_a_shape_may_be_a_string_or_a_path_wherever_one_is_taken(tmp_path: Path) -> None:
    offered = [getattr(amoebot.verify, name) for name in amoebot.verify.__all__]
    taking: list[Any] = [
        elect,
        amoebot.elect_many,
        Simulation,
        build,
        *filter(inspect.isfunction, offered),
    ]
    found = [inspect.signature(one).parameters.get("shape") for one in taking]
    assert [one.annotation for one in found if one is not None] == ["ShapeLike"] * 8
    file = tmp_path / "three.txt"
    shapes.line(3).save(file)
    for given in ("line:3", file, str(file)):
        assert build(given).particles == elect(given).particles == 3


def test_a_simulation_says_what_it_is() -> None:
    simulation = Simulation("line:3", 5, "uniform")
    simulation.goto(2)
    assert repr(simulation) == "<Simulation: improved on line:3, seed 5, uniform, round 2>"


def test_memories_can_only_be_looked_at() -> None:
    simulation = Simulation("line:3", 0)
    assert simulation.shape == shapes.line(3)
    with pytest.raises(ValueError, match="read-only"):
        simulation.memory["leader"] = 1
    with pytest.raises(ValueError, match="read-only"):
        simulation.particle_memory["terminated"] = 1
    for array in (simulation.memory, simulation.particle_memory, simulation.what_if(0)[0]):
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
            array.setflags(write=True)
    seen = simulation.memory  # no copy: it shows what happens
    simulation.run()
    assert seen["leader"].any()


def test_results_say_what_was_run() -> None:
    result = elect(shapes.annulus(4, 2), seed=6, scheduler="uniform", radix=8)
    assert (result.particles, result.agents) == (42, 24 + 18)
    assert (result.outer_boundary_length, result.inner_boundary_lengths) == (24, (18,))
    assert (result.inner_boundaries, result.shape) == (1, "annulus:4,2")
    assert (result.seed, result.scheduler, result.radix) == (6, "uniform", 8)
    assert (result.algorithm, result.rules) == ("improved", "paper")
    assert (result.almost_sure, result.terminate) == (True, True)
    with pytest.raises(AttributeError, match="improved has no option 'colour'"):
        _ = result.colour
    told = result.as_dict()
    assert (told["leader"], told["seed"], told["radix"]) == (result.leader, 6, 8)
    assert "options" not in told
    assert json.loads(json.dumps(told))["milestones"] == result.milestones
    assert pickle.loads(pickle.dumps(result)) == result


def test_milestones_come_in_their_order() -> None:
    checked = 0
    for seed in range(40):
        result = elect(shapes.hexagon(4), seed=seed, almost_sure=False)
        if result.outcome != "leader":
            continue
        marks = {name: when or 0 for name, when in result.milestones.items()}
        assert marks["stop_token_sent"] == 0
        assert marks["leader_declared"] == result.rounds
        assert marks["all_terminated"] == result.rounds_terminated
        in_order = (
            "identifiers_set_up",
            "digit_tokens_created",
            "last_rival_gone",
            "boundary_identification_begins",
            "leader_declared",
            "all_terminated",
        )
        rounds = [marks[name] for name in in_order]
        assert rounds == sorted(rounds)
        assert (
            marks["first_solitude_verification_begins"]
            <= marks["last_solitude_verification_begins"]
        )
        assert marks["last_rival_gone"] <= marks["last_solitude_verification_begins"]
        left = [candidates for _, candidates in result.candidates]
        assert left == sorted(left, reverse=True)
        assert left[-1] == 1
        checked += 1
    assert checked > 20


#: Where something has been done, and the word does not end in "ed".
_DONE = ("gone", "sent", "set up")


@pytest.mark.parametrize("algorithm", registry.built_in())
def test_a_milestone_has_one_name_and_says_what_begins_or_what_is_done(algorithm: str) -> None:
    for name, title in registry.find(algorithm).course.titles.items():
        assert title[0].isupper()
        assert title.lower().split() == name.split("_")
        assert title.endswith(("begins", "ed", *_DONE)), title


def test_the_milestone_of_digit_tokens_is_the_round_before_the_papers_t() -> None:
    simulation = Simulation(shapes.hexagon(3), 1, almost_sure=False, terminate=False)
    while not looking.has_created(simulation.memory).all():
        simulation.round()
    assert simulation.rounds == simulation.milestones["digit_tokens_created"]
    assert simulation.milestones == simulation.result().milestones


@pytest.mark.parametrize("shape", [SOLID, PAIRED, shapes.line(1)], ids=repr)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_there_is_nothing_after_the_last_termination(
    scheduler: str, shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation(shape, 2, scheduler)
    simulation.run()
    end = moments.contents(simulation)
    steps = itertools.count()
    step = Simulation.step

    def counted_step(self: Simulation) -> None:
        assert next(steps) < 10_000, "goes on for ever"
        step(self)

    monkeypatch.setattr(Simulation, "step", counted_step)
    for moment in ((simulation.rounds, 5_000), (simulation.rounds + 3, 0), (10_000, 7)):
        simulation.goto(*moment)
        assert moments.contents(simulation) == end
    simulation.step()
    simulation.round()
    assert moments.contents(simulation) == end
    assert simulation.run() == elect(shape, 2, scheduler)


def test_a_run_taken_over_by_hand_can_be_rewound_to_before_that() -> None:
    named = Simulation(SOLID, 4)
    taken_over = Simulation(SOLID, 4)
    then = taken_over.snapshot()
    taken_over.goto(6)
    draw = random.Random(1)
    seen = {}
    for _ in range(60):
        taken_over.activate(draw.randrange(19))
        seen[taken_over.rounds, taken_over.position] = moments.contents(taken_over)
    for moment in [(2, 0), *draw.sample(list(seen), 5), (5, 3), *draw.sample(list(seen), 5)]:
        taken_over.goto(*moment)
        if moment in seen:
            assert moments.contents(taken_over) == seen[moment]
        else:
            named.goto(*moment)
            assert moments.contents(taken_over) == moments.contents(named)
    # From an earlier moment on by hand: those are activated who are asked to.
    taken_over.restore(then)
    for particle in range(12):
        before = looking.started(taken_over.memory).copy()
        taken_over.activate(particle)
        now = np.flatnonzero(looking.started(taken_over.memory) & ~before).tolist()
        assert now == sorted(taken_over.system.agents_of(particle))


def test_an_election_by_hand_activates_those_in_its_schedule() -> None:
    shape = shapes.annulus(3, 1)
    schedule = [*range(shape.particles)] * 400
    result = elect(shape, 3, schedule, terminate=False)
    assert result.outcome == "leader"
    assert result == Simulation(shape, 3, schedule, terminate=False).run()


def test_a_simulation_says_what_run_it_is() -> None:
    simulation = Simulation(shapes.hexagon(2), 4, "uniform", radix=8)
    assert repr(simulation) == "<Simulation: improved on hexagon:2, seed 4, uniform, round 0>"
    assert simulation.options == Options(4, "uniform", own={"radix": 8})
    assert (simulation.seed, simulation.rules, simulation.terminate) == (4, None, True)
    same = Simulation.of(shapes.hexagon(2), simulation.options)
    assert same.run() == simulation.run()


def test_phases_follow_one_another() -> None:
    simulation = Simulation(shapes.hexagon(3), 2)
    course: Course = simulation.course
    seen = [simulation.phase]
    while not simulation.finished:
        simulation.step()
        if simulation.phase != seen[-1]:
            seen.append(simulation.phase)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, course.done)
    assert course.termination in seen
    assert (*simulation.milestones,) == course.milestones


def test_far_back_is_not_far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoebot.snapshots.APART", 200)
    simulation = Simulation(shapes.hexagon(3), 2, terminate=False)
    for rounds in range(1, 900):
        simulation.goto(rounds)
    kept = [then.rounds for then in simulation._past.kept]
    assert APART > 200
    assert len(kept) <= MOST_SNAPSHOTS
    assert kept == sorted(kept)
    fresh = Simulation(shapes.hexagon(3), 2, terminate=False)
    for rounds in (850, 41, 400, 399, 3):
        simulation.goto(rounds, 5)
        fresh.goto(rounds, 5)
        assert moments.everything(simulation) == moments.everything(fresh)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_what_would_happen_does_not_happen(scheduler: str) -> None:
    simulation = Simulation(PAIRED, 3, scheduler)
    end = Simulation(PAIRED, 3, scheduler).run()
    draw = random.Random(1)
    assert end.rounds_terminated is not None
    for rounds in (0, 5, end.rounds - 1, end.rounds, end.rounds_terminated - 1):
        for position in (0, 3):
            simulation.goto(rounds, position)
            before = moments.everything(simulation), simulation.rounds, simulation.position
            particle = draw.randrange(simulation.system.particles)
            memory, particles = simulation.what_if(particle)
            now = moments.everything(simulation), simulation.rounds, simulation.position
            assert now == before
            other = Simulation(PAIRED, 3, scheduler)
            other.goto(rounds, position)
            other.activate(particle)
            assert other.memory.tobytes() == memory.tobytes()
            assert other.particle_memory.tobytes() == particles.tobytes()
    with pytest.raises(ValueError, match="no particle 99"):
        simulation.what_if(99)
    assert simulation.run() == end


def test_what_would_happen_to_a_particle_alone() -> None:
    simulation = Simulation(shapes.line(1), 1)
    before = moments.everything(simulation)
    _, particles = simulation.what_if(0)
    assert particles["terminated"].tolist() == [1]
    assert moments.everything(simulation) == before
    assert (simulation.rounds, simulation.outcome) == (0, None)


def test_a_schedule_made_by_hand_can_be_continued() -> None:
    simulation = Simulation(shapes.line(3), 1, [0, 1])
    simulation.run()
    assert simulation.activations == simulation.by_hand_limit == 2
    simulation.follow([2, 2])
    simulation.run()
    assert simulation.schedule == (0, 1, 2, 2)
    assert (simulation.rounds, simulation.position) == (1, 1)


def test_a_snapshot_of_another_run_is_refused_and_changes_nothing() -> None:
    """It was refused late, when some of it had been taken over, or taken for one of this run."""
    simulation = Simulation("line:3", seed=1)
    simulation.goto(4)
    before = moments.contents(simulation)
    for other in (Simulation("line:5", seed=1), Simulation("line:3", seed=2)):
        with pytest.raises(ValueError, match="a snapshot is one of its own run"):
            simulation.restore(other.snapshot())
        assert moments.contents(simulation) == before
    twin = Simulation("line:3", seed=1)
    twin.restore(simulation.snapshot())
    assert moments.contents(twin) == before
