"""What is to be drawn at a moment of a run: layers of marks, in the paper's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from amoebot.algorithms.improved.memory import CANDIDATE, DRAW, DRAWN
from amoebot.render import tokens
from amoebot.render.geometry import Geometry, geometry
from amoebot.render.look import layer_names, sizes, theme
from amoebot.render.primitives import Circle, Mark, Path, Picture, Point
from amoebot.simulation import Simulation

#: Beyond so many nodes, particles are drawn as rows of tiles, and only what can be seen from afar.
MANY = 20_000
FROM_AFAR = {"particles", "termination", "extended", "boundaries", "agents", "leader"}

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
    def memory(self) -> Any:
        """The memory of every agent."""
        return self.simulation.memory

    @property
    def is_far(self) -> bool:
        """Whether there is so much to see that details would be lost."""
        return len(self.place.nodes) > MANY

    @property
    def grown(self) -> float:
        """How much larger lines and dots are so that they are seen from afar."""
        return float(np.sqrt(len(self.place.nodes)) / 32) if self.is_far else 1.0


def picture(
    simulation: Simulation,
    layers: Iterable[str],
    dark: bool = False,
    place: Geometry | None = None,
) -> Picture:
    """Return a moment of a run as marks; the geometry can be handed in to save time."""
    scene = Scene(simulation, place or geometry(simulation.system), theme(dark), sizes())
    wanted = set(layers) & FROM_AFAR if scene.is_far else set(layers)
    drawn = {name: _LAYERS[name](scene) for name in layer_names() if name in wanted}
    points, margin = scene.place.nodes, 1.15 * scene.grown**0.7 if simulation.system.agents else 0.7
    left, top = points.min(axis=0) - margin
    right, bottom = points.max(axis=0) + margin
    return Picture(
        drawn,
        float(left),
        float(top),
        float(right - left),
        float(bottom - top),
        scene.colour["paper"],
    )


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
        return list(_tiles(scene, np.arange(len(shape)), edge))
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


def _tiles(scene: Scene, nodes: Any, colour: str) -> Iterable[Mark]:
    """Draw neighbouring nodes of a row as one bar."""
    x, y = scene.simulation.shape.nodes[nodes].T
    cuts = np.flatnonzero((np.diff(x) != 1) | (np.diff(y) != 0)) + 1
    points = scene.place.nodes[nodes]
    for run in np.split(np.arange(len(nodes)), cuts):
        (left, middle), (right, _) = points[run[0]], points[run[-1]]
        corners = (
            (left - 0.5, middle - ROW / 2),
            (right + 0.5, middle - ROW / 2),
            (right + 0.5, middle + ROW / 2),
            (left - 0.5, middle + ROW / 2),
        )
        yield Path(tuple((float(a), float(b)) for a, b in corners), fill=colour, closed=True)


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
            marks += _tiles(scene, nodes, fill) if len(nodes) else []
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


def _bands(scene: Scene, starts: Any, name: str) -> list[Mark]:
    """Draw a band over the agents from each start up to the next, in alternating colours."""
    marks: list[Mark] = []
    width, points = scene.size[name], scene.place.agents
    for boundary in scene.simulation.system.boundaries:
        first = np.flatnonzero(starts[boundary.first :][: boundary.length])
        for number, (begin, end) in enumerate(pairwise([*first, *(first[:1] + boundary.length)])):
            last_of_odd = number % 2 == 0 and number == len(first) - 1 > 0
            colour = scene.colour[f"{name}_{'b' if number % 2 or last_of_odd else 'a'}"]
            run = [_at(points[boundary.first + i % boundary.length]) for i in range(begin, end)]
            marks.append(
                Path(tuple(run), colour, width)
                if len(run) > 1
                else Circle(run[0], width / 2, colour)
            )
    return marks


def _segments(scene: Scene) -> list[Mark]:
    return _bands(scene, scene.memory["head"] == 1, "segment")


def _extended(scene: Scene) -> list[Mark]:
    return _bands(scene, scene.memory["candidacy"]["role"] == CANDIDATE, "extended")


def _agents(scene: Scene) -> list[Mark]:
    """Draw agents that wait as dots, others as rings, candidates full, withdrawn ones crossed."""
    size, colour, memory = scene.size, scene.colour, scene.memory
    marks: list[Mark] = []
    outer = scene.simulation.system.outer_boundary_length
    roles, heads = memory["candidacy"]["role"], memory["head"]
    for agent, point in enumerate(map(_at, scene.place.agents)):
        own = colour["outer" if agent < outer else "inner"]
        if roles[agent] == CANDIDATE:
            radius = size["agent"] * scene.grown
            marks.append(Circle(point, radius, colour["candidate"], colour["paper"], 0.03))
        elif scene.is_far:
            continue
        elif roles[agent] == 0:
            marks.append(Circle(point, size["agent_waiting"], colour["waiting"]))
        elif heads[agent]:
            marks.append(Circle(point, size["agent"], colour["paper"], colour["candidate"], 0.04))
        else:
            radius = 0.75 * size["agent"]
            marks.append(Circle(point, radius, colour["paper"], own, 0.035))
    return marks


def _digits(scene: Scene) -> list[Mark]:
    memory, colour = scene.memory, scene.colour
    marks: list[Mark] = []
    for agent in np.flatnonzero(_has_digit(scene)):
        candidate = memory["candidacy"]["role"][agent] == CANDIDATE
        fill = colour["on_colour"] if candidate else colour["ink"]
        point = _at(scene.place.agents[agent])
        marks.append(tokens.number(point, int(memory["digit"][agent]), 0.19, fill))
    return marks


def _has_digit(scene: Scene) -> Any:
    """Say which agents have drawn their digit: in a segment, up to where its token has been.

    Once the token has been everywhere, it is no longer drawing and all have one.
    """
    setup, heads = scene.memory["setup"], scene.memory["head"]
    has = np.zeros(len(setup), bool)
    for boundary in scene.simulation.system.boundaries:
        first = np.flatnonzero(heads[boundary.first :][: boundary.length])
        for begin, end in pairwise([*first, *(first[:1] + boundary.length)]):
            segment = boundary.first + np.arange(begin, end) % boundary.length
            at = int(setup[segment].argmax())
            drawing = setup[segment[at]] in (DRAW, DRAWN)
            drawn = at + (setup[segment[at]] == DRAWN) if drawing else len(segment)
            has[segment[:drawn]] = True
    return has


def _reversed(scene: Scene) -> list[Mark]:
    memory, size = scene.memory, scene.size
    return [
        tokens.number(
            scene.place.beside(int(agent), size["reversed_out"]),
            int(memory["reversed_digit"][agent]),
            0.15,
            scene.colour["muted"],
        )
        for agent in np.flatnonzero(memory["marked"])
    ]


def _leader(scene: Scene) -> list[Mark]:
    leader = scene.simulation.leader_particle
    if leader is None:
        return []
    of_node = scene.simulation.system.particle_of_node
    points = [_at(p) for p in scene.place.nodes[of_node == leader]]
    radius = scene.size["leader"]
    # On a large shape the star must be seen from afar.
    radius *= max(1.0, float(np.sqrt(len(scene.place.nodes))) / 25)
    halo = Path(tuple(points), scene.colour["leader"], 2 * scene.size["particle"] + 0.1)
    disc = Circle(points[0], scene.size["particle"] + 0.05, scene.colour["leader"])
    middle = np.mean(points, axis=0)
    fill = scene.colour["paper"] if radius < 0.4 else scene.colour["leader"]
    edge = None if radius < 0.4 else scene.colour["ink"]
    star = Path(tokens.star(_at(middle), radius), edge, 0.06 * radius, fill, closed=True)
    return [halo if len(points) > 1 else disc, star]


def _at(point: Any) -> Point:
    return float(point[0]), float(point[1])


_LAYERS: dict[str, Callable[[Scene], list[Mark]]] = {
    "bonds": _bonds,
    "particles": _particles,
    "termination": _termination,
    "segments": _segments,
    "extended": _extended,
    "boundaries": _boundaries,
    "agents": _agents,
    "digits": _digits,
    "reversed": _reversed,
    "setup": tokens.setup,
    "tokens": tokens.digit_tokens,
    "verification": tokens.verification,
    "identification": tokens.identification,
    "second": tokens.second_algorithm,
    "stop": tokens.stop,
    "leader": _leader,
}
