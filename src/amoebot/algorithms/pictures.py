"""How an election is drawn and told, as data for figures, films and the page alike.

Whatever is called a ``Value`` is a constant or an expression (see ``expressions``). Lengths are in
units of the distance between neighbouring nodes, colours are names in a palette.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from amoebot.algorithms.expressions import Field, Value, choose, me, text, when
from amoebot.algorithms.records import Record, fields

#: Discs and letters, and what has corners (see ``render.forms``).
FORMS = (
    *("disc", "label"),
    *(
        "triangle",
        "square",
        "diamond",
        "hexagon",
        "octagon",
        "star",
        "arrow",
        "bar",
        "cross",
        "bolt",
    ),
)

#: Where an agent is drawn: this far out from the middle of its node.
AGENT_OUT = 0.37


@dataclass(frozen=True, eq=False)
class Mark:
    """One form, drawn for each unit for which a condition holds."""

    form: str
    size: Value  #: radius, or the height of letters
    when: Value = True
    fill: Value = None
    stroke: Value = None
    width: float = 0.0  #: of the stroke
    out: Value = 0.0  #: from the middle of the node towards the empty side; on nodes, upwards
    side: Value = 0.0  #: along the cycle; on nodes, to the right
    turn: Value = 0  #: in degrees, clockwise
    along: bool = False  #: whether it turns with the cycle
    text: Value = None  #: of a label
    afar: bool = False  #: whether it is drawn, larger, where others are too small to be seen


@dataclass(frozen=True, eq=False)
class Band:
    """Bands along a boundary, in two colours: each from one start up to the next."""

    starts: Value
    width: float
    colours: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Key:
    """A line of the legend: some words, and the layer's marks for memories made up for it."""

    words: str
    samples: tuple[Mapping[str, int], ...] = ()  #: fields by their path; all others are zero


@dataclass(frozen=True, eq=False)
class Layer:
    """Marks that are shown and hidden together."""

    id: str
    name: str
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    legend: tuple[Key, ...] = ()
    phases: tuple[int, ...] | None = None  #: in which it is shown by default; None for all
    below: bool = False  #: whether it is drawn below the boundary cycles
    when: Value = True  #: of the options: whether there is such a layer
    moves: bool = False  #: whether its marks are tokens that agents hand on


@dataclass(frozen=True, eq=False)
class Row:
    """One field, or what several come to, in words."""

    name: str
    value: Value
    hint: str = ""


@dataclass(frozen=True, eq=False)
class Lane:
    """A part of the memory in words."""

    title: str
    section: str  #: of the paper, "" for none
    rows: tuple[Row, ...]
    when: Value = True
    is_open: bool = False  #: whether its rows are shown at once


@dataclass(frozen=True, eq=False)
class Deed:
    """What an activation does, if its condition holds.

    The sentence goes on after the unit's name ("flips heads"), unless it begins with a capital.
    """

    when: Value
    sentence: Value


@dataclass(frozen=True, eq=False)
class Series:
    """A line of the chart: a value summed over all units, or a condition counted."""

    name: str
    colour: str
    value: Value
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Trace:
    """What is shown of each agent in the space-time diagram, and in pictures from afar."""

    name: str
    colour: str
    when: Value
    layer: str  #: with which it is shown and hidden in pictures
    #: For traces that many agents show: the tint of a column in which all do. Without it, the
    #: trace is a mark, visible wherever it occurs.
    tint: float | None = None


