"""Identifier comparison (Section 2.4): the reversed identifiers travel round the boundary.

A digit token is one word: its digit in the low eight bits, then one bit each for being active
and for being the delimiter, then the delimiter's record of the most significant difference seen
in this segment, and a bit that tells a token from none.
"""

from __future__ import annotations

from amoebot.jit import inlined_rule, rule

from ..bits import Word, bit, choose, word
from ..candidacy import Candidacy, is_candidate
from ..solitude_verification import start_verifying, withdraw
from .events import CREATED_TOKEN, STARTED_VERIFYING, WITHDREW
from .memory import COMPLETE, EQUAL, HIGHER, LOWER, Agent

DIGIT = 0xFF
ACTIVE_BIT, DELIMITER_BIT = 8, 9
ACTIVE, DELIMITER = 1 << ACTIVE_BIT, 1 << DELIMITER_BIT
RESULT = 10  # where the two bits of the recorded result begin
TOKEN = 1 << 12
NO_TOKEN = 0
ALL_BUT_RESULT = DIGIT | ACTIVE | DELIMITER | TOKEN


@rule
def create_token(me: Agent, pred: Agent, succ: Agent) -> int:
    """Create this agent's digit token: the head once its identifier is set up, the others in turn.

    The last agent of the segment marks its token as the delimiter.
    """
    if me.created or not (me.setup == COMPLETE if me.head else pred.created):
        return 0
    me.oldest = TOKEN | int(me.reversed_digit) | (DELIMITER if succ.head else 0)
    me.created = 1
    return CREATED_TOKEN


@inlined_rule
def forward_token(me: Agent, pred: Agent) -> int:
    """Pass the oldest digit token on against the cycle, if the predecessor has room."""
    token = word(me.oldest)
    # "|" and not "or": which of these holds cannot be foretold, so one branch is better than three.
    if (token == NO_TOKEN) | (not has_room(pred)) | (pred.created == 0):
        return 0
    remove_oldest(me)
    return receive_token(pred, as_sent(token, word(me.head)))


@inlined_rule
def receive_token(me: Agent, token: Word) -> int:
    """Match, compare and store an arriving digit token."""
    events = 0
    delimits = token & DELIMITER != 0
    longer = me.inactive != 0
    token, match, result = compare_token(token, word(me.digit), word(me.inactive), word(me.result))
    if is_candidate(me.candidacy) and delimits:
        events = judge(me.candidacy, longer, match != 0, recorded(token))
    me.inactive, me.result = after_token(token, word(longer | match), result)
    add_newest(me, token)
    return events


@inlined_rule
def as_sent(token: Word, head: Word) -> Word:
    """Return a token as its agent sends it on.

    A head, withdrawn or not, activates the tokens it forwards into the next segment.
    """
    return choose(head, word(record(token, word(EQUAL)) | ACTIVE), token)


@inlined_rule
def compare_token(
    token: Word, digit: Word, inactive: Word, result: Word
) -> tuple[Word, Word, Word]:
    """Return an arriving token as it is stored, whether it is matched, and the result here."""
    match = word(bit(token, ACTIVE_BIT) & word(inactive ^ 1))
    result = choose(match, compare(word(token & DIGIT), digit), result)
    token = word(token & ~word(match << ACTIVE_BIT))
    differs = word(bit(token, DELIMITER_BIT) & word(result != EQUAL))
    return choose(differs, record(token, result), token), match, result


@inlined_rule
def after_token(token: Word, inactive: Word, result: Word) -> tuple[Word, Word]:
    """Return the agent's state and result once a token has been stored: a delimiter resets both."""
    goes_on = word(bit(token, DELIMITER_BIT) ^ 1)
    return word(inactive * goes_on), word(result * goes_on)


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
    me.oldest, me.newest = with_newest(word(me.oldest), token)


@inlined_rule
def with_newest(oldest: Word, token: Word) -> tuple[Word, Word]:
    """Return the tokens of an agent that has room for one more, once it has that."""
    first = word(oldest == NO_TOKEN)
    return choose(first, token, oldest), choose(first, word(NO_TOKEN), token)


@inlined_rule
def held_tokens(me: Agent) -> tuple[Word, ...]:
    """Return the digit tokens that an agent holds, in their order, for those who look on."""
    return me.oldest, me.newest


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
    lower, higher = word(token_digit < own_digit), word(token_digit > own_digit)
    return word(word(lower * LOWER) + word(higher * HIGHER))


@inlined_rule
def record(token: Word, result: Word) -> Word:
    """Return the token with another recorded result."""
    return word(word(token & ALL_BUT_RESULT) | word(result << RESULT))


@inlined_rule
def recorded(token: Word) -> Word:
    """Return the result that a token has recorded."""
    return word(word(token >> RESULT) & 3)
