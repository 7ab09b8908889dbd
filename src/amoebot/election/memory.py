"""An agent's memory: one record of constant size, made of lanes that the phases work on.

Memory starts out empty, that is zero. Each field says what it means and, where the values have
names, the names follow. A lane that both algorithms need (Section 2 and Appendix A.3) is a record
of its own, so that one set of rules serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import rule

#: One record of the arrays below; its fields are known to NumPy and Numba, not to mypy.
Record = Any


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(list(fields))))


_BYTE, _SIGNED, _WORD = np.uint8, np.int8, np.uint16

# role: what an agent is on its boundary. Until its first activation it is neither.
NON_CANDIDATE, CANDIDATE = 1, 2

# setup: what the identifier setup token that the agent holds does next.
DRAW, DRAWN, READ, BACK, FORTH, HOME, COMPLETE = 1, 2, 3, 4, 5, 6, 7

# result: how a digit token's digit compares with the agent's.
EQUAL, LOWER, HIGHER = 0, 1, 2

# stage: what a candidate is doing apart from competing; the last two belong to Appendix A.3.
VERIFYING, IDENTIFYING, OUTER, STOPPING, WON = 1, 2, 3, 4, 5

# activation: where the activation token that the agent holds is going, and with which result.
OUTWARD, HOMEWARD, UNBALANCED, BALANCED = 1, 2, 3, 4

#: The tokens of one sign on one axis that an agent holds: at most two, the settled ones first.
SIGN = _record(
    ("held", _BYTE),
    ("settled", _BYTE),
)

#: The lane of one axis of solitude verification (Section 2.5).
AXIS = _record(
    ("activation", _BYTE),  # the activation token
    ("heading", _BYTE),  # on the way out: direction of the edge ahead, candidate's frame
    ("next_identifier", _BYTE),  # on the way home: agent identifier of the next candidate
    ("positive", SIGN),
    ("negative", SIGN),
)

#: What an algorithm's candidate needs to find out that it is alone, and where (2.5 and 2.6).
CANDIDACY = _record(
    ("role", _BYTE),  # candidate, non-candidate, or not started
    ("turn", _SIGNED),  # of the boundary here, in units of 60 degrees clockwise
    ("agent_identifier", _BYTE),  # 1, 2 or 3, unique within the particle
    ("stage", _BYTE),  # of this candidate
    ("withdrawing", _BYTE),  # the candidate withdraws once its verification has finished
    ("end", _BYTE),  # one activation token turned here, so the other has to as well
    ("x", AXIS),
    ("y", AXIS),
    ("identification", _BYTE),  # holds the boundary identification token
    ("angle", _BYTE),  # the token's sum of turns, modulo 5
)

# coins that the candidates of the second algorithm exchange.
TAILS, HEADS = 1, 2

# stop: the stop token, and whether it has met a leader.
NO_LEADER_YET, LEADER_MET = 1, 2

#: The lanes of the second algorithm (Appendix A.3).
SECOND = _record(
    ("candidacy", CANDIDACY),
    ("coin", _BYTE),  # what this candidate flipped in this iteration
    ("sent_forth", _BYTE),  # it is on its way to the succeeding candidate
    ("sent_back", _BYTE),  # it is on its way to the preceding candidate
    ("forth", _BYTE),  # a coin here that travels with the cycle
    ("back", _BYTE),  # a coin here that travels against the cycle
    ("stop", _BYTE),  # the stop token
)

#: The memory of one agent.
AGENT = _record(
    ("head", _BYTE),  # first agent of a segment, and stays it after withdrawing
    ("setup", _BYTE),  # the identifier setup token
    ("carried", _BYTE),  # the digit that token carries
    ("marked", _BYTE),  # holds its digit of the reversed copy
    ("digit", _BYTE),  # of the identifier
    ("reversed_digit", _BYTE),  # of the reversed copy
    ("created", _BYTE),  # has created its digit token
    ("inactive", _BYTE),  # has matched a token of the sequence that is passing
    ("result", _BYTE),  # of comparing the matched token's digit with its own
    ("oldest", _WORD),  # the digit token to forward next
    ("newest", _WORD),  # the one that arrived after it
    ("candidacy", CANDIDACY),
    ("leader", _BYTE),  # this agent has told its particle to be the leader
    ("frozen", _BYTE),  # the stop token came by: the first algorithm is over here
    ("second", SECOND),
)

#: The memory of one particle (Appendix A.2).
PARTICLE = _record(
    ("message", _BYTE),  # the termination message has arrived
    ("terminated", _BYTE),
)

# What an activation did, for observers outside the system: rules never read it.
STARTED = 1 << 0
DREW_DIGIT = 1 << 1
SET_UP = 1 << 2
CREATED_TOKEN = 1 << 3
WITHDREW = 1 << 4
STARTED_VERIFYING = 1 << 5
WITHDREW_LATE = 1 << 6
VERIFIED = 1 << 7
STARTED_IDENTIFYING = 1 << 8
DECLARED = 1 << 9
SENT_STOP_TOKEN = 1 << 10


def empty_memory(agents: int) -> NDArray[Any]:
    """Return the memories of agents before the first activation."""
    return np.zeros(agents, dtype=AGENT)


@rule
def is_candidate(me: Record) -> bool:
    """Whether the owner of this candidacy lane is a candidate."""
    return me.role == CANDIDATE


@rule
def has_started(me: Record) -> bool:
    """Whether the owner of this candidacy lane has been activated before."""
    return me.role != 0
