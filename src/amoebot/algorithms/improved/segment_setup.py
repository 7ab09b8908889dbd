"""Segment setup (Section 2.2): a fair coin divides the boundary into segments."""

from __future__ import annotations

from amoebot.jit import rule

from ..candidacy import CANDIDATE, NON_CANDIDATE, has_started
from .events import STARTED
from .memory import DRAW, Agent


@rule
def flips_segment_coin(me: Agent) -> bool:
    """Whether this activation is the agent's first, in which it flips its coin."""
    return not has_started(me.candidacy)


@rule
def flip_segment_coin(me: Agent, heads: bool) -> int:
    """Become a candidate, heading a segment of its own, on heads; else a non-candidate."""
    if heads:
        me.candidacy.role = CANDIDATE
        me.head = 1
        me.setup = DRAW
    else:
        me.candidacy.role = NON_CANDIDATE
    return STARTED
