"""How much one server holds: readers, and particles in all of their runs together."""

from __future__ import annotations

import threading

from amoebot.viewer.requests import RequestError

#: Pages that can be open at a time, and particles in all of them.
MOST_READERS, MOST_IN_ALL = 60, 8_000_000


class Capacity:
    """What the sessions of a server share."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._lock = threading.Lock()
        self._particles: dict[int, int] = {}

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
