"""Demotion, and the clean-up after a candidate that was demoted by another one.

A candidate that demotes itself, or hands its candidacy on, has no token left on its way. One that
is covered may have some, on both sides. Two clean-up tokens follow them, one forwards and one back,
and end at the next candidate there. Nothing that belongs to others overtakes a clean-up token: what
would move to an agent that holds one waits.
"""

from __future__ import annotations

from amoebot.jit import rule

from ..candidacy import NON_CANDIDATE, has_started, is_candidate
from .events import WAS_COVERED
from .memory import Agent


@rule
def demote(me: Agent) -> None:
    """Be a candidate no more."""
    me.candidacy.role = NON_CANDIDATE
    me.phase = 0
    me.announced = 0
    me.announced_waiting = 0


@rule
def be_covered(me: Agent) -> int:
    """Be demoted by an active token of the next candidate.

    The token counts as absorbed here. The mark tells the returning token that comes by that its
    candidate has covered somebody. What the candidate had under way is given up: what is here at
    once, and the rest by clean-up tokens.
    """
    demote(me)
    me.absorbed = 1
    me.covered = 1
    me.returning = 0
    me.candidacy.stage = 0
    forget_front(me)
    me.clean_forth = 1
    me.clean_back = 1
    return WAS_COVERED


@rule
def forget_front(me: Agent) -> None:
    """Remove what is on its way back to the candidate before this agent, or waits to be met."""
    me.passive = 0
    me.acknowledgement = 0
    me.candidacy.x.lane = 0
    me.candidacy.y.lane = 0


@rule
def clean_up(me: Agent, pred: Agent, succ: Agent) -> None:
    """Move the clean-up tokens that are here, and remove what they meet.

    What goes back may have come here since the token did, so the one that goes forwards clears this
    agent when it leaves, and each of them the next one when it enters. At a candidate it removes
    what has arrived there and has not been taken, and ends.
    """
    if me.clean_forth and (is_candidate(succ.candidacy) or not succ.clean_forth):
        forget_front(me)
        me.clean_forth = 0
        succ.lead = 0
        succ.announcement = 0
        if not is_candidate(succ.candidacy):
            forget_front(succ)
            succ.clean_forth = 1
    if me.clean_back and (is_candidate(pred.candidacy) or not pred.clean_back):
        me.clean_back = 0
        pred.active = 0
        if not is_candidate(pred.candidacy):
            pred.returning = 0
            pred.absorbed = 0
            pred.clean_back = 1


@rule
def may_enter_front(succ: Agent) -> bool:
    """Whether a token may move forwards to this agent, as far as clean-up is concerned."""
    return has_started(succ.candidacy) and not succ.clean_forth


@rule
def may_enter_back(pred: Agent) -> bool:
    """Whether a token may move back to this agent, as far as clean-up is concerned."""
    return has_started(pred.candidacy) and not pred.clean_back
