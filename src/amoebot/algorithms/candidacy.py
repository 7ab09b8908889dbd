"""The lanes of a candidate that finds out that it is alone, and on which boundary (2.5, 2.6).

Several elections end with solitude verification and boundary identification. Each keeps these
records as a part of its own memory (the improved election has two of them, one for each of its
algorithms), and one set of rules serves all. Fields of zero mean "empty".
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from amoebot.algorithms import interface
from amoebot.algorithms.interface import COUNT, FIRST_OWN_EVENT
from amoebot.algorithms.records import BYTE, SIGNED, Record, View
from amoebot.jit import compiled, inlined

# role: what an agent is on its boundary. Until its first activation it is neither.
NON_CANDIDATE, CANDIDATE = 1, 2

# stage: what a candidate is doing apart from competing. An election numbers its own from there on.
VERIFYING, IDENTIFYING, OUTER, FIRST_OWN_STAGE = 1, 2, 3, 4

# activation: where the activation token that the agent holds is going, and with which result.
OUTWARD, HOMEWARD, UNBALANCED, BALANCED = 1, 2, 3, 4

# What the rules that work on these lanes report; an election numbers its own from there on.
WITHDREW_LATE = FIRST_OWN_EVENT << 0
VERIFIED = FIRST_OWN_EVENT << 1
STARTED_IDENTIFYING = FIRST_OWN_EVENT << 2
FIRST_FREE_EVENT = FIRST_OWN_EVENT << 3


class Sign(Record):
    """The tokens of one sign on one axis that an agent holds: at most two."""

    held: Annotated[int, BYTE, "tokens of this sign"]
    settled: Annotated[int, BYTE, "those of them that have settled, the first ones"]


class Axis(Record):
    """The lane of one axis of solitude verification (Section 2.5)."""

    activation: Annotated[int, BYTE, "the activation token"]
    heading: Annotated[int, BYTE, "on the way out: direction of the edge ahead, candidate's frame"]
    next_identifier: Annotated[int, BYTE, "on the way home: agent identifier of the next candidate"]
    positive: Sign
    negative: Sign
    lane: Annotated[int, View(np.uint64, "activation"), "the whole lane: zero when it is empty"]


class Candidacy(Record):
    """What an algorithm's candidate needs to find out that it is alone, and where (2.5, 2.6)."""

    role: Annotated[int, BYTE, "candidate, non-candidate, or not started"]
    turn: Annotated[int, SIGNED, "of the boundary here, in units of 60 degrees clockwise"]
    agent_identifier: Annotated[int, BYTE, "1, 2 or 3, unique within its node"]
    angle: Annotated[int, BYTE, "the boundary identification token's sum of turns, modulo 5"]
    identification: Annotated[int, BYTE, "holds that token"]
    stage: Annotated[int, BYTE, "of this candidate"]
    withdrawing: Annotated[int, BYTE, "the candidate withdraws once its verification has finished"]
    x: Axis
    y: Axis
    under_way: Annotated[
        int, View(np.uint32, "identification"), "the fields before the axes: zero when all rest"
    ]


@inlined
def is_candidate(me: Candidacy) -> bool:
    """Whether the owner of this candidacy lane is a candidate."""
    return me.role == CANDIDATE


@inlined
def is_idle(me: Candidacy) -> bool:
    """Whether solitude verification and boundary identification have nothing to do here."""
    return (me.under_way | me.x.lane | me.y.lane) == 0


@inlined
def has_started(me: Candidacy) -> bool:
    """Whether the owner of this candidacy lane has been activated before."""
    return me.role != 0


class Watch(interface.Watch):
    """What the observer has counted, and the rounds of the milestones of all these elections."""

    last_rival_gone: Annotated[int, COUNT, "round in which one candidate was left"]
    first_solitude_verification_begins: Annotated[int, COUNT, "round in which it began"]
    last_solitude_verification_begins: Annotated[int, COUNT, "round in which it began"]
    boundary_identification_begins: Annotated[int, COUNT, "round in which it began"]


@compiled
def note_beginnings(watch: Any, events: int, verifying: int, now: int) -> None:
    """Note when a verification, whose event is given, or an identification began."""
    if events & verifying:
        if watch.first_solitude_verification_begins == 0:
            watch.first_solitude_verification_begins = now
        watch.last_solitude_verification_begins = now
    if events & STARTED_IDENTIFYING:
        watch.boundary_identification_begins = now
