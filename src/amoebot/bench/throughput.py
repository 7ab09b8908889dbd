"""Many elections at once: how many a minute, and how much faster on more threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from amoebot.batch import cores, elect_many, warm_up
from amoebot.bench.figures import Figure, best, seconds
from amoebot.shapes import Shape, parse


def throughput(name: str, elections: int = 2_000, repeats: int = 4) -> Iterator[Figure]:
    """Compare one thread with one for each core."""
    shape, threads = parse(name), cores()
    warm_up()
    one, all_of_them = best(
        *(partial(time_elections, shape, elections, count) for count in (1, threads)),
        repeats=repeats,
    )
    yield Figure(
        "throughput",
        f"{name}, {threads} threads",
        elections / all_of_them * 60,
        "a minute",
        "at least 60,000",
        f"on 2 cores; {elections / one * 60:,.0f} with 1 thread",
    )
    yield Figure(
        "throughput",
        f"{threads} threads / 1 thread",
        one / all_of_them,
        "×",
        "at least 1.8",
        "on 2 cores, by the clock: other programs count against it",
    )


def time_elections(shape: Shape, elections: int, threads: int) -> float:
    """Return how long it takes to run elections and collect their results."""
    return seconds(lambda: list(elect_many(shape, range(elections), threads=threads)))
