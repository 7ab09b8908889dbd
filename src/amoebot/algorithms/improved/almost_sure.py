"""Almost sure leader election (Appendix A.3): a second algorithm runs in parallel.

Its lanes are its own. Every agent starts as a candidate. Candidates exchange coins with the
candidates before and after them; whoever flipped tails between two heads withdraws; the others
verify their solitude with the rules of Section 2.5 and start over. The last one on the outer
boundary stops the first algorithm, and declares itself unless that had a leader already.
"""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, View
from amoebot.jit import inlined_rule, rule

from ..boundary_identification import identify_boundary
from ..boundary_setup import set_up_boundary
from ..candidacy import CANDIDATE, NON_CANDIDATE, OUTER, has_started, is_candidate, is_idle
from ..solitude_verification import start_verifying, verify_solitude
from .events import SENT_STOP_TOKEN
from .memory import HEADS, LEADER_MET, NO_LEADER_YET, STOPPING, TAILS, WON, Agent, Second


@rule
def start_second(me: Second, view: View) -> None:
    """Become a candidate of the second algorithm, as everyone does."""
    set_up_boundary(me.candidacy, view)
    me.candidacy.role = CANDIDATE


@inlined_rule
def act_second(me: Agent, pred: Agent, succ: Agent) -> int:
    """Run all rules of the second algorithm that flip no coin, once each."""
    if me.second.coins:
        compete(me.second, pred.second, succ.second)
    if is_idle(me.second.candidacy) and not me.second.stop:
        return 0
    verify_solitude(me.second.candidacy, pred.second.candidacy, succ.second.candidacy)
    identify_boundary(me.second.candidacy, succ.second.candidacy)
    return send_stop_token(me) | move_stop_token(me, succ) | declare_second(me)


@inlined_rule
def flips_coin(me: Second) -> bool:
    """Whether this candidate begins an iteration with its next activation."""
    return is_candidate(me.candidacy) and me.candidacy.stage == 0 and me.coin == 0


@rule
def flip_coin(me: Second, heads: bool) -> None:
    """Flip the coin of this iteration."""
    me.coin = HEADS if heads else TAILS


@rule
def compete(me: Second, pred: Second, succ: Second) -> None:
    """Exchange coins as a candidate, or relay those of others.

    A coin moves only to an agent that has started and holds no other coin that travels the same
    way. So the coins of a neighbour arrive in order, and its next one waits until this iteration
    has used the last.
    """
    if not is_candidate(me.candidacy):
        if me.forth and not succ.forth:
            succ.forth = me.forth
            me.forth = 0
        if me.back and not pred.back:
            pred.back = me.back
            me.back = 0
    elif me.coin:
        if not me.sent_forth and has_started(succ.candidacy) and not succ.forth:
            succ.forth = me.coin
            me.sent_forth = 1
        if not me.sent_back and has_started(pred.candidacy) and not pred.back:
            pred.back = me.coin
            me.sent_back = 1
        if me.sent_forth and me.sent_back and me.forth and me.back:
            end_iteration(me)


@rule
def end_iteration(me: Second) -> None:
    """Withdraw after tails between two heads; otherwise verify solitude."""
    loses = me.coin == TAILS and me.forth == HEADS and me.back == HEADS
    me.coin = 0
    me.sent_forth = 0
    me.sent_back = 0
    me.forth = 0
    me.back = 0
    if loses:
        me.candidacy.role = NON_CANDIDATE
    else:
        start_verifying(me.candidacy)


@rule
def send_stop_token(me: Agent) -> int:
    """Stop the first algorithm here, and send the token that stops it everywhere else."""
    if me.second.candidacy.stage != OUTER:
        return 0
    me.second.candidacy.stage = STOPPING
    freeze(me, NO_LEADER_YET)
    return SENT_STOP_TOKEN


@rule
def move_stop_token(me: Agent, succ: Agent) -> int:
    """Move the stop token on; back at its candidate, it says whether that has won."""
    token = me.second.stop
    if not token:
        return 0
    me.second.stop = 0
    if not is_candidate(succ.second.candidacy):
        freeze(succ, token)
    elif token == LEADER_MET:
        succ.second.candidacy.stage = 0
        succ.second.candidacy.role = NON_CANDIDATE
    else:
        succ.second.candidacy.stage = WON
    return 0


@rule
def freeze(me: Agent, token: int) -> None:
    """End the first algorithm at an agent, and have the stop token there look for a leader."""
    me.frozen = 1
    me.second.stop = LEADER_MET if me.leader else token


@rule
def declare_second(me: Agent) -> int:
    """Tell the particle to declare itself the leader: everyone else has been stopped."""
    if me.second.candidacy.stage != WON or me.leader:
        return 0
    me.leader = 1
    return DECLARED
