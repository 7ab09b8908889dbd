"""Many elections at once, on threads: compiled rules run without Python's lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import islice
from threading import Event

from amoebot import engine
from amoebot.results import Result, check_options
from amoebot.rules import Rules, explaining
from amoebot.shapes import Shape, hexagon
from amoebot.simulation import Election, Simulation

#: Groups of elections that may be finished or under way ahead of the result wanted next.
LOOK_AHEAD = 4  # for each thread

#: Small elections are handed to a thread in groups: each takes no longer than handing it over.
GROUP, SMALL = 8, 2_000  # elections, on shapes of so many nodes


def elect_many(
    shape: Shape,
    seeds: Iterable[int],
    *,
    threads: int | None = None,
    scheduler: str = "permutation",
    almost_sure: bool = True,
    terminate: bool = True,
    radix: int = 16,
    max_rounds: int | None = None,
    rules: Rules | None = None,
) -> Iterator[Result]:
    """Run an election for each seed and yield the results in the order of the seeds.

    They are the results of ``elect``, whatever the number of threads. Whoever stops asking for
    results, or presses Ctrl-C, stops the elections under way.

    Args:
        shape: The nodes that particles occupy, the same in all elections.
        seeds: One for each election, from 0 to 2^64 - 1. They are taken as they are needed, so
            there may be any number of them.
        threads: How many elections run at the same time; by default, as many as there are cores.
        scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
            "round-robin", "with-cycle", "against-cycle" or "adversarial".
        almost_sure: Whether to run the variant of Appendix A.3, which elects a leader with
            probability 1.
        terminate: Whether to run the variant of Appendix A.2, in which all particles terminate.
            Without both variants it is the algorithm of Section 2 alone, which elects a leader
            with high probability.
        radix: How many values a digit of an identifier can take, from 2 to 256.
        rules: Rules of one's own; by default, those of the paper.
        max_rounds: Stop each election after so many rounds; by default, never.

    Raises:
        ValueError: If the number of threads, the scheduler or the radix cannot be; for a seed that
            cannot be, when its turn comes.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"elections need at least 1 thread, not {threads}")
    check_options(0, radix)
    engine.check_scheduler(scheduler)
    stopped = Event()

    def look(_: Simulation) -> None:
        if stopped.is_set():
            raise CancelledError

    def run(group: tuple[int, ...]) -> tuple[list[Result], Exception | None]:
        finished: list[Result] = []
        try:
            for seed in group:
                election = Election(
                    shape,
                    seed,
                    scheduler,
                    almost_sure=almost_sure,
                    terminate=terminate,
                    radix=radix,
                    rules=rules,
                )
                finished.append(election.run(max_rounds, look))
        except Exception as error:  # told when its turn comes, after the results before it
            return finished, error
        return finished, None

    def results() -> Iterator[Result]:
        warm_up(rules)
        count = threads or cores()
        each = iter(seeds)
        groups = iter(lambda: tuple(islice(each, GROUP if len(shape) <= SMALL else 1)), ())
        pool = ThreadPoolExecutor(count, "elections")
        ahead: deque[Future[tuple[list[Result], Exception | None]]] = deque()
        try:
            ahead.extend(pool.submit(run, group) for group in islice(groups, LOOK_AHEAD * count))
            while ahead:
                finished, error = ahead.popleft().result()
                ahead.extend(pool.submit(run, group) for group in islice(groups, 1))
                yield from finished
                if error is not None:
                    raise error
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)

    return results()


def warm_up(rules: Rules | None = None) -> None:
    """Compile everything that an election needs, so that threads do not wait for each other."""
    simulation = Simulation(hexagon(1), rules=rules)
    with explaining(rules):
        simulation.run(1)


def cores() -> int:
    """Return how many threads can run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where processes cannot be bound to cores
        return os.cpu_count() or 1
