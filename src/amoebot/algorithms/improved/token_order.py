"""The cyclic order of digit tokens, which never changes (Section 2.4): for properties."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.jit import compiled, inlined

from .identifier_comparison import DELIMITER, DIGIT, NO_TOKEN, held_tokens


@inlined
def after(place: int, length: int) -> int:
    """Return the place after another one on a boundary."""
    return place + 1 if place + 1 < length else 0


@compiled
def are_in_order(holding: NDArray[Any], memory: NDArray[Any], holder: int, creator: int) -> bool:
    """Whether the tokens of a boundary are those that its agents created, in that order.

    ``holding`` has the memories whose tokens are looked at, from the oldest one of the holder on,
    which is compared with what the creator created. Digits and heads are read from ``memory``.
    """
    length = len(memory)
    first = creator
    held, created = 0, 0
    place = holder
    for _ in range(length):
        created += holding[place].created
        for token in held_tokens(holding[place]):
            if token != NO_TOKEN:
                if held > 0 and creator == first:
                    return False  # more than were created
                if (token & (DIGIT | DELIMITER)) != created_token(memory, creator):
                    return False
                creator = next_creator(holding, creator)
                held += 1
        place = after(place, length)
    return held == created


@inlined
def created_token(memory: NDArray[Any], creator: int) -> int:
    """Return the digit and delimiter of the token that an agent created."""
    ends = memory[after(creator, len(memory))].head
    return int(memory[creator].reversed_digit) | (DELIMITER if ends else 0)


@inlined
def next_creator(memory: NDArray[Any], creator: int) -> int:
    """Return the next agent that has created its token."""
    creator = after(creator, len(memory))
    while not memory[creator].created:
        creator = after(creator, len(memory))
    return creator
