"""Segment comparison: is the segment before a candidate longer than the one behind it?

A candidate counts the agents of its front segment, from itself to the next candidate, and lays the
count out behind it, one token an agent. Where the front is longer, the tokens reach the candidate
before, and demote it. Where it is shorter, the last token comes to rest too early, and the
candidate demotes itself.
"""

from __future__ import annotations

from amoebot.jit import rule

from ..candidacy import is_candidate
from .demotion import be_covered, demote, may_enter_back, may_enter_front
from .events import DEMOTED_ITSELF
from .memory import (
    COMPARES,
    COVERED,
    FINAL,
    FLIPS,
    LEADS,
    NOT_COVERED,
    PLAIN,
    SURVIVES,
    Agent,
)


@rule
def send_lead(me: Agent, succ: Agent) -> None:
    """Begin a comparison: send the lead token forwards."""
    if me.phase == LEADS and may_enter_front(succ) and not succ.lead:
        succ.lead = 1
        me.phase = COMPARES


@rule
def move_lead(me: Agent, pred: Agent, succ: Agent) -> None:
    """Count this agent, and pass the lead token on; the next candidate ends the count.

    A demoted agent leaves a passive token here, which goes back to the candidate that counts. The
    next candidate takes the lead token, and sends the last passive token back, marked final. So
    the candidate receives one token more than its front segment has agents.
    """
    if not me.lead:
        return
    if is_candidate(me.candidacy):
        if not pred.passive:
            me.lead = 0
            pred.passive = FINAL
    elif not me.passive and may_enter_front(succ) and not succ.lead:
        me.lead = 0
        me.passive = PLAIN
        succ.lead = 1


@rule
def move_passive(me: Agent, pred: Agent) -> None:
    """Pass a passive token back; at its candidate it becomes active, and goes on behind it.

    There is one token an agent, so passive tokens keep their order, and the final one is last.
    """
    if not me.passive:
        return
    if is_candidate(me.candidacy):
        if may_enter_back(pred) and not pred.active:
            token = me.passive
            me.passive = 0
            pred.active = token
    elif not pred.passive:
        pred.passive = me.passive
        me.passive = 0


@rule
def move_active(me: Agent, pred: Agent, succ: Agent, repaired: bool) -> int:
    """Absorb an active token, or pass it on; a candidate that it reaches is covered, or its equal.

    A demoted agent absorbs the first token that comes, so the k-th one comes to rest at the k-th
    agent behind its candidate. If a token that is not final reaches the candidate there, the
    segment behind is shorter: that candidate is demoted. If the final one does, they are equal, and
    the candidate may go on. If the final one comes to rest before, the segment behind is longer.
    """
    if not me.active:
        return 0
    if is_candidate(me.candidacy):
        if me.active == PLAIN:
            me.active = 0
            return be_covered(me)
        if not succ.returning:
            me.active = 0
            receive_returning(succ, SURVIVES)
    elif me.absorbed:
        if may_enter_back(pred) and not pred.active:
            pred.active = me.active
            me.active = 0
    elif me.active == PLAIN:
        me.active = 0
        me.absorbed = 1
    elif not succ.returning:
        me.active = 0
        receive_returning(succ, first_word(me, repaired))
    return 0


@rule
def first_word(me: Agent, repaired: bool) -> int:
    """Return what the returning token says at first, where the final token comes to rest.

    The repair: this agent may itself be a candidate that has demoted itself, and its mark counts.
    """
    if repaired and me.covered:
        me.covered = 0
        return COVERED
    return NOT_COVERED


@rule
def receive_returning(me: Agent, word: int) -> None:
    """Take the returning token: forget what was absorbed, and let a mark change its word.

    At a clean-up token it ends: the candidate that it was to tell has been covered.
    """
    if me.clean_back:
        return
    me.absorbed = 0
    me.returning = COVERED if me.covered else word
    me.covered = 0


@rule
def move_returning(me: Agent, succ: Agent, repaired: bool) -> int:
    """Pass the returning token forwards; at its candidate the comparison ends.

    A candidate that has covered nobody, and has no equal, has the shorter front: it demotes itself,
    unless another one has announced its heads to it meanwhile, and so handed its candidacy on. The
    repair: a candidate that demotes itself leaves a mark, as a covered one does.
    """
    if not me.returning:
        return 0
    if not is_candidate(me.candidacy):
        if not succ.returning:
            receive_returning(succ, me.returning)
            me.returning = 0
        return 0
    spared = me.returning != NOT_COVERED or me.announced
    me.returning = 0
    if spared:
        me.announced = 0
        me.phase = FLIPS
        return 0
    demote(me)
    me.covered = 1 if repaired else 0
    return DEMOTED_ITSELF
