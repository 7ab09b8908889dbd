"""Run many seeds on one shape in a single compiled call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import Common, Ends
from amoebot.jit import INTERPRETED, compiled, takes_long
from amoebot.machine_code import is_at_hand
from amoebot.system import System

from ..algorithms.interface import CHANGED, LANES, ON_NODES
from .names import GROUP, LEAST_AGENTS, LEAST_UNITS, WORTHWHILE, number_of
from .one_seed import begin, finish, room_for
from .schedulers import PERMUTATION
from .side_by_side import room_for_runs, run_side_by_side
from .standing import Standing
from .start import inner_can_be_left_out, new_state, new_world

#: With more units, an election takes long enough to be run by itself, or in waves.
SMALL = LEAST_AGENTS - 1 if LANES else 400

#: With fewer seeds in a call, one election after another is quicker.
LEAST_SEEDS = 16

#: How many elections are best run in one call: as many as take some milliseconds, since the time
#: grows with the square of the length. Side by side more, for not all of them end together.
PAIRS_OF_UNITS, PAIRS_SIDE_BY_SIDE = 100_000, 1_000_000


def is_small(system: System) -> bool:
    """Whether elections on a system are best run many at a time."""
    return (len(system.shape) if ON_NODES else system.agents) <= SMALL


class SmallElections:
    """Elections with the rules of the link on one system, of which only the ends are wanted."""

    def __init__(
        self, system: System, scheduler: str, options: Mapping[str, Any], last_round: int
    ) -> None:
        """Prepare what all seeds share; the system may be built with any of them."""
        shape, world = system.shape, new_world(system, options)
        self.stopped = np.zeros(1, dtype=np.bool_)  # can be set from another thread
        self._particle, self._watched = world.particle, world.watched
        outer_only = inner_can_be_left_out(system, scheduler)
        self._common = Common(
            ground=system.ground(),
            expanded=shape.expanded,
            offsets=np.array(() if shape.offsets is None else shape.offsets, dtype=np.uint8),
            options=world.options,
            scheduler=number_of(scheduler),
            outer_only=outer_only,
            last_round=last_round,
            stopped=self.stopped,
        )
        self._empty = new_state(system, 0, scheduler, options, outer_only)
        self._can_share_waves = (
            LANES > 0
            and world.watched >= LEAST_UNITS
            and not (CHANGED or INTERPRETED)
            and number_of(scheduler) == PERMUTATION
            and (outer_only or len(system.boundaries) == 1)
        )
        #: Whether many seeds share waves: if that is compiled already, or worth it.
        self.side_by_side = self._can_share_waves and is_at_hand(
            run_side_by_side, *self._side_by_side(range(LEAST_SEEDS))
        )

    def warm_up(self, elections: int) -> None:
        """Compile what so many elections need."""
        self.side_by_side |= self._can_share_waves and elections >= WORTHWHILE
        self.run([0])
        if self.side_by_side:
            self.run(range(LEAST_SEEDS))

    @property
    def at_once(self) -> int:
        """How many are best run in one call."""
        pairs = PAIRS_SIDE_BY_SIDE if self.side_by_side else PAIRS_OF_UNITS
        most = GROUP if self.side_by_side else GROUP // 4
        least = LEAST_SEEDS if self.side_by_side else 1
        return max(least, min(most, pairs // max(1, len(self._particle)) ** 2))

    def run(self, seeds: Sequence[int]) -> list[Standing]:
        """Run one election for each seed; return no ends if they are stopped."""
        if self.side_by_side and len(seeds) >= LEAST_SEEDS:
            arguments = self._side_by_side(seeds)
            is_done, ends = run_side_by_side(*arguments), arguments[-1]
        else:
            ends = room_for(len(seeds), self._watched)
            is_done = run_one_by_one(self._common, np.array(seeds, dtype=np.uint64), ends)
        return [self._standing(ends, number) for number in range(len(seeds) if is_done else 0)]

    def _side_by_side(self, seeds: Sequence[int]) -> tuple[Any, ...]:
        """Return what ``run_side_by_side`` takes; the ends are the last of it."""
        room = room_for_runs(self._empty, self._watched)
        ends = room_for(len(seeds), self._watched)
        return self._common, np.array(seeds, dtype=np.uint64), *room, ends

    def _standing(self, ends: Ends, number: int) -> Standing:
        row = slice(number, number + 1)
        of_units = ends.withdrawals[number], ends.memory[number], ends.draws[number]
        return Standing(ends.cursor[row], ends.watch[row], *of_units, self._particle)


@compiled
@takes_long("many small elections", 30)
def run_one_by_one(common: Common, seeds: NDArray[np.uint64], ends: Ends) -> bool:
    """Run elections to their ends, one after another; return whether nobody said stop."""
    for number in range(len(seeds)):
        if not finish(begin(common, seeds[number]), common, ends, number):
            return False
    return True