@dataclass(frozen=True, eq=False)
class Question:
    """What the reader is asked before it is shown: to point to a particle, or to choose."""

    text: str
    then: str  #: what is said about the answer
    rounds: int = 1  #: that are played to show it
    answer: Value = None  #: of which units it is true in the end; ``was`` is when it was asked
    among: Value = True  #: the units that can be meant
    choices: tuple[str, ...] = ()  #: instead of particles
    right: int = 0  #: the number of the right one among these


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the tour: some sentences, and the moment that they are about."""

    title: str
    text: str
    at: int | str  #: a round, or a milestone
    plus: int = 0  #: rounds after it
    hide: tuple[str, ...] = ()  #: layers that would distract
    plays: int = 0  #: rounds before that moment, which are played
    spotlight: Value = None  #: of which units the sentences speak, if not of all
    question: Question | None = None


@dataclass(frozen=True, eq=False)
class Tour:
    """A guided tour of one run."""

    shape: str
    seed: int
    steps: tuple[Step, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pictures:
    """All that is drawn of a moment, and how memories and activations are told in words."""

    layers: tuple[Layer, ...] = ()  #: from the bottom up
    lanes: tuple[Lane, ...] = ()
    deeds: tuple[Deed, ...] = ()
    series: tuple[Series, ...] = ()
    traces: tuple[Trace, ...] = ()  #: from the bottom up
    colours: Mapping[str, tuple[str, str]] = field(default_factory=dict)  #: on light and on dark
    tour: Tour | None = None


def completed(pictures: Pictures | None, record: type[Record], on_nodes: bool) -> Pictures:
    """Return pictures in which layers, lanes and traces that are missing come from the record."""
    known = pictures or Pictures()
    colours = {f"state_{i}": both for i, both in enumerate(_STATES)}
    return replace(
        known,
        layers=known.layers or (_default_layer(record, on_nodes),),
        lanes=known.lanes or (Lane("Memory", "", tuple(_rows(record)), is_open=True),),
        traces=known.traces or tuple(_default_traces(record)),
        colours={**colours, **known.colours},
    )


#: Colours for the values of a field that nothing more is known of (Okabe and Ito), light and dark.
_STATES = (
    ("#8391a0", "#6c7a89"),
    ("#c25200", "#ff8c42"),
    ("#0072b2", "#56b4e9"),
    ("#00815e", "#2fc79a"),
    ("#b4558f", "#e39cc8"),
    ("#8a6d00", "#f0e442"),
)


def _default_layer(record: type[Record], on_nodes: bool) -> Layer:
    """Draw a disc for each unit, coloured by its first field, with a ring for a leader."""
    path = _first_field(record)
    first, out, size = _field(path), 0.0 if on_nodes else AGENT_OUT, 0.26 if on_nodes else 0.14
    colour = choose(first, [f"state_{i}" for i in range(len(_STATES))])
    marks = (
        Mark("disc", size, fill=colour, stroke="paper", width=0.03, out=out, afar=True),
        Mark("label", 0.19, when=first > 0, fill="on_colour", out=out, text=first),
        Mark("disc", size + 0.05, when=me.leader, stroke="leader", width=0.04, out=out),
    )
    words = (Key("0", ({},)), Key("1, …", ({path: 1},)), Key("leader", ({"leader": 1},)))
    return Layer("units", f"Units, by {path}", marks, legend=words)


def _default_traces(record: type[Record]) -> Iterator[Trace]:
    """Show the values of the first field, and the leader."""
    path = _first_field(record)
    first, last = _field(path), len(_STATES) - 1
    for value in range(1, last + 1):
        name, holds = f"{path} {value}", first == value
        if value == last:
            name, holds = f"{path} {value}, …", first >= value
        yield Trace(name, f"state_{value}", holds, "units", tint=0.5)
    yield Trace("leader", "leader", me.leader, "units")


def _first_field(record: type[Record]) -> str:
    return next(row.name for row in _rows(record) if isinstance(row.value, Field))


def _rows(record: type[Record], prefix: str = "") -> Iterator[Row]:
    """Yield a row for each field."""
    for one in fields(record):
        path = f"{prefix}{one.name}"
        if one.view_of is not None:
            continue
        if one.record is not None:
            yield from _rows(one.record, f"{path}.")
        elif one.kind.shape:
            items = [_field(f"{path}.{i}") for i in range(int(np.prod(one.kind.shape)))]
            yield Row(path, text(", ".join("{}" for _ in items), *items), one.meaning)
        else:
            yield Row(path, _field(path), one.meaning)


def _field(path: str) -> Any:
    found = me
    for name in path.split("."):
        found = getattr(found, name)
    return found


def yes_no(condition: Value) -> Value:
    """Return a condition in words."""
    return when(condition, "yes", "no")
