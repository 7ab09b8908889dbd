"""The algorithm of Section 2 by itself: at any time, any agent can be frozen.

That is all that the second algorithm does to it (Appendix A.3). Whether an agent is frozen is read
by itself alone, so it is enough to say so when it is activated next.
"""

from __future__ import annotations

from amoebot.algorithms.interface import NO_COIN, Coins, View

from ..candidacy import has_started
from .activation import act, sides_of_first_coin, use_coins
from .memory import Agent
from .options import Options


def sides_of_coins(me: Agent, options: Options) -> Coins:
    """Return the sides of the coins: the second one falls 1 if the stop token has come by."""
    first = 1 if me.created else sides_of_first_coin(me, options.radix)
    can_be_frozen = has_started(me.candidacy) and not (me.frozen | me.leader)
    return first, 2 if can_be_frozen else 1


def activate(
    me: Agent, pred: Agent, succ: Agent, view: View, coins: Coins, options: Options
) -> int:
    """Run all rules of the first algorithm, unless the agent has been frozen."""
    if coins[1] == 1:
        me.frozen = 1
    events = 0
    if coins[0] != NO_COIN:
        events = use_coins(me, view, coins[0], NO_COIN, False)
    return events | act(me, pred, succ)
