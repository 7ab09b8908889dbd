"""A run that goes over to activations by hand, and comes back, at any moment of any scheduler."""

from __future__ import annotations

import random
from typing import Any

import pytest

from amoebot import Simulation, shapes
from amoebot.options import Options
from amoebot.shapes import Shape
from helpers import moments
from helpers.full import FULL
from helpers.naive import SCHEDULERS
from helpers.naive_run import NaiveRun

#: Each with particles that are on no boundary, so that a wave has somewhere to go.
SOLID = shapes.hexagon(2)
PAIRED = shapes.hexagon(3).with_expanded(0.6, seed=4)
QUICK: dict[str, Any] = {"almost_sure": False, "radix": 256}


class ByHand:
    """A naive run, taken over by hand after some of its activations."""

    def __init__(self, shape: Shape, options: Options, rounds: int, position: int) -> None:
        self.run = NaiveRun(shape, options)
        self.activated: set[int] = set()  # in the round under way
        for _ in range(rounds):
            for _ in self.run.round():
                pass
        counted = 0
        for done in self.run.round() if position else ():
            self.activated.add(done.particle)
            counted += done.counts
            if counted == position:
                break
        self.position = position

    def activate(self, particle: int) -> None:
        self.run.activate(particle)
        self.activated.add(particle)
        self.position += 1
        if len(self.activated) == self.run.system.particles:
            self.run.rounds, self.position, self.activated = self.run.rounds + 1, 0, set()


def some_moments(shape: Shape, options: Options, draw: random.Random) -> list[tuple[int, int]]:
    """Return moments of a run: in the middle of rounds, before the leader and in the wave."""
    simulation = Simulation.of(shape, options)
    end = simulation.run()
    simulation.goto(end.rounds - 1)
    late = []
    while not simulation.finished:
        late.append((simulation.rounds, simulation.position))
        simulation.step()
    early = [(draw.randrange(12), draw.randrange(1, 8)) for _ in range(2)]
    return [*early, *draw.sample(late, min(len(late), 40 if FULL else 6))]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [SOLID, PAIRED], ids=["contracted", "expanded"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_run_taken_over_by_hand_in_the_middle_of_a_round(scheduler: str, shape: Shape) -> None:
    draw = random.Random(scheduler)
    for seed in range(20 if FULL else 2):
        options = Options(seed, scheduler, own=QUICK)
        for moment in some_moments(shape, options, draw):
            simulation, expected = Simulation.of(shape, options), ByHand(shape, options, *moment)
            simulation.goto(*moment)
            assert (simulation.rounds, simulation.position) == moment
            schedule = [draw.randrange(shape.particles) for _ in range(40)]
            for particle in schedule + list(range(shape.particles)) + schedule:
                if simulation.finished:  # nothing comes after that
                    break
                simulation.activate(particle)
                expected.activate(particle)
                assert moments.memories(simulation) == expected.run.contents()
                assert simulation.rounds == expected.run.rounds
                assert simulation.position == expected.position
            reached = simulation.milestones
            assert reached["all_terminated"] == expected.run.all_terminated
            # Back to before, and there again.
            there, now = moments.contents(simulation), (simulation.rounds, simulation.position)
            simulation.goto(moment[0] // 2)
            simulation.goto(*now)
            assert moments.contents(simulation) == there


def test_a_run_taken_over_where_a_round_ends_comes_back_to_where_it_was() -> None:
    """Once a round whose last activation is an idle particle's was not over before the next one."""
    options = Options(12, "uniform", own=QUICK)
    simulation = Simulation.of(SOLID, options)
    simulation.goto(32)
    taken_over = simulation.activations
    simulation.goto(31)
    simulation.step(taken_over - simulation.activations)
    assert (simulation.rounds, simulation.position) == (32, 0)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_who_has_been_activated_is_known_at_every_moment(scheduler: str) -> None:
    shape, options = PAIRED, Options(3, scheduler, own=QUICK)
    simulation, expected = Simulation.of(shape, options), NaiveRun(shape, options)
    after = moments_in_wave = 0
    while not simulation.finished and simulation.rounds < 400:
        activated: set[int] = set()
        for done in expected.round():
            activated.add(done.particle)
            if done.counts:
                simulation.step()
                if simulation.rounds == expected.rounds:
                    assert simulation._run.activated_this_round() == activated
                    moments_in_wave += simulation.outcome is not None
                else:  # nobody after this one does anything in this round
                    assert simulation.position == 0
                    assert simulation._run.activated_this_round() == set()
                    after += 1
    assert simulation.finished
    assert moments_in_wave > 20
    assert after > 5 or scheduler == "uniform"


@pytest.mark.parametrize("terminate", [False, True])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_moment_has_a_snapshot_that_brings_it_back(scheduler: str, terminate: bool) -> None:
    own = {"terminate": terminate, **QUICK}
    simulation = Simulation(PAIRED, 6, scheduler, **own)
    draw = random.Random(scheduler)
    kept = []
    while not simulation.finished:
        if draw.random() < 0.05 or (simulation.outcome and draw.random() < 0.3):
            kept.append((simulation.snapshot(), moments.everything(simulation)))
        simulation.step()
    end = moments.everything(simulation)
    draw.shuffle(kept)
    for snapshot, then in kept[:30]:
        simulation.restore(snapshot)
        assert moments.everything(simulation) == then
        for _ in range(draw.randrange(4)):
            simulation.step()
        simulation.run()
        assert moments.everything(simulation)[:5] == end[:5]
        assert simulation.particle_memory.tobytes() == end[-1]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_run_in_parts_is_the_same_run(scheduler: str) -> None:
    # By steps, by chunks of activations that end anywhere, and in one go.
    whole = Simulation(PAIRED, 8, scheduler, **QUICK)
    whole.run()
    draw = random.Random(scheduler)
    parts = Simulation(PAIRED, 8, scheduler, **QUICK)
    while not parts.finished:
        parts._run.advance(activations=draw.choice((1, 2, 3, 7, 30, 100)))
    assert moments.contents(parts) == moments.contents(whole)
