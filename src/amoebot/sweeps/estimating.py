"""How long sweeps will take: the model in ``costs``, corrected by a sample that is carried out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from amoebot.sweeps.costs import Costs
from amoebot.sweeps.plan import Cell, Plan
from amoebot.sweeps.sweeping import carry_out

#: Seconds that the sample takes, roughly, and the longest elections in it.
SAMPLE, SHORT = 1.0, 0.1


def wall_clock(plans: list[Plan], threads: int) -> float:
    """Return about how many seconds sweeps take on N threads, one after another.

    What very short elections take is mostly not the election: a row is made, written down and
    packed. So some of them are run, in the same way, into a folder that is then removed.
    """
    known = [(plan, _costs(plan)) for plan in plans]
    short = [(_only(plan, costs, is_short), costs) for plan, costs in known]
    told = sum(costs.wall_clock(plan, threads) for plan, costs in short)
    rest = sum(
        costs.wall_clock(_only(plan, costs, lambda seconds: not is_short(seconds)), threads)
        for plan, costs in known
    )
    share = min(1.0, SAMPLE / max(told, 1e-9))
    expected = measured = 0.0
    for plan, costs in short:
        sample = _sample(plan, share)
        if len(sample):
            expected += costs.wall_clock(sample, threads)
            with tempfile.TemporaryDirectory(prefix="amoebot-") as folder:
                measured += carry_out(sample, Path(folder), threads=threads).elapsed
    return rest + (told * measured / expected if expected else told)


def _costs(plan: Plan) -> Costs:
    with plan.named():
        return Costs(plan)


def is_short(seconds: float) -> bool:
    """Whether an election that takes so long can be part of the sample."""
    return seconds < SHORT


def _only(plan: Plan, costs: Costs, wanted: Callable[[float], bool]) -> Plan:
    """Return the elections of a plan that take long, or those that do not."""
    return _with_cells(plan, lambda cell, count: count if wanted(costs.seconds(cell)) else 0)


def _sample(plan: Plan, share: float) -> Plan:
    """Return a share of the elections of each kind; where that is less than one, of some kinds."""
    left = 0.5

    def take(cell: Cell, count: int) -> int:
        nonlocal left
        left += share * count
        taken = min(count, int(left))
        left -= taken
        return taken

    return _with_cells(plan, take)


def _with_cells(plan: Plan, count: Callable[[Cell, int], int]) -> Plan:
    """Return a plan with the given number of elections from each run of seeds."""
    cells = {
        cell: [(first, first + count(cell, end - first)) for first, end in runs]
        for cell, runs in plan.items()
    }
    kept = {
        cell: [(first, end) for first, end in runs if end > first] for cell, runs in cells.items()
    }
    return replace(plan, cells={cell: runs for cell, runs in kept.items() if runs})
