"""One activation of one agent: every phase gets its turn.

Coins are arguments. ``flips_segment_coin``, ``draws_digit`` and ``flips_coin`` say beforehand whether
an activation uses one, so that whoever runs it can draw it, and whoever explores it can try each
outcome.
"""

from __future__ import annotations

from amoebot.election.almost_sure import start_second
from amoebot.election.boundary_identification import identify_boundary
from amoebot.election.boundary_setup import set_up_boundary
from amoebot.election.identifier_comparison import create_token, forward_token
from amoebot.election.identifier_setup import move_setup_token
from amoebot.election.memory import DECLARED, OUTER, Record
from amoebot.election.segment_setup import flip_segment_coin
from amoebot.election.solitude_verification import verify_solitude
from amoebot.jit import rule

# The coins of an agent, by draw number. The second algorithm flips any number of them.
SEGMENT_COIN, DIGIT_COIN, FIRST_COIN_OF_SECOND = 0, 1, 2


@rule
def start(me: Record, view: Record, heads: bool, almost_sure: bool) -> int:
    """Run an agent's first activation: boundary setup and segment setup."""
    set_up_boundary(me.candidacy, view)
    if almost_sure:
        start_second(me.second, view)
    return flip_segment_coin(me, heads)


@rule
def act(me: Record, pred: Record, succ: Record) -> int:
    """Run all rules of Section 2 that flip no coin, once each."""
    if me.frozen:
        return 0
    events = move_setup_token(me, pred, succ)
    events |= create_token(me, pred, succ)
    events |= forward_token(me, pred)
    events |= verify_solitude(me.candidacy, pred.candidacy, succ.candidacy)
    events |= identify_boundary(me.candidacy, succ.candidacy)
    return events | declare(me)


@rule
def declare(me: Record) -> int:
    """Tell the particle to declare itself the leader: alone, and on the outer boundary."""
    if me.candidacy.stage != OUTER or me.leader:
        return 0
    me.leader = 1
    return DECLARED

