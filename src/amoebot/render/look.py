"""How things look, the same in the page and on paper: colours, sizes, layers and their names.

``look.json`` is the one place for all of it; the page gets it with the geometry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from amoebot.errors import ExplainedError
from amoebot.simulation import Simulation


class LayerError(ExplainedError, ValueError):
    """A layer that does not exist: a sentence that says which do."""

    topic = "figures"


@cache
def look() -> dict[str, Any]:
    """Return all there is to know about how things look."""
    text = files("amoebot.render").joinpath("look.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def sizes() -> dict[str, float]:
    """Return lengths in units of the distance between two neighbouring nodes."""
    found: dict[str, float] = look()["sizes"]
    return found


def theme(dark: bool = False) -> dict[str, str]:
    """Return the colours by their names."""
    found: dict[str, str] = look()["themes"]["dark" if dark else "light"]
    return found


def layer_names() -> dict[str, str]:
    """Return all layers, from the bottom up, with what people call them."""
    return {layer["id"]: layer["name"] for layer in look()["layers"]}


def default_layers(phase: int) -> set[str]:
    """Return the layers that make sense in a phase."""
    return {layer["id"] for layer in look()["layers"] if phase in layer["phases"]}


def chosen_layers(
    simulation: Simulation, show: Iterable[str] = (), hide: Iterable[str] = ()
) -> set[str]:
    """Return the layers that suit a run's phase, with those to show, without those to hide."""
    known = layer_names()
    for name in (*show, *hide):
        if name != "all" and name not in known:
            raise LayerError(f"there is no layer {name!r}: choose from {', '.join(known)}, all")
    chosen = set(known) if "all" in show else default_layers(simulation.phase) | set(show)
    return set(show) - {"all"} if "all" in hide else chosen - set(hide)
