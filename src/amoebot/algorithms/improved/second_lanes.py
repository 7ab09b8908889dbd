"""The lanes of the second algorithm (Appendix A.3) as words, for many agents at once.

These are the rules of ``almost_sure`` and ``solitude_verification`` without a branch. Of the two
activation tokens one word is enough on the way out, where they stay together, the y axis being two
steps further; on the way home each has a state of its own, and both carry the same identifier.
Whoever may find itself alone is left to those rules themselves.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import DELEGATED, FLIPS, PLAIN
from amoebot.jit import compiled, inlined

from ..bits import Word, bit, choose, word
from ..candidacy import (
    HOMEWARD,
    NON_CANDIDATE,
    OUTWARD,
    VERIFYING,
    Candidacy,
    Sign,
    is_candidate,
)
from .memory import HEADS, TAILS, Second

# Gathering tokens are four bits each: one for each sign of each axis.
ONE, TWO, ONE_SETTLED, TWO_SETTLED, SIGNS = 0, 4, 8, 12, 0xF
X_TOKENS, Y_TOKENS = 0x3333, 0xCCCC

# What an agent is: the first of a segment, a candidate of either algorithm, frozen; and in the
# second algorithm: whether it has a stage, its coin, where it has sent it, how the boundary turns
# here, and its agent identifier.
HEAD_BIT, CANDIDATE_BIT, SECOND_BIT, FROZEN_BIT, STAGE_BIT = 0, 1, 2, 3, 4
COIN_BITS, SENT_FORTH_BIT, SENT_BACK_BIT, TURN_BITS, IDENTIFIER_BITS = 5, 7, 8, 9, 12
COIN = 3 << COIN_BITS
SENT = 1 << SENT_FORTH_BIT | 1 << SENT_BACK_BIT
SECOND = 1 << SECOND_BIT | 1 << STAGE_BIT | COIN | SENT | 7 << TURN_BITS | 3 << IDENTIFIER_BITS

# Activation tokens on the way out: whether they are here, then their heading.
OUT_BIT, HEADING_BITS = 0, 1

# Those on the way home: for each axis HOMEWARD and the results, counted from one; then the
# identifier of the candidate where they turned.
AT_X, AT_Y, NEXT_BITS = 0, 2, 4
HOME, HOME_UNBALANCED, HOME_BALANCED = 1, 2, 3

# What there is to do: coins that are on their way or wait for it, activation tokens.
ANY_COINS, ANY_WALKING = 1, 2


@inlined
def standing_of(me: Second) -> int:
    """Return what an agent is in the second algorithm, as bits."""
    return (
        int(is_candidate(me.candidacy)) << SECOND_BIT
        | int(me.candidacy.stage != 0) << STAGE_BIT
        | int(me.coin) << COIN_BITS
        | int(me.sent_forth) << SENT_FORTH_BIT
        | int(me.sent_back) << SENT_BACK_BIT
        | int(me.candidacy.turn) % 6 << TURN_BITS
        | int(me.candidacy.agent_identifier) << IDENTIFIER_BITS
    )


@inlined
def read_standing(me: Second, standing: int) -> None:
    """Read what an agent is from bits: candidates withdraw, and their verifications end."""
    if is_candidate(me.candidacy) and not standing >> SECOND_BIT & 1:
        me.candidacy.role = NON_CANDIDATE
    if standing >> STAGE_BIT & 1:
        if me.candidacy.stage == 0:
            me.candidacy.stage = VERIFYING
    else:
        me.candidacy.stage = 0
    me.coin = standing >> COIN_BITS & 3
    me.sent_forth = standing >> SENT_FORTH_BIT & 1
    me.sent_back = standing >> SENT_BACK_BIT & 1


@inlined
def packed_out(me: Candidacy) -> int:
    """Return the activation tokens that are on the way out as one word."""
    if me.x.activation != OUTWARD:
        return 0
    return 1 << OUT_BIT | int(me.x.heading) << HEADING_BITS


@inlined
def packed_home(me: Candidacy) -> int:
    """Return the activation tokens that are on the way home as one word."""
    x, y = int(me.x.activation), int(me.y.activation)
    return (
        max(0, x - HOMEWARD + HOME) << AT_X
        | max(0, y - HOMEWARD + HOME) << AT_Y
        | (int(me.x.next_identifier) | int(me.y.next_identifier)) << NEXT_BITS
    ) * (max(x, y) >= HOMEWARD)


@inlined
def unpack_walk(me: Candidacy, out: int, home: int) -> None:
    """Read the activation tokens of both axes from words."""
    heading = out >> HEADING_BITS
    x, y, identifier = home >> AT_X & 3, home >> AT_Y & 3, home >> NEXT_BITS
    me.x.activation = OUTWARD if out else (x + HOMEWARD - HOME) * (x != 0)
    me.y.activation = OUTWARD if out else (y + HOMEWARD - HOME) * (y != 0)
    me.x.heading = heading
    me.y.heading = (heading + 2) % 6 if out else 0
    me.x.next_identifier = identifier * (x != 0)
    me.y.next_identifier = identifier * (y != 0)


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
def mark_second(
    standing: NDArray[Any],
    forth: NDArray[Any],
    back: NDArray[Any],
    out: NDArray[Any],
    home: NDArray[Any],
    tokens: NDArray[Any],
    marks: NDArray[Any],
) -> tuple[int, int]:
    """Mark who FLIPS a coin; who may find itself alone, with both tokens at home, is DELEGATED.

    Return the marks in one word, and what there is to do.
    """
    marked, coins, walking = word(0), word(0), word(0)
    for i in range(len(marks)):
        mark, me, there, here = marks[i], standing[i], home[i], tokens[i]
        acts = word(word(mark & PLAIN) & bit(me, SECOND_BIT))
        flips = word(acts & word(word(me & (1 << STAGE_BIT | COIN)) == 0))
        equal = word(here ^ word(here >> 1))
        x = is_balanced(word(word(there >> AT_X) & 3), word(word(equal & 0x11) == 0))
        y = is_balanced(word(word(there >> AT_Y) & 3), word(word(equal & 0x44) == 0))
        same = word(word(there >> NEXT_BITS) == word(word(me >> IDENTIFIER_BITS) & 3))
        alone = word(word(acts & same) & word(x & y))
        now = choose(alone, word(DELEGATED), word(mark | word(flips * FLIPS)))
        marks[i] = now
        marked = word(marked | now)
        coins = word(coins | word(word(forth[i] | back[i]) | word(word(me & COIN) | flips)))
        walking = word(walking | word(out[i] | there))
    found = int(coins != 0) * ANY_COINS | int(walking != 0) * ANY_WALKING
    # Who begins to verify sends tokens out in the same activation.
    return int(marked), found | int(coins != 0) * ANY_WALKING


@inlined
def is_balanced(state: Word, equal: Word) -> Word:
    """Whether a token at its candidate says so, or will when it compares."""
    return word(word(state == HOME_BALANCED) | word(word(state == HOME) & equal))


@compiled
def compete_on_lanes(
    forth: NDArray[Any],
    back: NDArray[Any],
    standing: NDArray[Any],
    out: NDArray[Any],
    forth_behind: NDArray[Any],
    back_ahead: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Exchange coins as candidates, relay those of others, and end iterations."""
    for i in range(len(marks)):
        me, came_forth, came_back = standing[i], forth[i], back[i]
        acts = word(marks[i] & PLAIN)
        candidate = word(acts & bit(me, SECOND_BIT))
        relays = word(acts ^ candidate)
        coin = word(word(word(me >> COIN_BITS) & 3) * candidate)
        go_forth = word(word(coin * word(bit(me, SENT_FORTH_BIT) ^ 1)) | word(came_forth * relays))
        go_back = word(word(coin * word(bit(me, SENT_BACK_BIT) ^ 1)) | word(came_back * relays))
        go_forth = word(go_forth * word(forth_behind[i] == 0))
        go_back = word(go_back * word(back_ahead[i] == 0))
        forth_behind[i] = word(forth_behind[i] | go_forth)
        back_ahead[i] = word(back_ahead[i] | go_back)
        sent_forth = word(bit(me, SENT_FORTH_BIT) | word(candidate & word(go_forth != 0)))
        sent_back = word(bit(me, SENT_BACK_BIT) | word(candidate & word(go_back != 0)))
        arrived = word(word(came_forth != 0) & word(came_back != 0))
        ends = word(word(word(sent_forth & sent_back) & arrived) & word(coin != 0))
        between = word(word(came_forth == HEADS) & word(came_back == HEADS))
        loses = word(word(ends & word(coin == TAILS)) & between)
        verifies = word(ends ^ loses)
        me = word(me | word(word(sent_forth << SENT_FORTH_BIT) | word(sent_back << SENT_BACK_BIT)))
        me = choose(ends, word(me & word(~word(COIN | SENT))), me)
        me = word(me & word(~word(loses << SECOND_BIT)))
        standing[i] = word(me | word(verifies << STAGE_BIT))
        out[i] = word(out[i] | word(verifies << OUT_BIT))
        forth[i] = word(word(came_forth ^ word(go_forth * relays)) * word(ends ^ 1))
        back[i] = word(word(came_back ^ word(go_back * relays)) * word(ends ^ 1))


