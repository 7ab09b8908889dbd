"""The course of an election: its milestones and phases, and what the observer notes of them.

The observer sees what no particle can, and changes nothing. It counts what activations on the outer
boundary report, and recognises the two ways in which the algorithm of Section 2 can fail.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import (
    FIRST_ACTIVATION,
    FIRST_ROUND,
    LEADER_DECLARED,
    Course,
    Outcome,
    Phase,
)
from amoebot.algorithms.interface import (
    COUNT,
    FIRST_OWN_OUTCOME,
    candidate_appears,
    candidate_withdraws,
)
from amoebot.jit import compiled

from .. import candidacy
from ..candidacy import WITHDREW_LATE, note_beginnings
from .events import (
    CREATED_TOKEN,
    DREW_DIGIT,
    SENT_STOP_TOKEN,
    SET_UP,
    STARTED,
    STARTED_VERIFYING,
    WITHDREW,
)
from .options import Options

COURSE = Course(
    milestones=(
        "identifiers_set_up",
        "digit_tokens_created",
        "first_solitude_verification_begins",
        "last_rival_gone",
        "last_solitude_verification_begins",
        "boundary_identification_begins",
        "stop_token_sent",
    ),
    phases=(
        Phase("Boundary setup", "2.1", FIRST_ACTIVATION),
        Phase("Segment setup", "2.2", FIRST_ROUND),
        Phase("Identifier setup", "2.3", "digit_tokens_created"),
        Phase("Identifier comparison", "2.4", "last_rival_gone"),
        Phase("Solitude verification", "2.5", "boundary_identification_begins"),
        Phase("Boundary identification", "2.6", LEADER_DECLARED, begins="stop_token_sent"),
    ),
)

NO_CANDIDATES, TIED_IDENTIFIERS = FIRST_OWN_OUTCOME, FIRST_OWN_OUTCOME + 1

_ADVICE = (
    "Section 2 alone fails like this with a probability that is small on long boundaries; "
    "try another seed."
)

OUTCOMES = {
    NO_CANDIDATES: Outcome(
        "no-candidates",
        "nobody on the outer boundary flipped heads, so there is no candidate",
        _ADVICE,
    ),
    TIED_IDENTIFIERS: Outcome(
        "tied-identifiers", "the highest identifier on the outer boundary is not unique", _ADVICE
    ),
}

#: Boundaries do not influence each other: agents of one never meet those of another.
INNER_BOUNDARIES_MATTER = False


class Watch(candidacy.Watch):
    """What the observer has counted on the outer boundary, and the rounds of the milestones."""

    started: Annotated[int, COUNT, "agents that have been activated"]
    digits: Annotated[int, COUNT, "digits drawn"]
    set_up: Annotated[int, COUNT, "identifiers set up"]
    created: Annotated[int, COUNT, "digit tokens created"]
    identifiers_set_up: Annotated[int, COUNT, "round of the last one"]
    digit_tokens_created: Annotated[int, COUNT, "round of the last one"]
    stop_token_sent: Annotated[int, COUNT, "round in which it left"]


@compiled
def observe(
    watch: Watch,
    withdrawals: NDArray[np.int64],
    memory: NDArray[Any],
    unit: int,
    events: int,
    now: int,
    options: Options,
) -> None:
    """Take note of what an activation of an agent on the outer boundary did."""
    length = len(withdrawals)
    if events & STARTED:
        watch.started += 1
        if memory[unit].head:
            candidate_appears(watch)
        if watch.started == length and watch.candidates == 0 and not options.almost_sure:
            watch.outcome = NO_CANDIDATES
    if events & DREW_DIGIT:
        watch.digits += 1
        exist = watch.digits == length and not options.almost_sure
        if exist and not highest_is_unique(memory, length):
            watch.outcome = TIED_IDENTIFIERS
    if events & SET_UP:
        watch.set_up += 1
        if watch.started == length and watch.set_up == watch.candidates:
            watch.identifiers_set_up = now
    if events & CREATED_TOKEN:
        watch.created += 1
        if watch.created == length:
            watch.digit_tokens_created = now
    if events & WITHDREW:
        note_withdrawal(watch, withdrawals, now)
    if events & WITHDREW_LATE:
        note_withdrawal(watch, withdrawals, now)
    note_beginnings(watch, events, STARTED_VERIFYING, now)
    if events & SENT_STOP_TOKEN:
        watch.stop_token_sent = now


@compiled
def note_withdrawal(watch: Watch, withdrawals: NDArray[np.int64], now: int) -> None:
    """Count a candidate that withdraws, and note when only one is left."""
    candidate_withdraws(watch, withdrawals, now)
    if watch.started == len(withdrawals) and watch.withdrawn == watch.candidates - 1:
        watch.last_rival_gone = now


@compiled
def highest_is_unique(memory: NDArray[Any], length: int) -> bool:
    """Whether no two candidates on the outer boundary have the highest identifier."""
    first = 0
    while not memory[first].head:
        first += 1
        if first == length:  # corrupted memories may have lost all heads
            return True
    best = first
    unique = True
    head = first + segment_length(memory, first, length)
    while head < first + length:
        order = compare_identifiers(memory, head, best, length)
        if order > 0:
            best = head
        unique = order > 0 or (unique and order < 0)
        head += segment_length(memory, head, length)
    return unique


@compiled
def segment_length(memory: NDArray[Any], head: int, length: int) -> int:
    """Return the number of agents in the segment of a head."""
    size = 1
    place = (head + 1) % length
    while not memory[place].head:
        size += 1
        place = place + 1 if place + 1 < length else 0
    return size


@compiled
def compare_identifiers(memory: NDArray[Any], one: int, other: int, length: int) -> int:
    """Return whether the identifier of one head is higher (1), equal (0) or lower (-1)."""
    size = segment_length(memory, one, length)
    difference = np.int64(size - segment_length(memory, other, length))
    place = 0
    while difference == 0 and place < size:
        mine = np.int64(memory[(one + place) % length].digit)
        difference = mine - np.int64(memory[(other + place) % length].digit)
        place += 1
    return 1 if difference > 0 else (-1 if difference < 0 else 0)


MEASURED = {"longest_segment": "agents in the longest segment of the outer boundary"}


def measure(memory: NDArray[Any]) -> dict[str, int | None]:
    """Measure the segments: heads stay heads, also when they are no candidates any more."""
    heads = np.flatnonzero(memory["head"])
    if len(heads) == 0:
        return {"longest_segment": None}
    last = heads[0] + len(memory) - heads[-1]
    return {"longest_segment": int((heads[1:] - heads[:-1]).max(initial=last))}
