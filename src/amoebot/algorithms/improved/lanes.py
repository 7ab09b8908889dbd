"""The busy lanes as words, for many agents at once: digit tokens, and tokens that gather.

Almost every activation of a large election does nothing but forward a digit token, move the tokens
of a solitude verification, or exchange the coins of the second algorithm. Here these lanes of all
agents are arrays of words, and the same rules as elsewhere run on them without a branch; those of
the second algorithm are in ``second_lanes``. Whoever has more to do is activated as always.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import DELEGATED, FIRST_OWN_MARK, PLAIN
from amoebot.jit import borrowed, compiled, disjoint, inlined

from ..bits import bit, choose, word
from ..candidacy import OUTER, Candidacy, has_started, is_candidate
from ..solitude_verification import settle_or_move
from .identifier_comparison import (
    DELIMITER_BIT,
    DIGIT,
    NO_TOKEN,
    after_token,
    as_sent,
    compare_token,
    with_newest,
)
from .memory import HEADS, TAILS, WON, Agent
from .options import Options
from .second_lanes import (
    ANY_COINS,
    ANY_WALKING,
    CANDIDATE_BIT,
    COIN_BITS,
    FROZEN_BIT,
    HEAD_BIT,
    ONE_SETTLED,
    SECOND_BIT,
    SIGNS,
    TWO,
    TWO_SETTLED,
    compete_on_lanes,
    mark_second,
    packed_home,
    packed_out,
    packed_tokens,
    read_standing,
    standing_of,
    unpack_tokens,
    unpack_walk,
    walk_on_lanes,
)

#: The lanes: two digit tokens, what an agent compares them with, the gathering tokens of both
#: algorithms; of the second one the activation tokens and the coins, both of which travel either
#: way; and what an agent is.
OLDEST, NEWEST, COMPARED, GATHERING, GATHERING_SECOND, WALK_HOME, COIN_BACK = range(7)
COIN_FORTH, WALK_OUT, STANDING = range(7, 10)
LANES = 10

#: Most tokens travel to the predecessor, some to the successor.
AT_PRED, AT_SUCC = COIN_FORTH, STANDING

#: The coin that agents flip before they act on lanes: that of the second algorithm.
FLIPPED = 1

#: A mark of an agent whose oldest digit token moves.
MOVES = FIRST_OWN_MARK
MOVES_BIT = 3

# Whether tokens of either algorithm are gathering, beside what there is to do in the second one.
ANY_GATHERING, ANY_GATHERING_SECOND = 4, 8

# What an agent compares tokens with is one word: its digit in the low eight bits, then these.
INACTIVE_BIT, RESULT_BITS = 8, 9


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
    lanes[GATHERING_SECOND, place] = packed_tokens(me.second.candidacy)
    lanes[WALK_HOME, place] = packed_home(me.second.candidacy)
    lanes[COIN_BACK, place] = me.second.back
    lanes[COIN_FORTH, place] = me.second.forth
    lanes[WALK_OUT, place] = packed_out(me.second.candidacy)
    lanes[STANDING, place] = (
        int(me.head) << HEAD_BIT
        | int(is_candidate(me.candidacy)) << CANDIDATE_BIT
        | int(me.frozen) << FROZEN_BIT
        | standing_of(me.second)
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
    unpack_tokens(me.second.candidacy, int(lanes[GATHERING_SECOND, place]))
    unpack_walk(me.second.candidacy, int(lanes[WALK_OUT, place]), int(lanes[WALK_HOME, place]))
    me.second.back = lanes[COIN_BACK, place]
    me.second.forth = lanes[COIN_FORTH, place]
    read_standing(me.second, int(lanes[STANDING, place]))


@inlined
def mark_of(me: Agent, options: Options) -> int:
    """Return how an agent acts: on lanes alone, or delegated."""
    first = me.candidacy
    if not me.frozen and (is_decided(first) or (first.x.activation | first.y.activation) != 0):
        return DELEGATED
    if options.almost_sure and (me.second.stop or is_decided(me.second.candidacy)):
        return DELEGATED
    return PLAIN


@inlined
def is_decided(me: Candidacy) -> bool:
    """Whether solitude has been verified: the boundary is being identified, or has been."""
    return me.identification != 0 or me.stage == OUTER or me.stage == WON


@inlined
def flip_on_lanes(lanes: NDArray[Any], place: int, coin: int) -> None:
    """Flip the coin of a candidate of the second algorithm, as ``flip_coin`` does."""
    lanes[STANDING, place] |= (HEADS if coin == 1 else TAILS) << COIN_BITS


@compiled
def mark_lanes(
    lanes: NDArray[Any], mine: int, pred: int, marks: NDArray[Any], options: Options
) -> tuple[int, int]:
    """Find out what the agents that are PLAIN do, and mark those that are not.

    Return all marks in one word, and what there is to do.
    """
    lanes, marks, count = borrowed(lanes), borrowed(marks), len(marks)
    standing, ahead = part(lanes, STANDING, mine, count), part(lanes, STANDING, pred, count)
    oldest, room = part(lanes, OLDEST, mine, count), part(lanes, NEWEST, pred, count)
    marked = mark_tokens(oldest, room, standing, ahead, marks)
    found = 0
    if options.almost_sure:
        gathering = part(lanes, GATHERING_SECOND, mine, count)
        marked, found = mark_second(
            standing,
            part(lanes, COIN_FORTH, mine, count),
            part(lanes, COIN_BACK, mine, count),
            part(lanes, WALK_OUT, mine, count),
            part(lanes, WALK_HOME, mine, count),
            gathering,
            marks,
        )
        found |= is_gathering(gathering) * ANY_GATHERING_SECOND
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
    lanes, marks, count = borrowed(lanes), borrowed(marks), len(marks)
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
        gather(here, ahead, standing, marks, CANDIDATE_BIT, 1 << FROZEN_BIT)
    if found & ANY_COINS:
        compete_on_lanes(
            part(lanes, COIN_FORTH, mine, count),
            part(lanes, COIN_BACK, mine, count),
            standing,
            part(lanes, WALK_OUT, mine, count),
            part(lanes, COIN_FORTH, succ, count),
            part(lanes, COIN_BACK, pred, count),
            marks,
        )
    here = part(lanes, GATHERING_SECOND, mine, count)
    if found & ANY_GATHERING_SECOND:
        gather(here, part(lanes, GATHERING_SECOND, pred, count), standing, marks, SECOND_BIT, 0)
    if found & ANY_WALKING:
        walk_on_lanes(
            part(lanes, WALK_OUT, mine, count),
            part(lanes, WALK_HOME, mine, count),
            here,
            standing,
            part(lanes, WALK_OUT, succ, count),
            part(lanes, WALK_HOME, pred, count),
            part(lanes, STANDING, succ, count),
            marks,
        )


@disjoint
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


@disjoint
def gather(
    tokens: NDArray[Any],
    tokens_ahead: NDArray[Any],
    standing: NDArray[Any],
    marks: NDArray[Any],
    candidate_bit: int,
    asleep: int,
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
        awake = word(word(me & word(asleep)) == 0)
        acts = word(word(word(marks[i] & PLAIN) & awake) * SIGNS)
        settle, move = word(settle & acts), word(move & acts)
        settled = word(word(word(one & settle) << ONE_SETTLED) | word(here & 0xFF00))
        settled = word(settled | word(word(two & settle) << TWO_SETTLED))
        left_one = word(one & word(~word(move & word(~two))))
        left_two = word(word(two & word(~move)) << TWO)
        tokens[i] = word(settled | word(left_one | left_two))
        arrived = word(move | word(word(ahead & move) << TWO))
        tokens_ahead[i] = word(ahead | arrived)


@disjoint
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
