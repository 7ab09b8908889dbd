"""Sweeps over many elections, on one machine or many, and what can be read from them.

A sweep takes a plan and returns a table with a row for each election.

    >>> from amoebot import experiments
    >>> frame = experiments.sweep({"shapes": "hexagon:2..4", "seeds": 10})
    >>> frame.collect().height
    30
"""

from amoebot.experiments.files import FolderError
from amoebot.experiments.plan import Plan, PlanError, make_plan, read_plan
from amoebot.experiments.runners import SweepError, Tally
from amoebot.experiments.store import load
from amoebot.experiments.sweeping import sweep

__all__ = [
    "FolderError",
    "Plan",
    "PlanError",
    "SweepError",
    "Tally",
    "load",
    "make_plan",
    "read_plan",
    "sweep",
]
