"""Identifier comparison (Section 2.4): the reversed identifiers travel round the boundary.

A digit token is one word: its digit in the low eight bits, then one bit each for being active
and for being the delimiter, then the delimiter's record of the most significant difference seen
in this segment, and a bit that tells a token from none.
"""

from __future__ import annotations

import numpy as np

from amoebot.election.memory import (
    COMPLETE,
    CREATED_TOKEN,
    EQUAL,
    HIGHER,
    LOWER,
    STARTED_VERIFYING,
    WITHDREW,
    Record,
)
from amoebot.election.solitude_verification import start_verifying, withdraw
from amoebot.jit import rule

DIGIT = 0xFF
ACTIVE = 1 << 8
DELIMITER = 1 << 9
RESULT = 10  # where the two bits of the recorded result begin
TOKEN = 1 << 12
NO_TOKEN = 0


@rule
def create_token(me: Record, pred: Record, succ: Record) -> int:
    """Create this agent's digit token: the head once its identifier is set up, the others in turn.

    The last agent of the segment marks its token as the delimiter.
    """
    if me.created or not (me.setup == COMPLETE if me.head else pred.created):
        return 0
    me.oldest = TOKEN | np.int64(me.reversed_digit) | (DELIMITER if succ.head else 0)
    me.created = 1
    return CREATED_TOKEN


@rule
def forward_token(me: Record, pred: Record) -> int:
    """Pass the oldest digit token on against the cycle, if the predecessor has room.

    A head, withdrawn or not, activates the tokens it forwards into the next segment.
    """
    token = me.oldest
    if token == NO_TOKEN or not pred.created or pred.newest != NO_TOKEN:
        return 0
    me.oldest = me.newest
    me.newest = NO_TOKEN
    if me.head:
        token = record(token, EQUAL) | ACTIVE
    return receive_token(pred, token)


@rule
def receive_token(me: Record, token: int) -> int:
    """Match, compare and store an arriving digit token."""
    events = 0
    longer = bool(me.inactive)
    match = bool(token & ACTIVE) and not me.inactive
    if match:
        me.inactive = 1
        me.result = compare(token & DIGIT, me.digit)
        token ^= ACTIVE
    if token & DELIMITER:
        if me.result != EQUAL:
            token = record(token, me.result)
        if me.head:
            events = judge(me.candidacy, longer, match, recorded(token))
        me.result = EQUAL
        me.inactive = 0
    if me.oldest == NO_TOKEN:
        me.oldest = token
    else:
        me.newest = token
    return events


@rule
def judge(me: Record, longer: bool, match: bool, difference: int) -> int:
    """Act on a whole token sequence: withdraw, go on, or verify solitude.

    At the head, a delimiter finds the head already matched (the sequence is longer), or is
    itself already matched (it is shorter), or the two match (the lengths are equal).
    """
    if longer or (match and difference == HIGHER):
        return WITHDREW if withdraw(me) else 0
    if match and difference == EQUAL:
        return STARTED_VERIFYING if start_verifying(me) else 0
    return 0


@rule
def compare(token_digit: int, own_digit: int) -> int:
    """Say how a token's digit compares with the agent's own."""
    if token_digit == own_digit:
        return EQUAL
    return HIGHER if token_digit > own_digit else LOWER


@rule
def record(token: int, result: int) -> int:
    """Return the token with another recorded result."""
    return (token & (DIGIT | ACTIVE | DELIMITER | TOKEN)) | (np.int64(result) << RESULT)


@rule
def recorded(token: int) -> int:
    """Return the result that a token has recorded."""
    return (token >> RESULT) & 3
