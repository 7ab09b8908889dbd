"""An agent holds up to three digit tokens instead of two."""

import numpy as np

from amoebot.algorithms.improved.identifier_comparison import NO_TOKEN

MEMORY = {"third": np.uint16}


def has_room(me):
    return me.third == NO_TOKEN


def remove_oldest(me):
    me.oldest = me.newest
    me.newest = me.third
    me.third = NO_TOKEN


def add_newest(me, token):
    if me.oldest == NO_TOKEN:
        me.oldest = token
    elif me.newest == NO_TOKEN:
        me.newest = token
    else:
        me.third = token


def held_tokens(me):
    return me.oldest, me.newest, me.third
