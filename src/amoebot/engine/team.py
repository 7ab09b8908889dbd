"""Threads that run one election together: how they wait for each other, and what they tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import Wave
from amoebot.jit import compiled, give_way, inlined, read_shared, write_shared

from .wave import APART

#: What a thread tells the others: in which round the run ended or 0, how many activations are in
#: its log, how often it has lost patience, and under ``uniform`` whether there was no room for its
#: ticks.
ENDED, LOGGED, IMPATIENT, OVERFULL = range(4)

#: How often a thread looks for the others before it lets somebody else have its core: for about
#: half a millisecond, and longer where there is more to do between two waits.
PATIENCE = 400_000

#: Of a thread that waits until another has done what one alone has to do.
FOR_EVER = 1 << 40

#: How often a thread may lose patience at first, and then in how many waits once: each time takes
#: milliseconds, and if it happens more often, one thread alone is faster. Some in a row are nothing
#: unusual: two threads that begin on one core wait for each other until one of them is moved.
MOST_TIMES, ONCE_IN = 20, 8


@inlined
def wait_for_others(wave: Wave, thread: int, patience: int = PATIENCE) -> None:
    """Wait until all threads have come as far as this one; alone, it need not."""
    if len(wave.shares) > 1:
        wait(wave.arrivals, thread, patience + 100 * len(wave.marks))


@compiled
def wait(arrivals: NDArray[np.int64], thread: int, patience: int) -> None:
    """Wait until all threads have arrived as often as this one."""
    mine = arrivals[thread * APART] + 1
    write_shared(arrivals, thread * APART, mine)
    for other in range(0, len(arrivals), APART):
        looks = 0
        while read_shared(arrivals, other) < mine:
            looks += 1
            if looks == patience:
                arrivals[thread * APART + 1] += 1
            if looks >= patience:
                give_way()


@inlined
def tell(wave: Wave, thread: int, ended: int, logged: int) -> None:
    """Tell other threads how far this one has come."""
    mine = wave.standing[thread]
    mine[ENDED] = ended
    mine[LOGGED] = logged
    mine[IMPATIENT] = wave.arrivals[thread * APART + 1]


@inlined
def first_end(wave: Wave) -> int:
    """Return the first round in which the run ended according to any thread, or 0."""
    first = 0
    for other in range(len(wave.standing)):
        ended = wave.standing[other, ENDED]
        if ended > 0 and (first == 0 or ended < first):
            first = ended
    return first


@inlined
def lose_patience(wave: Wave, thread: int, times: int) -> None:
    """Count how often a thread has lost patience; it tells the others later."""
    wave.arrivals[thread * APART + 1] += times


@compiled
def is_too_busy(wave: Wave, thread: int) -> bool:
    """Whether threads have lost patience too often: others need the cores.

    All of them have waited equally often, and each knows for sure how often it has.
    """
    most = MOST_TIMES + wave.arrivals[thread * APART] // ONCE_IN
    return bool(wave.standing[:, IMPATIENT].sum() > most)
