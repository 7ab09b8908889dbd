"""The round loop: activates particles in the scheduler's order and lets the observer look on."""

from __future__ import annotations

import numpy as np

from amoebot import rng
from amoebot.election.activation import DIGIT_COIN, SEGMENT_COIN, act, start
from amoebot.election.identifier_setup import draw_digit, draws_digit
from amoebot.election.memory import Record
from amoebot.election.segment_setup import flips_segment_coin
from amoebot.engine.observer import observe
from amoebot.engine.schedulers import (
    PERMUTATION,
    UNIFORM,
    begin_round,
    interior_time,
    shuffle_step,
    waiting_time,
)
from amoebot.engine.state import LEADER, State
from amoebot.jit import rule


@rule
def advance(state: State, last_round: int, activations: int) -> None:
    """Run until a round is over, or so many activations later, or until an outcome appears."""
    run = state.run[0]
    watch = state.watch[0]
    outcome = watch.outcome
    limit = run.activations + activations
    if len(state.basic) == 0:
        declare_alone(run, watch)
    while run.current_round <= last_round and run.activations < limit and watch.outcome == outcome:
        if run.position == 0:
            begin_round(state)
        if run.scheduler == UNIFORM:
            over = uniform_round(state, limit)
        else:
            over = ordered_round(state, limit)
        if over:
            run.current_round += 1
            run.position = 0


@rule
def declare_alone(run: Record, watch: Record) -> None:
    """Let the only particle of a system, which has no neighbour, be the leader (Section 2.1)."""
    run.activations += 1
    run.current_round += 1
    watch.outcome = LEADER
    if watch.leader_declared == 0:
        watch.leader_declared = 1


@rule
def ordered_round(state: State, limit: int) -> bool:
    """Go on with a round in which everyone has one turn; return whether it is over."""
    run = state.run[0]
    watch = state.watch[0]
    order = state.order
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    shuffled = run.scheduler == PERMUTATION
    outcome = watch.outcome
    first = run.position
    last = min(len(order), first + limit - run.activations)
    place = first
    while place < last and watch.outcome == outcome:
        if shuffled:
            shuffle_step(order, place, stream)
        activate(state, order[place])
        place += 1
    run.position = place
    run.activations += place - first
    return place == len(order)


@rule
def uniform_round(state: State, limit: int) -> bool:
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
        if pick == run.position and (run.activations == limit or watch.outcome != outcome):
            return False
        time += waiting_time(len(basic), stream, pick)
        if unseen == 0 and time >= end:
            break
        actor = rng.below(len(basic), stream, pick)
        unseen -= not seen[actor]
        seen[actor] = True
        if pick == run.position:
            activate(state, basic[actor])
            run.position += 1
            run.activations += 1
        pick += 1
    return True


@rule
def activate(state: State, agent: int) -> None:
    """Activate a particle: its agents, one after another, beginning with this one."""
    run = state.run[0]
    while agent >= 0:
        wires = state.wiring[agent]
        me = state.memory[agent]
        events = 0
        if flips_segment_coin(me):
            events = start(me, wires, rng.coin(run.seed, agent, SEGMENT_COIN, 2) == 1)
        elif draws_digit(me):
            events = draw_digit(me, rng.coin(run.seed, agent, DIGIT_COIN, run.radix))
        events |= act(me, state.memory[wires.pred], state.memory[wires.succ])
        if events and agent < len(state.withdrawals):
            observe(state, agent, events)
        agent = wires.sibling
