"""The state of a run: what it is, where it stands, and what the observer has seen of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# outcome: how a run ended; 0 while it goes on.
LEADER, NO_CANDIDATES, TIED_IDENTIFIERS = 1, 2, 3

#: What a run is (its options) and where it stands.
RUN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("seed", np.uint64),
                ("radix", np.int64),
                ("scheduler", np.int64),
                ("almost_sure", np.int64),
                ("terminate", np.int64),
                ("interior", np.int64),  # particles without agents
                ("active", np.int64),  # how many agents are activated: all, or the outer boundary's
                ("current_round", np.int64),  # the round under way, counted from 1
                ("place", np.int64),  # turns of particles with agents in it so far
                ("interior_turns", np.int64),  # turns of other particles that did something
                ("activations", np.int64),  # particle activations in all
                ("batch", np.int64),  # the turn that the order begins with
                ("turns", np.int64),  # turns laid out so far in this round
                ("complete", np.int64),  # whether these are all turns of this round
                ("unseen", np.int64),  # particles with agents that are in none of them
                ("time", np.float64),  # of the last turn, where turns have times
            ]
        ),
    )
)

#: What the observer has counted and noted. Rounds count from 1; 0 means not yet.
WATCH = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("outcome", np.int64),
                ("leader", np.int64),  # the agent that declared
                ("terminated", np.int64),  # how many particles have
                # counts on the outer boundary
                ("started", np.int64),
                ("heads", np.int64),
                ("digits", np.int64),
                ("set_up", np.int64),
                ("created", np.int64),
                ("withdrawn", np.int64),
                # the round in which ...
                ("identifiers_set_up", np.int64),
                ("digit_tokens_created", np.int64),
                ("first_solitude_verification", np.int64),
                ("last_solitude_verification", np.int64),
                ("last_rival_gone", np.int64),
                ("boundary_identification", np.int64),
                ("stop_token_sent", np.int64),
                ("leader_declared", np.int64),
                ("all_terminated", np.int64),
            ]
        ),
    )
)


class State(NamedTuple):
    """All arrays of a run."""

    run: NDArray[Any]  # RUN, one record
    watch: NDArray[Any]  # WATCH, one record
    withdrawals: NDArray[np.int64]  # the round of each withdrawal on the outer boundary
    memory: NDArray[Any]  # AGENT, one record for each agent
    wiring: NDArray[Any]  # WIRING, one record for each agent
    draws: NDArray[np.uint32]  # coins that each agent has flipped in the second algorithm
    particles: NDArray[Any]  # PARTICLE, one record for each particle, if they are to terminate
    nodes: NDArray[np.int32]  # of each of these particles, the second one -1 if contracted
    neighbours: NDArray[np.int32]  # of each node, as particles, -1 where empty
    particle: NDArray[np.int32]  # of each agent
    first_agent: NDArray[np.int32]  # of each particle, -1 for an interior one
    basic: NDArray[np.int32]  # the particles that have agents, each as its first agent
    order: NDArray[np.int32]  # the turns that are laid out
    seen: NDArray[np.uint8]  # who of them has had a turn laid out, under ``uniform``


def changing(state: State) -> tuple[NDArray[Any], ...]:
    """Return the arrays that change during a run, other than the particles' memories."""
    return (
        state.run,
        state.watch,
        state.withdrawals,
        state.memory,
        state.draws,
        state.order,
        state.seen,
    )
