"""One particle's activation: its agents' rules with their coins, or its last act."""

from __future__ import annotations

from amoebot import rng
from amoebot.election.activation import (
    DIGIT_COIN,
    FIRST_COIN_OF_SECOND,
    SEGMENT_COIN,
    act,
    start,
)
from amoebot.election.almost_sure import act_second, flip_coin, flips_coin
from amoebot.election.memory import DECLARED
from amoebot.election.identifier_setup import draw_digit, draws_digit
from amoebot.election.segment_setup import flips_segment_coin
from amoebot.election.termination import declare_particle, must_terminate, pass_message, terminate
from amoebot.engine.observer import observe, observe_termination
from amoebot.engine.state import LEADER, State
from amoebot.jit import inlined, rule


@inlined
def activate(state: State, agent: int) -> None:
    """Run the agents of a particle, one after another, beginning with its first one."""
    run = state.run[0]
    while agent >= 0:
        wires = state.wiring[agent]
        me = state.memory[agent]
        pred = state.memory[wires.pred]
        succ = state.memory[wires.succ]
        events = 0
        if flips_segment_coin(me):
            heads = rng.coin(run.seed, agent, SEGMENT_COIN, 2) == 1
            events = start(me, wires, heads, run.almost_sure)
        elif draws_digit(me):
            events = draw_digit(me, rng.coin(run.seed, agent, DIGIT_COIN, run.radix))
        events |= act(me, pred, succ)
        if run.almost_sure:
            if flips_coin(me.second):
                number = FIRST_COIN_OF_SECOND + state.draws[agent]
                flip_coin(me.second, rng.coin(run.seed, agent, number, 2) == 1)
                state.draws[agent] += 1
            events |= act_second(me, pred, succ)
        if events and agent < len(state.withdrawals):
            observe(state, agent, events)
            if events & DECLARED and run.terminate:
                declare_particle(state.particles[state.particle[agent]])
        agent = wires.sibling


@rule
def activate_particle(state: State, particle: int) -> None:
    """Activate any particle, also one that has the termination message or has terminated."""
    if not state.run[0].terminate:
        activate(state, state.first_agent[particle])
        return
    me = state.particles[particle]
    if must_terminate(me):
        for node in state.nodes[particle]:
            for direction in range(6 if node >= 0 else 0):
                neighbour = state.neighbours[node, direction]
                if neighbour >= 0:
                    pass_message(state.particles[neighbour])
        terminate(me)
        observe_termination(state)
    elif not me.terminated:
        activate(state, state.first_agent[particle])


@rule
def declare_alone(state: State) -> None:
    """Let the only particle of a system, which has no neighbour, be the leader (Section 2.1)."""
    run = state.run[0]
    watch = state.watch[0]
    run.activations += 1
    run.current_round += 1
    if watch.outcome == LEADER:
        return
    watch.outcome = LEADER
    watch.leader_declared = 1
    if run.terminate:
        terminate(state.particles[0])
        observe_termination(state)
