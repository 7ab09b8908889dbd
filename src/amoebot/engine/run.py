"""A run as the engine holds it: all arrays, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import INTERPRETED
from amoebot.system import System

from ..algorithms.interface import (
    INNER_BOUNDARIES_MATTER,
    LANES,
    LEADER,
    ON_NODES,
    OUTCOMES,
    STUCK,
)
from .names import BY_HAND, NO_END
from .sequential import activate_by_hand, advance
from .start import new_state, without_inner_boundaries
from .state import State, changing
from .termination import activated_so_far
from .wavefront import Wave, advance_in_waves, can_use_lanes, new_wave

#: The schedulers whose times are drawn as the wavefront draws them.
IN_WAVES = ("permutation",)

#: With fewer agents, or for fewer rounds, it is quicker to activate one after another.
LEAST_AGENTS, LEAST_ROUNDS = 256, 8

Arrays = tuple[NDArray[Any], ...]


class EngineRun:
    """One run of the linked election on a system."""

    def __init__(
        self,
        system: System,
        seed: int,
        scheduler: str,
        options: Mapping[str, Any],
        outcome_only: bool = False,
    ) -> None:
        """Begin with empty memories.

        ``outcome_only`` leaves out what has no part in who is elected when, and must not be looked
        into.
        """
        self.state: State = new_state(system, seed, scheduler, options)
        sound = not (INNER_BOUNDARIES_MATTER or ON_NODES or STUCK)
        some_are_inner = self.state.world.watched < len(self.state.world.wiring)
        outer_only = (
            outcome_only and sound and some_are_inner and scheduler not in ("uniform", BY_HAND)
        )
        if outer_only:
            self.state = without_inner_boundaries(self.state)
        self._at_first = self.state.cursor.copy()
        rings = [(ring.first, ring.length) for ring in system.boundaries]
        self._rings = np.array(rings[:1] if outer_only else rings, dtype=np.int64).reshape(-1, 2)
        self._wave: Wave | None = None
        self._in_waves = (
            LANES > 0
            and not INTERPRETED
            and scheduler in IN_WAVES
            and self._rings[:, 1].sum() >= LEAST_AGENTS
        )

    @property
    def memory(self) -> NDArray[Any]:
        """The memory of every unit."""
        return self.state.world.memory[: len(self.state.world.wiring)]

    @property
    def particle_memory(self) -> NDArray[Any]:
        """The memory of every particle; there is none where particles do not terminate."""
        return self.state.world.particles

    @property
    def rounds(self) -> int:
        """The number of rounds completed."""
        return int(self.state.cursor["current_round"][0]) - 1

    @property
    def position(self) -> int:
        """The number of particle activations in the round under way."""
        cursor = self.state.cursor[0]
        return int(cursor.place + cursor.interior_activations)

    @property
    def activations(self) -> int:
        """The number of particle activations so far."""
        return int(self.state.cursor["activations"][0])

    @property
    def latest(self) -> int | None:
        """The particle that was activated last."""
        latest = int(self.state.cursor["latest"][0])
        return latest - 1 if latest else None

    @property
    def watch(self) -> Any:
        """What the observer has seen, as one record."""
        return self.state.watch[0]

    @property
    def outcome(self) -> str | None:
        """How the run ended, or None while it goes on."""
        code = int(self.state.watch["outcome"][0])
        return "leader" if code == LEADER else OUTCOMES[code].name if code else None

    @property
    def leader(self) -> int | None:
        """The particle that declared itself the leader first."""
        if self.outcome != "leader":
            return None
        of_unit = self.state.world.particle
        return int(of_unit[self.state.watch["leader"][0]]) if len(of_unit) else 0

    @property
    def withdrawals(self) -> list[int]:
        """The round of each withdrawal of a candidate, in order."""
        rounds: list[int] = self.state.withdrawals[: self.watch.withdrawn].tolist()
        return rounds

    def advance(self, last_round: int = NO_END, activations: int = NO_END) -> None:
        """Run until a round is over, or N activations later, or until an outcome appears."""
        if self._in_waves and activations == NO_END:
            self._advance_in_waves(last_round)
        advance(self.state, last_round, activations)

    def _advance_in_waves(self, last_round: int) -> None:
        """Go as far as lanes can be used: from when everyone has set up theirs to the outcome."""
        cursor, watch = self.state.cursor[0], self.state.watch[0]
        while cursor.current_round + LEAST_ROUNDS <= last_round and watch.outcome == 0:
            if cursor.place == 0 and can_use_lanes(self.state, self._rings):
                if self._wave is None:
                    self._wave = new_wave(self.state, self._rings)
                advance_in_waves(self.state, self._wave, last_round)
                return
            advance(self.state, cursor.current_round + LEAST_ROUNDS - 1, NO_END)

    def activate(self, particle: int, ends_round: bool) -> None:
        """Activate a particle, whoever would be next; say whether the round ends with that."""
        activate_by_hand(self.state, particle, ends_round)

    def activated_this_round(self) -> set[int]:
        """Return who has been activated in the round under way."""
        if not self.position:
            return set()
        return set(np.flatnonzero(activated_so_far(self.state)).tolist())

    def snapshot(self) -> tuple[Arrays, NDArray[Any] | None]:
        """Return copies of all that changes during a run.

        All particles' memories are empty, and there may be millions of them, before the end.
        """
        arrays = tuple(array.copy() for array in changing(self.state))
        return arrays, None if self.outcome is None else self.particle_memory.copy()

    def restore(self, snapshot: tuple[Arrays, NDArray[Any] | None]) -> None:
        """Come back to a snapshot of this run."""
        arrays, particles = snapshot
        for array, then in zip(changing(self.state), arrays, strict=True):
            array[:] = then
        if particles is None:
            self.particle_memory.fill(0)
        else:
            self.particle_memory[:] = particles

    def begin_again(self) -> None:
        """Come back to the beginning, when all memories are empty: that takes no snapshot."""
        for array in (*changing(self.state), self.particle_memory):
            array.view(np.uint8).fill(0)
        self.state.cursor[:] = self._at_first
