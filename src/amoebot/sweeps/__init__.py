"""Sweeps: many elections, on one machine or a cluster, as one table.

A sweep takes a plan and returns a table with a row for each election.

    >>> from amoebot import sweeps
    >>> frame = sweeps.sweep({"shapes": "hexagon:2..4", "seeds": 10})
    >>> frame.collect().height
    30
"""

from amoebot.sweeps.archiving import archive
from amoebot.sweeps.files import FolderError
from amoebot.sweeps.plan import Plan, PlanError
from amoebot.sweeps.plan_files import make_plan, read_plan
from amoebot.sweeps.runners import SweepError, Tally
from amoebot.sweeps.store import load
from amoebot.sweeps.sweeping import sweep

__all__ = [
    "FolderError",
    "Plan",
    "PlanError",
    "SweepError",
    "Tally",
    "archive",
    "load",
    "make_plan",
    "read_plan",
    "sweep",
]
