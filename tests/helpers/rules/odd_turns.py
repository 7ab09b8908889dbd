"""Digit tokens go only to a predecessor that has been activated an odd number of times."""

import numpy as np

from amoebot.algorithms.improved.identifier_comparison import (
    ACTIVE,
    NO_TOKEN,
    choose,
    has_room,
    receive_token,
    record,
    remove_oldest,
)
from amoebot.algorithms.improved.memory import EQUAL

MEMORY = {"odd": np.uint8}


def forward_token(me, pred):
    me.odd = 1 - me.odd
    token = np.int64(me.oldest)
    if token == NO_TOKEN or not has_room(pred) or pred.created == 0 or pred.odd == 0:
        return 0
    remove_oldest(me)
    return receive_token(pred, choose(me.head != 0, record(token, EQUAL) | ACTIVE, token))
