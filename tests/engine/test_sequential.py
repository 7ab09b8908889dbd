"""The same run by other means: from the definition, and interpreted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from amoebot import Simulation, shapes
from amoebot.options import Options
from amoebot.shapes import Shape
from helpers import digests, moments, naive
from helpers.full import FULL
from helpers.naive import SCHEDULERS, VARIANTS
from helpers.naive_run import NaiveRun

#: Solid ones have interior particles; in the last ones an expanded particle has both its nodes
#: next to each other on the boundary.
SOLID = (shapes.hexagon(1), shapes.hexagon(2), shapes.hexagon(2).with_expanded(0.7, seed=3))
THIN = (shapes.annulus(1, 0), shapes.line(5), shapes.line(4).with_expanded(1, seed=1))


def assert_the_same(shape: Shape, options: Options, rounds: int) -> NaiveRun:
    """Run an election twice, one activation at a time, and compare all memories after each."""
    simulation, expected = Simulation.of(shape, options), NaiveRun(shape, options)
    while not (simulation.finished or expected.rounds == rounds):
        for done in expected.round():
            if done.counts:
                simulation.step()
                assert simulation.latest == done.particle
                assert moments.memories(simulation) == expected.contents()
    reached = simulation.milestones
    assert reached["leader_declared"] == expected.leader_declared
    assert reached["all_terminated"] == expected.all_terminated
    return expected


def some_options(scheduler: str, seeds: Iterator[int]) -> Iterator[Options]:
    for almost_sure, terminate in VARIANTS:
        own = {"almost_sure": almost_sure, "terminate": terminate, "radix": 3}
        yield Options(next(seeds), scheduler, own=own)


@pytest.mark.paper("Section 1.1", "Appendix A.1", "Appendix A.2")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_activation_is_that_of_the_definition(scheduler: str) -> None:
    seeds = iter(range(10_000))
    for shape in SOLID + THIN:
        for options in some_options(scheduler, seeds):
            assert_the_same(shape, options, 60)


@pytest.mark.paper("Appendix A.2")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_message_spreads_as_in_the_definition(scheduler: str) -> None:
    # Large enough for a wave: particles far inside, some on inner boundaries, some expanded.
    inner = 0
    for seed in range(400 if FULL else 30):
        shape = (shapes.hexagon(3), shapes.swiss(3, 0.2, seed=seed), shapes.annulus(4, 1))[seed % 3]
        options = Options(seed, scheduler, own={"almost_sure": False, "radix": 256})
        if seed % 2:
            shape = shape.with_expanded(0.5, seed)
        expected = assert_the_wave_is_the_same(shape, options)
        inner += expected.system.particles - len(expected.actors)
    assert inner > 20


def assert_the_wave_is_the_same(shape: Shape, options: Options) -> NaiveRun:
    """Compare two runs from the round of the leader on."""
    simulation, expected = Simulation.of(shape, options), NaiveRun(shape, options)
    result = Simulation.of(shape, options).run()
    assert result.outcome == "leader"
    simulation.goto(result.rounds - 1)
    expected.world.memory[:] = simulation._run.state.world.memory
    expected.flips[:] = simulation._run.state.draws
    expected.rounds = simulation.rounds
    while not simulation.finished:
        for done in expected.round():
            if done.counts:
                simulation.step()
                assert simulation.latest == done.particle
                assert moments.memories(simulation) == expected.contents()
    assert (expected.leader_declared, expected.all_terminated) == (
        result.rounds,
        result.rounds_terminated,
    )
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_activation_on_random_shapes_is_that_of_the_definition(scheduler: str) -> None:
    seeds = iter(range(10_000))
    for number in range(200 if FULL else 10):
        shape = naive.some_shape(number, 3, 16, expanded=number % 2 == 1)
        for options in some_options(scheduler, seeds):
            assert_the_same(shape, options, 150)


@pytest.mark.compiled
def test_compiled_and_interpreted_runs_are_the_same_byte_for_byte() -> None:
    interpreted = subprocess.run(
        [sys.executable, Path(digests.__file__)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = digests.digests()
    assert len(compiled) == len(set(compiled)) == 5 * 6 * (4 if FULL else 1)
    assert interpreted.stdout.splitlines() == compiled
