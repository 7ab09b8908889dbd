"""How fast it runs: nanoseconds per agent activation, as ratios to a bare token ring."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.schedulers import shuffle_step
from amoebot.jit import rule
from amoebot.shapes import parse
from amoebot.simulation import Simulation


@rule
def token_ring(tokens: NDArray[np.uint8], order: NDArray[np.int32], rounds: int) -> None:
    """Run the bare token ring: the least that any token passing algorithm has to do.

    Agents hold 0 to 2 tokens; each round has a fresh order; an activated agent forwards one
    token to its predecessor if that has room.
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
    """Return nanoseconds per activation of the bare token ring."""
    tokens = np.ones(agents, dtype=np.uint8)
    order = np.empty(agents, dtype=np.int32)
    rounds = max(1, activations // agents)
    token_ring(tokens, order, 1)
    start = time.thread_time()
    token_ring(tokens, order, rounds)
    return (time.thread_time() - start) / (rounds * agents) * 1e9


def time_election(shape: str, seed: int, almost_sure: bool, terminate: bool) -> float:
    """Return nanoseconds per agent activation of a whole election."""
    simulation = Simulation(parse(shape), seed, almost_sure=almost_sure, terminate=terminate)
    start = time.thread_time()
    result = simulation.run()
    return (time.thread_time() - start) / (result.rounds * result.agents) * 1e9
