"""Pictures of the lattice in plain text, one line for each row.

A node stands in every second column, and each row is shifted by one column against the next: the
node (x, y) stands in column 2 x + y, counted from some common origin.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from amoebot.shapes.errors import DisconnectedError, ShapeError, count
from amoebot.shapes.shape import Shape, refuse_too_many

OCCUPIED = "oO*#@xX"
EMPTY = ". "

#: Pictures beyond this size are not written: most of them would be blank.
_MOST_CHARACTERS = 1_000_000_000

_FOREIGN = re.compile(f"[^{re.escape(OCCUPIED + EMPTY)}\n]")

_Numbers = NDArray[np.int64]


def read(content: bytes, name: str) -> Shape:
    """Return the shape that a picture shows: its lowest row has y = 0."""
    line, column = _particles(_text(content))
    if len(line) == 0:
        raise ShapeError(f"no particle in the picture; a particle is one of {OCCUPIED}")
    y = line[-1] - line
    _refuse_off_lattice(line, column, (column - y) % 2)
    nodes = np.stack([(column - y) // 2, y], axis=1)
    # Sorted as a shape sorts its nodes, so that an error can tell which particle it means.
    order = np.lexsort(nodes.T)
    try:
        return Shape(nodes[order], name=name)
    except DisconnectedError as error:
        particle = order[error.node]
        sentence = _lonely(error.size, column[particle] + 1)
        raise ShapeError(
            f"{sentence} ({error.parts:,} separate parts in all)", f"line {line[particle] + 1}"
        ) from None


def picture(shape: Shape) -> str:
    """Return the text that shows a shape, as far left as it goes."""
    if len(shape.expanded) or shape.offsets is not None:
        raise ShapeError("a picture shows no expanded particles or port offsets; save as .json")
    x, y = shape.nodes.astype(np.int64).T
    column = 2 * x + y
    column -= column.min()
    starts = np.flatnonzero(np.diff(y, prepend=y[0] - 1))
    ends = np.append(starts[1:], len(y))
    if (column[ends - 1] + 2).sum() > _MOST_CHARACTERS:
        raise ShapeError(f"the picture would have over {_MOST_CHARACTERS:,} characters; use .json")
    rows = [_row(column[start:end]) for start, end in zip(starts, ends, strict=True)]
    return "\n".join(reversed(rows)) + "\n"


def _row(columns: _Numbers) -> str:
    """Return one line with a particle in each of the given ascending columns."""
    row = np.full(columns[-1] + 1, ord(" "), np.uint8)
    row[columns] = ord("o")
    return row.tobytes().decode()


def _text(content: bytes) -> str:
    """Return the characters of a file, if all of them may be in a picture."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ShapeError(f"this is not a text file (see byte {error.start + 1:,})") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    foreign = _FOREIGN.search(text)
    if foreign:
        line = text.count("\n", 0, foreign.start()) + 1
        column = foreign.start() - text.rfind("\n", 0, foreign.start())
        found = "a tab" if foreign[0] == "\t" else ascii(foreign[0])
        raise ShapeError(
            f"column {column} holds {found}; expected {OCCUPIED} for a particle, "
            "a dot or a space for an empty node",
            f"line {line}",
        )
    return text


def _particles(text: str) -> tuple[_Numbers, _Numbers]:
    """Return the line and the column, counted from 0, of each particle."""
    characters = np.frombuffer(text.encode(), np.uint8)
    occupied = np.isin(characters, np.frombuffer(OCCUPIED.encode(), np.uint8))
    refuse_too_many(int(np.count_nonzero(occupied)))
    places = np.flatnonzero(occupied)
    ends = np.flatnonzero(characters == ord("\n"))
    starts = np.concatenate([[0], ends + 1])
    line = np.searchsorted(ends, places)
    return line, places - starts[line]


def _refuse_off_lattice(line: _Numbers, column: _Numbers, parity: _Numbers) -> None:
    """Refuse a picture whose rows are not shifted by one column each."""
    rare = int(2 * parity.sum() < len(parity))
    off = np.flatnonzero(parity == rare)
    if len(off):
        first = off[0]
        expected = "odd" if column[first] % 2 else "even"
        raise ShapeError(
            f"the particle at column {column[first] + 1} is off the lattice; the others call for "
            f"{expected} columns here, as each line is shifted by one column",
            f"line {line[first] + 1}",
        )


def _lonely(size: int, column: int) -> str:
    """Return what is wrong with a part of a picture that is not connected."""
    if size == 1:
        return f"the particle at column {column} touches no other particle"
    return f"the {count(size, 'particle')} around column {column} touch no other particle"
