"""The busy lanes as words, for many agents at once: digit tokens, and tokens that gather.

Almost every activation of a large election does nothing but forward a digit token, or move the
tokens of a solitude verification towards their candidate: it changes the agent and its
predecessor. Here these lanes of all agents are arrays of words, and the same rules as elsewhere run
on them without a branch. Whoever has more to do is activated as always.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import DELEGATED, FIRST_OWN_MARK, PLAIN
from amoebot.jit import compiled, inlined

from ..bits import bit, choose, word
from ..candidacy import OUTER, Candidacy, Sign, has_started, is_candidate
from ..solitude_verification import settle_or_move
from .almost_sure import flips_coin
from .identifier_comparison import (
    DELIMITER_BIT,
    DIGIT,
    NO_TOKEN,
    after_token,
    as_sent,
    compare_token,
    with_newest,
)
from .memory import WON, Agent
from .options import Options

#: The lanes: two digit tokens, what an agent compares them with, what it is, the gathering tokens
#: of both algorithms, the coins that travel, and room for the steps that these take in a pass.
OLDEST, NEWEST, COMPARED, STANDING, GATHERING, STEPS = range(6)
GATHERING_SECOND, STEPS_SECOND, COINS, COIN_STEPS = range(6, 10)
LANES = 10

#: A mark of an agent whose oldest digit token moves.
MOVES = FIRST_OWN_MARK
MOVES_BIT = 2

# Whether anyone is delegated, tokens of either algorithm are gathering, and coins travel.
ANY_DELEGATED, ANY_GATHERING, ANY_GATHERING_SECOND, ANY_COINS = 1, 2, 4, 8

# What an agent compares tokens with is one word: its digit in the low eight bits, then these.
INACTIVE_BIT, RESULT_BITS = 8, 9

# What an agent is: the first of a segment, a candidate of either algorithm, frozen.
HEAD_BIT, CANDIDATE_BIT, SECOND_BIT, FROZEN_BIT = 0, 1, 2, 3

# Gathering tokens are four bits each: one for each sign of each axis.
ONE, TWO, ONE_SETTLED, TWO_SETTLED, SIGNS = 0, 4, 8, 12, 0xF
MOVE = 4  # where those begin that move on, behind those that settle

# The coins of other candidates that an agent holds are two bits each, one way and the other.
FORTH, BACK, COIN = 0, 2, 3


@compiled
def lanes_are_ready(memory: NDArray[Any], first: int, last: int) -> bool:
    """Whether all agents of a boundary have created their digit tokens, or none ever will."""
    heads = created = 0
    for agent in range(first, last):
        me = memory[agent]
        if not has_started(me.candidacy):
            return False
        heads += me.head
        created += me.created
    return created == last - first or heads == 0


@compiled
def pack(me: Agent, lanes: NDArray[Any], slot: int) -> None:
    """Write the busy lanes of an agent as words."""
    lanes[OLDEST, slot] = me.oldest
    lanes[NEWEST, slot] = me.newest
    lanes[COMPARED, slot] = (
        int(me.digit) | int(me.inactive) << INACTIVE_BIT | int(me.result) << RESULT_BITS
    )
    lanes[GATHERING, slot] = packed_tokens(me.candidacy)
    lanes[GATHERING_SECOND, slot] = packed_tokens(me.second.candidacy)
    lanes[COINS, slot] = int(me.second.forth) << FORTH | int(me.second.back) << BACK


@compiled
def show(me: Agent, lanes: NDArray[Any], slot: int) -> None:
    """Write as a word what an agent is: rules on lanes do not change it."""
    lanes[STANDING, slot] = (
        int(me.head) << HEAD_BIT
        | int(is_candidate(me.candidacy)) << CANDIDATE_BIT
        | int(is_candidate(me.second.candidacy)) << SECOND_BIT
        | int(me.frozen) << FROZEN_BIT
    )


@inlined
def packed_tokens(me: Candidacy) -> int:
    """Return the gathering tokens of a verification as one word."""
    if (me.x.lane | me.y.lane) == 0:
        return 0
    return (
        packed_sign(me.x.positive)
        | packed_sign(me.x.negative) << 1
        | packed_sign(me.y.positive) << 2
        | packed_sign(me.y.negative) << 3
    )


@inlined
def packed_sign(tokens: Sign) -> int:
    """Return the tokens of one sign as bits."""
    return (
        int(tokens.held > 0) << ONE
        | int(tokens.held > 1) << TWO
        | int(tokens.settled > 0) << ONE_SETTLED
        | int(tokens.settled > 1) << TWO_SETTLED
    )


@compiled
def unpack(me: Agent, lanes: NDArray[Any], slot: int) -> None:
    """Read the busy lanes of an agent from words: nothing else changes while they are in use."""
    me.oldest = lanes[OLDEST, slot]
    me.newest = lanes[NEWEST, slot]
    compared = int(lanes[COMPARED, slot])
    me.inactive = compared >> INACTIVE_BIT & 1
    me.result = compared >> RESULT_BITS & 3
    unpack_tokens(me.candidacy, int(lanes[GATHERING, slot]))
    unpack_tokens(me.second.candidacy, int(lanes[GATHERING_SECOND, slot]))
    coins = int(lanes[COINS, slot])
    me.second.forth = coins >> FORTH & COIN
    me.second.back = coins >> BACK & COIN


@inlined
def unpack_tokens(me: Candidacy, tokens: int) -> None:
    """Read the gathering tokens of a verification from a word."""
    if tokens == 0 and (me.x.lane | me.y.lane) == 0:
        return
    unpack_sign(me.x.positive, tokens)
    unpack_sign(me.x.negative, tokens >> 1)
    unpack_sign(me.y.positive, tokens >> 2)
    unpack_sign(me.y.negative, tokens >> 3)


@inlined
def unpack_sign(mine: Sign, tokens: int) -> None:
    """Read the tokens of one sign from bits."""
    mine.held = (tokens >> ONE & 1) + (tokens >> TWO & 1)
    mine.settled = (tokens >> ONE_SETTLED & 1) + (tokens >> TWO_SETTLED & 1)


@compiled
def has_more_to_do(me: Agent, options: Options) -> bool:
    """Whether an activation may do more than the busy lanes show."""
    if not me.frozen and is_occupied(me.candidacy):
        return True
    if not options.almost_sure:
        return False
    second = me.second
    if is_occupied(second.candidacy) or second.stop or flips_coin(second):
        return True
    is_sending = second.coin and not (second.sent_forth and second.sent_back)
    return is_candidate(second.candidacy) and bool(is_sending)


@inlined
def is_occupied(me: Candidacy) -> bool:
    """Whether an activation token or another one is here, or the candidate has won."""
    return (
        me.x.activation != 0
        or me.y.activation != 0
        or me.identification != 0
        or me.stage == OUTER
        or me.stage == WON
    )


@compiled
def mark_lanes(lanes: NDArray[Any], marks: NDArray[Any], options: Options) -> int:
    """Find out what the agents that are PLAIN do, and mark those that are to be DELEGATED.

    Return what there is to do, with ANY_DELEGATED for the latter.
    """
    standing = lanes[STANDING]
    found = mark_tokens(lanes[OLDEST], lanes[NEWEST], standing, marks)
    if options.almost_sure:
        found |= mark_coins(lanes[COINS], lanes[COIN_STEPS], standing, marks)
    # From here on, nobody else is delegated.
    if is_gathering(lanes[GATHERING]):
        found |= ANY_GATHERING
        asleep = 1 << FROZEN_BIT
        mark_steps(lanes[GATHERING], lanes[STEPS], standing, marks, CANDIDATE_BIT, asleep)
    if options.almost_sure and is_gathering(lanes[GATHERING_SECOND]):
        found |= ANY_GATHERING_SECOND
        mark_steps(lanes[GATHERING_SECOND], lanes[STEPS_SECOND], standing, marks, SECOND_BIT, 0)
    return found


@compiled
def act_on_lanes(lanes: NDArray[Any], marks: NDArray[Any], found: int) -> None:
    """Do what has been marked: all agents together, since none of them meets another."""
    if found & ANY_GATHERING:
        step(lanes[GATHERING], lanes[STEPS])
    if found & ANY_COINS:
        relay(lanes[COINS], lanes[COIN_STEPS])
    if found & ANY_GATHERING_SECOND:
        step(lanes[GATHERING_SECOND], lanes[STEPS_SECOND])
    forward_tokens(lanes[OLDEST], lanes[NEWEST], lanes[COMPARED], lanes[STANDING], marks)


@compiled
def mark_tokens(
    oldest: NDArray[Any], newest: NDArray[Any], standing: NDArray[Any], marks: NDArray[Any]
) -> int:
    """Mark the agents whose digit token MOVES; where a candidate is to judge, it is DELEGATED."""
    any_delegated = word(0)
    for slot in range(1, len(marks) - 1):
        token, mark = oldest[slot], marks[slot]
        awake = word(bit(standing[slot], FROZEN_BIT) ^ 1)
        room = word(newest[slot - 1] == NO_TOKEN)
        moves = word(word(mark & awake) & word(room & word(token != NO_TOKEN)))
        judged = word(bit(token, DELIMITER_BIT) & bit(standing[slot - 1], CANDIDATE_BIT))
        delegated = word(moves & judged)
        marks[slot] = choose(delegated, word(DELEGATED), word(mark | word(moves * MOVES)))
        any_delegated = word(any_delegated | delegated)
    return int(any_delegated)


@compiled
def is_gathering(tokens: NDArray[Any]) -> bool:
    """Whether any token is on its way: fewer are settled than are here."""
    found = word(0)
    for slot in range(1, len(tokens) - 1):
        found = word(found | word(tokens[slot] ^ word(tokens[slot] >> ONE_SETTLED)))
    return word(found & 0xFF) != 0


@compiled
def mark_steps(
    tokens: NDArray[Any],
    steps: NDArray[Any],
    standing: NDArray[Any],
    marks: NDArray[Any],
    candidate_bit: int,
    asleep: int,
) -> None:
    """Note which tokens settle and which move on towards their candidate (Section 2.5)."""
    for slot in range(1, len(marks) - 1):
        here, ahead, me = tokens[slot], tokens[slot - 1], standing[slot]
        settle, move = settle_or_move(
            word(here & SIGNS),
            word(word(here >> TWO) & SIGNS),
            word(word(here >> ONE_SETTLED) & SIGNS),
            word(here >> TWO_SETTLED),
            word(word(ahead >> TWO) & SIGNS),
            word(ahead >> TWO_SETTLED),
            word(bit(me, candidate_bit) * SIGNS),
        )
        acts = word(word(marks[slot] & PLAIN) & word(word(me & asleep) == 0))
        steps[slot] = word(word(settle | word(move << MOVE)) & word(acts * 0xFF))


@compiled
def step(tokens: NDArray[Any], steps: NDArray[Any]) -> None:
    """Let gathering tokens settle, leave, and arrive."""
    for slot in range(1, len(tokens) - 1):
        here = tokens[slot]
        settle, leave = word(steps[slot] & SIGNS), word(steps[slot] >> MOVE)
        arrive = word(steps[slot + 1] >> MOVE)
        one, two = word(here & SIGNS), word(word(here >> TWO) & SIGNS)
        settled = word(word(one & settle) << ONE_SETTLED)
        settled = word(settled | word(word(two & settle) << TWO_SETTLED))
        left_one = word(one & word(~word(leave & word(~two))))
        left_two = word(two & word(~leave))
        now_two = word(left_two | word(left_one & arrive))
        now = word(word(left_one | arrive) | word(now_two << TWO))
        tokens[slot] = word(word(here & 0xFF00) | word(settled | now))


@compiled
def mark_coins(
    coins: NDArray[Any], steps: NDArray[Any], standing: NDArray[Any], marks: NDArray[Any]
) -> int:
    """Note which coins of the second algorithm are relayed (Appendix A.3).

    A candidate that has got the coins of both neighbours is DELEGATED: its iteration may end.
    """
    any_delegated = word(0)
    for slot in range(1, len(marks) - 1):
        here, mark = coins[slot], marks[slot]
        candidate = bit(standing[slot], SECOND_BIT)
        forth, back = word(here & COIN), word(here >> BACK)
        relays = word(word(mark & PLAIN) & word(candidate ^ 1))
        sends_forth = word(relays & word(word(coins[slot + 1] & COIN) == 0))
        sends_back = word(relays & word(word(coins[slot - 1] >> BACK) == 0))
        steps[slot] = word(word(forth * sends_forth) | word(word(back * sends_back) << BACK))
        has_both = word(word(forth != 0) & word(back != 0))
        delegated = word(word(mark & PLAIN) & word(candidate & has_both))
        marks[slot] = choose(delegated, word(DELEGATED), mark)
        any_delegated = word(any_delegated | delegated)
    return ANY_COINS | int(any_delegated)


@compiled
def relay(coins: NDArray[Any], steps: NDArray[Any]) -> None:
    """Let coins leave, and arrive from both sides."""
    for slot in range(1, len(coins) - 1):
        from_pred = word(steps[slot - 1] & COIN)
        from_succ = word(steps[slot + 1] & word(COIN << BACK))
        coins[slot] = word(word(coins[slot] ^ steps[slot]) | word(from_pred | from_succ))


@compiled
def forward_tokens(
    oldest: NDArray[Any],
    newest: NDArray[Any],
    compared: NDArray[Any],
    standing: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Forward the digit tokens that move (Section 2.4)."""
    for slot in range(1, len(marks) - 1):
        sends, receives = bit(marks[slot], MOVES_BIT), bit(marks[slot + 1], MOVES_BIT)
        mine, behind, here = oldest[slot], newest[slot], compared[slot]
        digit, inactive = word(here & DIGIT), bit(here, INACTIVE_BIT)
        token, match, result = compare_token(
            as_sent(oldest[slot + 1], bit(standing[slot + 1], HEAD_BIT)),
            digit,
            inactive,
            word(here >> RESULT_BITS),
        )
        inactive, result = after_token(token, word(inactive | match), result)
        after = word(digit | word(word(inactive << INACTIVE_BIT) | word(result << RESULT_BITS)))
        first, second = with_newest(mine, token)
        oldest[slot] = choose(sends, behind, choose(receives, first, mine))
        newest[slot] = choose(sends, word(NO_TOKEN), choose(receives, second, behind))
        compared[slot] = choose(receives, after, here)
