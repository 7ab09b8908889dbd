"""How a run begins, and what is left out where only the result is wanted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from amoebot import Simulation, shapes
from amoebot.batch import run_election
from amoebot.engine_runs import new_run
from amoebot.jit import INTERPRETED
from amoebot.linking import link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build
from helpers import naive
from helpers.full import FULL
from helpers.naive import SCHEDULERS, VARIANTS

HOLES = ("annulus:4,2", "annulus:2,1", "labyrinth:4", "swiss:6,0.3", "swiss:7,0.35", "swiss:8,0.25")


@cache
def shape_with_holes(seed: int) -> Shape:
    """Return a shape with inner boundaries, every second one with expanded particles."""
    if seed < len(HOLES):
        shape = shapes.parse(HOLES[seed], seed)
    elif seed % 3:
        shape = shapes.random(90 + seed % 50, 1 + seed % 2, seed=seed)
    else:
        shape = shapes.swiss(4 + seed % 3, 0.2, seed=seed)
    return shape.with_expanded(0.7, seed) if seed % 2 else shape


@pytest.mark.parametrize(("almost_sure", "terminate"), VARIANTS)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_inner_boundaries_have_no_part_in_the_result(
    scheduler: str, almost_sure: bool, terminate: bool
) -> None:
    with_holes = 0
    for number in range(2 if INTERPRETED else (1_000 if FULL else 24)):
        shape = shape_with_holes(number)
        for seed, radix, limit in ((0, 16, naive.TOO_LONG), (1, 2, naive.TOO_LONG), (2, 16, 40)):
            own = {"almost_sure": almost_sure, "terminate": terminate, "radix": radix}
            options = Options(seed + 3 * number, scheduler, own=own, max_rounds=limit)
            whole = Simulation.of(shape, options)
            with_holes += len(whole.system.boundaries) > 1
            assert run_election(shape, options) == whole.run()
    assert with_holes > 2 * number


@pytest.mark.parametrize("expanded", [0, 0.7])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_inner_boundaries_are_left_out_where_only_the_result_is_wanted(
    scheduler: str, expanded: float
) -> None:
    shape = shapes.annulus(4, 2).with_expanded(expanded, 1)
    system = build(shape, 3)
    whole, partial = (
        new_run(system, Options(3, scheduler), scheduler, outcome_only)
        for outcome_only in (False, True)
    )
    length = system.outer_boundary_length
    while whole.outcome is None:
        whole.advance(whole.rounds + 1)
        partial.advance(partial.rounds + 1)
        assert (partial.memory[:length] == whole.memory[:length]).all()
        assert (partial.state.draws[:length] == whole.state.draws[:length]).all()
        assert partial.watch == whole.watch
    assert whole.memory[length:].view(np.uint8).any()
    # Rounds of the uniform scheduler last until everyone on any boundary has been activated.
    assert partial.memory[length:].view(np.uint8).any() == (scheduler == "uniform")


def test_outer_winners_only_have_an_effect_on_the_outer_boundary() -> None:
    # On an annulus the inner boundary is as long as the outer one, and finishes as soon.
    for seed in range(15):
        simulation = Simulation(shapes.annulus(3, 2), seed, terminate=False)
        simulation.run(naive.TOO_LONG)
        simulation.goto(simulation.rounds + 400)
        (leader,) = np.flatnonzero(simulation.memory["leader"])
        assert leader in simulation.system.boundaries[0].agents


def test_everyone_begins_with_empty_memory() -> None:
    for terminate in (False, True):
        simulation = Simulation(shapes.annulus(3, 1).with_expanded(0.5), terminate=terminate)
        assert not simulation.memory.view(np.uint8).any()
        assert not simulation.particle_memory.view(np.uint8).any()
        assert len(simulation.particle_memory) == (simulation.system.particles if terminate else 0)


@pytest.mark.compiled
def test_the_engine_is_compiled_once_whatever_the_shape() -> None:
    solid = shapes.hexagon(2)
    for shape in (shapes.line(1), solid, solid.with_expanded(0.5), shapes.annulus(3, 1)):
        for scheduler in SCHEDULERS:
            for terminate in (False, True):
                own: dict[str, Any] = {"terminate": terminate}
                run_election(shape, Options(1, scheduler, own=own))
                simulation = Simulation(shape, 1, scheduler, **own)
                simulation.goto(3, 2)
                simulation.activate(0)
    engine = link("improved")
    for module, name in (
        ("engine.sequential", "advance"),
        ("engine.chosen", "activate_listed"),
        ("engine.termination", "activated_so_far"),
    ):
        assert len(getattr(engine.module(module), name).signatures) == 1
    # The same as part of another function that may come from the cache, where it leaves no trace.
    assert len(engine.module("engine.sequential").activate_by_hand.signatures) <= 1
