"""Whoever hands its candidacy on leaves a mark, as one that demotes itself does."""

from amoebot.algorithms.segments_2015.demotion import demote
from amoebot.algorithms.segments_2015.events import HANDED_ON


def hand_on(me):
    """Be demoted: the next candidate has acknowledged the announcement."""
    demote(me)
    me.covered = 1
    return HANDED_ON
