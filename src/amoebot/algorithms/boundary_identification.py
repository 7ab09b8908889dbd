"""Boundary identification (Section 2.6): which way does the boundary turn?

A token walks once around and sums the turns (Figure 5): +6 on the outer boundary, −6 on an inner
one. Kept modulo 5 that is 1 or 4.
"""

from __future__ import annotations

from amoebot.jit import rule

from .candidacy import NON_CANDIDATE, OUTER, WITHDREW_LATE, Candidacy, is_candidate


@rule
def identify_boundary(me: Candidacy, succ: Candidacy) -> int:
    """Move the token on. Its candidate is the only one here, so a candidate is where it ends."""
    if not me.identification:
        return 0
    angle = (me.angle + succ.turn) % 5
    me.identification = 0
    me.angle = 0
    if not is_candidate(succ):
        succ.identification = 1
        succ.angle = angle
        return 0
    if angle == 1:
        succ.stage = OUTER
        return 0
    succ.stage = 0
    succ.role = NON_CANDIDATE
    return WITHDREW_LATE
