"""Many elections at once: how many a minute, and how much faster on more threads."""

from __future__ import annotations

import time
from collections.abc import Iterator

from amoebot.batch import cores, elect_many, warm_up
from amoebot.bench.figures import Figure
from amoebot.shapes import Shape, parse


def throughput(name: str, elections: int = 2_000, repeats: int = 4) -> Iterator[Figure]:
    """Compare one thread with one for each core."""
    shape, threads = parse(name), cores()
    warm_up()
    runs = [
        [time_elections(shape, elections, count) for count in (1, threads)] for _ in range(repeats)
    ]
    one, all_of_them = (min(times) for times in zip(*runs, strict=True))
    (alone, _), (together, processor) = one, all_of_them
    yield Figure(
        "throughput",
        f"{name}, {threads} threads",
        elections / together * 60,
        "a minute",
        "at least 60,000",
        f"on 2 cores; {elections / alone * 60:,.0f} with 1 thread",
    )
    yield Figure(
        "throughput",
        f"{threads} threads / 1 thread",
        alone / together,
        "×",
        "at least 1.8",
        f"on 2 cores; had {processor / together:.2f} cores on average",
    )


def time_elections(shape: Shape, elections: int, threads: int) -> tuple[float, float]:
    """Return the seconds to run elections and collect results, by the clock and of processors."""
    start, used = time.perf_counter(), time.process_time()
    list(elect_many(shape, range(elections), threads=threads))
    return time.perf_counter() - start, time.process_time() - used
