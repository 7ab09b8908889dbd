"""What has changed between two moments, written down for the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled

Bytes = NDArray[np.uint8]


@compiled
def write_used(records: Bytes, size: int, used: NDArray[np.int64], target: Bytes) -> None:
    """Write those bytes of all records that are used, one record after another."""
    columns = len(used)
    for row in range(len(records) // size):
        for column in range(columns):
            target[row * columns + column] = records[row * size + used[column]]


@compiled
def write_changes(
    before: Bytes, now: Bytes, rows: int, columns: int, target: Bytes
) -> tuple[int, int, int]:
    """Write what has changed in packed records, as ``frames`` describes.

    Return how many records have changed, in how many places, and the number of bytes written.
    There are at most 4 for each record and place, and 8 more.
    """
    row_differs = np.zeros(rows, np.bool_)
    column_differs = np.zeros(columns, np.bool_)
    for row in range(rows):
        for column in range(columns):
            if before[row * columns + column] != now[row * columns + column]:
                row_differs[row] = True
                column_differs[column] = True
    rows_sent = np.flatnonzero(row_differs)
    columns_sent = np.flatnonzero(column_differs)
    end = 0
    for place in columns_sent:
        target[end] = place
        end += 1
    end = fill_up(target, end)
    if len(rows_sent) < rows:
        for number in rows_sent:
            for byte in range(4):
                target[end + byte] = number >> (8 * byte) & 255
            end += 4
    for place in columns_sent:
        for number in rows_sent:
            target[end] = now[number * columns + place]
            end += 1
    return len(rows_sent), len(columns_sent), fill_up(target, end)


@compiled
def fill_up(target: Bytes, end: int) -> int:
    """Write zeros up to a multiple of four."""
    while end % 4:
        target[end] = 0
        end += 1
    return end


@compiled
def facing(
    neighbours: NDArray[np.int32], node: NDArray[np.int32], wiring: NDArray[Any]
) -> NDArray[np.uint8]:
    """Return the direction in which each agent's predecessor lies."""
    found = np.zeros(len(node), np.uint8)
    for agent in range(len(node)):
        before = node[wiring[agent].pred]
        while neighbours[node[agent], found[agent]] != before:
            found[agent] += 1
    return found
