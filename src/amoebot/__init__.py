"""Run, watch, measure and verify leader election in the geometric amoebot model.

    >>> import amoebot
    >>> result = amoebot.elect(amoebot.shapes.hexagon(10), seed=7)
    >>> result.outcome
    'leader'

``amoebot.shapes`` makes and reads shapes, ``amoebot.elect`` runs one election and returns its
result, ``amoebot.elect_many`` runs one for each of many seeds on all cores, and
``amoebot.Simulation`` is a run to step through, rewind and look into. The algorithm is that of
Daymude, Gmyr, Richa, Scheideler and Strothmann, "Improved Leader Election for Self-Organizing
Programmable Matter"; ``amoebot.election`` has one module for each of its phases.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amoebot import shapes as shapes
    from amoebot.batch import elect_many
    from amoebot.simulation import Result, Simulation, elect

__version__ = "0.1.0"

__all__ = ["Result", "Simulation", "__version__", "elect", "elect_many", "experiments", "shapes"]


def __getattr__(name: str) -> Any:
    """Import on first use: the compiler is heavy, and ``amoebot --help`` does without it."""
    if name in ("experiments", "shapes"):
        return importlib.import_module(f"amoebot.{name}")
    if name == "elect_many":
        return importlib.import_module("amoebot.batch").elect_many
    if name in ("Result", "Simulation", "elect"):
        return getattr(importlib.import_module("amoebot.simulation"), name)
    raise AttributeError(f"module 'amoebot' has no attribute {name!r}")
