"""Records as bytes for the page: which fields there are, and where. The page reads them by name.

Views take no bytes, and neither does what only fills up a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.records import Record, fields, layout
from amoebot.algorithms.registry import ElectionError
from amoebot.render.changes import write_used

Bytes = NDArray[np.uint8]

#: A field: its path, its type, and where it begins.
Place = tuple[str, str, int]


@dataclass(frozen=True)
class Format:
    """The fields of a record, and which of its bytes hold them."""

    fields: tuple[Place, ...]
    used: NDArray[np.int64]

    def pack(self, records: NDArray[Any]) -> Bytes:
        """Return a row of bytes for each record."""
        raw = np.ascontiguousarray(records).view(np.uint8).ravel()
        packed = np.empty((len(records), len(self.used)), np.uint8)
        write_used(raw, records.dtype.itemsize, self.used, packed.ravel())
        return packed


def record_format(record: type[Record], kind: np.dtype[Any] | None = None) -> Format:
    """Return the format of a record; its type has more fields where changed rules add some."""
    found, used = [], []
    end = 0
    for path, field, offset in _fields(record, kind or layout(record)):
        if field.kind not in "iub":
            raise ElectionError(f"the field {path} is a {field}: memory holds whole numbers only")
        found.append((path, field.str[1:].replace("b", "u"), end))
        used.append(np.arange(offset, offset + field.itemsize))
        end += field.itemsize
    return Format(tuple(found), np.concatenate(used))


def _fields(
    record: type[Record] | None, kind: np.dtype[Any], prefix: str = "", start: int = 0
) -> Iterator[tuple[str, np.dtype[Any], int]]:
    """Yield all fields that are no records, each with its path, type and offset."""
    known = {field.name: field for field in fields(record)} if record else {}
    for name, (inner, offset, *_) in (kind.fields or {}).items():
        if name in known and known[name].view_of is not None:
            continue
        path, place = f"{prefix}{name}", start + offset
        if inner.fields:
            yield from _fields(known[name].record, inner, f"{path}.", place)
        elif inner.shape:
            for i in range(inner.shape[0]):
                yield f"{path}.{i}", inner.base, place + i * inner.base.itemsize
        else:
            yield path, inner, place
