"""Solitude verification (Section 2.5): is the next candidate along the boundary myself?

The rules work on candidacy lanes, so that every election that has such lanes can use them. The
edges of the extended segment are summed as vectors, each axis (Figure 4) by a scheme of its own: an
activation token walks out and leaves a positive or negative token for each edge; these gather at
the candidate; the activation token follows them home and compares.

Both activation tokens leave together, and an activation of the agent that holds them moves both: on
the way out they stay together and turn at the same candidate. This matters. If one turned at a
candidate that then withdraws, and the other at the candidate after that, each could find its half
of the sum to be zero, for two different candidates, and neither of them the one that asks.
"""

from __future__ import annotations

from amoebot.jit import inlined, inlined_rule, rule

from .bits import Word, word
from .candidacy import (
    BALANCED,
    HOMEWARD,
    IDENTIFYING,
    NON_CANDIDATE,
    OUTWARD,
    STARTED_IDENTIFYING,
    UNBALANCED,
    VERIFIED,
    VERIFYING,
    WITHDREW_LATE,
    Axis,
    Candidacy,
    Sign,
    has_started,
    is_candidate,
)

X, Y = 0, 1


@inlined
def lane(me: Candidacy, axis: int) -> Axis:
    """Return the lane of one axis."""
    return me.x if axis == X else me.y


@rule
def sign(heading: int) -> int:
    """Return the sign of a step along the axis: of six headings, 0 and 1 gain, 3 and 4 lose."""
    return (1, 1, 0, -1, -1, 0)[heading]


@rule
def start_verifying(me: Candidacy) -> bool:
    """Send both activation tokens out, unless a verification (or what follows it) is under way.

    The candidate takes the edge to its successor as the direction of its x axis. The same table
    of signs gives the y coordinate when the headings are counted from two steps further.
    """
    if not is_candidate(me) or me.stage:
        return False
    me.stage = VERIFYING
    me.x.activation = OUTWARD
    me.x.heading = 0
    me.y.activation = OUTWARD
    me.y.heading = 2
    return True


@rule
def withdraw(me: Candidacy) -> bool:
    """Withdraw the candidacy; while a verification is under way, only once it has finished."""
    if not is_candidate(me):
        return False
    if me.stage:
        me.withdrawing = 1
        return False
    me.role = NON_CANDIDATE
    return True


@rule
def verify_solitude(me: Candidacy, pred: Candidacy, succ: Candidacy) -> int:
    """Move all tokens of this phase that the agent holds, on both axes."""
    verify_axis(me, pred, succ, X)
    verify_axis(me, pred, succ, Y)
    if is_candidate(me) and is_home(me.x) and is_home(me.y):
        return conclude(me)
    return 0


@inlined_rule
def verify_axis(me: Candidacy, pred: Candidacy, succ: Candidacy, axis: int) -> None:
    """Move the tokens of one axis."""
    mine = lane(me, axis)
    if mine.lane == 0:
        return
    ahead = lane(pred, axis)
    pass_tokens(mine.positive, ahead.positive, is_candidate(me))
    pass_tokens(mine.negative, ahead.negative, is_candidate(me))
    if mine.activation:
        move_activation_token(me, pred, succ, axis)


@rule
def move_activation_token(me: Candidacy, pred: Candidacy, succ: Candidacy, axis: int) -> None:
    """Let the activation token do what it does here: walk out, walk home, or report."""
    mine = lane(me, axis)
    if mine.activation == OUTWARD and has_started(succ):
        walk_out(me, succ, axis)
    elif mine.activation == HOMEWARD:
        walk_home(me, pred, axis)
    if is_home(mine):
        report(me, pred, axis)


