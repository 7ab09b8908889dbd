"""The figures of a benchmark, and how noise is kept out of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One number, and what it should be: limits are stated, never enforced."""

    part: str  #: such as "inner loop"
    what: str  #: what was measured
    value: float
    unit: str
    limit: str = ""  #: such as "at most 5"
    detail: str = ""  #: the numbers behind it

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)


def best(*jobs: Callable[[], float], repeats: int, at_least: float = 0.0) -> list[float]:
    """Run jobs alternately, N times and for some seconds at least; return each one's least result.

    Others use the machine too, and can only make a job slower. Whatever slows down all of them for
    a while cancels out where one is divided by another.
    """
    end = time.monotonic() + at_least
    times: list[list[float]] = []
    while len(times) < repeats or time.monotonic() < end:
        times.append([job() for job in jobs])
    return [min(column) for column in zip(*times, strict=True)]


def processor_seconds(job: Callable[[], object]) -> float:
    """Return for how long this thread had a processor while it did a job."""
    start = time.thread_time()
    job()
    return time.thread_time() - start