@compiled
def walk_on_lanes(
    out: NDArray[Any],
    home: NDArray[Any],
    tokens: NDArray[Any],
    standing: NDArray[Any],
    out_behind: NDArray[Any],
    home_ahead: NDArray[Any],
    standing_behind: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Let activation tokens walk out, walk home and report (Section 2.5)."""
    for i in range(len(marks)):
        me, token, there, here, behind = standing[i], out[i], home[i], tokens[i], standing_behind[i]
        acts = word(marks[i] & PLAIN)
        candidate = bit(me, SECOND_BIT)
        # Out: leave the tokens of the edge ahead, then cross it or turn round before it.
        leaves = word(acts & token)
        heading = word(token >> HEADING_BITS)
        edge = word(signs_of(heading) * leaves)
        here = word(here | word(edge | word(word(here & edge) << TWO)))
        turns = word(leaves & bit(behind, SECOND_BIT))
        heading = word(heading + word(word(behind >> TURN_BITS) & 7))
        heading = word(heading - word(word(heading > 5) * 6))
        beyond = word(word(1 << OUT_BIT) | word(heading << HEADING_BITS))
        out_behind[i] = word(out_behind[i] | word(beyond * word(leaves ^ turns)))
        out[i] = word(token * word(leaves ^ 1))
        # Home: never overtake a token, compare where the first have settled, clear what is met.
        on_their_way = word(here ^ word(here >> ONE_SETTLED))
        equal = word(here ^ word(here >> 1))
        x, x_moves, x_clears = come_home(
            word(word(there >> AT_X) & 3),
            word(word(on_their_way & 0x33) == 0),
            word(word(here & 0x33) == 0),
            word(word(equal & 0x11) == 0),
            candidate,
            acts,
        )
        y, y_moves, y_clears = come_home(
            word(word(there >> AT_Y) & 3),
            word(word(on_their_way & 0xCC) == 0),
            word(word(here & 0xCC) == 0),
            word(word(equal & 0x44) == 0),
            candidate,
            acts,
        )
        cleared = word(word(x_clears * X_TOKENS) | word(y_clears * Y_TOKENS))
        tokens[i] = word(here & word(~cleared))
        carried = word(there >> NEXT_BITS)
        home_ahead[i] = word(home_ahead[i] | as_home(word(x * x_moves), word(y * y_moves), carried))
        x, y = word(x * word(x_moves ^ 1)), word(y * word(y_moves ^ 1))
        concludes = word(word(acts & candidate) & word(word(x > HOME) & word(y > HOME)))
        stays = word(as_home(x, y, carried) * word(concludes ^ 1))
        identifier = word(word(behind >> IDENTIFIER_BITS) & 3)
        home[i] = word(stays | word(as_home(turns, turns, identifier)))
        standing[i] = word(me & word(~word(concludes << STAGE_BIT)))


@inlined
def signs_of(heading: Word) -> Word:
    """Return the signs of an edge: bits as those of one token on each axis.

    Of six headings, 0 and 1 gain and 3 and 4 lose; on the y axis, two steps further.
    """
    gains, gains_y = word(heading < 2), word(heading > 3)
    loses = word(word(heading == 3) | word(heading == 4))
    loses_y = word(word(heading == 1) | word(heading == 2))
    return word(word(gains | word(loses << 1)) | word(word(gains_y << 2) | word(loses_y << 3)))


@inlined
def come_home(
    state: Word, settled: Word, none: Word, equal: Word, candidate: Word, acts: Word
) -> tuple[Word, Word, Word]:
    """Return a token's state, whether it moves on with it, and whether it clears what is here."""
    decides = word(word(acts & settled) & word(state == HOME))
    walks = word(word(decides & none) & word(candidate ^ 1))
    state = choose(word(decides ^ walks), word(word(HOME_UNBALANCED) + equal), state)
    clears = word(acts & word(state > HOME))
    return state, word(walks | word(clears & word(candidate ^ 1))), clears


@inlined
def as_home(x: Word, y: Word, identifier: Word) -> Word:
    """Return tokens on the way home as one word, none if there are none."""
    any_token = word(word(x | y) != 0)
    both = word(word(x << AT_X) | word(y << AT_Y))
    return word(both | word(word(identifier << NEXT_BITS) * any_token))
