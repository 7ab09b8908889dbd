"""One activation of one agent: every phase gets its turn.

Coins are arguments. An activation begins with at most one coin of the first algorithm
(``sides_of_coin``), and ends with one of the second if it reports FLIPS_COIN. Whoever runs it draws
them, and whoever explores it tries each outcome.
"""

from __future__ import annotations

from amoebot.jit import inlined, rule

from .almost_sure import act_second, flips_coin, start_second
from .boundary_identification import identify_boundary
from .boundary_setup import set_up_boundary
from .identifier_comparison import create_token, forward_token
from .identifier_setup import draw_digit, draws_digit, move_setup_token
from .memory import DECLARED, FLIPS_COIN, OUTER, Record, is_idle
from .segment_setup import flip_segment_coin, flips_segment_coin
from .solitude_verification import verify_solitude


@inlined
def activate_agent(
    me: Record, pred: Record, succ: Record, view: Record, coin: int, almost_sure: bool
) -> int:
    """Run all rules of an agent, once each; return what happened."""
    events = 0
    if not me.created:
        events = use_coin(me, view, coin, almost_sure)
    events |= act(me, pred, succ)
    if almost_sure:
        events |= act_second(me, pred, succ)
        if flips_coin(me.second):
            events |= FLIPS_COIN
    return events


@rule
def sides_of_coin(me: Record, radix: int) -> int:
    """Return how many outcomes the coin has that the next activation begins with, or 1."""
    if flips_segment_coin(me):
        return 2
    return radix if draws_digit(me) else 1


@rule
def use_coin(me: Record, view: Record, coin: int, almost_sure: bool) -> int:
    """Run what an activation begins with: the agent's start, or drawing its digit."""
    if flips_segment_coin(me):
        set_up_boundary(me.candidacy, view)
        if almost_sure:
            start_second(me.second, view)
        return flip_segment_coin(me, coin == 1)
    return draw_digit(me, coin) if draws_digit(me) else 0


@inlined
def act(me: Record, pred: Record, succ: Record) -> int:
    """Run all rules of Section 2 that flip no coin, once each."""
    if me.frozen:
        return 0
    events = 0
    if not me.created:
        events = move_setup_token(me, pred, succ) | create_token(me, pred, succ)
    events |= forward_token(me, pred)
    if not is_idle(me.candidacy):
        events |= verify_solitude(me.candidacy, pred.candidacy, succ.candidacy)
        events |= identify_boundary(me.candidacy, succ.candidacy)
        events |= declare(me)
    return events


@rule
def declare(me: Record) -> int:
    """Tell the particle to declare itself the leader: alone, and on the outer boundary."""
    if me.candidacy.stage != OUTER or me.leader:
        return 0
    me.leader = 1
    return DECLARED
