"""One source: the compiled run and the interpreted one are the same, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers import digests
from helpers import looking
from helpers import naive
from amoebot import Simulation, rng, shapes
from amoebot.jit import INTERPRETED


@pytest.mark.skipif(INTERPRETED, reason="compares with itself")
def test_compiled_and_interpreted_runs_are_the_same_byte_for_byte() -> None:
    interpreted = subprocess.run(
        [sys.executable, Path(digests.__file__)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = digests.digests()
    assert len(compiled) == len(set(compiled)) == 5 * 6 * 4
    assert interpreted.stdout.splitlines() == compiled


@pytest.mark.paper("Section 2.2")
def test_coins_are_fair_and_independent_of_one_another() -> None:
    seed = np.uint64(11)
    flips = np.array(
        [[rng.coin(seed, agent, number, 2) for agent in range(120)] for number in range(100)]
    )
    count = flips.size
    assert abs(flips.sum() - count / 2) < 5.5 * (count / 4) ** 0.5
    # Neighbouring agents, consecutive draws and other seeds know nothing of each other.
    other = np.array(
        [[rng.coin(seed + np.uint64(1), agent, n, 2) for agent in range(120)] for n in range(100)]
    )
    for one, two in (
        (flips[:, 1:], flips[:, :-1]),
        (flips[1:], flips[:-1]),
        (flips, other),
    ):
        assert abs((one == two).sum() - one.size / 2) < 5.5 * (one.size / 4) ** 0.5


@pytest.mark.paper("Section 2.3")
@pytest.mark.parametrize("sides", [2, 3, 16, 256])
def test_digits_are_uniform(sides: int) -> None:
    runs = 40 * sides + 2_000
    drawn = np.array([rng.coin(np.uint64(5), agent, 1, sides) for agent in range(runs)])
    counts = np.bincount(drawn, minlength=sides)
    assert len(counts) == sides
    statistic = ((counts - runs / sides) ** 2 / (runs / sides)).sum()
    assert statistic < sides - 1 + 6 * (2 * sides) ** 0.5 + 20


@pytest.mark.paper("Section 1.1")
def test_an_agent_acts_when_its_particle_does_and_touches_only_its_neighbours() -> None:
    for seed in range(12):
        shape = naive.some_shape(seed, 5, 25, expanded=seed % 3 == 0)
        simulation = Simulation(shape, seed, naive.bursts(shape, seed), terminate=False)
        turns = naive.bursts(shape, seed)
        wiring = simulation.system.wiring
        for _ in range(300):
            before = simulation.memory.copy()
            simulation.step()
            agents = simulation.system.agents_of(next(turns))
            near = {*agents, *wiring["pred"][agents], *wiring["succ"][agents]}
            changed = np.flatnonzero(simulation.memory != before)
            assert set(changed.tolist()) <= {int(agent) for agent in near}


def test_outer_winners_only_have_an_effect_on_the_outer_boundary() -> None:
    # On an annulus the inner boundary is as long as the outer one, and finishes as soon.
    for seed in range(15):
        simulation = Simulation(shapes.annulus(3, 2), seed, terminate=False)
        simulation.run(naive.TOO_LONG)
        simulation.goto(simulation.rounds + 400)
        (leader,) = looking.leaders(simulation.memory)
        assert leader in simulation.system.boundaries[0].agents
