"""One activation: the first rule that applies.

Without coins and without tokens, a particle acts on what its six neighbouring nodes hold.
"""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, Coins, NodeView
from amoebot.jit import compiled, rule

from .course import ERODES, STARTS
from .memory import CANDIDATE, ERODED, LEADER, NULL, Node
from .options import Options

#: No coins are flipped.
COIN_LANES = 0

#: What is at the six neighbouring nodes, clockwise.
Around = tuple[Node, Node, Node, Node, Node, Node]


@rule
def activate(me: Node, around: Around, view: NodeView, coins: Coins, options: Options) -> int:
    """Become a candidate; or erode; or declare itself the leader."""
    if me.state == NULL and options.setup:
        return start(me)
    if me.state != CANDIDATE and me.state != NULL:
        return 0
    nulls, candidates, runs = look_around(around, view, options.setup)
    if nulls > 0:
        return 0
    if candidates == 0:
        return declare(me)
    if candidates < 6 and runs == 1:
        return erode(me)
    return 0


@rule
def start(me: Node) -> int:
    """Become a candidate."""
    me.state = CANDIDATE
    return STARTS


@rule
def erode(me: Node) -> int:
    """Withdraw: the candidates around stand in one unbroken run, so they stay connected."""
    me.state = ERODED
    return ERODES


@rule
def declare(me: Node) -> int:
    """Tell the particle to declare itself the leader: no candidate is left around."""
    me.state = LEADER
    me.leader = 1
    return DECLARED


@compiled
def look_around(around: Around, view: NodeView, setup: bool) -> tuple[int, int, int]:
    """Count null and candidate neighbours, and the unbroken runs in which candidates stand."""
    nulls = 0
    candidates = 0
    runs = 0
    for port in range(6):
        if not view.occupied[port]:
            continue
        state = around[port].state
        if setup and state == NULL:
            nulls += 1
        if is_candidate(state, setup):
            candidates += 1
            after = (port + 1) % 6
            if not view.occupied[after] or not is_candidate(around[after].state, setup):
                runs += 1
    return nulls, candidates, runs


@compiled
def is_candidate(state: int, setup: bool) -> bool:
    """Whether a particle is a candidate, as all are at first where there is no setup state."""
    return state == CANDIDATE or (state == NULL and not setup)
