"""The busy lanes as words, for many agents at once: digit tokens, and tokens that gather.

Almost every activation of a large election does nothing but forward a digit token, or move the
tokens of a solitude verification towards their candidate. Here these lanes of all agents are arrays
of words, and the same rules as elsewhere run on them without a branch. Where a candidate of the
second algorithm has more to do, that algorithm is run for it aside, on its own; whoever has more to
do than that is activated as always.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import ASIDE, DELEGATED, FIRST_OWN_MARK, NO_COIN, PLAIN
from amoebot.jit import compiled, inlined

from ..bits import bit, choose, word
from ..candidacy import OUTER, Candidacy, Sign, has_started, is_candidate
from ..solitude_verification import settle_or_move
from .almost_sure import act_second, flip_coin, flips_coin
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

#: The lanes: two digit tokens, what an agent compares them with, the gathering tokens of both
#: algorithms, the coins that travel either way, and what an agent is.
OLDEST, NEWEST, COMPARED, GATHERING, GATHERING_SECOND, COIN_BACK, COIN_FORTH, STANDING = range(8)
LANES = 8

#: Tokens and one of the coins travel to the predecessor, the other coin to the successor.
AT_PRED, AT_SUCC = COIN_FORTH, STANDING

#: A mark of an agent whose oldest digit token moves.
MOVES = FIRST_OWN_MARK
MOVES_BIT = 3

# Whether tokens of either algorithm are gathering, and coins travel.
ANY_GATHERING, ANY_GATHERING_SECOND, ANY_COINS = 1, 2, 4

# What an agent compares tokens with is one word: its digit in the low eight bits, then these.
INACTIVE_BIT, RESULT_BITS = 8, 9

# What an agent is: the first of a segment, a candidate of either algorithm, frozen.
HEAD_BIT, CANDIDATE_BIT, SECOND_BIT, FROZEN_BIT = 0, 1, 2, 3

# Gathering tokens are four bits each: one for each sign of each axis.
ONE, TWO, ONE_SETTLED, TWO_SETTLED, SIGNS = 0, 4, 8, 12, 0xF


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
def pack(me: Agent, lanes: NDArray[Any], place: int) -> None:
    """Write the busy lanes of an agent as words."""
    lanes[OLDEST, place] = me.oldest
    lanes[NEWEST, place] = me.newest
    lanes[COMPARED, place] = (
        int(me.digit) | int(me.inactive) << INACTIVE_BIT | int(me.result) << RESULT_BITS
    )
    lanes[GATHERING, place] = packed_tokens(me.candidacy)
    pack_second(me, lanes, place)


@inlined
def pack_second(me: Agent, lanes: NDArray[Any], place: int) -> None:
    """Write the lanes of the second algorithm as words, and what the agent is."""
    lanes[GATHERING_SECOND, place] = packed_tokens(me.second.candidacy)
    lanes[COIN_BACK, place] = me.second.back
    lanes[COIN_FORTH, place] = me.second.forth
    lanes[STANDING, place] = (
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
def unpack(me: Agent, lanes: NDArray[Any], place: int) -> None:
    """Read the busy lanes of an agent from words: nothing else changes while they are in use."""
    me.oldest = lanes[OLDEST, place]
    me.newest = lanes[NEWEST, place]
    compared = int(lanes[COMPARED, place])
    me.inactive = compared >> INACTIVE_BIT & 1
    me.result = compared >> RESULT_BITS & 3
    unpack_tokens(me.candidacy, int(lanes[GATHERING, place]))
    unpack_second(me, lanes, place)


@inlined
def unpack_second(me: Agent, lanes: NDArray[Any], place: int) -> None:
    """Read the lanes of the second algorithm from words."""
    unpack_tokens(me.second.candidacy, int(lanes[GATHERING_SECOND, place]))
    me.second.back = lanes[COIN_BACK, place]
    me.second.forth = lanes[COIN_FORTH, place]


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


@inlined
def mark_of(me: Agent, options: Options) -> int:
    """Return how an agent acts: on lanes alone, with the second algorithm aside, or delegated."""
    if not me.frozen and is_occupied(me.candidacy):
        return DELEGATED
    if not options.almost_sure:
        return PLAIN
    second = me.second
    if second.stop or is_decided(second.candidacy):
        return DELEGATED
    is_sending = second.coin and not (second.sent_forth and second.sent_back)
    if holds_activation_token(second.candidacy) or flips_coin(second) or is_sending:
        return PLAIN | ASIDE
    return PLAIN


@inlined
def is_occupied(me: Candidacy) -> bool:
    """Whether an activation token or another one is here, or the candidate has won."""
    return holds_activation_token(me) or is_decided(me)


@inlined
def holds_activation_token(me: Candidacy) -> bool:
    """Whether an activation token of either axis is here."""
    return (me.x.activation | me.y.activation) != 0


@inlined
def is_decided(me: Candidacy) -> bool:
    """Whether solitude has been verified: the boundary is being identified, or has been."""
    return me.identification != 0 or me.stage == OUTER or me.stage == WON


@compiled
def act_aside(
    me: Agent,
    pred: Agent,
    succ: Agent,
    lanes: NDArray[Any],
    mine: int,
    before: int,
    behind: int,
    coin: int,
) -> int:
    """Run the second algorithm alone, beginning with its coin: the lanes did all of the first.

    Tokens gather at the predecessor, and coins are sent both ways; nothing else of the neighbours'
    lanes has a part in it.
    """
    unpack_second(me, lanes, mine)
    unpack_tokens(pred.second.candidacy, int(lanes[GATHERING_SECOND, before]))
    pred.second.back = lanes[COIN_BACK, before]
    succ.second.forth = lanes[COIN_FORTH, behind]
    if coin != NO_COIN:
        flip_coin(me.second, coin == 1)
    events = act_second(me, pred, succ)
    pack_second(me, lanes, mine)
    lanes[GATHERING_SECOND, before] = packed_tokens(pred.second.candidacy)
    lanes[COIN_BACK, before] = pred.second.back
    lanes[COIN_FORTH, behind] = succ.second.forth
    return int(events)


@compiled
def mark_lanes(
    lanes: NDArray[Any], mine: int, pred: int, marks: NDArray[Any], options: Options
) -> tuple[int, int]:
    """Find out what the agents that are PLAIN do, and mark those that are not.

    Return all marks in one word, and what there is to do.
    """
    count = len(marks)
    standing, ahead = part(lanes, STANDING, mine, count), part(lanes, STANDING, pred, count)
    oldest, room = part(lanes, OLDEST, mine, count), part(lanes, NEWEST, pred, count)
    marked = mark_tokens(oldest, room, standing, ahead, marks)
    found = 0
    if options.almost_sure:
        forth, back = part(lanes, COIN_FORTH, mine, count), part(lanes, COIN_BACK, mine, count)
        aside, any_coins = mark_coins(forth, back, standing, marks)
        marked |= aside
        found |= any_coins * ANY_COINS
        found |= is_gathering(part(lanes, GATHERING_SECOND, mine, count)) * ANY_GATHERING_SECOND
    found |= is_gathering(part(lanes, GATHERING, mine, count)) * ANY_GATHERING
    return marked, found


@inlined
def part(lanes: NDArray[Any], lane: int, begin: int, count: int) -> NDArray[Any]:
    """Return the words of some agents in a lane."""
    return lanes[lane][begin : begin + count]


@compiled
def act_on_lanes(
    lanes: NDArray[Any], mine: int, pred: int, succ: int, marks: NDArray[Any], found: int
) -> None:
    """Do what has been marked: all these agents together, since none of them meets another."""
    count = len(marks)
    standing = part(lanes, STANDING, mine, count)
    forward_tokens(
        part(lanes, OLDEST, mine, count),
        part(lanes, NEWEST, mine, count),
        standing,
        part(lanes, OLDEST, pred, count),
        part(lanes, NEWEST, pred, count),
        part(lanes, COMPARED, pred, count),
        marks,
    )
    if found & ANY_GATHERING:
        here, ahead = part(lanes, GATHERING, mine, count), part(lanes, GATHERING, pred, count)
        gather(here, ahead, standing, marks, CANDIDATE_BIT, 1 << FROZEN_BIT, 0)
    if found & ANY_GATHERING_SECOND:
        here = part(lanes, GATHERING_SECOND, mine, count)
        ahead = part(lanes, GATHERING_SECOND, pred, count)
        gather(here, ahead, standing, marks, SECOND_BIT, 0, ASIDE)
    if found & ANY_COINS:
        for lane, beside in ((COIN_FORTH, succ), (COIN_BACK, pred)):
            here, ahead = part(lanes, lane, mine, count), part(lanes, lane, beside, count)
            relay(here, ahead, standing, marks)


@compiled
def mark_tokens(
    oldest: NDArray[Any],
    newest_ahead: NDArray[Any],
    standing: NDArray[Any],
    standing_ahead: NDArray[Any],
    marks: NDArray[Any],
) -> int:
    """Mark the agents whose digit token MOVES; where a candidate is to judge, it is DELEGATED."""
    marked = word(0)
    for i in range(len(marks)):
        token, mark = oldest[i], marks[i]
        awake = word(bit(standing[i], FROZEN_BIT) ^ 1)
        room = word(newest_ahead[i] == NO_TOKEN)
        moves = word(word(mark & awake) & word(room & word(token != NO_TOKEN)))
        judged = word(bit(token, DELIMITER_BIT) & bit(standing_ahead[i], CANDIDATE_BIT))
        now = choose(word(moves & judged), word(DELEGATED), word(mark | word(moves * MOVES)))
        marks[i] = now
        marked = word(marked | now)
    return int(marked)


@compiled
def is_gathering(tokens: NDArray[Any]) -> int:
    """Whether any token is on its way: fewer are settled than are here."""
    found = word(0)
    for i in range(len(tokens)):
        found = word(found | word(tokens[i] ^ word(tokens[i] >> ONE_SETTLED)))
    return int(word(found & 0xFF) != 0)


@compiled
def gather(
    tokens: NDArray[Any],
    tokens_ahead: NDArray[Any],
    standing: NDArray[Any],
    marks: NDArray[Any],
    candidate_bit: int,
    asleep: int,
    aside: int,
) -> None:
    """Let tokens settle, or move on towards their candidate (Section 2.5)."""
    for i in range(len(marks)):
        here, ahead, me = tokens[i], tokens_ahead[i], standing[i]
        one, two = word(here & SIGNS), word(word(here >> TWO) & SIGNS)
        two_ahead = word(word(ahead >> TWO) & SIGNS)
        settle, move = settle_or_move(
            one,
            two,
            word(word(here >> ONE_SETTLED) & SIGNS),
            word(here >> TWO_SETTLED),
            two_ahead,
            word(ahead >> TWO_SETTLED),
            word(bit(me, candidate_bit) * SIGNS),
        )
        rests = word(word(me & word(asleep)) | word(marks[i] & word(aside)))
        acts = word(word(word(marks[i] & PLAIN) & word(rests == 0)) * SIGNS)
        settle, move = word(settle & acts), word(move & acts)
        settled = word(word(word(one & settle) << ONE_SETTLED) | word(here & 0xFF00))
        settled = word(settled | word(word(two & settle) << TWO_SETTLED))
        left_one = word(one & word(~word(move & word(~two))))
        left_two = word(word(two & word(~move)) << TWO)
        tokens[i] = word(settled | word(left_one | left_two))
        arrived = word(move | word(word(ahead & move) << TWO))
        tokens_ahead[i] = word(ahead | arrived)


@compiled
def mark_coins(
    forth: NDArray[Any], back: NDArray[Any], standing: NDArray[Any], marks: NDArray[Any]
) -> tuple[int, int]:
    """Mark the candidates of the second algorithm that have the coins of both neighbours.

    Their iteration may end, ASIDE. Return the marks in one word, and whether there are coins.
    """
    marked, any_coins = word(0), word(0)
    for i in range(len(marks)):
        mark = marks[i]
        has_both = word(word(forth[i] != 0) & word(back[i] != 0))
        ends = word(word(mark & PLAIN) & word(bit(standing[i], SECOND_BIT) & has_both))
        now = word(mark | word(ends * ASIDE))
        marks[i] = now
        marked = word(marked | now)
        any_coins = word(any_coins | word(forth[i] | back[i]))
    return int(marked), int(any_coins != 0)


@compiled
def relay(
    coins: NDArray[Any],
    coins_ahead: NDArray[Any],
    standing: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Relay the coins of others that travel one way (Appendix A.3)."""
    for i in range(len(marks)):
        relays = word(word(marks[i] & (PLAIN | ASIDE)) == PLAIN)
        relays = word(relays & word(bit(standing[i], SECOND_BIT) ^ 1))
        sent = word(coins[i] * word(relays & word(coins_ahead[i] == 0)))
        coins[i] = word(coins[i] ^ sent)
        coins_ahead[i] = word(coins_ahead[i] | sent)


@compiled
def forward_tokens(
    oldest: NDArray[Any],
    newest: NDArray[Any],
    standing: NDArray[Any],
    oldest_ahead: NDArray[Any],
    newest_ahead: NDArray[Any],
    compared: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Forward the digit tokens that move, and compare them with the predecessors' (Section 2.4)."""
    for i in range(len(marks)):
        moves = bit(marks[i], MOVES_BIT)
        mine, behind, here = oldest[i], newest[i], compared[i]
        digit, inactive = word(here & DIGIT), bit(here, INACTIVE_BIT)
        token, match, result = compare_token(
            as_sent(mine, bit(standing[i], HEAD_BIT)), digit, inactive, word(here >> RESULT_BITS)
        )
        inactive, result = after_token(token, word(inactive | match), result)
        after = word(digit | word(word(inactive << INACTIVE_BIT) | word(result << RESULT_BITS)))
        first, second = with_newest(oldest_ahead[i], token)
        oldest[i] = choose(moves, behind, mine)
        newest[i] = choose(moves, word(NO_TOKEN), behind)
        oldest_ahead[i] = choose(moves, first, oldest_ahead[i])
        newest_ahead[i] = choose(moves, second, newest_ahead[i])
        compared[i] = choose(moves, after, here)
