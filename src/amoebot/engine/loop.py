"""The round loop: activates particles in the scheduler's order and lets the observer look on."""

from __future__ import annotations

import numpy as np

from amoebot import rng
from amoebot.engine.activation import activate, declare_alone
from amoebot.engine.schedulers import (
    PERMUTATION,
    UNIFORM,
    begin_round,
    end_round,
    interior_time,
    shuffle_step,
    waiting_time,
)
from amoebot.engine.state import State
from amoebot.engine.wave import spread
from amoebot.jit import rule


@rule
def advance(state: State, last_round: int, activations: int) -> None:
    """Run until a round is over, or so many activations later, or until an outcome appears."""
    run = state.run[0]
    watch = state.watch[0]
    outcome = watch.outcome
    limit = run.activations + activations
    if len(state.basic) == 0:
        declare_alone(state)
    while run.current_round <= last_round and run.activations < limit and watch.outcome == outcome:
        if run.terminate and message_is_out(state):
            spread(state, last_round, limit)
            return
        if run.place == 0:
            begin_round(state)
        if run.scheduler == UNIFORM:
            uniform_round(state, limit)
        else:
            ordered_round(state, limit)


@rule
def message_is_out(state: State) -> bool:
    """Whether the leader may have a turn from now on, in which it sends the message."""
    declared = state.watch[0].leader_declared
    if state.run[0].scheduler == UNIFORM:
        return declared > 0
    return 0 < declared < state.run[0].current_round


@rule
def ordered_round(state: State, limit: int) -> None:
    """Go on with a round in which everyone has one turn."""
    run = state.run[0]
    watch = state.watch[0]
    order = state.order
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    shuffled = run.scheduler == PERMUTATION
    outcome = watch.outcome
    first = run.place
    last = min(len(order), first + limit - run.activations)
    place = first
    while place < last and watch.outcome == outcome:
        if shuffled:
            shuffle_step(order, place, stream)
        activate(state, order[place])
        place += 1
    run.place = place
    run.activations += place - first
    if place == len(order):
        end_round(state)


@rule
def uniform_round(state: State, limit: int) -> None:
    """Go on with a round of independent picks, which ends when everyone has had a turn.

    The picks before this one are drawn again, to know who has had a turn already.
    """
    run = state.run[0]
    watch = state.watch[0]
    basic = state.basic
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    outcome = watch.outcome
    seen = np.zeros(len(basic), dtype=np.bool_)
    unseen = len(basic)
    end = interior_time(run.interior, stream)
    time = 0.0
    pick = 0
    while unseen > 0 or time < end:
        if pick == run.place and (run.activations == limit or watch.outcome != outcome):
            return
        time += waiting_time(len(basic), stream, pick)
        if unseen == 0 and time >= end:
            break
        actor = rng.below(len(basic), stream, pick)
        unseen -= not seen[actor]
        seen[actor] = True
        if pick == run.place:
            activate(state, basic[actor])
            run.place += 1
            run.activations += 1
        pick += 1
    end_round(state)
