"""Identifier comparison (Section 2.4): the reversed identifiers travel round the boundary.

A digit token is one word: its digit in the low eight bits, then one bit each for being active
and for being the delimiter, then the delimiter's record of the most significant difference seen
in this segment, and a bit that tells a token from none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amoebot.jit import inlined, inlined_rule, rule

from ..candidacy import Candidacy, is_candidate
from ..solitude_verification import start_verifying, withdraw
from .events import CREATED_TOKEN, STARTED_VERIFYING, WITHDREW
from .memory import COMPLETE, EQUAL, HIGHER, LOWER, Agent

#: An integer of Python or of NumPy.
Word = Any

DIGIT = 0xFF
ACTIVE = 1 << 8
DELIMITER = 1 << 9
RESULT = 10  # where the two bits of the recorded result begin
TOKEN = 1 << 12
NO_TOKEN = 0


@rule
def create_token(me: Agent, pred: Agent, succ: Agent) -> int:
    """Create this agent's digit token: the head once its identifier is set up, the others in turn.

    The last agent of the segment marks its token as the delimiter.
    """
    if me.created or not (me.setup == COMPLETE if me.head else pred.created):
        return 0
    me.oldest = int(TOKEN | np.int64(me.reversed_digit) | (DELIMITER if succ.head else 0))
    me.created = 1
    return CREATED_TOKEN


@inlined_rule
def forward_token(me: Agent, pred: Agent) -> int:
    """Pass the oldest digit token on against the cycle, if the predecessor has room.

    A head, withdrawn or not, activates the tokens it forwards into the next segment.
    """
    token = np.int64(me.oldest)
    # "|" and not "or": which of these holds cannot be foretold, so one branch is better than three.
    if (token == NO_TOKEN) | (not has_room(pred)) | (pred.created == 0):
        return 0
    remove_oldest(me)
    return receive_token(pred, choose(me.head != 0, record(token, EQUAL) | ACTIVE, token))


@inlined_rule
def receive_token(me: Agent, token: Word) -> int:
    """Match, compare and store an arriving digit token."""
    events = 0
    delimits = token & DELIMITER != 0
    longer = me.inactive != 0
    match = (token & ACTIVE != 0) & (me.inactive == 0)
    result = choose(match, compare(token & DIGIT, np.int64(me.digit)), np.int64(me.result))
    token = choose(match, token & ~ACTIVE, token)
    token = choose(delimits & (result != EQUAL), record(token, result), token)
    if is_candidate(me.candidacy) and delimits:
        events = judge(me.candidacy, longer, match, recorded(token))
    me.inactive = choose(delimits, 0, longer | match)
    me.result = choose(delimits, EQUAL, result)
    add_newest(me, token)
    return events


@inlined_rule
def has_room(me: Agent) -> bool:
    """Whether the agent can hold one more digit token: two are enough (Section 2.4)."""
    return me.newest == NO_TOKEN


@inlined_rule
def remove_oldest(me: Agent) -> None:
    """Let go of the token that came first."""
    me.oldest = me.newest
    me.newest = NO_TOKEN


@inlined_rule
def add_newest(me: Agent, token: Word) -> None:
    """Hold one more token, behind those that came before it."""
    first = me.oldest == NO_TOKEN
    me.newest = choose(first, NO_TOKEN, token)
    me.oldest = choose(first, token, np.int64(me.oldest))


@inlined_rule
def held_tokens(me: Agent) -> tuple[Word, ...]:
    """Return the digit tokens that an agent holds, in their order, for those who look on."""
    return me.oldest, me.newest


@inlined
def choose(condition: bool, one: Word, other: Word) -> Word:
    """Return ``one if condition else other``, computed without a branch.

    Tokens come in no order that a processor could foretell, and a branch taken wrongly costs more
    than all of this.
    """
    return other ^ ((one ^ other) & -np.int64(condition))


@rule
def judge(me: Candidacy, longer: bool, match: bool, difference: Word) -> int:
    """Act on a whole token sequence: withdraw, go on, or verify solitude.

    At the head, a delimiter finds the head already matched (the sequence is longer), or is
    itself already matched (it is shorter), or the two match (the lengths are equal).
    """
    if longer or (match and difference == HIGHER):
        return WITHDREW if withdraw(me) else 0
    if match and difference == EQUAL:
        return STARTED_VERIFYING if start_verifying(me) else 0
    return 0


@inlined_rule
def compare(token_digit: Word, own_digit: Word) -> Word:
    """Say how a token's digit compares with the agent's own."""
    return np.int64(token_digit < own_digit) * LOWER + np.int64(token_digit > own_digit) * HIGHER


@inlined_rule
def record(token: Word, result: Word) -> Word:
    """Return the token with another recorded result."""
    return (token & (DIGIT | ACTIVE | DELIMITER | TOKEN)) | (np.int64(result) << RESULT)


@inlined_rule
def recorded(token: Word) -> Word:
    """Return the result that a token has recorded."""
    return (token >> RESULT) & 3
