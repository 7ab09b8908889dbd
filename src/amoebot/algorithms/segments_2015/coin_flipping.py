"""Coin flipping: candidates whose segments are equally long leave it to chance who goes on.

A candidate flips until heads, announces it to the next candidate, and waits until that one has
acknowledged it. If nobody has announced heads to it while it waited, it hands its candidacy on to
the next one, and is demoted. So of a ring of candidates at least one stays.
"""

from __future__ import annotations

from amoebot.jit import inlined_rule, rule

from ..candidacy import is_candidate
from ..solitude_verification import start_verifying
from .demotion import demote, may_enter_front
from .events import HANDED_ON, STARTED_VERIFYING
from .memory import ANNOUNCES, FLIPS, WAITS, Agent


@inlined_rule
def flips_coin(me: Agent) -> bool:
    """Whether this candidate's next activation begins with a coin."""
    return me.phase == FLIPS


@rule
def flip_coin(me: Agent, heads: bool) -> None:
    """Go on with heads; with tails, flip again in the next activation."""
    if heads:
        me.phase = ANNOUNCES


@rule
def send_announcement(me: Agent, succ: Agent) -> None:
    """Announce heads to the next candidate, and wait."""
    if me.phase == ANNOUNCES and may_enter_front(succ) and not succ.announcement:
        succ.announcement = 1
        me.phase = WAITS


@rule
def move_announcement(me: Agent, pred: Agent, succ: Agent) -> None:
    """Pass an announcement on; the next candidate remembers it, and sends the acknowledgement."""
    if not me.announcement:
        return
    if is_candidate(me.candidacy):
        if not pred.acknowledgement:
            me.announcement = 0
            pred.acknowledgement = 1
            remember_announcement(me)
    elif may_enter_front(succ) and not succ.announcement:
        me.announcement = 0
        succ.announcement = 1


@rule
def remember_announcement(me: Agent) -> None:
    """Remember that another candidate has announced heads to this one.

    A candidate that waits itself knows then that it need not hand its candidacy on. Any other one
    knows that it must not demote itself when its comparison ends. The one that waits forgets it
    with its acknowledgement, and may then demote itself in its next comparison while the other one
    hands its candidacy on to it: so all candidates can be lost, repaired or not.
    """
    if me.phase == ANNOUNCES or me.phase == WAITS:
        me.announced_waiting = 1
    else:
        me.announced = 1


@rule
def move_acknowledgement(me: Agent, pred: Agent) -> int:
    """Pass an acknowledgement back; its candidate stays, or hands its candidacy on.

    It stays if another one has announced heads to it while it waited. A candidate that is alone
    has announced to itself.
    """
    if not me.acknowledgement:
        return 0
    if not is_candidate(me.candidacy):
        if not pred.acknowledgement:
            pred.acknowledgement = 1
            me.acknowledgement = 0
        return 0
    me.acknowledgement = 0
    if not me.announced_waiting:
        return hand_on(me)
    me.announced_waiting = 0
    me.phase = 0
    start_verifying(me.candidacy)
    return STARTED_VERIFYING


@rule
def hand_on(me: Agent) -> int:
    """Be demoted: the next candidate has acknowledged the announcement.

    That one may be comparing by now, and may have counted up to this agent as a candidate. Nothing
    here tells its returning token that there was one, neither as first published nor repaired.
    """
    demote(me)
    return HANDED_ON
