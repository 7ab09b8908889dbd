"""Run many seeds on one shape in a single compiled call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled, takes_long
from amoebot.system import Ground, System
from amoebot.system.build import random_offsets, wire

from ..algorithms.interface import COIN_LANES, LANES, LEADER, ON_NODES
from .names import LEAST_AGENTS, NO_END, number_of
from .sequential import advance
from .standing import Standing
from .start import CURSOR, MEMORY, WATCH, empty_state, inner_can_be_left_out, new_world

#: With more units, an election takes long enough to be run by itself, or in waves.
SMALL = LEAST_AGENTS - 1 if LANES else 400

#: Rounds after which to look whether someone says stop.
ROUNDS = 1_000


def is_small(system: System) -> bool:
    """Whether elections on a system are best run many at a time."""
    return (len(system.shape) if ON_NODES else system.agents) <= SMALL


class Ends(NamedTuple):
    """How elections ended, one row each."""

    cursor: NDArray[Any]  # Cursor
    watch: NDArray[Any]  # Watch
    withdrawals: NDArray[np.int64]  # the round of each withdrawal
    memory: NDArray[Any]  # Memory of each unit that is watched
    draws: NDArray[np.uint32]  # coins that each of them has flipped in each lane


class SmallElections:
    """Elections with the rules of the link on one system, of which only the ends are wanted."""

    def __init__(
        self, system: System, scheduler: str, options: Mapping[str, Any], last_round: int
    ) -> None:
        """Prepare what all seeds share; the system may be built with any of them."""
        shape, world = system.shape, new_world(system, options)
        self.stopped = np.zeros(1, dtype=np.bool_)  # can be set from another thread
        self._particle, self._watched = world.particle, world.watched
        offsets = np.array(() if shape.offsets is None else shape.offsets, dtype=np.uint8)
        self._given = system.ground(), shape.expanded, offsets, world.options
        outer_only = inner_can_be_left_out(system, scheduler)
        self._how = number_of(scheduler), outer_only, last_round

    def run(self, seeds: Sequence[int]) -> list[Standing]:
        """Run one election for each seed; fewer, once they are stopped."""
        ends = room_for(len(seeds), self._watched)
        numbers = np.array(seeds, dtype=np.uint64)
        count = run_seeds(*self._given, numbers, *self._how, self.stopped, ends)
        return [self._standing(ends, number) for number in range(count)]

    def _standing(self, ends: Ends, number: int) -> Standing:
        row = slice(number, number + 1)
        of_units = ends.withdrawals[number], ends.memory[number], ends.draws[number]
        return Standing(ends.cursor[row], ends.watch[row], *of_units, self._particle)


def room_for(elections: int, watched: int) -> Ends:
    """Return arrays for the ends of elections."""
    return Ends(
        cursor=np.zeros(elections, dtype=CURSOR),
        watch=np.zeros(elections, dtype=WATCH),
        withdrawals=np.zeros((elections, watched), dtype=np.int64),
        memory=np.zeros((elections, watched), dtype=MEMORY),
        draws=np.zeros((elections, watched, COIN_LANES), dtype=np.uint32),
    )


@compiled
@takes_long("many small elections", 30)
def run_seeds(
    ground: Ground,
    expanded: NDArray[np.int32],
    given_offsets: NDArray[np.uint8],
    options: NDArray[Any],
    seeds: NDArray[np.uint64],
    scheduler: int,
    outer_only: bool,
    last_round: int,
    stopped: NDArray[np.bool_],
    ends: Ends,
) -> int:
    """Run elections to their ends, until someone says stop; return how many were run.

    The ground is that of any seed: what the seed decides about the wiring is found anew.
    """
    for number in range(len(seeds)):
        seed = seeds[number]
        offsets = given_offsets
        if len(offsets) == 0:
            offsets = random_offsets(len(ground.neighbours), seed)
        wires = wire(ground.neighbours, expanded, offsets, seed)
        own = Ground(
            ground.neighbours,
            ground.around,
            wires.pairs,
            ground.nodes,
            ground.particle_of_node,
            ground.node,
            wires.wiring,
            wires.first_agent,
            ground.lengths,
        )
        state = empty_state(own, options, seed, scheduler, outer_only)
        cursor, watch = state.cursor[0], state.watch[0]
        while (
            not stopped[0]
            and cursor.current_round <= last_round
            and (
                watch.outcome == 0
                or (watch.outcome == LEADER and options[0].terminate and not watch.all_terminated)
            )
        ):
            # Not the constant itself, for which everything would be compiled once more.
            no_end = int(np.int64(NO_END))
            advance(state, min(last_round, cursor.current_round + ROUNDS), no_end)
        if stopped[0]:
            return number
        ends.cursor[number] = cursor
        ends.watch[number] = watch
        ends.withdrawals[number] = state.withdrawals
        ends.memory[number] = state.world.memory[: state.world.watched]
        ends.draws[number] = state.draws[: state.world.watched]
    return len(seeds)
