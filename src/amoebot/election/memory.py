"""An agent's memory: one record of constant size, made of lanes that the phases work on.

Memory starts out empty, that is zero. Each field says what it means and, where the values have
names, the names follow. A lane that both algorithms need (Section 2 and Appendix A.3) is a record
of its own, so that one set of rules serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import inlined

#: One record of the arrays below; its fields are known to NumPy and Numba, not to mypy.
Record = Any


def _record(*fields: tuple[str, Any], **views: tuple[Any, str]) -> np.dtype[Any]:
    """Lay out a record, every field on a multiple of its size.

    A view is one integer over all bytes from a named field on.
    """
    layout: dict[str, tuple[np.dtype[Any], int]] = {}
    end = 0
    widest = 1
    for name, kind in ((name, np.dtype(kind)) for name, kind in fields):
        step = min(8, kind.itemsize & -kind.itemsize)
        layout[name] = kind, -(-end // step) * step
        end = layout[name][1] + kind.itemsize
        widest = max(widest, step)
    for name, (kind, first) in views.items():
        layout[name] = np.dtype(kind), layout[first][1]
        end = max(end, layout[first][1] + layout[name][0].itemsize)
    kinds, places = zip(*layout.values(), strict=True)
    size = -(-end // widest) * widest
    record: Any = {"names": [*layout], "formats": kinds, "offsets": places, "itemsize": size}
    return np.dtype((np.record, np.dtype(record)))


def extended(record: np.dtype[Any], **fields: Any) -> np.dtype[Any]:
    """Return a record with more fields after its own, for rules that need them."""
    own = [(name, record.fields[name][0]) for name in record.names or ()]  # type: ignore[index]
    return _record(*own, *fields.items())


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
    # The whole lane at once: zero when it is empty, as it is most of the time.
    lane=(np.uint64, "activation"),
)

#: What an algorithm's candidate needs to find out that it is alone, and where (2.5 and 2.6).
CANDIDACY = _record(
    ("role", _BYTE),  # candidate, non-candidate, or not started
    ("turn", _SIGNED),  # of the boundary here, in units of 60 degrees clockwise
    ("agent_identifier", _BYTE),  # 1, 2 or 3, unique within its node
    ("angle", _BYTE),  # the boundary identification token's sum of turns, modulo 5
    ("identification", _BYTE),  # holds that token
    ("stage", _BYTE),  # of this candidate
    ("withdrawing", _BYTE),  # the candidate withdraws once its verification has finished
    ("x", AXIS),
    ("y", AXIS),
    # The three fields before the axes, and a spare one, at once: zero when nothing is under way.
    under_way=(np.uint32, "identification"),
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
    ("stop", _BYTE),  # the stop token
    ("forth", _BYTE),  # a coin here that travels with the cycle
    ("back", _BYTE),  # a coin here that travels against the cycle
    # The fields after the candidacy at once: zero when there are no coins and no stop token.
    coins=(np.uint64, "coin"),
)

#: The memory of one agent.
AGENT = _record(
    # identifier comparison, the busiest lane
    ("oldest", _WORD),  # the digit token to forward next
    ("newest", _WORD),  # the one that arrived after it
    ("digit", _BYTE),  # of the identifier
    ("inactive", _BYTE),  # has matched a token of the sequence that is passing
    ("result", _BYTE),  # of comparing the matched token's digit with its own
    ("created", _BYTE),  # has created its digit token
    ("head", _BYTE),  # first agent of a segment, and stays it after withdrawing
    # identifier setup
    ("setup", _BYTE),  # the identifier setup token
    ("carried", _BYTE),  # the digit that token carries
    ("marked", _BYTE),  # holds its digit of the reversed copy
    ("reversed_digit", _BYTE),  # of the reversed copy
    ("leader", _BYTE),  # this agent has told its particle to be the leader
    ("frozen", _BYTE),  # the stop token came by: the first algorithm is over here
    ("candidacy", CANDIDACY),
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
FLIPS_COIN = 1 << 11  # a candidate of the second algorithm begins an iteration


def empty_memory(agents: int) -> NDArray[Any]:
    """Return the memories of agents before the first activation."""
    return np.zeros(agents, dtype=AGENT)


@inlined
def is_candidate(me: Record) -> bool:
    """Whether the owner of this candidacy lane is a candidate."""
    return me.role == CANDIDATE


@inlined
def is_idle(me: Record) -> bool:
    """Whether solitude verification and boundary identification have nothing to do here."""
    return (me.under_way | me.x.lane | me.y.lane) == 0


@inlined
def has_started(me: Record) -> bool:
    """Whether the owner of this candidacy lane has been activated before."""
    return me.role != 0
