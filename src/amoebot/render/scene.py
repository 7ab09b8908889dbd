"""What is drawn at a moment of a run: layers of marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from amoebot.algorithms.registry import ElectionError
from amoebot.faults import CRASH
from amoebot.measurements import places
from amoebot.render.afar import dots
from amoebot.render.forms import FORMS
from amoebot.render.geometry import Geometry, geometry
from amoebot.render.look import is_on_nodes, layers_of, sizes, theme
from amoebot.render.marks import layer_marks
from amoebot.render.primitives import Circle, Mark, Path, Picture, Point
from amoebot.simulation import Simulation

#: With more nodes than this, or nodes farther apart, particles are drawn as rows of tiles, and only
#: what is seen from afar.
MANY, WIDE = 20_000, 400

#: The longer side of a picture of usual size, in pixels.
PIXELS = 900.0

#: The height of a row of the lattice.
ROW = float(np.sqrt(0.75))


@dataclass(frozen=True)
class Scene:
    """A moment of a run, ready to be drawn."""

    simulation: Simulation
    place: Geometry
    colour: dict[str, str]
    size: dict[str, float]

    @property
    def on_nodes(self) -> bool:
        """Whether units are nodes."""
        return is_on_nodes(self.simulation.options.algorithm)

    @cached_property
    def places(self) -> dict[str, Any]:
        """What expressions can read: memories, views and options."""
        return places(self.simulation)

    @property
    def is_far(self) -> bool:
        """Whether there is so much to see that details would be lost."""
        return len(self.place.nodes) > MANY or self.extent > WIDE

    @property
    def extent(self) -> float:
        """The longer side of the system, in units of the lattice."""
        return float(np.ptp(self.place.nodes, axis=0).max()) + 1

    @property
    def pixel(self) -> float:
        """The size of a pixel of a picture of usual size, in units of the lattice."""
        return self.extent / PIXELS

    @property
    def grown(self) -> float:
        """How much larger lines and dots are so that they are seen from afar."""
        return self.extent / 37 if self.is_far else 1.0

    def paint(self, name: str | None) -> str | None:
        """Return a colour by its name."""
        if name is not None and name not in self.colour:
            raise ElectionError(f"there is no colour {name!r}")
        return None if name is None else self.colour[name]

    def tiles(self, nodes: Any, colour: str | None) -> Iterator[Mark]:
        """Draw neighbouring nodes of a row as one bar."""
        x, y = self.simulation.shape.nodes[nodes].T
        cuts = np.flatnonzero((np.diff(x) != 1) | (np.diff(y) != 0)) + 1
        points = self.place.nodes[nodes]
        for run in np.split(np.arange(len(nodes)), cuts) if len(nodes) else ():
            (left, middle), (right, _) = points[run[0]], points[run[-1]]
            ends, rows = (left - 0.5, right + 0.5), (middle - ROW / 2, middle + ROW / 2)
            corners = ((0, 0), (1, 0), (1, 1), (0, 1))
            yield Path(
                tuple((float(ends[i]), float(rows[j])) for i, j in corners),
                fill=colour,
                closed=True,
            )


def picture(
    simulation: Simulation,
    layers: Iterable[str],
    dark: bool = False,
    place: Geometry | None = None,
) -> Picture:
    """Return a moment of a run as marks; the geometry can be handed in to save time."""
    colours = theme(simulation.options.algorithm, dark)
    scene = Scene(simulation, place or geometry(simulation), colours, sizes())
    wanted = set(layers)
    drawn = {
        name: _GROUND[name](scene) if name in _GROUND else layer_marks(scene, layer)
        for name, layer in layers_of(simulation.options).items()
        if name in wanted
    }
    if scene.is_far and not scene.on_nodes:
        leader, faults = drawn.pop("leader", []), drawn.pop("faults", [])
        known = layers_of(simulation.options).values()
        drawn["afar"] = [dot for one in known if one.id in wanted for dot in dots(scene, one)]
        drawn |= {"leader": leader, "faults": faults}
    points, margin = scene.place.nodes, 1.15 * scene.grown**0.7 if simulation.system.agents else 0.7
    left, top = points.min(axis=0) - margin
    right, bottom = points.max(axis=0) + margin
    box = float(left), float(top), float(right - left), float(bottom - top)
    return Picture(drawn, *box, colours["paper"])


def _bonds(scene: Scene) -> list[Mark]:
    shape = scene.simulation.shape
    if scene.is_far:
        return []
    points = scene.place.nodes
    pairs = np.argwhere(shape.neighbours > np.arange(len(shape))[:, None])
    width, colour = scene.size["bond"], scene.colour["bond"]
    return [
        Path((_at(points[a]), _at(points[shape.neighbours[a, d]])), colour, width) for a, d in pairs
    ]


def _particles(scene: Scene) -> list[Mark]:
    shape = scene.simulation.shape
    fill, edge = scene.colour["particle"], scene.colour["particle_edge"]
    if scene.is_far:
        return list(scene.tiles(np.arange(len(shape)), edge))
    return _discs(scene, np.arange(len(shape)), fill, edge)


def _discs(scene: Scene, nodes: Any, fill: str, edge: str) -> list[Mark]:
    """Draw particles one by one, the expanded ones as capsules."""
    size, points = scene.size, scene.place.nodes
    marks: list[Mark] = []
    chosen = np.zeros(len(points), bool)
    chosen[nodes] = True
    for a, b in scene.simulation.shape.expanded:
        if chosen[a]:
            line = _at(points[a]), _at(points[b])
            marks.append(Path(line, edge, 2 * size["particle"] + size["outline"]))
            marks.append(Path(line, fill, 2 * size["particle"] - size["outline"]))
    chosen[scene.simulation.shape.expanded] = False
    marks.extend(
        Circle(_at(points[node]), size["particle"], fill, edge, size["outline"])
        for node in np.flatnonzero(chosen)
    )
    return marks


def _termination(scene: Scene) -> list[Mark]:
    memory = scene.simulation.particle_memory
    if not len(memory):
        return []
    of_node = scene.simulation.system.particle_of_node
    marks: list[Mark] = []
    for state, name in ((memory["message"], "message"), (memory["terminated"], "terminated")):
        nodes = np.flatnonzero(state[of_node] == 1)
        fill, edge = scene.colour[name], scene.colour["terminated_edge"]
        if scene.is_far:
            marks += scene.tiles(nodes, fill)
        else:
            marks += _discs(scene, nodes, fill, edge)
    return marks


def _boundaries(scene: Scene) -> list[Mark]:
    marks: list[Mark] = []
    for boundary in scene.simulation.system.boundaries:
        colour = scene.colour["outer" if boundary.outer else "inner"]
        points = [_at(p) for p in scene.place.agents[boundary.first :][: boundary.length]]
        width = scene.size["boundary"] * scene.grown
        marks.append(Path(tuple(points), colour, width, closed=True))
        if not scene.is_far:
            edges = pairwise([*points, points[0]])
            marks += [_arrow(a, b, scene.size["arrow"], colour) for a, b in edges]
    return marks


def _arrow(start: Point, end: Point, size: float, colour: str) -> Path:
    """Draw an arrowhead in the middle of an edge."""
    middle = np.array([(start[0] + end[0]) / 2, (start[1] + end[1]) / 2])
    way = np.array(end) - np.array(start)
    way = way / max(1e-9, float(np.hypot(*way)))
    aside = np.array([-way[1], way[0]])
    tips = (way, -0.6 * way + 0.75 * aside, -0.6 * way - 0.75 * aside)
    return Path(tuple(_at(middle + size * tip) for tip in tips), fill=colour, closed=True)


def _leader(scene: Scene) -> list[Mark]:
    leader = scene.simulation.leader_particle
    if leader is None:
        return []
    of_node = scene.simulation.system.particle_of_node
    points = [_at(p) for p in scene.place.nodes[of_node == leader]]
    is_expanded, radius = len(points) > 1, _seen_from_afar(scene)
    halo = Path(tuple(points), scene.colour["leader"], 2 * scene.size["particle"] + 0.1)
    disc = Circle(points[0], scene.size["particle"] + 0.05, scene.colour["leader"])
    middle = np.mean(points, axis=0)
    fill = scene.colour["on_leader"] if radius < 0.4 else scene.colour["leader"]
    edge = None if radius < 0.4 else scene.colour["ink"]
    points = [_at(middle + radius * np.array(corner)) for corner in FORMS["star"]]
    star = Path(tuple(points), edge, 0.06 * radius, fill, closed=True)
    return [halo if is_expanded else disc, star]


def _faults(scene: Scene) -> list[Mark]:
    """Mark particles that have crashed with a cross, and those once corrupted with a bolt."""
    marks: list[Mark] = []
    of_node, radius = scene.simulation.system.particle_of_node, _seen_from_afar(scene)
    for fault in scene.simulation.faults_so_far:
        form = FORMS["cross" if fault.kind == CRASH else "bolt"]
        for node in scene.place.nodes[of_node == fault.particle]:
            corners = tuple(_at(node + radius * np.array(corner)) for corner in form)
            paper, red = scene.colour["paper"], scene.colour["fault"]
            marks.append(Path(corners, paper, 0.15 * radius, red, closed=True))
    return marks


def _seen_from_afar(scene: Scene) -> float:
    """Return the radius of a mark that must be seen on a large shape too."""
    return scene.size["leader"] * max(1.0, float(np.sqrt(len(scene.place.nodes))) / 25)


def _at(point: Any) -> Point:
    return float(point[0]), float(point[1])


_GROUND: dict[str, Callable[[Scene], list[Mark]]] = {
    "bonds": _bonds,
    "particles": _particles,
    "termination": _termination,
    "boundaries": _boundaries,
    "leader": _leader,
    "faults": _faults,
}
