"""Memory as a type: a record is a class whose annotations say type, size and meaning of each field.

    class Sign(Record):
        '''The tokens of one sign on one axis that an agent holds.'''

        held: Annotated[int, BYTE, "how many there are"]

The class is what rules are checked against by mypy; ``layout(Sign)`` is the NumPy type of the same
fields, which is what they run on. Nothing else describes a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from amoebot import jit

BYTE, SIGNED, WORD = np.dtype(np.uint8), np.dtype(np.int8), np.dtype(np.uint16)


class Record:
    """The base of all records. It has no instances: rules get records of NumPy in its place."""

    def __init__(self) -> None:
        """Refuse: this is a description."""
        raise TypeError(f"{type(self).__name__} describes memory: records are made by layout()")


@dataclass(frozen=True)
class View:
    """One integer over all bytes from a named field on; it takes no memory of its own."""

    kind: Any
    first: str


@dataclass(frozen=True)
class Field:
    """One field of a record."""

    name: str
    kind: np.dtype[Any]
    meaning: str
    record: type[Record] | None = None  #: where the field is a record itself
    view_of: str | None = None  #: the field that a view begins with


def fields(record: type[Record]) -> tuple[Field, ...]:
    """Return the fields of a record, in their order."""
    known: Any = record  # mypy does not take the type of a class for hashable
    return _fields(known)


@cache
def _fields(record: Any) -> tuple[Field, ...]:
    found = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        kind, *extra = get_args(hint) if get_origin(hint) is not None else (hint,)
        meaning = next((text for text in extra if isinstance(text, str)), "")
        if isinstance(kind, type) and issubclass(kind, Record):
            found.append(Field(name, layout(kind), meaning or _sentence(kind), kind))
            continue
        size = extra[0] if extra else None
        if isinstance(size, View):
            found.append(Field(name, np.dtype(size.kind), meaning, view_of=size.first))
        elif size is not None and not isinstance(size, str):
            found.append(Field(name, np.dtype(size), meaning))
        else:
            raise TypeError(f"{record.__name__}.{name} has no size: write Annotated[int, BYTE, …]")
    return tuple(found)


def _sentence(record: type[Record]) -> str:
    first = (record.__doc__ or "").partition("\n")[0].rstrip(".")
    return first[:1].lower() + first[1:]


def layout(record: type[Record], **more: Any) -> np.dtype[Any]:
    """Return the NumPy type of a record, every field on a multiple of its size.

    More fields, each with its type, come after its own. A record that is no part of another one
    fills whole words, so that memories can be compared word by word.
    """
    places: dict[str, tuple[np.dtype[Any], int]] = {}
    end, widest = 0, 1
    own = fields(record)
    plain = [(field.name, field.kind) for field in own if field.view_of is None]
    for name, kind in [*plain, *((name, np.dtype(kind)) for name, kind in more.items())]:
        step = min(8, kind.base.itemsize & -kind.base.itemsize)
        places[name] = kind, -(-end // step) * step
        end = places[name][1] + kind.itemsize
        widest = max(widest, step)
    for field in own:
        if field.view_of is not None:
            places[field.name] = field.kind, places[field.view_of][1]
            end = max(end, places[field.view_of][1] + field.kind.itemsize)
    kinds, offsets = zip(*places.values(), strict=True)
    size = -(-end // widest) * widest
    told: Any = {"names": [*places], "formats": kinds, "offsets": offsets, "itemsize": size}
    return jit.record(np.dtype(told))


def end_of(kind: np.dtype[Any]) -> int:
    """Return how many bytes the fields of a record take, without the gap behind them."""
    places: Any = kind.fields
    return max(place[1] + place[0].itemsize for place in places.values())


#: Bytes that changed rules can add to a memory without having loops of their own: where rules are
#: changed or called by their addresses, there is room for these in any case.
ROOM = 8


def has_room(record: type[Record], more: Mapping[str, Any]) -> bool:
    """Whether more fields fit into the room that there is in any case."""
    own = layout(record)
    with_room = in_words(own, own.itemsize + ROOM)
    return in_words(layout(record, **more)).itemsize <= with_room.itemsize


def in_words(kind: np.dtype[Any], least: int = 0) -> np.dtype[Any]:
    """Return a record type that fills whole words of eight bytes, and at least so many bytes."""
    size = -(-max(kind.itemsize, least) // 8) * 8
    places: Any = kind.fields
    told: Any = {
        "names": [*places],
        "formats": [place[0] for place in places.values()],
        "offsets": [place[1] for place in places.values()],
        "itemsize": size,
    }
    return jit.record(np.dtype(told))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that can never be written to, nor be made so."""
    content = memoryview(array.view(np.uint8).data).toreadonly()
    return np.frombuffer(content, array.dtype).reshape(array.shape)