@inlined_rule
def pass_tokens(mine: Sign, ahead: Sign, at_candidate: bool) -> None:
    """Settle the tokens of one sign, or move the first of them on towards the candidate."""
    if mine.settled == mine.held:
        return
    settles, moves = settle_or_move(
        word(mine.held > 0),
        word(mine.held > 1),
        word(mine.settled > 0),
        word(mine.settled > 1),
        word(ahead.held > 1),
        word(ahead.settled > 1),
        word(at_candidate),
    )
    if settles:
        mine.settled = mine.held
    elif moves:
        mine.held -= 1
        ahead.held += 1


@inlined_rule
def settle_or_move(
    one: Word,
    two: Word,
    one_settled: Word,
    two_settled: Word,
    two_ahead: Word,
    two_settled_ahead: Word,
    at_candidate: Word,
) -> tuple[Word, Word]:
    """Say of which signs the tokens here settle, and of which the first one moves on.

    Arguments and results have one bit for each sign: whether at least one or two tokens are here,
    and have settled; whether two are at the next agent towards the candidate, and have settled.
    """
    on_their_way = word(word(one ^ one_settled) | word(two ^ two_settled))
    settle = word(on_their_way & word(at_candidate | two_settled_ahead))
    return settle, word(on_their_way & word(~word(settle | two_ahead)))


@rule
def walk_out(me: Candidacy, succ: Candidacy, axis: int) -> None:
    """Leave the token of the edge ahead here, then cross the edge or turn round before it."""
    mine = lane(me, axis)
    step = sign(mine.heading)
    if step > 0:
        mine.positive.held += 1
    elif step < 0:
        mine.negative.held += 1
    if is_candidate(succ):
        mine.activation = HOMEWARD
        mine.next_identifier = succ.agent_identifier
    else:
        beyond = lane(succ, axis)
        beyond.activation = OUTWARD
        beyond.heading = (mine.heading + succ.turn) % 6
        mine.activation = 0
    mine.heading = 0


@rule
def walk_home(me: Candidacy, pred: Candidacy, axis: int) -> None:
    """Follow the tokens home, never overtaking one, and compare where the first have settled."""
    mine = lane(me, axis)
    gains, losses = mine.positive, mine.negative
    if gains.settled < gains.held or losses.settled < losses.held:
        return
    if gains.held == 0 and losses.held == 0 and not is_candidate(me):
        hand_home(mine, lane(pred, axis), HOMEWARD)
    elif gains.held == losses.held:
        mine.activation = BALANCED
    else:
        mine.activation = UNBALANCED


@rule
def report(me: Candidacy, pred: Candidacy, axis: int) -> None:
    """Delete the tokens met on the way home, and take the result to the candidate."""
    mine = lane(me, axis)
    clear(mine.positive)
    clear(mine.negative)
    if not is_candidate(me):
        hand_home(mine, lane(pred, axis), mine.activation)


@rule
def clear(mine: Sign) -> None:
    """Delete the tokens of one sign."""
    mine.held = 0
    mine.settled = 0


@rule
def hand_home(mine: Axis, ahead: Axis, activation: int) -> None:
    """Move the activation token one agent towards the candidate."""
    ahead.activation = activation
    ahead.next_identifier = mine.next_identifier
    mine.activation = 0
    mine.next_identifier = 0


@inlined
def is_home(mine: Axis) -> bool:
    """Whether this lane, a candidate's, holds its activation token with a result."""
    return mine.activation == BALANCED or mine.activation == UNBALANCED


@rule
def conclude(me: Candidacy) -> int:
    """Take both results: alone if the sums are zero and the next candidate's identifier is mine."""
    alone = (
        me.x.activation == BALANCED
        and me.y.activation == BALANCED
        and me.x.next_identifier == me.agent_identifier
    )
    me.x.activation = 0
    me.x.next_identifier = 0
    me.y.activation = 0
    me.y.next_identifier = 0
    me.stage = 0
    if me.withdrawing:
        me.withdrawing = 0
        me.role = NON_CANDIDATE
        return VERIFIED | WITHDREW_LATE
    if alone:
        me.stage = IDENTIFYING
        me.identification = 1
        return VERIFIED | STARTED_IDENTIFYING
    return VERIFIED
