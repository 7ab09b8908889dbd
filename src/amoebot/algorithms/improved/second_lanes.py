"""The lanes of the second algorithm (Appendix A.3) as words, for many agents at once.

These are the rules of ``almost_sure`` and ``solitude_verification`` without a branch, and for both
axes at once, where a word has a bit for each. On the way out both activation tokens stay together,
the y axis being two steps further, so that the heading of one is enough; on the way home they carry
the same identifier. Whoever may find itself alone is left to those rules themselves.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import DELEGATED, FLIPS, PLAIN
from amoebot.jit import disjoint, inlined

from ..bits import Word, any_of_two, bit, both_of_two, choose, mask, word
from ..candidacy import (
    BALANCED,
    HOMEWARD,
    NON_CANDIDATE,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
    Axis,
    Candidacy,
    Sign,
    is_candidate,
)
from .memory import HEADS, TAILS, Second

# Gathering tokens are four bits each: one for each axis, first of positive, then of negative ones.
ONE, TWO, ONE_SETTLED, TWO_SETTLED, SIGNS = 0, 4, 8, 12, 0xF
NEGATIVE = 2
AXES, ALL_TOKENS = 0x3, 0x5555  # both axes; all tokens of the axes that a factor has bits for

# What an agent is: the first of a segment, a candidate of either algorithm, frozen; and in the
# second algorithm: whether it has a stage, its coin, where it has sent it, how the boundary turns
# here, and its agent identifier.
HEAD_BIT, CANDIDATE_BIT, SECOND_BIT, FROZEN_BIT, STAGE_BIT = 0, 1, 2, 3, 4
COIN_BITS, SENT_FORTH_BIT, SENT_BACK_BIT, TURN_BITS, IDENTIFIER_BITS = 5, 7, 8, 9, 12
COIN = 3 << COIN_BITS
SENT = 1 << SENT_FORTH_BIT | 1 << SENT_BACK_BIT

# Activation tokens on the way out: a bit for each of six headings, of which one is set.
HEADINGS = 0x3F

# Those on the way home, a bit for each axis: HOMEWARD, and the two results; then the identifier of
# the candidate where they turned.
HOME, HOME_UNBALANCED, HOME_BALANCED, NEXT_BITS = 0, 2, 4, 6
ALL_STATES = 1 << HOME | 1 << HOME_UNBALANCED | 1 << HOME_BALANCED

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
    return int(me.x.activation == OUTWARD) << int(me.x.heading)


@inlined
def packed_home(me: Candidacy) -> int:
    """Return the activation tokens that are on the way home as one word."""
    identifier = int(me.x.next_identifier) | int(me.y.next_identifier)
    return packed_state(me.x) | packed_state(me.y) << 1 | identifier << NEXT_BITS


@inlined
def packed_state(mine: Axis) -> int:
    """Return where the token of one axis is on its way home."""
    return (
        int(mine.activation == HOMEWARD) << HOME
        | int(mine.activation == UNBALANCED) << HOME_UNBALANCED
        | int(mine.activation == BALANCED) << HOME_BALANCED
    )


@inlined
def unpack_walk(me: Candidacy, out: int, home: int) -> None:
    """Read the activation tokens of both axes from words."""
    heading = 0
    while out >> heading > 1:
        heading += 1
    unpack_state(me.x, out, heading, home)
    unpack_state(
        me.y, out, (heading + 2) % 6, home >> 1 & ALL_STATES | home >> NEXT_BITS << NEXT_BITS
    )


@inlined
def unpack_state(mine: Axis, out: int, heading: int, home: int) -> None:
    """Read the token of one axis."""
    states = home & ALL_STATES
    mine.activation = OUTWARD if out else 0
    if states:
        mine.activation = HOMEWARD if states >> HOME & 1 else UNBALANCED
        if states >> HOME_BALANCED & 1:
            mine.activation = BALANCED
    mine.heading = heading if out else 0
    mine.next_identifier = home >> NEXT_BITS if states else 0


@inlined
def packed_tokens(me: Candidacy) -> int:
    """Return the gathering tokens of a verification as one word."""
    if (me.x.lane | me.y.lane) == 0:
        return 0
    return (
        packed_sign(me.x.positive)
        | packed_sign(me.y.positive) << 1
        | packed_sign(me.x.negative) << NEGATIVE
        | packed_sign(me.y.negative) << NEGATIVE + 1
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
    unpack_sign(me.y.positive, tokens >> 1)
    unpack_sign(me.x.negative, tokens >> NEGATIVE)
    unpack_sign(me.y.negative, tokens >> NEGATIVE + 1)


@inlined
def unpack_sign(mine: Sign, tokens: int) -> None:
    """Read the tokens of one sign from bits."""
    mine.held = (tokens >> ONE & 1) + (tokens >> TWO & 1)
    mine.settled = (tokens >> ONE_SETTLED & 1) + (tokens >> TWO_SETTLED & 1)


@disjoint
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
        mark, me, there = marks[i], standing[i], home[i]
        acts = word(word(mark & PLAIN) & word(me >> SECOND_BIT))
        has_begun = word(word(me >> STAGE_BIT) | any_of_two(word(me >> COIN_BITS)))
        flips = word(acts & word(~has_begun))
        balanced = word(word(there >> HOME_BALANCED) | word(there & word(~differing(tokens[i]))))
        other = any_of_two(word(word(there >> NEXT_BITS) ^ word(me >> IDENTIFIER_BITS)))
        alone = word(word(acts & word(~other)) & both_of_two(balanced))
        now = choose(alone, word(DELEGATED), word(mark | word(flips * FLIPS)))
        marks[i] = now
        marked = word(marked | now)
        coins = word(coins | word(word(forth[i] | back[i]) | word(word(me & COIN) | flips)))
        walking = word(walking | word(out[i] | there))
    found = int(coins != 0) * ANY_COINS | int(walking != 0) * ANY_WALKING
    # Who begins to verify sends tokens out in the same activation.
    return int(marked), found | int(coins != 0) * ANY_WALKING


@inlined
def differing(tokens: Word) -> Word:
    """Return the axes on which there are not as many positive as negative tokens."""
    different = word(tokens ^ word(tokens >> NEGATIVE))
    return word(word(different | word(different >> TWO)) & AXES)


@disjoint
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
        candidate = word(acts & word(me >> SECOND_BIT))
        relays = mask(word(acts ^ candidate))
        coin = word(word(word(me >> COIN_BITS) & 3) & mask(candidate))
        sent_forth, sent_back = bit(me, SENT_FORTH_BIT), bit(me, SENT_BACK_BIT)
        go_forth = word(word(coin & word(~mask(sent_forth))) | word(came_forth & relays))
        go_back = word(word(coin & word(~mask(sent_back))) | word(came_back & relays))
        go_forth = word(go_forth & word(~mask(any_of_two(forth_behind[i]))))
        go_back = word(go_back & word(~mask(any_of_two(back_ahead[i]))))
        forth_behind[i] = word(forth_behind[i] | go_forth)
        back_ahead[i] = word(back_ahead[i] | go_back)
        sent_forth = word(sent_forth | word(candidate & any_of_two(go_forth)))
        sent_back = word(sent_back | word(candidate & any_of_two(go_back)))
        arrived = word(any_of_two(came_forth) & any_of_two(came_back))
        ends = word(word(word(sent_forth & sent_back) & arrived) & any_of_two(coin))
        between = word(word(word(came_forth & came_back) & HEADS) == HEADS)
        loses = word(word(ends & word(coin == TAILS)) & between)
        verifies = word(ends ^ loses)
        me = word(me | word(word(sent_forth << SENT_FORTH_BIT) | word(sent_back << SENT_BACK_BIT)))
        me = word(me & word(~word(mask(ends) & (COIN | SENT))))
        me = word(me & word(~word(loses << SECOND_BIT)))
        standing[i] = word(me | word(verifies << STAGE_BIT))
        out[i] = word(out[i] | verifies)  # with the first of the headings
        left = word(~mask(ends))
        forth[i] = word(word(came_forth ^ word(go_forth & relays)) & left)
        back[i] = word(word(came_back ^ word(go_back & relays)) & left)


@disjoint
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
        acts = mask(word(marks[i] & PLAIN))
        candidate = mask(bit(me, SECOND_BIT))
        # Out: leave the tokens of the edge ahead, then cross it or turn round before it.
        leaving = word(token & acts)
        pairs = word(leaving | word(leaving >> 1))
        edge = signs_of(pairs)
        here = word(here | word(edge | word(word(here & edge) << TWO)))
        met = bit(behind, SECOND_BIT)
        turned = word(leaving << word(word(behind >> TURN_BITS) & 7))
        turned = word(word(turned | word(turned >> 6)) & HEADINGS)
        out_behind[i] = word(out_behind[i] | word(turned & word(~mask(met))))
        out[i] = word(token ^ leaving)
        leaves = word(word(pairs | word(pairs >> 2)) | word(pairs >> 4))
        turns = mask(word(word(leaves & met) & 1))
        # Home: never overtake a token, compare where the first have settled, clear what is met.
        unsettled = word(here ^ word(here >> ONE_SETTLED))
        unsettled = word(unsettled | word(unsettled >> TWO))
        unsettled = word(unsettled | word(unsettled >> NEGATIVE))
        held = word(here | word(here >> NEGATIVE))
        arrives = word(word(there & AXES) & word(acts & word(~unsettled)))
        walks = word(arrives & word(~word(held | candidate)))
        compares = word(arrives ^ walks)
        unequal = word(compares & differing(here))
        results = word(
            word(unequal << HOME_UNBALANCED) | word(word(compares ^ unequal) << HOME_BALANCED)
        )
        states = word(word(there & word(AXES * ALL_STATES)) ^ word(compares | results))
        clears = word(word(states >> HOME_UNBALANCED) | word(states >> HOME_BALANCED))
        clears = word(word(clears & AXES) & acts)
        tokens[i] = word(here & word(~word(clears * ALL_TOKENS)))
        moves = word(walks | word(clears & word(~candidate)))
        gone = word(states & word(moves * ALL_STATES))
        identifier = word(word(there >> NEXT_BITS) << NEXT_BITS)
        home_ahead[i] = word(
            home_ahead[i] | word(gone | word(identifier & mask(any_of_two(moves))))
        )
        concludes = both_of_two(word(clears & candidate))
        stays = word(word(states ^ gone) & word(~mask(concludes)))
        left = word(word(stays | word(stays >> HOME_UNBALANCED)) | word(stays >> HOME_BALANCED))
        stays = word(stays | word(identifier & mask(any_of_two(left))))
        theirs = word(word(word(behind >> IDENTIFIER_BITS) & 3) << NEXT_BITS)
        home[i] = word(stays | word(turns & word(word(AXES << HOME) | theirs)))
        standing[i] = word(me & word(~word(concludes << STAGE_BIT)))


@inlined
def signs_of(pairs: Word) -> Word:
    """Return the tokens of an edge, of one bit for each heading and the next one.

    Of six headings, 0 and 1 gain and 3 and 4 lose; on the y axis, which is two steps further, 4 and
    5 gain and 1 and 2 lose.
    """
    gains = word(word(pairs & 1) | word(word(pairs >> 3) & 2))
    return word(gains | word(word(word(pairs >> 1) & 4) | word(word(pairs << 2) & 8)))
