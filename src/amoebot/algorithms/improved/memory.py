"""The memory of an agent, as one record of constant size.

Each field belongs to the phase it is named under; fields of zero mean "empty", so that a system
starts with all memories zero. A lane that both algorithms need (Section 2 and Appendix A.3) is a
record of its own, so that one set of rules serves both.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from amoebot.algorithms.records import BYTE, WORD, Record, View

from ..candidacy import FIRST_OWN_STAGE, Candidacy

# setup: what the identifier setup token that the agent holds does next.
DRAW, DRAWN, READ, BACK, FORTH, HOME, COMPLETE = 1, 2, 3, 4, 5, 6, 7

# result: how a digit token's digit compares with the agent's.
EQUAL, LOWER, HIGHER = 0, 1, 2

# stage: what a candidate of the second algorithm does last (Appendix A.3).
STOPPING, WON = FIRST_OWN_STAGE, FIRST_OWN_STAGE + 1

# coins that the candidates of the second algorithm exchange.
TAILS, HEADS = 1, 2

# stop: the stop token, and whether it has met a leader.
NO_LEADER_YET, LEADER_MET = 1, 2


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
