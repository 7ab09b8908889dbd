"""Run, watch, measure and verify leader election in the geometric amoebot model.

The default election is that of Daymude, Gmyr, Richa, Scheideler and Strothmann, "Improved Leader
Election for Self-Organizing Programmable Matter". This page is a tour for Python users; the command
``amoebot help`` lists pages that say more.

A shape is a connected set of nodes; on it, particles elect a leader. The same shape, seed and
options give the same run, everywhere.

    >>> import amoebot
    >>> shape = amoebot.shapes.hexagon(3)  # or parse("hexagon:3"), or parse("my.txt")
    >>> result = amoebot.elect(shape, seed=7)
    >>> result.outcome, result.leader, result.rounds
    ('leader', ((-1, -2),), 78)

``Simulation`` is a run to look into. It goes forwards and backwards, by rounds or by activations.

    >>> simulation = amoebot.Simulation(shape, seed=7)
    >>> simulation.goto(30)  # after 30 rounds
    >>> simulation.candidates
    2
    >>> simulation.goto(2)  # back to the second
    >>> simulation.step()  # and on by one activation
    >>> simulation.candidates, simulation.position, simulation.memory["leader"][:3].tolist()
    (6, 1, [0, 0, 0])

Other elections have names too, or are files of your own. Options are given by name.

    >>> amoebot.elect(shape, algorithm="erosion", terminate=False).rounds
    5

``elect_many`` runs an election for each of many seeds on all cores, and ``sweeps.sweep`` all
combinations of shapes, schedulers and options into a table with a row for each election.
``reports.report`` draws what such a table shows, and ``reproduction.reproduce`` puts the paper's
claims beside measurements.

    >>> results = amoebot.elect_many(shape, seeds=range(100))
    >>> max(result.rounds for result in results)
    125
    >>> table = amoebot.sweeps.sweep({"shapes": "hexagon:2..4", "seeds": 10})
    >>> table.collect().height
    30

``frame`` makes a data frame of results, and ``measure`` one of a run, with a row for each round.

    >>> amoebot.frame(amoebot.elect_many(shape, seeds=range(3)))["rounds"].to_list()
    [104, 68, 71]
    >>> amoebot.measure(amoebot.Simulation(shape, seed=7), ["candidates"]).height
    82

``verify`` tries every activation order and every coin of a small system, and gives a verdict for
each property; of a violated one it has a schedule that shows it.

    >>> report = amoebot.verify.verify(amoebot.shapes.line(2))
    >>> report.exhausted, report.violated, report.states
    (True, False, 23143)

``Rules`` are those of an election with some of them replaced, by functions of the same name. Here,
a candidate finds out more often whether it is alone, and so learns it earlier.

    >>> from amoebot.algorithms.improved.identifier_comparison import start_verifying, withdraw
    >>> from amoebot.algorithms.improved.events import STARTED_VERIFYING, WITHDREW
    >>> from amoebot.algorithms.improved.memory import HIGHER
    >>> def judge(me, longer, match, difference):
    ...     if longer or (match and difference == HIGHER):
    ...         return WITHDREW if withdraw(me) else 0
    ...     return STARTED_VERIFYING if start_verifying(me) else 0
    >>> large = amoebot.shapes.hexagon(10)
    >>> amoebot.elect(large).rounds, amoebot.elect(large, rules=amoebot.Rules(judge)).rounds
    (197, 167)

``load`` brings back a run that ``Simulation.save`` wrote to a file. ``amoebot.algorithms`` has a
package for each election, and ``amoebot.render`` makes pictures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amoebot import reports as reports
    from amoebot import reproduction as reproduction
    from amoebot import shapes as shapes
    from amoebot import sweeps as sweeps
    from amoebot import verify as verify
    from amoebot.batch import elect, elect_many
    from amoebot.linking import Rules
    from amoebot.measurements import measure
    from amoebot.results import Result, frame
    from amoebot.runs import load
    from amoebot.simulation import Simulation

__version__ = "0.1.0"

__all__ = [
    "Result",
    "Rules",
    "Simulation",
    "__version__",
    "elect",
    "elect_many",
    "frame",
    "load",
    "measure",
    "reports",
    "reproduction",
    "shapes",
    "sweeps",
    "verify",
]

#: Where to find what is imported on first use. A module is its own home.
_HOMES = {
    "Result": "amoebot.results",
    "Rules": "amoebot.linking",
    "Simulation": "amoebot.simulation",
    "elect": "amoebot.batch",
    "elect_many": "amoebot.batch",
    "frame": "amoebot.results",
    "load": "amoebot.runs",
    "measure": "amoebot.measurements",
    "reports": "amoebot.reports",
    "reproduction": "amoebot.reproduction",
    "shapes": "amoebot.shapes",
    "sweeps": "amoebot.sweeps",
    "verify": "amoebot.verify",
}


def __getattr__(name: str) -> Any:
    """Import on first use: the compiler is heavy, and ``amoebot --help`` does without it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'amoebot' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return home if home.__name__ == f"amoebot.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    """Name what has not been imported yet too, so that ``help`` and completion show it."""
    return sorted(__all__)
