"""One small election of many on a shape: how it begins with its seed, and how its end is kept."""

from __future__ import annotations

import numpy as np

from amoebot.engine.state import Common, Ends, State
from amoebot.jit import compilable, compiled
from amoebot.system import Ground
from amoebot.system.build import random_offsets, wire

from ..algorithms.interface import COIN_LANES, LEADER
from .layouts import CURSOR, STORED, WATCH
from .names import NO_END
from .sequential import advance
from .start import empty_state
from .termination import activations_left_out

#: Rounds after which to look whether someone says stop.
ROUNDS = 1_000


def room_for(elections: int, watched: int) -> Ends:
    """Return arrays for the ends of elections."""
    return Ends(
        cursor=np.zeros(elections, dtype=CURSOR),
        watch=np.zeros(elections, dtype=WATCH),
        withdrawals=np.zeros((elections, watched), dtype=np.int64),
        memory=np.zeros((elections, watched), dtype=STORED),
        draws=np.zeros((elections, watched, COIN_LANES), dtype=np.uint32),
    )


@compilable
def begin(common: Common, seed: np.uint64) -> State:
    """Return an election in which nobody has been activated yet."""
    ground, offsets = common.ground, common.offsets
    if len(offsets) == 0:
        offsets = random_offsets(len(ground.neighbours), seed)
    wires = wire(ground.neighbours, common.expanded, offsets, seed)
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
    return empty_state(own, common.options, seed, common.scheduler, common.outer_only)


@compiled
def finish(state: State, common: Common, ends: Ends, number: int) -> bool:
    """Run an election to its end, which gets a number; return whether it was not stopped."""
    cursor, watch, last_round = state.cursor[0], state.watch[0], common.last_round
    while (
        not common.stopped[0]
        and cursor.current_round <= last_round
        and (
            watch.outcome == 0
            or (
                watch.outcome == LEADER and common.options[0].terminate and not watch.all_terminated
            )
        )
    ):
        # Not the constant itself, for which everything would be compiled once more.
        no_end = int(np.int64(NO_END))
        advance(state, min(last_round, cursor.current_round + ROUNDS), no_end)
    if common.outer_only:
        cursor.activations += activations_left_out(state)
    ends.cursor[number] = cursor
    ends.watch[number] = watch
    ends.withdrawals[number] = state.withdrawals
    ends.memory[number] = state.world.memory[: state.world.watched]
    ends.draws[number] = state.draws[: state.world.watched]
    return not common.stopped[0]
