"""One activation of one agent: every phase has its part in it.

Each candidate goes through segment comparison, coin flipping and solitude verification, and again,
at its own pace; demoted agents pass tokens on.
"""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, NO_COIN, Coins, View
from amoebot.jit import inlined_rule, rule

from ..boundary_identification import identify_boundary
from ..boundary_setup import set_up_boundary
from ..candidacy import CANDIDATE, OUTER, VERIFIED, has_started, is_candidate, is_idle
from ..solitude_verification import verify_solitude
from .coin_flipping import (
    flip_coin,
    flips_coin,
    move_acknowledgement,
    move_announcement,
    send_announcement,
)
from .demotion import clean_up
from .events import STARTED
from .memory import LEADS, Agent
from .options import Options
from .segment_comparison import move_active, move_lead, move_passive, move_returning, send_lead

#: There is one kind of coin.
COIN_LANES = 1


@inlined_rule
def sides_of_coins(me: Agent, options: Options) -> Coins:
    """Return how many sides the coin has that an activation begins with, 1 for none."""
    return (2 if flips_coin(me) else 1), 1


@rule
def activate(
    me: Agent, pred: Agent, succ: Agent, view: View, coins: Coins, options: Options
) -> int:
    """Run all rules of an agent, once each; return what happened.

    A clean-up token that has to wait holds up all else that belongs to the candidate before it.
    """
    events = 0
    if not has_started(me.candidacy):
        events = start(me, view)
    if coins[0] != NO_COIN and flips_coin(me):
        flip_coin(me, coins[0] == 1)
    if me.clean_forth or me.clean_back:
        clean_up(me, pred, succ)
    events |= move_returning(me, succ, options.repaired)
    events |= move_active(me, pred, succ, options.repaired)
    if not me.clean_forth:
        events |= act_in_front(me, pred, succ)
    return events


@rule
def start(me: Agent, view: View) -> int:
    """Become a candidate, as everyone does."""
    set_up_boundary(me.candidacy, view)
    me.candidacy.role = CANDIDATE
    me.phase = LEADS
    return STARTED


@rule
def act_in_front(me: Agent, pred: Agent, succ: Agent) -> int:
    """Move all that belongs to the candidate before this agent, or to itself if it is one."""
    move_passive(me, pred)
    move_lead(me, pred, succ)
    send_lead(me, succ)
    events = move_acknowledgement(me, pred)
    move_announcement(me, pred, succ)
    send_announcement(me, succ)
    if not is_idle(me.candidacy) and not succ.clean_forth:
        events |= find_out(me, pred, succ)
    return events


@rule
def find_out(me: Agent, pred: Agent, succ: Agent) -> int:
    """Verify solitude; then compare segments again or, alone, identify the boundary.

    Solitude verification and boundary identification are those of Sections 2.5 and 2.6.
    """
    events = verify_solitude(me.candidacy, pred.candidacy, succ.candidacy)
    if events & VERIFIED and is_candidate(me.candidacy) and me.candidacy.stage == 0:
        me.phase = LEADS
    events |= identify_boundary(me.candidacy, succ.candidacy)
    if me.candidacy.stage == OUTER and not me.leader:
        me.leader = 1
        events |= DECLARED
    return events
