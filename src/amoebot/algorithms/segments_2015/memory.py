"""The memory of an agent, as one record of constant size.

Each lane has room for one token. What lies in a lane belongs to the candidate before it (lead,
passive, announcement and acknowledgement, and all of solitude verification) or to the one after it
(active and returning tokens, and absorbed marks): that is what clean-up tokens rely on.
"""

from __future__ import annotations

from typing import Annotated

from amoebot.algorithms.records import BYTE, Record

from ..candidacy import Candidacy

# phase: what a candidate does. It has none while it verifies its solitude, and once it is demoted.
LEADS, COMPARES, FLIPS, ANNOUNCES, WAITS = 1, 2, 3, 4, 5

# passive, active: a token of segment comparison, and the last one of its kind.
PLAIN, FINAL = 1, 2

# returning: what the token tells the candidate whose segments have been compared.
NOT_COVERED, COVERED, SURVIVES = 1, 2, 3


class Agent(Record):
    """The memory of one agent."""

    candidacy: Candidacy
    phase: Annotated[int, BYTE, "of a candidate: leads, compares, flips, announces or waits"]
    # segment comparison
    lead: Annotated[int, BYTE, "the token that counts the front segment, on its way forwards"]
    passive: Annotated[int, BYTE, "a token of the count, on its way back to its candidate"]
    active: Annotated[int, BYTE, "the same in the segment behind, where it is to be absorbed"]
    absorbed: Annotated[int, BYTE, "has absorbed an active token"]
    covered: Annotated[int, BYTE, "was demoted, and no returning token has come by since"]
    returning: Annotated[int, BYTE, "the token that tells the candidate what came of it"]
    # coin flipping
    announcement: Annotated[int, BYTE, "of heads, on its way to the next candidate"]
    acknowledgement: Annotated[int, BYTE, "of the announcement, on its way back"]
    announced: Annotated[int, BYTE, "was announced to before its comparison has ended"]
    announced_waiting: Annotated[int, BYTE, "was announced to while it waited itself"]
    # clean-up
    clean_forth: Annotated[int, BYTE, "removes what a covered candidate has sent forwards"]
    clean_back: Annotated[int, BYTE, "removes what a covered candidate has sent back"]
    leader: Annotated[int, BYTE, "this agent has told its particle to be the leader"]


#: The record that the engine keeps for each agent.
Memory = Agent
