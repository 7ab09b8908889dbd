"""Pictures of the lattice in plain text, one line for each row.

A node stands in every second column, and each row is shifted by one column against the next: the
node (x, y) stands in column 2 x + y, counted from some common origin.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from amoebot.shapes.errors import DisconnectedError, ShapeError, count
from amoebot.shapes.shape import Shape

OCCUPIED = "oO*#@xX"
EMPTY = ". "

#: Pictures beyond this size are not written: most of them would be blank.
_MOST_CHARACTERS = 1_000_000_000

_FOREIGN = re.compile(f"[^{re.escape(OCCUPIED + EMPTY)}\n]")


def read(content: bytes, name: str) -> Shape:
    """Return the shape that a picture shows."""
    line, column = _particles(_text(content, name))
    if len(line) == 0:
        raise ShapeError(f"{name}: no particle in the picture; particles are drawn as {OCCUPIED}")
    y = line.max() - line
    _refuse_off_lattice(name, line, column, (column - y) % 2)
    nodes = np.stack([(column - y) // 2, y], axis=1)
    # Sorted as shapes sort their nodes, so that the number of a node is that of its particle.
    order = np.lexsort(nodes.T)
    try:
        return Shape(nodes[order], name=name)
    except DisconnectedError as error:
        where = order[error.node]
        raise ShapeError(
            f"{name}, line {line[where] + 1}: {_lonely(error.size, column[where] + 1)} "
            f"({error.parts:,} separate parts in all)"
        ) from None
    except ShapeError as error:
        raise ShapeError(f"{name}: {error}") from None


def picture(shape: Shape) -> str:
    """Return the text that shows a shape, as far left as it goes."""
    if len(shape.expanded) or shape.offsets is not None:
        raise ShapeError("a picture holds no expanded particles or port offsets; save as .json")
    x, y = shape.nodes.astype(np.int64).T
    column = 2 * x + y
    column -= column.min()
    starts = np.flatnonzero(np.diff(y, prepend=y[0] - 1))
    ends = np.append(starts[1:], len(y))
    if (column[ends - 1] + 2).sum() > _MOST_CHARACTERS:
        raise ShapeError(f"the picture would exceed {_MOST_CHARACTERS:,} characters; save as .json")
    rows = [_row(column[start:end]) for start, end in zip(starts, ends, strict=True)]
    return "\n".join(reversed(rows)) + "\n"


def _row(columns: NDArray[np.int64]) -> str:
    """Return one line with a particle in each of the given ascending columns."""
    row = np.full(columns[-1] + 1, ord(" "), np.uint8)
    row[columns] = ord("o")
    return row.tobytes().decode()


def _text(content: bytes, name: str) -> str:
    """Return the characters of a file, if all of them may be in a picture."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ShapeError(f"{name}: not a text file (byte {error.start + 1:,})") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    foreign = _FOREIGN.search(text)
    if foreign:
        line = text.count("\n", 0, foreign.start()) + 1
        column = foreign.start() - text.rfind("\n", 0, foreign.start())
        what = "a tab; use spaces" if foreign[0] == "\t" else f"{foreign[0]!r}; only {_allowed()}"
        raise ShapeError(f"{name}, line {line}: column {column} holds {what}")
    return text


def _allowed() -> str:
    """Return what may be in a picture, in words."""
    return f"{OCCUPIED} (a particle), dots and spaces can be in a picture"


def _particles(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the line and the column, counted from 0, of each particle."""
    characters = np.frombuffer(text.encode(), np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    places = np.flatnonzero(np.isin(characters, np.frombuffer(OCCUPIED.encode(), np.uint8)))
    line = np.searchsorted(ends, places)
    starts = np.concatenate([[0], ends + 1])
    return line, places - starts[line]


def _refuse_off_lattice(
    name: str, line: NDArray[np.int64], column: NDArray[np.int64], parity: NDArray[np.int64]
) -> None:
    """Refuse a picture whose rows are not shifted by one column each."""
    rare = int(2 * parity.sum() < len(parity))
    off = np.flatnonzero(parity == rare)
    if len(off):
        where = off[0]
        expected = "odd" if column[where] % 2 else "even"
        raise ShapeError(
            f"{name}, line {line[where] + 1}: the particle at column {column[where] + 1} is off "
            f"the lattice: the others call for {expected} columns here, as each line is shifted "
            "by one column"
        )


def _lonely(size: int, column: int) -> str:
    """Return what is wrong with a part of a picture that is not connected."""
    if size == 1:
        return f"the particle at column {column} touches no other particle"
    return f"the {count(size, 'particle')} around column {column} touch no others"
