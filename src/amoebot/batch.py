"""Elections of which only the result is wanted: one, or many at once on threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, Any

from amoebot.algorithms import registry
from amoebot.engine.names import NO_END
from amoebot.linking import Rules, explaining
from amoebot.options import Options
from amoebot.results import Result
from amoebot.shapes import Shape, hexagon
from amoebot.simulation import CHUNK, Simulation, new_run, result_of
from amoebot.system import build

if TYPE_CHECKING:
    from amoebot.engine.run import EngineRun

#: Groups of elections that may be finished or under way ahead of the result wanted next.
LOOK_AHEAD = 4  # for each thread

#: Small elections are handed to a thread in groups: each takes no longer than handing it over.
GROUP, SMALL = 8, 2_000  # elections, on shapes of at most that many nodes


def elect(
    shape: Shape,
    seed: int = 0,
    scheduler: str | Iterable[int] = "permutation",
    *,
    algorithm: str = registry.DEFAULT,
    max_rounds: int | None = None,
    rules: Rules | None = None,
    **options: Any,
) -> Result:
    """Run an election and return how it ended.

    Args:
        shape: The nodes that particles occupy, from ``amoebot.shapes``.
        seed: What coins, port offsets and random orders depend on, from 0 to 2^64 - 1.
        scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
            "round-robin", "with-cycle", "against-cycle" or "adversarial", or any
            iterable of particle numbers.
        algorithm: The election: its name, or the path of a file or package.
        max_rounds: Stop after N rounds, with the outcome "round-limit"; by default never, or with
            changed rules after 100 (L + n).
        rules: Rules of one's own; by default, those of the election.
        **options: The options of the election by name, such as ``terminate``.

    Raises:
        ValueError: If an option is invalid.
    """
    if not isinstance(scheduler, str):
        own = dict(options, algorithm=algorithm, max_rounds=max_rounds, rules=rules)
        return Simulation(shape, seed, scheduler, **own).run()
    return run_election(shape, Options(seed, scheduler, algorithm, options, max_rounds, rules))


def run_election(shape: Shape, options: Options, look: Callable[[], None] | None = None) -> Result:
    """Run an election to its end; ``look`` is called now and then, and may raise an error."""
    return run_to_end(shape, options, look)[0]


def run_to_end(
    shape: Shape, options: Options, look: Callable[[], None] | None = None
) -> tuple[Result, EngineRun]:
    """Run an election to its end; return the run too, of which only watched units can be read.

    What has no part in the result is left out: where rules are changed, nothing is.
    """
    system = build(shape, options.seed)
    run = new_run(system, options, options.scheduler, outcome_only=options.rules is None)
    last = options.round_limit(len(shape), system.outer_boundary_length) or NO_END
    chunk = max(1, CHUNK // max(1, len(run.memory)))

    def going() -> bool:
        if run.outcome == "leader" and options.own["terminate"]:
            return not run.watch.all_terminated
        return run.outcome is None

    while going() and run.rounds < last:
        with explaining(options.rules):
            run.advance(min(last, run.rounds + chunk))
        if look is not None:
            look()
    rounds = run.rounds + bool(run.position)
    return result_of(run, shape, system, options, rounds, options.scheduler), run


def elect_many(
    shape: Shape,
    seeds: Iterable[int],
    *,
    threads: int | None = None,
    scheduler: str = "permutation",
    algorithm: str = registry.DEFAULT,
    max_rounds: int | None = None,
    rules: Rules | None = None,
    **options: Any,
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
        algorithm: The election: its name, or the path of a file or package.
        max_rounds: Stop each election after N rounds; by default never, or with changed rules
            after 100 (L + n).
        rules: Rules of one's own; by default, those of the election.
        **options: The options of the election by name, such as ``terminate``.

    Raises:
        ValueError: If an option is invalid; for an invalid seed, when its result is asked for.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"elections need at least 1 thread, not {threads}")
    chosen = Options(0, scheduler, algorithm, options, max_rounds, rules)
    stopped = Event()

    def look() -> None:
        if stopped.is_set():
            raise CancelledError

    def run(group: tuple[int, ...]) -> tuple[list[Result], Exception | None]:
        finished: list[Result] = []
        try:
            finished.extend(run_election(shape, chosen.with_(seed=seed), look) for seed in group)
        except Exception as error:  # told after the results before it
            return finished, error
        return finished, None

    def results() -> Iterator[Result]:
        warm_up(chosen)
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


def warm_up(options: Options | None = None) -> None:
    """Compile everything that an election needs, so that threads do not wait for each other."""
    chosen = options or Options()
    Simulation.of(hexagon(1), chosen.with_(scheduler="permutation")).run(1)


def cores() -> int:
    """Return how many threads can run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where processes cannot be bound to cores
        return os.cpu_count() or 1
