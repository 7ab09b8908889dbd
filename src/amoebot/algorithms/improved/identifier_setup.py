"""Identifier setup (Section 2.3): random digits, and their copy in reversed order.

One token does everything. It walks the segment once and draws the digits (DRAW, DRAWN). Then it
copies them, from the two ends of the segment towards its middle: it reads a digit (READ), takes
it back to the first agent that has no copy yet (BACK), takes that agent's own digit forth to the
last agent that has none (FORTH), and so on; an agent that holds its reversed digit is marked.
At last it goes home (HOME).
"""

from __future__ import annotations

from amoebot.jit import rule

from ..candidacy import has_started
from .events import DREW_DIGIT, SET_UP
from .memory import BACK, COMPLETE, DRAW, DRAWN, FORTH, HOME, READ, Agent


@rule
def draws_digit(me: Agent) -> bool:
    """Whether the token is here and this agent's digit is yet to be drawn."""
    return me.setup == DRAW and not me.frozen


@rule
def draw_digit(me: Agent, digit: int) -> int:
    """Take a random digit."""
    me.digit = digit
    me.drawn = 1
    me.setup = DRAWN
    return DREW_DIGIT


@rule
def move_setup_token(me: Agent, pred: Agent, succ: Agent) -> int:
    """Do what the token does at this agent, and move it on by one agent."""
    if me.setup == DRAWN:
        if not has_started(succ.candidacy):
            return 0
        if not succ.head:
            hand_over(me, succ, DRAW, 0)
            return 0
        me.setup = READ
    if me.setup == READ:
        me.carried = me.digit
        me.setup = BACK
    if me.setup == BACK:
        if not (me.head or pred.marked):
            hand_over(me, pred, BACK, me.carried)
            return 0
        store_copy(me)
        if not (succ.head or succ.marked):
            hand_over(me, succ, FORTH, me.digit)
            return 0
        me.setup = HOME
    elif me.setup == FORTH:
        if not (succ.head or succ.marked):
            hand_over(me, succ, FORTH, me.carried)
            return 0
        store_copy(me)
        if not pred.marked:
            hand_over(me, pred, READ, 0)
            return 0
        me.setup = HOME
    if me.setup == HOME:
        if me.head:
            me.setup = COMPLETE
            return SET_UP
        hand_over(me, pred, HOME, 0)
    return 0


@rule
def store_copy(me: Agent) -> None:
    """Store the carried digit as this agent's digit of the reversed copy."""
    me.reversed_digit = me.carried
    me.carried = 0
    me.marked = 1


@rule
def hand_over(me: Agent, neighbour: Agent, setup: int, carried: int) -> None:
    """Move the token, and the digit it carries, to a neighbour."""
    neighbour.setup = setup
    neighbour.carried = carried
    me.setup = 0
    me.carried = 0
