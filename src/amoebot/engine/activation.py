"""One particle's activation: its agents' rules with their coins, or its last act."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import inlined, rule

from ..election.activation import sides_of_coin
from ..election.almost_sure import flip_coin
from ..election.memory import DECLARED, FLIPS_COIN, Record, has_started
from ..election.termination import declare_particle, must_terminate, pass_message, terminate
from .observer import observe, observe_termination
from .state import LEADER, State

#: An expanded particle has two nodes with at most six neighbours each.
MOST_NEIGHBOURS = 12

# The coins of an agent, by draw number. The second algorithm flips any number of them.
SEGMENT_COIN, DIGIT_COIN, FIRST_COIN_OF_SECOND = 0, 1, 2


@rule
def first_coin(run: Record, me: Record, agent: int) -> int:
    """Draw the coin that an agent's activation begins with, if it begins with one."""
    number = DIGIT_COIN if has_started(me.candidacy) else SEGMENT_COIN
    return rng.coin(run.seed, agent, number, sides_of_coin(me, run.radix))


@rule
def report(state: State, agent: int, events: int) -> bool:
    """Flip the coin of the second algorithm, tell the observer; return whether the run is over.

    This happens seldom, and keeps what it takes out of the inner loop.
    """
    run = state.run[0]
    if events & FLIPS_COIN:
        number = FIRST_COIN_OF_SECOND + state.draws[agent]
        flip_coin(state.memory[agent].second, rng.coin(run.seed, agent, number, 2) == 1)
        state.draws[agent] += 1
    if agent >= len(state.withdrawals):
        return False
    outcome = state.watch[0].outcome
    observe(state, agent, events)
    if events & DECLARED and run.terminate:
        declare_particle(state.particles[state.particle[agent]])
    return state.watch[0].outcome != outcome


@rule
def pass_on(state: State, particle: int) -> None:
    """Activate a particle that has the termination message."""
    if must_terminate(state.particles[particle]):
        reached = np.empty(MOST_NEIGHBOURS, dtype=np.int64)
        broadcast(
            particle, state.nodes, state.neighbours, state.particles, state.first_agent, reached
        )
        observe_termination(state)


@inlined
def broadcast(
    particle: int,
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    particles: NDArray[Any],
    first_agent: NDArray[np.int32],
    reached: NDArray[np.int64],
) -> int:
    """Write the message into all neighbours' memories and terminate (Appendix A.2).

    Return how many interior particles had not been reached before, and note which.
    """
    count = 0
    for end in range(2):
        node = nodes[particle, end]
        for direction in range(6 if node >= 0 else 0):
            neighbour = neighbours[node, direction]
            if neighbour >= 0 and not particles[neighbour].message:
                pass_message(particles[neighbour])
                if first_agent[neighbour] < 0:
                    reached[count] = neighbour
                    count += 1
    terminate(particles[particle])
    return count


@rule
def declare_alone(state: State) -> None:
    """Let the only particle of a system, which has no neighbour, be the leader (Section 2.1)."""
    run = state.run[0]
    watch = state.watch[0]
    if watch.outcome != LEADER:
        watch.outcome = LEADER
        watch.leader_declared = run.current_round
        if run.terminate:
            terminate(state.particles[0])
            observe_termination(state)
    run.activations += 1
    run.current_round += 1
