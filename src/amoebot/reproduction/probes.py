"""Measurements that no row of a sweep has: runs watched activation by activation."""

from __future__ import annotations

import polars as pl

from amoebot.algorithms.improved.monitors import DigitTokenSteps, outer
from amoebot.engine.names import SCHEDULERS
from amoebot.shapes import parse
from amoebot.simulation import Simulation


def token_steps(shape: str, seed: int, scheduler: str) -> pl.DataFrame:
    """Count the steps of every digit token on the outer boundary (Lemma 6).

    Each row says how many steps the slowest token had taken, since its creation, at the
    beginning of round T + i.
    """
    simulation = Simulation(parse(shape), seed, scheduler, almost_sure=False, terminate=False)
    tokens, rounds, slowest = DigitTokenSteps(), 0, []
    while simulation.outcome is None:
        simulation.step()
        tokens.follow(simulation)
        if simulation.rounds > rounds:
            rounds = simulation.rounds
            if outer(simulation)["created"].all():
                slowest.append(int(tokens.steps.min()))
    return pl.DataFrame({"i": range(len(slowest)), "least": slowest}).with_columns(
        shape=pl.lit(shape), seed=pl.lit(seed), scheduler=pl.lit(scheduler)
    )


def all_token_steps(shapes: tuple[str, ...], seeds: int) -> pl.DataFrame:
    """Count the steps of digit tokens under every scheduler."""
    return pl.concat(
        token_steps(shape, seed, scheduler)
        for shape in shapes
        for scheduler in SCHEDULERS
        for seed in range(seeds)
    )
