"""A token is forwarded only to a predecessor that has been activated an odd number of times."""

import numpy as np

from amoebot.algorithms.bits import word
from amoebot.algorithms.improved.identifier_comparison import (
    NO_TOKEN,
    as_sent,
    has_room,
    receive_token,
    remove_oldest,
)

MEMORY = {"odd": np.uint8}


def forward_token(me, pred):
    me.odd = 1 - me.odd
    token = word(me.oldest)
    if pred.odd == 0 or token == NO_TOKEN or not has_room(pred) or pred.created == 0:
        return 0
    remove_oldest(me)
    return receive_token(pred, as_sent(token, word(me.head)))
