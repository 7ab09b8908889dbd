"""Many elections at once: how many a minute, and how much faster on more threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from amoebot.batch import elect_many, warm_up
from amoebot.bench.figures import Figure
from amoebot.engine_runs import cores
from amoebot.shapes import Shape, parse
from amoebot.sweeps import sweep

#: A sweep has this many times the elections: it begins with estimates of how long they take.
MORE = 4


def throughput(name: str, elections: int = 2_000, repeats: int = 3) -> Iterator[Figure]:
    """Compare one thread with one for each core, and with a sweep, which writes files."""
    shape, threads = parse(name), cores()
    plan = {"shapes": name, "seeds": MORE * elections}
    warm_up()
    jobs: tuple[Callable[[], object], ...] = (
        lambda: collect(shape, elections, 1),
        lambda: collect(shape, elections, threads),
        lambda: sweep(plan, threads=threads),
    )
    runs = [[timed(job) for job in jobs] for _ in range(repeats)]
    one, all_of_them, swept = (min(times) for times in zip(*runs, strict=True))
    (alone, _), (together, processor), (in_files, _) = one, all_of_them, swept
    yield Figure(
        "throughput",
        f"{name}, {threads} threads",
        elections / together * 60,
        "a minute",
        "at least 200,000",
        f"on 2 cores; {elections / alone * 60:,.0f} with 1 thread",
    )
    yield Figure(
        "throughput",
        f"{name}, a sweep",
        MORE * elections / in_files * 60,
        "a minute",
        "at least 150,000",
        f"on 2 cores; {MORE * elections:,} elections, files included",
    )
    yield Figure(
        "throughput",
        f"{threads} threads / 1 thread",
        alone / together,
        "×",
        "at least 1.8",
        f"on 2 cores; had {processor / together:.2f} cores on average",
    )


def collect(shape: Shape, elections: int, threads: int) -> None:
    """Run elections, and collect their results."""
    list(elect_many(shape, range(elections), threads=threads))


def timed(job: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that a job takes, by the clock and of processors."""
    start, used = time.perf_counter(), time.process_time()
    job()
    return time.perf_counter() - start, time.process_time() - used
