"""The journal of a block: a line for each election, written the moment it is finished.

Lines that have been written survive the end of the process, however sudden. A line that was cut
off, and whatever follows it, is dropped when the journal is opened again.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.sweeps.files import FolderError
from amoebot.sweeps.schema import NOT_FINITE, SERIES, Schema, fits

#: What every row has: which election of the block it is, on what, and how it ended.
NEEDED = {"number", "shape", "seed", "outcome"}

#: Made once, and not for every line.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class Journal:
    """The finished elections of one block, in the order in which they finished."""

    def __init__(
        self, path: Path, size: int, schema: Schema, seeds: Sequence[int] | None = None
    ) -> None:
        """Read the journal that an earlier run has left, if there is one.

        Who knows the plan gives the seed of each election, so that no row stands for another.
        """
        self.path, self.schema, self._seeds = path, schema, seeds
        self.done = bytearray(size)
        self._end = 0
        self._file: io.FileIO | None = None
        self._lock = threading.Lock()
        if path.exists():
            self._read()

    def __len__(self) -> int:
        """Return how many elections are finished."""
        return self.done.count(1)

    @property
    def complete(self) -> bool:
        """Whether all of the block's elections are finished."""
        return 0 not in self.done

    def add(self, number: int, row: Mapping[str, Any]) -> bool:
        """Write a row; return whether it was the last one. A row that is there stays as it is."""
        line = _line({"number": number, **row})
        with self._lock:
            if self.done[number]:
                return False
            if self._file is None:
                self.path.touch()
                self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115
                self._file.truncate(self._end)
            self._write(self._file, line)
            self.done[number] = 1
            return self.complete

    def _write(self, file: io.FileIO, line: bytes) -> None:
        """Write a line; if the disk is full, leave none of it."""
        written = 0
        try:
            file.seek(self._end)
            while written < len(line):
                written += file.write(line[written:])
        except OSError:
            file.truncate(self._end)
            raise
        self._end += len(line)

    def _read(self) -> None:
        with open(self.path, "rb") as file:
            for place, line in enumerate(file, start=1):
                row = _parsed(line)
                number = row.pop("number", None)
                if type(number) is not int or not 0 <= number < len(self.done):
                    return  # _end is before this line
                self._check(row, number, place)
                self.done[number] = 1
                self._end += len(line)

    def _check(self, row: Mapping[str, Any], number: int, place: int) -> None:
        """Refuse a whole line that no sweep has written."""
        if self._seeds is not None and row["seed"] != self._seeds[number]:
            raise FolderError(
                f"{self.path}, line {place}: election {number} has the seed {self._seeds[number]}, "
                f"not {row['seed']!r}; delete the line, and its election is run again"
            )
        for name, value in row.items():
            if name not in self.schema or not fits(value, self.schema[name]):
                raise FolderError(
                    f"{self.path}, line {place}: {name} = {value!r} is none of this sweep's "
                    "values; "
                    "delete the line, and its election is run again"
                )

    def frame(self) -> pl.DataFrame:
        """Return the rows in the order of the plan."""
        with open(self.path, "rb") as file:
            content = file.read(self._end)
        series = [name for name, kind in self.schema.items() if kind == SERIES]
        # Read as text first, since some of the numbers are words.
        schema = {"number": pl.Int64, **self.schema} | dict.fromkeys(series, pl.List(pl.String))
        rows = pl.read_ndjson(content, schema=schema).cast(dict.fromkeys(series, SERIES))
        return rows.unique("number", keep="first").sort("number").drop("number")

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Delete the file, whose rows are in the dataset now."""
        self.close()
        with contextlib.suppress(PermissionError):  # Windows, while somebody reads it: next time
            self.path.unlink(missing_ok=True)


def _line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line; measured numbers that JSON does not have are words."""
    try:
        text = _ENCODER.encode(row)
    except ValueError:
        text = _ENCODER.encode({name: _in_words(value) for name, value in row.items()})
    return text.encode() + b"\n"


def _in_words(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [one if math.isfinite(one) else _word(one) for one in value]


def _word(number: float) -> str:
    """Return NaN or an infinity as JavaScript spells it."""
    return next(word for word in NOT_FINITE if repr(float(word)) == repr(number))


def _parsed(line: bytes) -> dict[str, Any]:
    """Return a whole row with its number; nothing of a line that is cut off or not a row."""
    with contextlib.suppress(ValueError):
        row = json.loads(line)
        if line.endswith(b"\n") and isinstance(row, dict) and row.keys() >= NEEDED:
            return row
    return {}
