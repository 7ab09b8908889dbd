"""The bare token ring: the least that any token passing algorithm has to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.bench.figures import processor_seconds
from amoebot.engine.schedulers import shuffle_step
from amoebot.jit import compiled


@compiled
def token_ring(tokens: NDArray[np.uint8], order: NDArray[np.int32], rounds: int) -> None:
    """Run rounds of agents that hold 0 to 2 tokens.

    Each round has a fresh order; an activated agent forwards one token to its predecessor if
    that has room.
    """
    for now in range(rounds):
        stream = rng.key(np.uint64(0), rng.SCHEDULE, now)
        for agent in range(len(order)):
            order[agent] = agent
        for place in range(len(order)):
            shuffle_step(order, place, stream)
            agent = order[place]
            pred = agent - 1 if agent > 0 else len(order) - 1
            if tokens[agent] > 0 and tokens[pred] < 2:
                tokens[agent] -= 1
                tokens[pred] += 1


def time_ring(agents: int, activations: int) -> float:
    """Return nanoseconds per activation."""
    tokens = np.ones(agents, dtype=np.uint8)
    order = np.empty(agents, dtype=np.int32)
    rounds = max(1, activations // agents)
    token_ring(tokens, order, 1)
    return processor_seconds(lambda: token_ring(tokens, order, rounds)) / (rounds * agents) * 1e9
