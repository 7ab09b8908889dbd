"""Shapes drawn with characters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from amoebot.shapes import Shape

#: What stands for a marked node: a character and its style.
Mark = tuple[str, str]

_Numbers = NDArray[np.int64]

_NODE = "o"

# The stroke that joins two nodes, by how many columns the later one is to the right: 1, 2, or −1,
# which NumPy counts from the end.
_STROKES = np.array([" ", "╱", "─", "╲"])

# The bits of a Braille character: four rows of two dots.
_BRAILLE = 0x2800
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


@dataclass(frozen=True)
class _Picture:
    """Characters in rows, where each node is among them, and a caption."""

    canvas: NDArray[np.str_]
    row: _Numbers
    column: _Numbers
    caption: str = ""


def draw(
    shape: Shape, marks: Mapping[int, Mark] | None = None, width: int = 80, height: int = 24
) -> Text:
    """Return a picture of a shape within a width and a height, with marks on some nodes.

    There is one character for each node, and a stroke between the nodes of an expanded particle.
    A shape that is too large for that is drawn in Braille dots, with a line that says so.
    """
    x, y = shape.nodes.astype(np.int64).T
    row, column = y.max() - y, 2 * x + y
    column -= column.min()
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    if len(shape.expanded) and 2 * rows - 1 <= height and 2 * columns - 1 <= width:
        picture = _spaced(shape, 2 * row, 2 * column)
    elif rows <= height and columns <= width:
        picture = _dense(shape, row, column)
    else:
        picture = _dotted(row, column, max(width, 1), max(height - 1, 1))
    return _text(picture, marks or {}, width)


def _blank(row: _Numbers, column: _Numbers) -> NDArray[np.str_]:
    """Return an empty canvas just large enough for the given places."""
    return np.full((row.max() + 1, column.max() + 1), " ")


def _spaced(shape: Shape, row: _Numbers, column: _Numbers) -> _Picture:
    """Draw nodes with room for strokes in all directions between them."""
    canvas = _blank(row, column)
    canvas[row, column] = _NODE
    first, second = shape.expanded.T
    middle = (row[first] + row[second]) // 2, (column[first] + column[second]) // 2
    tilt = (column[second] - column[first]) // 2
    canvas[middle] = _STROKES[tilt]
    level = tilt == 2
    for side in (-1, 1):
        canvas[middle[0][level], middle[1][level] + side] = _STROKES[2]
    return _Picture(canvas, row, column)


def _dense(shape: Shape, row: _Numbers, column: _Numbers) -> _Picture:
    """Draw nodes side by side; where there is no room between two, they become the stroke."""
    canvas = _blank(row, column)
    canvas[row, column] = _NODE
    first, second = shape.expanded.T
    tilt = column[second] - column[first]
    level = tilt == 2
    canvas[row[first[level]], column[first[level]] + 1] = _STROKES[2]
    for end in (first, second):
        canvas[row[end[~level]], column[end[~level]]] = _STROKES[tilt[~level]]
    return _Picture(canvas, row, column)


def _dotted(row: _Numbers, column: _Numbers, width: int, height: int) -> _Picture:
    """Draw a dot for each square that holds a node, the squares as small as the space allows."""
    # A row is as high as two columns are wide, and Braille dots are as high as wide.
    down, right = 2 * row, column
    square = max(-(-(down.max() + 1) // (4 * height)), -(-(right.max() + 1) // (2 * width)))
    down, right = down // square, right // square
    dots = np.zeros((height, 4, width, 2), np.bool_)
    dots.reshape(4 * height, 2 * width)[down, right] = True
    bits = (dots * _BITS[:, None, :]).sum(axis=(1, 3))
    canvas = np.where(bits, _BRAILLE + bits, ord(" ")).astype(np.uint32).view("<U1")
    used = canvas[: down.max() // 4 + 1]
    # A node takes up two columns and one row, which counts twice.
    nodes = square * square / 4
    each = "= 1 particle" if nodes <= 1 else f"≈ {nodes:,.0f} particles"
    return _Picture(used, down // 4, right // 2, f"Scaled down: 1 dot {each}")


def _text(picture: _Picture, marks: Mapping[int, Mark], width: int) -> Text:
    """Return a picture as text in which the marked nodes stand out."""
    styles: dict[tuple[int, int], str] = {}
    for node, (character, style) in marks.items():
        place = int(picture.row[node]), int(picture.column[node])
        picture.canvas[place] = character
        styles[place] = style
    lines = ["".join(row).rstrip() for row in picture.canvas]
    starts = np.cumsum([0] + [len(line) + 1 for line in lines])
    text = Text("\n".join(lines), no_wrap=True, overflow="ignore")
    for (row, column), style in styles.items():
        start = int(starts[row]) + column
        text.stylize(style, start, start + 1)
    if picture.caption:
        text.append("\n" + picture.caption[:width], style="dim italic")
    return text
