"""Golden runs: what these seeds gave once, they must give for ever.

A change that is meant to change results changes these numbers too, and says so in the CHANGELOG.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import pytest

from amoebot import Simulation, elect
from amoebot.shapes import hexagon, parse

Nodes = tuple[tuple[int, int], ...]


class Golden(NamedTuple):
    shape: str
    seed: int  # of the run, of the shape and of its expanded particles
    scheduler: str
    almost_sure: bool
    terminate: bool
    radix: int
    expanded: float
    outcome: str
    leader: Nodes | None
    rounds: int
    milestones: tuple[int | None, ...]  # the last one is rounds_terminated


_: None = None

# fmt: off
GOLDEN = (
    Golden("hexagon:5", 0, "permutation", True, True, 16, 0,
           "leader", ((-3, 5),), 115, (19, 23, 58, 39, 58, 96, _, 115, 119)),
    Golden("hexagon:5", 0, "permutation", False, False, 16, 0,
           "leader", ((-3, 5),), 115, (19, 23, 58, 39, 58, 96, _, 115, _)),
    Golden("hexagon:12", 7, "permutation", True, True, 16, 0,
           "leader", ((-1, -11),), 235, (18, 21, 2, 86, 97, 195, _, 235, 245)),
    Golden("line:40", 3, "round-robin", True, True, 16, 0,
           "leader", ((35, 0),), 207, (9, 9, 2, 49, 89, 168, _, 207, 243)),
    Golden("line:3", 1, "uniform", True, True, 2, 0,
           "leader", ((2, 0),), 16, (6, 6, 11, 8, 11, 14, _, 16, 17)),
    Golden("annulus:8,5", 11, "uniform", True, True, 16, 0,
           "leader", ((8, -4),), 57, (7, 8, 4, 21, 30, 51, _, 57, 60)),
    Golden("annulus:8,5", 11, "with-cycle", False, True, 16, 0,
           "leader", ((8, -4),), 123, (20, 20, 8, 46, 73, 122, _, 123, 125)),
    Golden("comb:5,6", 4, "against-cycle", True, False, 16, 0,
           "leader", ((0, 3),), 203, (16, 21, 93, 63, 93, 165, _, 203, _)),
    Golden("spiral:60", 2, "adversarial", True, True, 4, 0,
           "leader", ((-5, 5),), 487, (16, 21, 2, 86, 139, 371, _, 487, 532)),
    Golden("labyrinth:6", 9, "adversarial", False, False, 16, 0,
           "leader", ((-2, 6),), 161, (16, 16, 56, 37, 56, 126, _, 161, _)),
    Golden("tree:50", 5, "permutation", True, True, 256, 0.6,
           "leader", ((-5, 2), (-4, 2)), 292, (25, 28, 131, 46, 131, 243, _, 292, 302)),
    Golden("random:60,2", 6, "uniform", False, True, 16, 0.4,
           "leader", ((-3, -2), (-2, -2)), 97, (5, 7, 2, 16, 41, 78, _, 97, 100)),
    Golden("swiss:6,0.2", 8, "permutation", True, True, 2, 0,
           "leader", ((0, 5),), 143, (22, 25, 2, 43, 69, 117, _, 143, 149)),
    # The second algorithm elects: nobody flipped heads, or the highest identifier is not unique.
    Golden("line:3", 0, "adversarial", True, True, 2, 0,
           "leader", ((2, 0),), 39, (_, _, _, _, _, _, 37, 39, 42)),
    Golden("hexagon:2", 18, "uniform", True, True, 2, 0,
           "leader", ((-1, -1),), 60, (4, 4, 6, _, 55, _, 58, 60, 62)),
    Golden("line:3", 0, "permutation", False, False, 2, 0,
           "no-candidates", _, 1, 9 * (_,)),
    Golden("hexagon:2", 18, "permutation", False, False, 2, 0,
           "tied-identifiers", _, 3, 9 * (_,)),
)
# fmt: on


@pytest.mark.parametrize("run", GOLDEN, ids=lambda run: f"{run.shape} {run.scheduler}")
def test_a_golden_run_has_not_changed(run: Golden) -> None:
    shape = parse(run.shape, run.seed)
    result = elect(
        shape.with_expanded(run.expanded, run.seed) if run.expanded else shape,
        run.seed,
        run.scheduler,
        almost_sure=run.almost_sure,
        terminate=run.terminate,
        radix=run.radix,
    )
    assert (result.outcome, result.leader, result.rounds) == (run.outcome, run.leader, run.rounds)
    assert tuple(result.milestones.values()) == run.milestones
    assert result.rounds_terminated == run.milestones[-1]


#: The first digits of a digest of all memories after each round, to the last termination.
MEMORIES = {
    "permutation": "140405ffb61d405d",
    "uniform": "f32c1c9b5235caca",
    "round-robin": "1ddf39d3821c2224",
    "with-cycle": "a67101158c15957d",
    "against-cycle": "5bce712e1c308733",
    "adversarial": "3e897e85eedd3164",
}


@pytest.mark.parametrize("scheduler", MEMORIES)
def test_no_memory_of_a_golden_run_has_changed(scheduler: str) -> None:
    simulation = Simulation(hexagon(2).with_expanded(0.5, seed=9), 9, scheduler, radix=5)
    told = hashlib.sha256()
    while not simulation.finished:
        simulation.round()
        told.update(repr(simulation.memory.tolist()).encode())
        told.update(repr(simulation.particle_memory.tolist()).encode())
    assert told.hexdigest()[:16] == MEMORIES[scheduler]
