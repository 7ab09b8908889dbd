"""Where a run stands and what the observer has seen of it: all that a result is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.interface import LEADER, OUTCOMES


class Standing:
    """The account of one run."""

    def __init__(
        self,
        cursor: NDArray[Any],
        watch: NDArray[Any],
        withdrawals: NDArray[np.int64],
        memory: NDArray[Any],
        draws: NDArray[np.uint32],
        particle: NDArray[np.int32],
    ) -> None:
        """Wrap the arrays of a run; ``particle`` has the particle of each unit.

        Of memory and draws, those of the units that the observer counts: the ones of the outer
        boundary, or all.
        """
        self._cursor = cursor
        self._watch = watch
        self._withdrawals = withdrawals
        self.watched_memory = memory
        self._draws = draws
        self._particle = particle

    @property
    def rounds(self) -> int:
        """The number of rounds completed."""
        return int(self._cursor["current_round"][0]) - 1

    @property
    def position(self) -> int:
        """The number of particle activations in the round under way."""
        return int(self._cursor["place"][0] + self._cursor["interior_activations"][0])

    @property
    def activations(self) -> int:
        """The number of activations so far of particles that could act."""
        return self.steps - int(self._cursor["idle"][0])

    @property
    def steps(self) -> int:
        """The number of particle activations so far that were carried out one by one."""
        return int(self._cursor["activations"][0])

    @property
    def latest(self) -> int | None:
        """The particle that was activated last."""
        latest = int(self._cursor["latest"][0])
        return latest - 1 if latest else None

    @property
    def coins(self) -> int:
        """The number of coins that the units watched have flipped."""
        return int(self._draws.sum())

    @property
    def watch(self) -> Any:
        """What the observer has seen, as one record."""
        return self._watch[0]

    def seen(self) -> dict[str, int]:
        """Return what the observer has seen as plain numbers, by name."""
        return dict(zip(self._watch.dtype.names or (), self._watch[0].item(), strict=True))

    @property
    def outcome(self) -> str | None:
        """How the run ended, or None while it goes on."""
        code = int(self._watch["outcome"][0])
        return "leader" if code == LEADER else OUTCOMES[code].name if code else None

    def is_finished(self, terminate: bool, terminated: NDArray[Any] | None = None) -> bool:
        """Whether there is an outcome and, where everyone is to terminate, everyone has.

        Where some have crashed, ``terminated`` says of each of the others whether it has.
        """
        if self.outcome != "leader" or not terminate:
            return self.outcome is not None
        if terminated is not None:
            return bool(terminated.all())
        return bool(self._watch["all_terminated"][0])

    @property
    def leader(self) -> int | None:
        """The particle that declared itself the leader first."""
        if self.outcome != "leader":
            return None
        return int(self._particle[self._watch["leader"][0]]) if len(self._particle) else 0

    @property
    def withdrawals(self) -> list[int]:
        """The round of each withdrawal of a candidate, in order."""
        rounds: list[int] = self._withdrawals[: self._watch["withdrawn"][0]].tolist()
        return rounds
