"""Moments of a run that are kept, so that going back is quick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Particle activations between two snapshots: as many are run again in milliseconds.
APART = 50_000

#: Snapshots kept for going back; when there are more, every second one is dropped.
MOST_SNAPSHOTS = 64


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run."""

    rounds: int
    steps: int
    content: Any
    waiting: NDArray[np.uint8]  #: a flag for each particle
    struck: int  #: how many faults have happened
    run: Any  #: which run it is of: its shape and options


class Past:
    """The snapshots kept of a run, in their order."""

    def __init__(self) -> None:
        """Begin with none."""
        self.kept: list[Snapshot] = []

    def is_due(self, steps: int) -> bool:
        """Whether a moment is far enough from the last one kept."""
        last = self.kept[-1].steps if self.kept else 0
        return steps - last >= APART

    def keep(self, snapshot: Snapshot) -> None:
        """Keep the latest moment."""
        self.kept.append(snapshot)
        if len(self.kept) > MOST_SNAPSHOTS:
            del self.kept[::2]

    def before(self, rounds: int) -> Snapshot | None:
        """Return the last moment kept that is not after N rounds."""
        return next((then for then in reversed(self.kept) if then.rounds <= rounds), None)

    def forget_after(self, steps: int) -> None:
        """Forget what is not the past any more."""
        self.kept = [then for then in self.kept if then.steps <= steps]
