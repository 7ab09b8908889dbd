"""One activation of one agent: every phase has its part in it.

Coins are arguments. An activation begins with at most one coin of each algorithm, and
``sides_of_coins`` says with which. Whoever runs it draws them, and whoever explores it tries each
outcome.
"""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, NO_COIN, Coins, View
from amoebot.jit import inlined_rule, rule

from ..boundary_identification import identify_boundary
from ..boundary_setup import set_up_boundary
from ..candidacy import OUTER, has_started, is_idle
from ..solitude_verification import verify_solitude
from .almost_sure import act_second, flip_coin, flips_coin, start_second
from .identifier_comparison import create_token, forward_token
from .identifier_setup import draw_digit, draws_digit, move_setup_token
from .memory import Agent
from .options import Options
from .segment_setup import flip_segment_coin, flips_segment_coin

#: Lanes of coins: one for each algorithm, so that either flips the same ones without the other.
COIN_LANES = 2


@inlined_rule
def sides_of_coins(me: Agent, options: Options) -> Coins:
    """Return how many sides the coins have that an activation begins with, 1 for no coin."""
    first = 1 if me.created else sides_of_first_coin(me, options.radix)
    second = 1
    if options.almost_sure and (not has_started(me.candidacy) or flips_coin(me.second)):
        second = 2
    return first, second


@rule
def sides_of_first_coin(me: Agent, radix: int) -> int:
    """Return the same for the first algorithm: its start, or the digit to be drawn."""
    if flips_segment_coin(me):
        return 2
    return radix if draws_digit(me) else 1


@inlined_rule
def activate(
    me: Agent, pred: Agent, succ: Agent, view: View, coins: Coins, options: Options
) -> int:
    """Run all rules of an agent, once each; return what happened."""
    events = 0
    if (coins[0] != NO_COIN) | (coins[1] != NO_COIN):
        events = use_coins(me, view, coins[0], coins[1], options.almost_sure)
    events |= act(me, pred, succ)
    if options.almost_sure:
        events |= act_second(me, pred, succ)
    return events


@rule
def use_coins(me: Agent, view: View, first: int, second: int, almost_sure: bool) -> int:
    """Run what an activation begins with: the agent's start, drawing its digit, its next coin.

    Between the flip and its use an agent of the same particle may have stopped this one.
    """
    events = 0
    if flips_segment_coin(me):
        set_up_boundary(me.candidacy, view)
        if almost_sure:
            start_second(me.second, view)
        events = flip_segment_coin(me, first == 1)
    elif first != NO_COIN and draws_digit(me):
        events = draw_digit(me, first)
    if second != NO_COIN and flips_coin(me.second):
        flip_coin(me.second, second == 1)
    return events


@inlined_rule
def act(me: Agent, pred: Agent, succ: Agent) -> int:
    """Run all rules of Section 2 that flip no coin, once each; a leader has stopped (Section 1.3).

    Of the second algorithm, a leader still passes on what is on its way.
    """
    if me.frozen | me.leader:
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
def declare(me: Agent) -> int:
    """Tell the particle to declare itself the leader: alone, and on the outer boundary."""
    if me.candidacy.stage != OUTER or me.leader:
        return 0
    me.leader = 1
    return DECLARED
