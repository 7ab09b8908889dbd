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
) -> Iterator[Result]:
    """Run an election for each seed and yield the results in the order of the seeds.

    They are the results of ``elect``, whatever the number of threads, which is that of the cores
    unless given. Seeds are taken as they are needed, so there may be any number of them. Whoever
    stops asking for results, or presses Ctrl-C, stops the elections under way.
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
                )
                finished.append(election.run(max_rounds, look))
        except Exception as error:  # told when its turn comes, after the results before it
            return finished, error
        return finished, None

    def results() -> Iterator[Result]:
        warm_up()
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


def warm_up() -> None:
    """Compile everything that an election needs, so that threads do not wait for each other."""
    Simulation(hexagon(1)).run()


def cores() -> int:
    """Return how many threads can run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where processes cannot be bound to cores
        return os.cpu_count() or 1
