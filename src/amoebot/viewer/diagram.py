"""The space-time diagram of a run, recorded in the background once a page asks for it.

An answer is four bytes with the length of a JSON object, the object, and the rows: of each trace
and column, the share of agents that show it, one byte each.
"""

from __future__ import annotations

import json
import struct
import threading
from contextlib import closing

from amoebot.render.space_time import SpaceTime
from amoebot.simulation import Simulation
from amoebot.viewer.capacity import Capacity

#: Columns, and half of the rows that are kept at most.
COLUMNS, ROWS = 400, 240

#: There are no further slices of time.
STOPPED = object()


class Diagram:
    """Records a run in a thread of its own, up to a last round, unless it is stopped before."""

    def __init__(self, simulation: Simulation, last: int | None, capacity: Capacity) -> None:
        """Begin at once."""
        self._capacity = capacity
        self._recorded = SpaceTime(simulation, COLUMNS, ROWS)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(last,), daemon=True)
        self.done = False
        self._thread.start()

    def stop(self) -> None:
        """Stop: nobody looks at it any more."""
        self._stopped.set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, up to N seconds."""
        self._thread.join(seconds)

    def report(self, known: int, apart: int) -> bytes:
        """Return the rows after those that the page knows, unless they are others by now.

        It knows ``known`` rows, ``apart`` rounds apart; when every second one has gone, it gets
        all of them.
        """
        done, kept = self.done, [*self._recorded.kept]
        every = kept[1][0] - kept[0][0] if len(kept) > 1 else 1
        new = kept[known:] if apart == every else kept
        about = {
            "kind": "space_time",
            "done": done,
            "every": every,
            "columns": self._recorded.columns,
            "from": len(kept) - len(new),
            "rounds": [rounds for rounds, _ in new],
        }
        head = json.dumps(about, separators=(",", ":")).encode()
        return b"".join([struct.pack("<I", len(head)), head, *(row.tobytes() for _, row in new)])

    def _run(self, last: int | None) -> None:
        with closing(self._capacity.looking_ahead(self._stopped.is_set)) as slices:
            self._recorded.run(last, lambda: next(slices, STOPPED) is STOPPED)
        self.done = not self._stopped.is_set()
