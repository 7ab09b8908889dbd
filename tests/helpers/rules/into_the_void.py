"""An erosion in which particles leave notes at empty nodes."""

from amoebot.algorithms.erosion.memory import CANDIDATE


def start(me):
    me.state = CANDIDATE
    return 0


def activate(me, around, view, coins, options):
    start(me)
    for port in range(6):
        if not view.occupied[port]:
            around[port].state = CANDIDATE
    return 0
