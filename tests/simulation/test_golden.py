"""Golden runs: what these seeds gave once, they must give for ever.

A change that is meant to change results changes these numbers too, and says so in the CHANGELOG.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from amoebot import elect
from amoebot.results import MILESTONES
from amoebot.shapes import parse

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


_ = None

# fmt: off
GOLDEN = (
    Golden("hexagon:5", 0, "permutation", True, True, 16, 0,
           "leader", ((-3, 5),), 117, (20, 23, 57, 38, 57, 95, _, 117, 122)),
    Golden("hexagon:5", 0, "permutation", False, False, 16, 0,
           "leader", ((-3, 5),), 117, (20, 23, 57, 38, 57, 95, _, 117, _)),
    Golden("hexagon:12", 7, "permutation", True, True, 16, 0,
           "leader", ((-1, -11),), 235, (21, 25, 2, 90, 101, 194, _, 235, 245)),
    Golden("line:40", 3, "round-robin", True, True, 16, 0,
           "leader", ((35, 0),), 207, (9, 9, 2, 49, 89, 168, _, 207, 243)),
    Golden("line:3", 1, "uniform", True, True, 2, 0,
           "leader", ((2, 0),), 21, (7, 9, 14, 10, 14, 18, _, 21, 23)),
    Golden("annulus:8,5", 11, "uniform", True, True, 16, 0,
           "leader", ((8, -4),), 60, (6, 7, 5, 19, 29, 53, _, 60, 61)),
    Golden("annulus:8,5", 11, "with-cycle", False, True, 16, 0,
           "leader", ((8, -4),), 123, (20, 20, 8, 46, 73, 122, _, 123, 125)),
    Golden("comb:5,6", 4, "against-cycle", True, False, 16, 0,
           "leader", ((0, 3),), 203, (16, 21, 93, 63, 93, 165, _, 203, _)),
    Golden("spiral:60", 2, "adversarial", True, True, 4, 0,
           "leader", ((-5, 5),), 487, (16, 21, 2, 86, 139, 371, _, 487, 498)),
    Golden("labyrinth:6", 9, "adversarial", False, False, 16, 0,
           "leader", ((-2, 6),), 161, (16, 16, 56, 37, 56, 126, _, 161, _)),
    Golden("tree:50", 5, "permutation", True, True, 256, 0.6,
           "leader", ((-5, 2), (-4, 2)), 292, (23, 26, 128, 46, 128, 240, _, 292, 301)),
    Golden("random:60,2", 6, "uniform", False, True, 16, 0.4,
           "leader", ((-3, -2), (-2, -2)), 91, (7, 7, 3, 18, 43, 74, _, 91, 93)),
    Golden("swiss:6,0.2", 8, "permutation", True, True, 2, 0,
           "leader", ((0, 5),), 146, (27, 32, 2, 50, 76, 124, _, 146, 152)),
    # The second algorithm elects: nobody flipped heads, or the highest identifier is not unique.
    Golden("line:3", 0, "adversarial", True, True, 2, 0,
           "leader", ((2, 0),), 42, (_, _, _, _, _, _, 40, 42, 45)),
    Golden("hexagon:2", 18, "uniform", True, True, 2, 0,
           "leader", ((0, -2),), 59, (4, 4, 6, _, 56, _, 56, 59, 60)),
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
    assert result.milestones == dict(zip(MILESTONES, run.milestones, strict=True))
    assert result.rounds_terminated == run.milestones[-1]
