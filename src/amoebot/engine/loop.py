"""The round loop: activates particles in the scheduler's order and lets the observer look on.

One particle is active at a time, and a round is over once each has been (Section 1.1).
"""

from __future__ import annotations

from amoebot import rng
from amoebot.jit import rule

from ..election.activation import activate_agent
from .activation import declare_alone, first_coin, pass_on, report
from .schedulers import (
    BY_HAND,
    PERMUTATION,
    UNIFORM,
    end_round,
    lay_out_turns,
    shuffle_step,
)
from .state import State
from .wave import spread


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
        if run.place == run.turns:
            lay_out_turns(state)
        take_turns(state, limit)
        if run.place == run.turns and run.complete:
            end_round(state)


@rule
def message_is_out(state: State) -> bool:
    """Whether the leader may have a turn from now on, in which it sends the message."""
    declared = state.watch[0].leader_declared
    if state.run[0].scheduler == UNIFORM:
        return declared > 0
    return 0 < declared < state.run[0].current_round


@rule
def take_turns(state: State, limit: int) -> None:
    """Activate the particles whose turns are laid out, one after another.

    This is the inner loop. The arrays are taken out of the state beforehand and only records are
    handed on, because every array that is handed to a function has its references counted.
    """
    run = state.run[0]
    order, memory, wiring = state.order, state.memory, state.wiring
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    shuffled, almost_sure, batch = run.scheduler == PERMUTATION, run.almost_sure, run.batch
    active = run.active
    first = run.place
    last = min(run.turns, first + limit - run.activations)
    place = first
    while place < last:
        if shuffled:
            shuffle_step(order, place - batch, stream)
        agent = int(order[place - batch])
        place += 1
        if agent >= active:
            continue  # only the first can be left out: siblings are wired past those that are
        while agent >= 0:
            wires = wiring[agent]
            me, pred, succ = memory[agent], memory[wires.pred], memory[wires.succ]
            coin = 0 if me.created else first_coin(run, me, agent)
            events = activate_agent(me, pred, succ, wires.sight, coin, almost_sure)
            if events and report(state, agent, events):
                last = place
            agent = int(wires.sibling)
    run.place = place
    run.activations += place - first


@rule
def activate_particle(state: State, particle: int) -> None:
    """Activate a particle out of turn, also an interior one or one that is to terminate."""
    run = state.run[0]
    run.scheduler = BY_HAND
    if run.terminate and state.particles[particle].message:
        pass_on(state, particle)
        run.place += 1
        run.activations += 1
        return
    state.order[0] = state.first_agent[particle]
    run.batch = run.place
    run.turns = run.place + 1
    take_turns(state, run.activations + 1)
