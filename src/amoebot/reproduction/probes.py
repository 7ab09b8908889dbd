"""Measurements that no row of a sweep has: tokens followed, and elections on rings of automata."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from amoebot import ring
from amoebot.algorithms.improved.monitors import DigitTokenSteps
from amoebot.engine.names import SCHEDULERS
from amoebot.linking import Rules
from amoebot.reproduction import standard
from amoebot.shapes import parse
from amoebot.simulation import Simulation
from amoebot.sweeps.plan import spread

#: Rounds after which a run with changed rules is no longer followed, in units of L.
MOST_ROUNDS = 20


def token_steps(shape: str, seed: int, scheduler: str, rules: Rules | None = None) -> pl.DataFrame:
    """Count the steps of every digit token on the outer boundary, round by round (Lemma 6).

    Each row says how many steps the slowest token had taken, since all exist, at the beginning of
    round T + i.
    """
    simulation = Simulation(
        parse(shape), seed, scheduler, almost_sure=False, terminate=False, rules=rules
    )
    tokens, slowest = DigitTokenSteps(), []
    last = MOST_ROUNDS * simulation.system.outer_boundary_length
    while simulation.outcome is None and simulation.rounds < last:
        simulation.round()
        tokens.look(simulation)
        if tokens.began is not None:
            slowest.append((simulation.rounds - tokens.began, int(tokens.steps.min())))
    return pl.DataFrame(slowest, schema={"i": pl.Int64, "least": pl.Int64}, orient="row").select(
        "i", "least", shape=pl.lit(shape), seed=pl.lit(seed), scheduler=pl.lit(scheduler)
    )


def all_token_steps(full: bool, rules: Rules | None) -> pl.DataFrame:
    """Count the steps of digit tokens under every scheduler."""
    shapes, seeds = standard.PROBED[full]
    return pl.concat(
        token_steps(shape, spread(("lemma-6", shape)) + number, scheduler, rules)
        for shape in shapes
        for scheduler in SCHEDULERS
        for number in range(seeds)
    )


def rings(full: bool, rules: Rules | None) -> pl.DataFrame:
    """Count the failures of elections on rings without geometry, and in the plane (A.4)."""
    sizes, memories, runs = standard.RINGS[full]
    seed = spread("general-graphs")
    found = [ring.fail_on_ring(size, memory, runs, seed) for size in sizes for memory in memories]
    found += [ring.fail_in_the_plane(size, runs, seed, rules) for size in standard.IN_THE_PLANE]
    return pl.DataFrame([one.as_dict() for one in found]).drop("interval")


#: The probes by name: tables that claims are measured on, beside the parts of the standard plan.
PROBES: dict[str, Callable[[bool, Rules | None], pl.DataFrame]] = {
    "token-steps": all_token_steps,
    "rings": rings,
}
