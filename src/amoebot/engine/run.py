"""A run as the engine holds it: all arrays, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.algorithms.records import read_only
from amoebot.engine.state import State, Wave, changing
from amoebot.jit import INTERPRETED
from amoebot.system import System

from ..algorithms.interface import CHANGED, LANES
from .chosen import NO_CHOICE, activate_chosen, activate_listed, table_of
from .layouts import with_all_fields
from .names import LEAST_AGENTS, NO_END
from .sequential import activate_by_hand, advance
from .standing import Standing
from .start import inner_can_be_left_out, new_state
from .step import coins_ahead
from .team import is_too_busy
from .termination import activated_so_far, activations_left_out
from .wave import new_wave
from .wavefront import advance_in_waves, advance_to_lanes

#: The schedulers whose times are drawn as the wavefront draws them.
IN_WAVES = ("permutation", "uniform")

#: With fewer agents, or for fewer rounds, it is quicker to activate one after another.
LEAST_ROUNDS = 8

#: Calls in which one thread goes on alone when the cores were busy; then twice as many, and half as
#: many after each that several have run.
REST = 8

#: The choice of coins that leaves all of them to the seed.
AS_DRAWN = np.empty(0, np.int64)

Arrays = tuple[NDArray[Any], ...]

#: Of each particle: whether it has neither acted in the round under way nor crashed, and whether
#: it has crashed.
Who = tuple[NDArray[np.uint8], NDArray[np.uint8]]


class EngineRun(Standing):
    """One run of the linked election on a system."""

    def __init__(
        self,
        system: System,
        seed: int,
        scheduler: str,
        options: Mapping[str, Any],
        outcome_only: bool = False,
        threads: int = 1,
    ) -> None:
        """Begin with empty memories.

        ``outcome_only`` leaves out what has no part in who is elected when, and must not be looked
        into. Up to ``threads`` threads run it together, where its boundary is long enough.
        """
        self._threads = threads
        self._outer_only = outer_only = outcome_only and inner_can_be_left_out(system, scheduler)
        self.state: State = new_state(system, seed, scheduler, options, outer_only)
        state, world = self.state, self.state.world
        super().__init__(
            state.cursor,
            state.watch,
            state.withdrawals,
            self.memory[: world.watched],
            state.draws[: world.watched],
            world.particle,
        )
        self._at_first = self.state.cursor.copy()
        rings = [(ring.first, ring.length) for ring in system.boundaries]
        self._rings = np.array(rings[:1] if outer_only else rings, dtype=np.int64).reshape(-1, 2)
        self._wave: Wave | None = None
        #: How many calls from now on one thread does it alone, because others needed the cores.
        self._alone_for, self._rest = -1, REST
        self.in_waves = (
            LANES > 0
            and not (CHANGED or INTERPRETED)
            and scheduler in IN_WAVES
            and self._rings[:, 1].sum() >= LEAST_AGENTS
        )

    @property
    def world(self) -> World:
        """Everyone's memory, and what never changes about who is where."""
        return with_all_fields(self.state.world)

    @property
    def memory(self) -> NDArray[Any]:
        """The memory of every unit."""
        return self.world.memory[: len(self.state.world.wiring)]

    @property
    def particle_memory(self) -> NDArray[Any]:
        """The memory of every particle; there is none where particles do not terminate."""
        return self.state.world.particles

    @property
    def activations(self) -> int:
        """The number of activations so far of particles that could act."""
        left_out = activations_left_out(self.state) if self._outer_only else 0
        return super().activations + int(left_out)

    def advance(self, last_round: int = NO_END, activations: int = NO_END) -> None:
        """Run until a round is over, or N activations later, or until an outcome appears."""
        if self.in_waves and activations == NO_END:
            self._advance_in_waves(last_round)
        advance(self.state, last_round, activations)

    def _advance_in_waves(self, last_round: int) -> None:
        """Go as far as lanes can be used: from when everyone has set up theirs to the outcome."""
        while advance_to_lanes(self.state, self._rings, last_round, LEAST_ROUNDS):
            if self._alone_for == 0:
                self._wave = None
            if self._wave is None:
                self._wave = new_wave(self.state, self._rings, self._threads)
            self._alone_for -= 1
            self._advance_together(self._wave, last_round)
            if not is_too_busy(self._wave, 0):
                if len(self._wave.shares) > 1:
                    self._rest = max(REST, self._rest // 2)
                return
            self._rest *= 2
            self._alone_for = self._rest
            self._wave = new_wave(self.state, self._rings)

    def _advance_together(self, wave: Wave, last_round: int) -> None:
        """Run rounds with as many threads as the wave is shared by.

        Threads that have begun wait for those that have not. Ctrl-C is heard by the main thread
        alone, and might come between, so another one starts them.
        """
        arguments = self.state, wave, last_round
        count = len(wave.shares)
        if count == 1:
            advance_in_waves(*arguments, 0)
            return

        def work() -> None:
            with ThreadPoolExecutor(count - 1) as others:
                shares = [others.submit(advance_in_waves, *arguments, n) for n in range(1, count)]
                advance_in_waves(*arguments, 0)
                for share in shares:
                    share.result()

        with ThreadPoolExecutor(1) as starter:
            starter.submit(work).result()

    def activate(
        self, particle: int, ends_round: bool, coins: NDArray[np.int64] = AS_DRAWN
    ) -> None:
        """Activate a particle, whoever would be next; say whether the round ends with that.

        Its coins fall as ``coins`` say; those that have NO_COIN there, as drawn.
        """
        activate_by_hand(self.state, particle, ends_round, coins)

    def activate_listed(
        self, order: NDArray[np.int32], who: Who, moment: tuple[int, int], most: int
    ) -> int:
        """Activate particles up to a moment, or N in a round; return how many it took.

        That is fewer too where an outcome appears, or everyone has terminated.
        """
        return int(activate_listed(self.state, order, *who, moment, most, AS_DRAWN))

    def activate_chosen(
        self, choose: Any, room: NDArray[np.int32], who: Who, moment: tuple[int, int], most: int
    ) -> tuple[int, int | None]:
        """Activate whom a compiled function chooses, likewise, and note them in ``room``.

        Return how many it took and, if it chose somebody who cannot be, whom.
        """
        *arrays, watched, holes = self.state.world
        world = World._make((*map(read_only, arrays), watched, holes))
        waiting = read_only(who[0])
        table = table_of(choose, (with_all_fields(world), waiting))
        count, refused = activate_chosen(
            self.state, (world, waiting), table, room, *who, moment, most, AS_DRAWN
        )
        return int(count), None if refused == NO_CHOICE else int(refused)

    def coins_ahead(self, particle: int) -> list[tuple[int, int]]:
        """Return the coins that an activation would draw: how many sides, and how each falls."""
        return [(sides, outcome) for sides, outcome in coins_ahead(self.state, particle).tolist()]

    def activated_this_round(self) -> set[int]:
        """Return who has been activated in the round under way."""
        if not self.position:
            return set()
        return set(np.flatnonzero(activated_so_far(self.state)).tolist())

    def snapshot(self) -> tuple[Arrays, NDArray[Any] | None]:
        """Return copies of all that changes during a run.

        All particles' memories are empty, and there may be millions of them, before the end.
        """
        arrays = tuple(map(copied, changing(self.state)))
        return arrays, None if self.outcome is None else copied(self.particle_memory)

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


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Copy every byte: NumPy alone leaves those between the fields of records to chance."""
    return array.view(np.uint8).copy().view(array.dtype)
