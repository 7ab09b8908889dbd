"""The marks of all tokens. Each kind has a form of its own, so that colour is never all there is.

Digit tokens are squares, delimiters diamonds; full when active, hollow when not. Activation tokens
are discs with the letter of their axis. Sign tokens are triangles that point to where the axis
points: x to the right and left, y up and down; full when settled. The identification token is a
hexagon with its count, the stop token an octagon.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from amoebot.algorithms.improved.identifier_comparison import ACTIVE, DELIMITER, DIGIT
from amoebot.algorithms.improved.memory import (
    BACK,
    CANDIDATE,
    COMPLETE,
    FORTH,
    HEADS,
    HOME,
    OUTWARD,
)
from amoebot.render.primitives import Circle, Label, Mark, Path, Point

if TYPE_CHECKING:
    from amoebot.render.scene import Scene

#: Where the tokens of each axis and sign point, in degrees clockwise from the right.
POINTING = {
    ("x", "positive"): 0,
    ("x", "negative"): 180,
    ("y", "positive"): 270,
    ("y", "negative"): 90,
}


def number(point: Point, value: int, size: float, fill: str) -> Label:
    """Write a digit; those with more figures are written smaller."""
    text = str(value)
    return Label(point, text, size * (1.0, 0.85, 0.65)[len(text) - 1], fill, bold=True)


def polygon(centre: Point, radius: float, corners: int, turn: float = 0.0) -> tuple[Point, ...]:
    """Return the corners of a regular polygon; the first one points to the right, if not turned."""
    angles = (turn * pi / 180 + 2 * pi * i / corners for i in range(corners))
    return tuple((centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in angles)


def star(centre: Point, radius: float) -> tuple[Point, ...]:
    """Return the corners of a five-pointed star."""
    points = []
    for i in range(10):
        reach, angle = radius * (1 if i % 2 == 0 else 0.45), (i / 10) * 2 * pi - pi / 2
        points.append((centre[0] + reach * cos(angle), centre[1] + reach * sin(angle)))
    return tuple(points)


def setup(scene: Scene) -> list[Mark]:
    """Draw identifier setup tokens, with the digit they carry and the way they go."""
    memory, colour, size = scene.memory, scene.colour, scene.size
    marks: list[Mark] = []
    for agent in np.flatnonzero((memory["setup"] > 0) & (memory["setup"] < COMPLETE)).tolist():
        state = int(memory["setup"][agent])
        centre = scene.place.beside(agent, size["token_out"])
        marks.append(Circle(centre, size["token"], colour["setup"]))
        if state in (BACK, FORTH):
            carried = int(memory["carried"][agent])
            marks.append(number(centre, carried, 0.15, colour["paper"]))
        way = -1 if state in (BACK, HOME) else 1
        tips = ((0.0, 0.17), (0.045, 0.13), (-0.045, 0.13))
        corners = tuple(
            scene.place.beside(agent, size["token_out"] + out, way * side) for out, side in tips
        )
        marks.append(Path(corners, fill=colour["setup"], closed=True))
    return marks


def digit_tokens(scene: Scene) -> list[Mark]:
    """Draw digit tokens, the older one ahead."""
    memory, size = scene.memory, scene.size
    marks: list[Mark] = []
    for field, way in (("oldest", -1), ("newest", 1)):
        for agent in np.flatnonzero(memory[field]).tolist():
            # Where the boundary bends inward, neighbours' tokens come close.
            tight = 0.75 if scene.simulation.system.wiring["empty"][agent] == 1 else 1.0
            side = way * size["token_side"] * tight
            centre = scene.place.beside(agent, size["token_out"] - 0.1 * (tight < 1), side)
            marks += digit_token(scene, centre, int(memory[field][agent]), tight)
    return marks


def digit_token(scene: Scene, centre: Point, word: int, scale: float) -> list[Mark]:
    """Draw one digit token."""
    colour = scene.colour
    active, delimiter = bool(word & ACTIVE), bool(word & DELIMITER)
    radius = scene.size["token"] * scale * (1.3 if delimiter else 1.2)
    corners = polygon(centre, radius, 4, 0 if delimiter else 45)
    fill, text = (
        (colour["token"], colour["on_colour"]) if active else (colour["paper"], colour["token"])
    )
    return [
        Path(corners, colour["token"], 0.03, fill, closed=True),
        number(centre, word & DIGIT, 0.14 * scale, text),
    ]


def verification(scene: Scene) -> list[Mark]:
    """Draw the activation and sign tokens of solitude verification."""
    return axis_marks(scene, scene.memory["candidacy"])


def axis_marks(scene: Scene, lanes: Any) -> list[Mark]:
    """Draw the tokens on the lanes of both axes, those of x behind the agent, of y ahead."""
    size, colour = scene.size, scene.colour
    marks: list[Mark] = []
    for axis, way in (("x", -1), ("y", 1)):
        for agent in np.flatnonzero(lanes[axis]["lane"]).tolist():
            mine = lanes[axis][agent]
            for row, sign in ((-0.5, "positive"), (0.5, "negative")):
                for i in range(int(mine[sign]["held"])):
                    centre = scene.place.beside(
                        agent,
                        size["sign_out"] + row * size["sign_gap"] * 1.2,
                        way * (size["sign_side"] + (i - 0.5) * size["sign_gap"]),
                    )
                    corners = polygon(centre, size["sign"] * 1.15, 3, POINTING[axis, sign])
                    full = colour[axis] if i < mine[sign]["settled"] else colour["paper"]
                    marks.append(Path(corners, colour[axis], 0.018, full, closed=True))
            if mine["activation"]:
                centre = scene.place.beside(agent, size["agent_out"], way * size["activation_side"])
                outward = mine["activation"] == OUTWARD
                fill, text = (
                    (colour["paper"], colour[axis])
                    if outward
                    else (colour[axis], colour["on_colour"])
                )
                marks.append(Circle(centre, size["activation"], fill, colour[axis], 0.03))
                marks.append(Label(centre, axis, 0.13, text, bold=True))
    return marks


def identification(scene: Scene) -> list[Mark]:
    """Draw the boundary identification tokens with their sums of turns modulo 5."""
    return identification_marks(scene, scene.memory["candidacy"])


def identification_marks(scene: Scene, lanes: Any) -> list[Mark]:
    """Draw the identification tokens on some lanes."""
    marks: list[Mark] = []
    for agent in np.flatnonzero(lanes["identification"]).tolist():
        centre = scene.place.beside(agent, scene.size["far_out"])
        fill = scene.colour["identification"]
        marks.append(Path(polygon(centre, 0.13, 6), fill=fill, closed=True))
        marks.append(number(centre, int(lanes["angle"][agent]), 0.16, scene.colour["on_colour"]))
    return marks


def second_algorithm(scene: Scene) -> list[Mark]:
    """Draw the candidates of the second algorithm, their coins, and their verifications."""
    second, size, colour = scene.memory["second"], scene.size, scene.colour["second"]
    marks: list[Mark] = []
    for agent in np.flatnonzero(second["candidacy"]["role"] == CANDIDATE).tolist():
        point = float(scene.place.agents[agent][0]), float(scene.place.agents[agent][1])
        marks.append(Circle(point, size["agent"] + 0.05, None, colour, 0.035))
    for field, side in (("forth", 0.3), ("back", -0.3)):
        for agent in np.flatnonzero(second[field]).tolist():
            centre = scene.place.beside(agent, size["agent_out"] + 0.14, side)
            heads = second[field][agent] == HEADS
            fill, text = (
                (colour, scene.colour["on_colour"]) if heads else (scene.colour["paper"], colour)
            )
            marks.append(Circle(centre, 0.075, fill, colour, 0.02))
            marks.append(Label(centre, "H" if heads else "T", 0.1, text, bold=True))
    return (
        marks
        + axis_marks(scene, second["candidacy"])
        + identification_marks(scene, second["candidacy"])
    )


def stop(scene: Scene) -> list[Mark]:
    """Draw the stop token, and which agents it has stopped."""
    memory, colour = scene.memory, scene.colour
    marks: list[Mark] = [
        Circle(
            scene.place.beside(agent, scene.size["agent_out"]),
            scene.size["agent"] + 0.03,
            None,
            colour["stop"],
            0.025,
        )
        for agent in np.flatnonzero(memory["frozen"]).tolist()
    ]
    for agent in np.flatnonzero(memory["second"]["stop"]).tolist():
        centre = scene.place.beside(agent, scene.size["far_out"])
        marks.append(Path(polygon(centre, 0.15, 8, 22.5), fill=colour["stop"], closed=True))
        bar = 0.07
        line = ((centre[0] - bar, centre[1]), (centre[0] + bar, centre[1]))
        marks.append(Path(line, colour["on_colour"], 0.05))
    return marks
