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
    from amoebot.results import Result
    from amoebot.rules import Rules
    from amoebot.runs import load
    from amoebot.simulation import Simulation, elect

__version__ = "0.1.0"

__all__ = [
    "Result",
    "Rules",
    "Simulation",
    "__version__",
    "elect",
    "elect_many",
    "experiments",
    "load",
    "shapes",
]


def __getattr__(name: str) -> Any:
    """Import on first use: the compiler is heavy, and ``amoebot --help`` does without it."""
    if name in ("experiments", "shapes"):
        found = importlib.import_module(f"amoebot.{name}")
    elif name == "Result":
        found = importlib.import_module("amoebot.results").Result
    elif name == "Rules":
        found = importlib.import_module("amoebot.rules").Rules
    elif name in ("Simulation", "elect"):
        found = getattr(importlib.import_module("amoebot.simulation"), name)
    elif name == "elect_many":
        found = importlib.import_module("amoebot.batch").elect_many
    elif name == "load":
        found = importlib.import_module("amoebot.runs").load
    else:
        raise AttributeError(f"module 'amoebot' has no attribute {name!r}")
    _let_shapes_show_themselves()
    return found


def _let_shapes_show_themselves() -> None:
    """Give shapes their picture in a notebook; it is drawn by a layer that shapes do not know."""
    setattr(  # noqa: B010
        importlib.import_module("amoebot.shapes").Shape,
        "_repr_svg_",
        lambda shape: importlib.import_module("amoebot.render").picture_of_shape(shape),
    )
