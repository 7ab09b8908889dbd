"""One activation: whose memories it may change, and when its coins are flipped."""

from __future__ import annotations

import numpy as np
import pytest

from amoebot import Rules, Simulation, shapes
from amoebot.shapes import Shape
from helpers import looking, naive


@pytest.mark.paper("Section 1.1")
def test_an_agent_acts_when_its_particle_does_and_touches_only_its_neighbours() -> None:
    for seed in range(12):
        shape = naive.some_shape(seed, 5, 25, expanded=seed % 3 == 0)
        simulation = Simulation(shape, seed, naive.bursts(shape, seed), terminate=False)
        schedule = naive.bursts(shape, seed)
        wiring = simulation.system.wiring
        for _ in range(300):
            before = simulation.memory.copy()
            simulation.step()
            agents = simulation.system.agents_of(next(schedule))
            near = {*agents, *wiring["pred"][agents], *wiring["succ"][agents]}
            changed = np.flatnonzero(simulation.memory != before)
            assert set(changed.tolist()) <= {int(agent) for agent in near}


@pytest.mark.paper("Appendix A.1")
def test_coins_are_flipped_before_any_agent_of_the_particle_acts() -> None:
    # An expanded particle whose two agents follow each other on a boundary of two: the setup
    # token that the first one sends is there when the second one acts, but it had no coin.
    shape = Shape([(0, 0), (1, 0)], expanded=[(0, 1)])
    waited = 0
    for seed in range(40):
        simulation = Simulation(shape, seed, "round-robin", almost_sure=False, terminate=False)
        for _ in range(12):
            before, flips = simulation.memory.copy(), simulation._run.state.draws.copy()
            simulation.step()
            flipped = simulation._run.state.draws[:, 0] != flips[:, 0]
            received = looking.setup_tokens(simulation.memory) & ~looking.setup_tokens(before)
            new = simulation.memory["drawn"] != before["drawn"]
            assert not (new & ~flipped).any()  # no digit without a coin
            waited += bool((received & looking.started(before) & ~new).any())
    assert waited


def test_coins_depend_on_who_flips_them_and_not_on_when() -> None:
    shape = shapes.hexagon(2).with_expanded(0.5, seed=2)
    digits = set()
    for scheduler in naive.SCHEDULERS:
        simulation = Simulation(shape, 5, scheduler, almost_sure=True, terminate=False)
        simulation.goto(300)
        assert simulation.memory["drawn"].all()
        digits.add((simulation.memory["digit"].tobytes(), simulation.memory["head"].tobytes()))
    assert len(digits) == 1


#: A leader of which no event tells.
SILENT = """
def declare(me):
    me.leader = 1
    return 0
"""


@pytest.mark.slow
def test_events_only_inform() -> None:
    rules = Rules.parse(SILENT, "silent", algorithm="erosion")
    simulation = Simulation(shapes.line(2), algorithm="erosion", rules=rules)
    simulation.goto(4)
    assert simulation.leader is None  # nobody was told
    assert simulation.memory["leader"].tolist() == simulation.particle_memory["message"].tolist()
    assert simulation.memory["leader"].sum() == 1
