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
                ("interior", np.int64),  # particles without agents
                ("current_round", np.int64),  # the round under way, counted from 1
                ("position", np.int64),  # particle activations in it so far
                ("activations", np.int64),  # particle activations in all
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
                ("leader_declared", np.int64),
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
    basic: NDArray[np.int32]  # the particles that have agents, each as its first agent
    order: NDArray[np.int32]  # the order of the round under way


def changing(state: State) -> tuple[NDArray[Any], ...]:
    """Return the arrays that change during a run."""
    return state.run, state.watch, state.withdrawals, state.memory, state.order
