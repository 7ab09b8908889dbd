"""One activation of one agent: every phase gets its turn.

Coins are arguments. ``flips_segment_coin``, ``draws_digit`` and ``flips_coin`` say whether an agent
is about to use one: whoever runs it draws it, and whoever explores it tries each outcome.
"""

from __future__ import annotations

from amoebot.election.almost_sure import start_second
from amoebot.election.boundary_identification import identify_boundary
from amoebot.election.boundary_setup import set_up_boundary
from amoebot.election.identifier_comparison import create_token, forward_token
from amoebot.election.identifier_setup import move_setup_token
from amoebot.election.memory import DECLARED, OUTER, Record, is_idle
from amoebot.election.segment_setup import flip_segment_coin
from amoebot.election.solitude_verification import verify_solitude
from amoebot.jit import inlined, rule

# The coins of an agent, by draw number. The second algorithm flips any number of them.
SEGMENT_COIN, DIGIT_COIN, FIRST_COIN_OF_SECOND = 0, 1, 2


@rule
def start(me: Record, view: Record, heads: bool, almost_sure: bool) -> int:
    """Run an agent's first activation: boundary setup and segment setup."""
    set_up_boundary(me.candidacy, view)
    if almost_sure:
        start_second(me.second, view)
    return flip_segment_coin(me, heads)


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
