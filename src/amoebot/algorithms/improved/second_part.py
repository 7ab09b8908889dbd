"""The second algorithm by itself: at any time, one agent can be the first one's leader.

That is all that it sees of the first algorithm (Appendix A.3), which elects nobody else.
"""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, NO_COIN, Coins, View

from ..candidacy import has_started
from .activation import use_coins
from .almost_sure import act_second, flips_coin
from .memory import Agent
from .options import Options


def sides_of_coins(me: Agent, options: Options) -> Coins:
    """Return the sides of the coins: the first one falls 1 if the first algorithm elects."""
    first = 2 if me.can_be_elected and not (me.frozen | me.leader) else 1  # type: ignore[attr-defined]
    return first, 2 if not has_started(me.candidacy) or flips_coin(me.second) else 1


def activate(
    me: Agent, pred: Agent, succ: Agent, view: View, coins: Coins, options: Options
) -> int:
    """Run all rules of the second algorithm; in the first one, nobody becomes a candidate."""
    use_coins(me, view, NO_COIN, coins[1], True)
    events = 0
    if coins[0] == 1 and not (me.frozen | me.leader):
        me.leader = 1
        events = DECLARED
    return events | act_second(me, pred, succ)
