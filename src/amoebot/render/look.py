"""Sizes, colours and layers that all elections share, on the page and on paper.

``look.json`` has sizes, colours and layers that every election has; the rest it declares itself
(``algorithms.pictures``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from amoebot.algorithms.description import Course
from amoebot.algorithms.expressions import MEMORIES, as_json, evaluate, mentioned
from amoebot.algorithms.pictures import AGENT_OUT, Layer, Pictures, completed
from amoebot.algorithms.records import Record
from amoebot.algorithms.registry import Election, ElectionError, find
from amoebot.errors import ExplainedError
from amoebot.options import Options
from amoebot.render.records import record_format
from amoebot.simulation import Simulation


class LayerError(ExplainedError, ValueError):
    """Unknown layer."""

    topic = "figures"


@cache
def _look() -> dict[str, Any]:
    text = files("amoebot.render").joinpath("look.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@cache
def sizes() -> dict[str, float]:
    """Return lengths in units of the distance between two neighbouring nodes."""
    return {**_look()["sizes"], "agent_out": AGENT_OUT}


def memory_of(algorithm: str) -> type[Record]:
    """Return the record of a unit's memory."""
    memory: type[Record] = find(algorithm).provides("memory", "Memory")
    return memory


def is_on_nodes(algorithm: str) -> bool:
    """Whether the units of an election are nodes, and not agents."""
    return bool(find(algorithm).provides("memory", "ON_NODES", False))


def pictures_of(algorithm: str) -> Pictures:
    """Return what an election declares, completed and checked."""
    return _pictures(find(algorithm))


@cache
def _pictures(election: Election) -> Pictures:
    memory, on_nodes = (election.provides("memory", name, False) for name in ("Memory", "ON_NODES"))
    pictures = completed(election.provides("pictures", "PICTURES"), memory, on_nodes)
    known = {name for name, _, _ in record_format(memory).fields}
    for place, path in mentioned(as_json(pictures)):
        if place in MEMORIES and path not in known:
            raise ElectionError(f"the pictures of {election.name} mention {path}: no such field")
    return pictures


def description(algorithm: str) -> dict[str, Any]:
    """Return what an election declares, ready for JSON; its layers by their names."""
    return _description(find(algorithm), algorithm)


@cache
def _description(election: Election, algorithm: str) -> dict[str, Any]:
    layers = (*all_layers(algorithm), faults_layer())
    return {**as_json(_pictures(election)), "layers": {one.id: as_json(one) for one in layers}}


def theme(algorithm: str, dark: bool = False) -> dict[str, str]:
    """Return the colours by their names."""
    own = {name: both[dark] for name, both in pictures_of(algorithm).colours.items()}
    return {**_look()["themes"]["dark" if dark else "light"], **own}


def course_of(algorithm: str) -> Course:
    """Return the milestones and phases of an election."""
    return find(algorithm).course


def layers_of(options: Options) -> dict[str, Layer]:
    """Return all layers of an election with these options by their names, from the bottom up."""
    known = {"option": options.own}
    layers = all_layers(options.algorithm)
    shown = [*layers, faults_layer()] if options.faults else layers
    return {one.id: one for one in shown if evaluate(one.when, known)}


def all_layers(algorithm: str) -> tuple[Layer, ...]:
    """Return all layers of an election, whatever its options, from the bottom up."""
    course, own = course_of(algorithm), pictures_of(algorithm).layers
    bonds, particles, message, cycles, leader, _ = (Layer(**one) for one in _look()["layers"])
    cycles = replace(cycles, phases=() if is_on_nodes(algorithm) else None)
    message = replace(message, phases=(course.termination, course.done))
    below = (one for one in own if one.below)
    above = (one for one in own if not one.below)
    return (bonds, particles, message, *below, cycles, *above, leader)


def faults_layer() -> Layer:
    """Return the layer of runs with faults."""
    return Layer(**_look()["layers"][-1])


def chosen_layers(
    simulation: Simulation, show: Iterable[str] = (), hide: Iterable[str] = ()
) -> set[str]:
    """Return the layers that suit a run's phase, with those to show, without those to hide."""
    show, hide = _listed(show), _listed(hide)
    shown, hidden = named_layers(simulation, show), named_layers(simulation, hide)
    if "all" in hide:  # but for what is shown by its own name
        return {*show} - {*hide}
    phase, every = simulation.phase, layers_of(simulation.options).values()
    suit = {one.id for one in every if one.phases is None or phase in one.phases}
    return (suit | shown) - hidden


def named_layers(simulation: Simulation, names: Iterable[str]) -> set[str]:
    """Return the layers with these names; "all" is the name of all of them."""
    layers = layers_of(simulation.options)
    wanted = _listed(names)
    for name in wanted:
        if name != "all" and (not isinstance(name, str) or name not in layers):
            raise LayerError(f"there is no layer {name!r}: choose from {', '.join(layers)}, all")
    return set(layers) if "all" in wanted else set(wanted)


def _listed(names: Iterable[str]) -> list[str]:
    """Return the names of layers as a list."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise LayerError(f"layers are names in a set or a list, and not {names!r}")
    return [*names]
