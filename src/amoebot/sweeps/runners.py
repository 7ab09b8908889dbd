"""Elections on the threads of this machine, without the interpreter's lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from amoebot.errors import ExplainedError
from amoebot.sweeps.costs import Piece
from amoebot.sweeps.elections import ShapeCache, StoppedError, fingerprint, run_rows
from amoebot.sweeps.store import Store

#: Seconds between two looks at how far a sweep is.
INTERVAL = 0.1


class SweepError(ExplainedError, RuntimeError):
    """The sweep had to stop."""

    topic = "sweeps"


class ClusterError(SweepError):
    """The sweep had to stop because of its cluster."""

    topic = "cluster"


@dataclass
class Tally:
    """How far a sweep is."""

    total: int  #: elections in the plan
    finished: int  #: elections finished before this run
    seconds: float  #: the estimated time of the others, one after another
    done: int = 0  #: elections finished by this run
    workers: int | None = None  #: of the cluster, if there is one
    done_seconds: float = 0.0  #: the estimated time of the elections that are done
    start: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, elections: int, seconds: float) -> None:
        """Count elections that are finished."""
        with self.lock:
            self.done += elections
            self.done_seconds += seconds

    @property
    def elapsed(self) -> float:
        """Seconds since this run began."""
        return time.monotonic() - self.start

    @property
    def rate(self) -> float:
        """Elections per second."""
        return self.done / max(self.elapsed, 1e-9)

    @property
    def left(self) -> float | None:
        """Seconds to go; None before the first election is done."""
        if self.done_seconds == 0:
            return None
        return self.elapsed * max(0.0, self.seconds / self.done_seconds - 1)


#: Is called now and then in the main thread, with how far the sweep is.
Watch = Callable[[Tally], None]


def run_local(
    store: Store,
    pieces: Iterator[Piece],
    threads: int,
    finished: Callable[[Piece], None],
    look: Callable[[], None],
) -> None:
    """Run pieces on threads; when this ends early, each thread stops within its election."""
    stop = threading.Event()
    taking = threading.Lock()
    shapes = ShapeCache(most=2 * threads)

    def take() -> Piece | None:
        with taking:
            return next(pieces, None)

    def look_for_stop() -> None:
        if stop.is_set():
            raise StoppedError

    def work() -> None:
        while (piece := take()) is not None:
            measured, algorithm = shapes.get(piece.cell), piece.cell.template.algorithm
            numbers, seeds = zip(*piece.seeds, strict=True)
            rows = run_rows(piece.cell, seeds, measured, look_for_stop)
            try:
                for number, row in zip(numbers, rows, strict=True):
                    if fingerprint(algorithm) != store.made_by[algorithm]:
                        raise SweepError(f"{algorithm} has changed since the sweep began")
                    store.record(piece.block, number, row)
                    finished(piece)
            except StoppedError:
                return

    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(work) for _ in range(threads)]
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, INTERVAL, FIRST_EXCEPTION)
                for future in done:
                    future.result()
                look()
        finally:
            stop.set()
