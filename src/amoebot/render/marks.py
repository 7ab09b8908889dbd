"""The marks that an election declares, as what pictures are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import atan2, cos, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from amoebot.algorithms.expressions import evaluate
from amoebot.algorithms.pictures import Band, Layer
from amoebot.algorithms.pictures import Mark as Declared
from amoebot.render.afar import ribbons
from amoebot.render.forms import FORMS
from amoebot.render.primitives import Circle, Label, Mark, Path

if TYPE_CHECKING:
    from amoebot.render.scene import Scene

#: The least width of a band seen from afar, in pixels of a picture of usual size.
BAND = 6.0

#: How much smaller labels of one, two and more characters are written.
NARROWER = (1.0, 0.85, 0.65)


def layer_marks(scene: Scene, layer: Layer) -> list[Mark]:
    """Return all that a layer shows, unit by unit."""
    drawn = [mark for band in layer.bands for mark in bands(scene, band)]
    if scene.is_far and not scene.on_nodes:
        return [*drawn, *ribbons(scene, layer)]
    found = [
        (unit, order, mark)
        for order, declared in enumerate(layer.marks)
        if declared.afar or not scene.is_far
        for unit, mark in draw(scene, declared)
    ]
    return drawn + [mark for *_, mark in sorted(found, key=lambda one: one[:2])]


def draw(scene: Scene, mark: Declared) -> Iterator[tuple[int, Mark]]:
    """Yield a mark for each unit for which its condition holds, with that unit."""
    place = scene.place
    holds = np.broadcast_to(evaluate(mark.when, scene.places), len(place.units))
    units = np.flatnonzero(holds)
    places = {
        name: found if isinstance(found, Mapping) else found[units]
        for name, found in scene.places.items()
    }

    def values(value: Any) -> Any:
        return np.broadcast_to(evaluate(value, places), len(units))

    out, side = values(mark.out)[:, None], values(mark.side)[:, None]
    centres = place.units[units] + out * place.outward[units] + side * place.along[units]
    if scene.is_far and scene.on_nodes:
        fills = values(mark.fill)
        for fill in sorted(set(fills)):
            yield from ((-1, tile) for tile in scene.tiles(units[fills == fill], scene.paint(fill)))
        return
    looks = (values(one) for one in (mark.size, mark.fill, mark.stroke, mark.turn, mark.text))
    for unit, centre, size, fill, stroke, turn, text in zip(
        units.tolist(), centres.tolist(), *looks, strict=True
    ):
        at, radius = (centre[0], centre[1]), float(size) * scene.grown
        paint, edge = scene.paint(fill), scene.paint(stroke)
        if mark.form == "label":
            narrow = NARROWER[min(len(str(text)), 3) - 1]
            yield unit, Label(at, str(text), radius * narrow, paint or "", bold=True)
        elif mark.form == "disc":
            yield unit, Circle(at, radius, paint, edge, mark.width)
        else:
            along = atan2(place.along[unit][1], place.along[unit][0]) if mark.along else 0.0
            angle = radians(float(turn)) + along
            yield unit, shape(mark, at, radius, angle, paint, edge)


def shape(
    mark: Declared,
    centre: tuple[float, float],
    radius: float,
    angle: float,
    fill: str | None,
    stroke: str | None,
) -> Path:
    """Return a form with corners."""
    x, y = cos(angle) * radius, sin(angle) * radius
    corners = FORMS[mark.form]
    points = tuple((centre[0] + a * x - b * y, centre[1] + a * y + b * x) for a, b in corners)
    return Path(points, stroke, mark.width, fill, closed=len(points) > 2)


def bands(scene: Scene, band: Band) -> Iterator[Mark]:
    """Yield a band over the agents from each start up to the next, in alternating colours."""
    points, width = scene.place.agents, band.width
    if scene.is_far:
        width = max(width, BAND * scene.pixel)
    starts = np.broadcast_to(evaluate(band.starts, scene.places), len(points)) != 0
    for boundary in scene.simulation.system.boundaries:
        first = np.flatnonzero(starts[boundary.first :][: boundary.length])
        for number, (begin, end) in enumerate(pairwise([*first, *(first[:1] + boundary.length)])):
            last_of_odd = number % 2 == 0 and number == len(first) - 1 > 0
            colour = scene.colour[band.colours[1 if number % 2 or last_of_odd else 0]]
            over = boundary.first + np.arange(begin, end) % boundary.length
            line = tuple((float(x), float(y)) for x, y in points[over])
            if len(line) > 1:
                yield Path(line, colour, width)
            else:
                yield Circle(line[0], width / 2, colour)
