"""The journal of a block: a line for each election, written the moment it is finished.

What the system has been handed survives the end of the process, however sudden. A line that was
cut off, and whatever follows it, is taken away when the journal is opened again.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.sweeps.elections import SCHEMA

#: A row in a journal also has its number in the block.
NUMBERED = {"number": pl.Int64, **SCHEMA}


class Journal:
    """The finished elections of one block, in the order in which they finished."""

    def __init__(self, path: Path, size: int) -> None:
        """Read what a run before this one has left, if there was one."""
        self.path = path
        self.done = bytearray(size)
        self._end = 0
        self._file = -1
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
        line = json.dumps({"number": number, **row}, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self.done[number]:
                return False
            if self._file < 0:
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o666)
                os.ftruncate(self._file, self._end)
            self._write(line)
            self.done[number] = 1
            return self.complete

    def _write(self, line: bytes) -> None:
        """Write a line; if the disk is full, leave none of it."""
        written = 0
        try:
            while written < len(line):
                written += os.pwrite(self._file, line[written:], self._end + written)
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(line)

    def _read(self) -> None:
        with open(self.path, "rb") as file:
            for line in file:
                try:
                    number = json.loads(line)["number"]
                    if not line.endswith(b"\n"):
                        return
                    self.done[number] = 1
                except (ValueError, TypeError, KeyError, IndexError):
                    return  # _end is before this line
                self._end += len(line)

    def frame(self) -> pl.DataFrame:
        """Return the rows in the order of the plan."""
        with open(self.path, "rb") as file:
            content = file.read(self._end)
        return pl.read_ndjson(content, schema=NUMBERED).sort("number").drop("number")

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def remove(self) -> None:
        """Forget everything: it is kept elsewhere now."""
        self.close()
        self.path.unlink(missing_ok=True)
