"""Measurements that no row of a sweep has: runs watched activation by activation."""

from __future__ import annotations

from collections import deque

import numpy as np
import polars as pl
from numpy.typing import NDArray

from amoebot.algorithms.improved.identifier_comparison import held_tokens
from amoebot.engine.names import SCHEDULERS
from amoebot.jit import source
from amoebot.shapes import parse
from amoebot.simulation import Simulation


def token_steps(shape: str, seed: int, scheduler: str) -> pl.DataFrame:
    """Count the steps of every digit token on the outer boundary (Lemma 6).

    Each row says how many steps the slowest token had taken, since its creation, at the
    beginning of round T + i. Tokens do not overtake each other, so a queue for each agent knows
    which token is which.
    """
    simulation = Simulation(parse(shape), seed, scheduler, almost_sure=False, terminate=False)
    length = simulation.system.outer_boundary_length
    pred = simulation.system.wiring["pred"]
    queues: list[deque[int]] = [deque() for _ in range(length)]
    steps = np.zeros(length, dtype=np.int64)
    memory = simulation.memory[:length]
    held, created = _held(simulation, length), memory["created"].copy()
    slowest: list[int] = []
    rounds = simulation.rounds
    while simulation.outcome is None:
        simulation.step()
        now = _held(simulation, length)
        made = memory["created"].astype(np.int64) - created
        # Predecessors are agents of other particles: whoever lost a token has forwarded it.
        for agent in np.flatnonzero(made):
            queues[agent].append(int(agent))
        for agent in np.flatnonzero(now - held - made == -1):
            token = queues[agent].popleft()
            queues[pred[agent]].append(token)
            steps[token] += 1
        held, created = now, memory["created"].copy()
        if simulation.rounds > rounds:
            rounds = simulation.rounds
            if created.all():
                slowest.append(int(steps.min()))
    return pl.DataFrame({"i": range(len(slowest)), "least": slowest}).with_columns(
        shape=pl.lit(shape), seed=pl.lit(seed), scheduler=pl.lit(scheduler)
    )


def _held(simulation: Simulation, length: int) -> NDArray[np.int64]:
    """Return how many digit tokens each agent holds."""
    tokens = source(held_tokens)(simulation.memory[:length].view(np.recarray))
    held: NDArray[np.int64] = np.count_nonzero(np.stack(tokens, axis=1), axis=1)
    return held


def all_token_steps(shapes: tuple[str, ...], seeds: int) -> pl.DataFrame:
    """Count the steps of digit tokens under every scheduler."""
    return pl.concat(
        token_steps(shape, seed, scheduler)
        for shape in shapes
        for scheduler in SCHEDULERS
        for seed in range(seeds)
    )
