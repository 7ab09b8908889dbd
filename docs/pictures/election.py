"""Draw ``election.svg``, the picture in the README: three moments of one election.

Run it as ``python docs/pictures/election.py``.
"""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path

import numpy as np

import amoebot
from amoebot.algorithms.candidacy import CANDIDATE
from amoebot.lattice import position
from amoebot.render.look import theme
from amoebot.shapes import Shape

WIDTH, HEIGHT, SCALE = 330, 372, 27
COLOURS = theme("improved")
INK, BOND, PARTICLE = (COLOURS[name] for name in ("ink", "bond", "particle_edge"))
CANDIDATES, LEADER = COLOURS["candidate"], COLOURS["leader"]
OUTER, INNER = COLOURS["outer"], COLOURS["inner"]

# Taken out of a hexagon: two holes, and bites from its edge.
HOLES = {(2, 0), (2, 1), (3, 0), (3, -1), (-2, 1), (-2, 2), (-3, 2), (-3, 1), (-1, 1)}
BITES = {(0, -5), (1, -5), (1, -4), (2, -5), (0, 5), (-1, 5), (5, -5), (-5, 5), (-5, 1), (5, 0)}

Point = tuple[float, float]


def main() -> None:
    """Run an election and draw it at three moments."""
    hexagon = {(int(x), int(y)) for x, y in amoebot.shapes.hexagon(5).nodes}
    simulation = amoebot.Simulation(Shape(sorted(hexagon - HOLES - BITES)), seed=5)
    result = simulation.run()
    few = next(number for number, left in result.candidates if left <= 4)
    moments = {
        1: "Everyone flips a coin",
        few: "Candidates compare identifiers",
        result.rounds: "One leader is left",
    }
    panels = []
    for rounds, title in moments.items():
        simulation.goto(rounds)
        panels.append(panel(simulation, WIDTH * len(panels) + WIDTH / 2, title))
    Path(__file__).with_suffix(".svg").write_text(document(panels), encoding="utf-8")


def document(panels: list[str]) -> str:
    """Return the whole file."""
    width = WIDTH * len(panels)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}">
<style>text {{ font: 15px sans-serif; fill: {INK}; text-anchor: middle }}
.title {{ font-weight: bold }}</style>
<defs>{arrowhead(OUTER)}{arrowhead(INNER)}</defs>
<rect width="{width}" height="{HEIGHT}" rx="12" fill="#ffffff"/>
{"".join(panels)}</svg>
"""


def arrowhead(colour: str) -> str:
    """Return the tip of the arrows of one colour."""
    return (
        f'<marker id="{colour[1:]}" viewBox="0 0 6 6" refX="5.5" refY="3" markerWidth="4.5" '
        f'markerHeight="4.5" orient="auto"><path d="M0 0L6 3L0 6z" fill="{colour}"/></marker>'
    )


def panel(simulation: amoebot.Simulation, middle: float, title: str) -> str:
    """Return one moment: bonds and particles, on them the boundaries, on these the agents."""
    layers = (bonds(simulation), particles(simulation), arrows(simulation), agents(simulation))
    moment = f"round {simulation.rounds + bool(simulation.position)}"
    return (
        f'<g transform="translate({middle:g},{HEIGHT / 2 - 24:g})">{"".join(layers)}</g>\n'
        f'<text x="{middle:g}" y="{HEIGHT - 34}" class="title">{title}</text>\n'
        f'<text x="{middle:g}" y="{HEIGHT - 14}">{moment}</text>\n'
    )


def node_points(simulation: amoebot.Simulation) -> list[Point]:
    """Return where the nodes are drawn."""
    return [(SCALE * x, -SCALE * y) for x, y in position(simulation.shape.nodes).tolist()]


def agent_point(simulation: amoebot.Simulation, agent: int) -> Point:
    """Return where an agent is drawn: at its node, shifted towards its empty nodes."""
    system = simulation.system
    node, before = (int(system.node[a]) for a in (agent, system.wiring["pred"][agent]))
    direction = system.shape.neighbours[node].tolist().index(before)
    # Directions turn clockwise by 60 degrees each, and so do angles where y points down.
    angle = (direction + (int(system.wiring["empty"][agent]) + 1) / 2) * pi / 3
    x, y = node_points(simulation)[node]
    return x + 0.4 * SCALE * cos(angle), y + 0.4 * SCALE * sin(angle)


def bonds(simulation: amoebot.Simulation) -> str:
    """Return a line between any two neighbours."""
    points = node_points(simulation)
    pairs = ((a, b) for a, near in enumerate(simulation.shape.neighbours) for b in near if a < b)
    lines = "".join(f"M{pair(points[a])}L{pair(points[b])}" for a, b in pairs)
    return f'<path d="{lines}" stroke="{BOND}" stroke-width="2"/>\n'


def particles(simulation: amoebot.Simulation) -> str:
    """Return a disc for each particle, and a large one for the leader."""
    points = node_points(simulation)
    discs = "".join(disc(point, 0.17 * SCALE, PARTICLE) for point in points)
    if simulation.leader_particle is not None:
        discs += disc(points[simulation.leader_particle], 0.5 * SCALE, LEADER)
    return discs


def arrows(simulation: amoebot.Simulation) -> str:
    """Return an arrow from each agent to its successor."""
    drawn = ""
    for boundary in simulation.system.boundaries:
        colour = OUTER if boundary.outer else INNER
        corners = [pair(agent_point(simulation, agent)) for agent in boundary.agents]
        paths = (f'<path d="M{a}L{b}"/>' for a, b in pairwise([*corners, corners[0]]))
        style = f'stroke="{colour}" stroke-width="1.8" marker-end="url(#{colour[1:]})"'
        drawn += f"<g {style}>{''.join(paths)}</g>\n"
    return drawn


def agents(simulation: amoebot.Simulation) -> str:
    """Return a dot for each agent that is a candidate and not the leader's."""
    roles = simulation.memory["candidacy"]["role"]
    leaders = simulation.system.particle == simulation.leader_particle
    candidates = np.flatnonzero((roles == CANDIDATE) & ~leaders)
    dots = (agent_point(simulation, int(agent)) for agent in candidates)
    return "".join(disc(dot, 0.2 * SCALE, CANDIDATES) for dot in dots)


def pair(point: Point) -> str:
    """Return a point as paths write it."""
    return f"{point[0]:.1f} {point[1]:.1f}"


def disc(point: Point, radius: float, colour: str) -> str:
    """Return a filled circle."""
    return f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="{radius:.1f}" fill="{colour}"/>\n'


if __name__ == "__main__":
    main()
