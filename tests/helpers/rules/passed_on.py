"""Erosion of two particles side by side, of which the leader hands its office on all the time."""

from amoebot.algorithms.interface import DECLARED


def activate(me, around, view, coins, options):
    if me.leader:
        me.leader = 0
        around[0 if view.occupied[0] else 3].leader = 1
        return 0
    if me.state == 0 and view.occupied[0]:
        me.state = 1
        me.leader = 1
        return DECLARED
    return 0
