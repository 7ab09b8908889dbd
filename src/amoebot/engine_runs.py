"""Runs of the engine: how one begins, how far it goes at a time, and what comes of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from amoebot.algorithms.description import ALL_TERMINATED, LEADER_DECLARED
from amoebot.arguments import is_whole, spelled
from amoebot.jit import INTERPRETED
from amoebot.linking import explaining, link
from amoebot.options import Options
from amoebot.results import ROUND_LIMIT, Result
from amoebot.shapes import Shape
from amoebot.system import System

if TYPE_CHECKING:
    from amoebot.engine.run import EngineRun
    from amoebot.engine.standing import Standing

#: Agent activations between two looks at the clock, the keyboard and the progress bar: one after
#: another, and in waves, which threads that run them together have to begin each time.
CHUNK, CHUNK_IN_WAVES = 2_000 if INTERPRETED else 8_000_000, 32_000_000


def new_run(
    system: System,
    options: Options,
    scheduler: str,
    outcome_only: bool = False,
    threads: int = 1,
) -> EngineRun:
    """Return a run of the engine that is linked with the election and its rules."""
    with explaining(options.rules):
        engine = link(options.algorithm, options.rules).module("engine.run")
        made: EngineRun = engine.EngineRun(
            system, options.seed, scheduler, options.own, outcome_only, threads
        )
    return made


def rounds_at_once(run: EngineRun) -> int:
    """Return for how many rounds to run before looking up: enough to be run in waves."""
    chunk = CHUNK_IN_WAVES if run.in_waves else CHUNK
    return max(32, chunk // max(1, len(run.memory)))


def result_of(
    run: Standing,
    shape: Shape,
    system: System,
    options: Options,
    rounds: int,
    scheduler: str,
) -> Result:
    """Return how a run of the engine has gone."""
    seen, outcome, leader = run.seen(), run.outcome, run.leader
    started = seen["candidates"]
    left = {1: started} if started else {}
    for gone, when in enumerate(run.withdrawals, start=1):
        left[when] = started - gone
    return Result(
        outcome=outcome or ROUND_LIMIT,
        leader=None if leader is None else system.nodes_of(leader),
        leaders=seen["leaders"],
        rounds=seen[LEADER_DECLARED] if outcome == "leader" else rounds,
        rounds_terminated=seen[ALL_TERMINATED] or None,
        particles=system.particles,
        agents=system.agents,
        outer_boundary_length=system.outer_boundary_length,
        inner_boundaries=max(0, len(system.boundaries) - 1),
        inner_boundary_lengths=tuple(b.length for b in system.boundaries[1:]),
        milestones={name: seen[name] or None for name in options.election.course.milestones},
        candidates=tuple(left.items()),
        shape=shape.name,
        rules=options.rules_name,
        scheduler=scheduler,
        options=options,
    )


def thread_count(threads: int | None) -> int:
    """Return how many threads to run; by default, as many as there are cores.

    Raises:
        ValueError: If it is not a whole number, 1 or more.
    """
    if threads is None:
        return cores()
    if not (is_whole(threads) and threads >= 1):
        raise ValueError(f"elections need at least 1 thread, not {spelled(threads)}")
    return int(threads)


def cores() -> int:
    """Return how many threads can run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where processes cannot be bound to cores
        return os.cpu_count() or 1
