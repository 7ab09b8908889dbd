"""The forms of marks, as corners around the origin, for figures and the page alike.

Discs and letters have none. A form with two corners is a line. Angles turn clockwise from the
right, where y points down.
"""

from __future__ import annotations

from math import cos, pi, sin

Corners = tuple[tuple[float, float], ...]


def polygon(corners: int, turn: float = 0.0, inner: float = 1.0) -> Corners:
    """Return a regular polygon, or with an inner radius for every second corner, a star."""
    reach = [inner if i % 2 else 1.0 for i in range(corners)]
    angles = [turn * pi / 180 + 2 * pi * i / corners for i in range(corners)]
    return tuple(
        (round(r * cos(a), 6), round(r * sin(a), 6)) for r, a in zip(reach, angles, strict=True)
    )


FORMS: dict[str, Corners] = {
    "triangle": polygon(3),
    "square": polygon(4, 45),
    "diamond": polygon(4),
    "hexagon": polygon(6),
    "octagon": polygon(8, 22.5),
    "star": polygon(10, -90, 0.45),
    "arrow": ((0.6, 0.0), (-0.3, 1.0), (-0.3, -1.0)),
    "bar": ((-1.0, 0.0), (1.0, 0.0)),
    "cross": tuple(
        (x * a + y * b, y * a - x * b)
        for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))
        for x, y in ((0.3, 0.0), (0.85, -0.55), (0.55, -0.85))
    ),
    "bolt": ((0.25, -1.0), (-0.6, 0.2), (-0.05, 0.2), (-0.25, 1.0), (0.6, -0.2), (0.05, -0.2)),
}
