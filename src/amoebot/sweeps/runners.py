"""Who runs the elections: threads of this machine, each without the interpreter's lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from amoebot.errors import ExplainedError
from amoebot.sweeps.costs import Piece
from amoebot.sweeps.elections import Grounds, StoppedError, run_election
from amoebot.sweeps.store import Store

#: Seconds between two looks at how far a sweep is.
INTERVAL = 0.1


class SweepError(ExplainedError, RuntimeError):
    """A sweep that had to stop: one sentence that says why."""

    topic = "sweeps"


class ClusterError(SweepError):
    """A sweep that had to stop because of its cluster."""

    topic = "cluster"


@dataclass
class Tally:
    """How far a sweep is."""

    total: int  #: elections in the plan
    finished: int  #: those that a run before this one had finished
    seconds: float  #: about how long the rest takes one after another
    done: int = 0  #: elections that this run has finished
    workers: int | None = None  #: those of the cluster, if there is one
    done_seconds: float = 0.0  #: and about how long they were thought to take
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
        """Seconds to go, if there is anything to go by."""
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
    """Run pieces on threads; whatever ends this early lets each thread stop where it is."""
    stop = threading.Event()
    taking = threading.Lock()
    grounds = Grounds(most=2 * threads)

    def take() -> Piece | None:
        with taking:
            return next(pieces, None)

    def work() -> None:
        while (piece := take()) is not None:
            ground = grounds.get(piece.cell)
            for number, seed in piece.seeds:
                if stop.is_set():
                    return
                try:
                    row = run_election(piece.cell, seed, ground, stop.is_set)
                except StoppedError:
                    return
                store.record(piece.block, number, row)
                finished(piece)

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
