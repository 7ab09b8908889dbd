"""One walk for two questions: the activation token sums the turns on its way out.

A candidate that finds itself alone then knows on which boundary it is, and needs no walk of its own
to identify it (Section 2.6).
"""

from amoebot.algorithms.candidacy import (
    BALANCED,
    HOMEWARD,
    NON_CANDIDATE,
    OUTER,
    OUTWARD,
    STARTED_IDENTIFYING,
    VERIFIED,
    WITHDREW_LATE,
    is_candidate,
)
from amoebot.algorithms.solitude_verification import X, lane, sign

#: Added to the next candidate's agent identifier, 1 to 3, if the turns sum to 1 modulo 5.
OUTSIDE = 4


def walk_out(me, succ, axis):
    """Leave the token of the edge ahead here, then cross the edge or turn round before it."""
    mine = lane(me, axis)
    step = sign(mine.heading)
    if step > 0:
        mine.positive.held += 1
    elif step < 0:
        mine.negative.held += 1
    angle = (me.angle + succ.turn) % 5
    if is_candidate(succ):
        mine.activation = HOMEWARD
        mine.next_identifier = succ.agent_identifier
        if axis == X and angle == 1:
            mine.next_identifier += OUTSIDE
    else:
        beyond = lane(succ, axis)
        beyond.activation = OUTWARD
        beyond.heading = (mine.heading + succ.turn) % 6
        mine.activation = 0
        if axis == X:
            succ.angle = angle
    if axis == X:
        me.angle = 0
    mine.heading = 0


def conclude(me):
    """Take both results; whoever is alone learns from the same walk where it is."""
    outside = me.x.next_identifier > OUTSIDE
    alone = (
        me.x.activation == BALANCED
        and me.y.activation == BALANCED
        and me.x.next_identifier % OUTSIDE == me.agent_identifier
    )
    me.x.activation = 0
    me.x.next_identifier = 0
    me.y.activation = 0
    me.y.next_identifier = 0
    me.stage = 0
    if me.withdrawing or (alone and not outside):
        me.withdrawing = 0
        me.role = NON_CANDIDATE
        return VERIFIED | WITHDREW_LATE
    if alone:
        me.stage = OUTER
        return VERIFIED | STARTED_IDENTIFYING
    return VERIFIED
