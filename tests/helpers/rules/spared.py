"""Whoever has been announced to is spared in its next comparison, even if it waited then."""

from amoebot.algorithms.segments_2015.memory import ANNOUNCES, WAITS


def remember_announcement(me):
    """Remember that another candidate has announced heads to this one."""
    me.announced = 1
    if me.phase == ANNOUNCES or me.phase == WAITS:
        me.announced_waiting = 1
