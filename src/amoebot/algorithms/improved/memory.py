"""The memory of an agent, as one record of constant size.

Each field belongs to the phase it is named under; fields of zero mean "empty", so that a system
starts with all memories zero. A lane that both algorithms need (Section 2 and Appendix A.3) is a
record of its own, so that one set of rules serves both.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from amoebot.algorithms.records import BYTE, SIGNED, WORD, Record, View
from amoebot.jit import inlined

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

# coins that the candidates of the second algorithm exchange.
TAILS, HEADS = 1, 2

# stop: the stop token, and whether it has met a leader.
NO_LEADER_YET, LEADER_MET = 1, 2


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


class Second(Record):
    """The lanes of the second algorithm (Appendix A.3)."""

    candidacy: Candidacy
    coin: Annotated[int, BYTE, "what this candidate flipped in this iteration"]
    sent_forth: Annotated[int, BYTE, "it is on its way to the succeeding candidate"]
    sent_back: Annotated[int, BYTE, "it is on its way to the preceding candidate"]
    stop: Annotated[int, BYTE, "the stop token"]
    forth: Annotated[int, BYTE, "a coin here that travels with the cycle"]
    back: Annotated[int, BYTE, "a coin here that travels against the cycle"]
    coins: Annotated[int, View(np.uint64, "coin"), "all of these: zero without coins and token"]


class Agent(Record):
    """The memory of one agent."""

    # identifier comparison, the busiest lane
    oldest: Annotated[int, WORD, "the digit token to forward next"]
    newest: Annotated[int, WORD, "the one that arrived after it"]
    digit: Annotated[int, BYTE, "of the identifier"]
    inactive: Annotated[int, BYTE, "has matched a token of the sequence that is passing"]
    result: Annotated[int, BYTE, "of comparing the matched token's digit with its own"]
    created: Annotated[int, BYTE, "has created its digit token"]
    head: Annotated[int, BYTE, "first agent of a segment, and stays it after withdrawing"]
    # identifier setup
    setup: Annotated[int, BYTE, "the identifier setup token"]
    carried: Annotated[int, BYTE, "the digit that token carries"]
    drawn: Annotated[int, BYTE, "has drawn its digit"]
    marked: Annotated[int, BYTE, "holds its digit of the reversed copy"]
    reversed_digit: Annotated[int, BYTE, "of the reversed copy"]
    leader: Annotated[int, BYTE, "this agent has told its particle to be the leader"]
    frozen: Annotated[int, BYTE, "the stop token came by: the first algorithm is over here"]
    candidacy: Candidacy
    second: Second


#: The record that the engine keeps for each agent, and the options without which a field is empty.
Memory = Agent
NEEDS = {"frozen": "almost_sure", "second": "almost_sure"}


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
