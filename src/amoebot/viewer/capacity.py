"""How much one server holds: readers, particles in all of their runs, threads that look ahead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator

from amoebot.viewer.requests import RequestError

#: Pages that can be open at a time, and particles in all of them.
MOST_READERS, MOST_IN_ALL = 60, 16_000_000

#: Runs that are looked ahead at a time; seconds that each gets at a time, and in between; and
#: between two looks at whether one that waits is still wanted.
AHEAD, TIME_SLICE, PAUSE, LOOK = 2, 0.02, 0.001, 0.25

#: Runs that are built and described at a time.
BUILT = 2


class Capacity:
    """What the sessions of a server share."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._lock = threading.Lock()
        self._particles: dict[int, int] = {}
        self._ahead = threading.Semaphore(AHEAD)
        #: To be held while a run is built or described. A class that opens the viewer at the same
        #: moment would otherwise keep all threads waiting for the interpreter, one after another.
        self.building = threading.Semaphore(BUILT)

    def is_full(self) -> bool:
        """Whether there is no room for one more reader."""
        return len(self._particles) >= MOST_READERS

    def take(self, session: object, particles: int) -> None:
        """Replace the particles that a session holds by those of another run, or refuse."""
        with self._lock:
            others = sum(size for owner, size in self._particles.items() if owner != id(session))
            if others + particles > MOST_IN_ALL and others:
                raise RequestError(
                    f"this viewer is full: its {len(self._particles):,} pages already show "
                    f"{others:,} particles, and it holds {MOST_IN_ALL:,}; choose a smaller shape"
                )
            self._particles[id(session)] = particles

    def give_back(self, session: object) -> None:
        """Forget a session that has ended."""
        with self._lock:
            self._particles.pop(id(session), None)

    def looking_ahead(self, is_over: Callable[[], bool]) -> Generator[None]:
        """Yield while a run may go on, in slices of time, until it is over.

        Threads that look ahead alternate: otherwise those that answer readers had to wait for each
        of them, because only one thread of a Python program runs at a time.
        """
        while not is_over():
            if not self._ahead.acquire(timeout=LOOK):
                continue
            try:
                end = time.monotonic() + TIME_SLICE
                while not is_over() and time.monotonic() < end:
                    yield
            finally:
                self._ahead.release()
            time.sleep(PAUSE)
