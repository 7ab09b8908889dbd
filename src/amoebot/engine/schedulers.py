"""Who is activated next: each round's order as a function of the seed, the round and the state.

A particle with no agent is never scheduled here: after its first activation, in which it does
nothing either, it has no part in the election. Its turns only matter for when a round is over,
and ``uniform`` accounts for them exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.errors import SchedulerError
from amoebot.jit import rule
from amoebot.system import System

from ..election.memory import OUTWARD, is_candidate
from .state import State

PERMUTATION, UNIFORM, ROUND_ROBIN, WITH_CYCLE, AGAINST_CYCLE, ADVERSARIAL, BY_HAND = range(7)

#: The schedulers by name.
SCHEDULERS = {
    "permutation": PERMUTATION,
    "uniform": UNIFORM,
    "round-robin": ROUND_ROBIN,
    "with-cycle": WITH_CYCLE,
    "against-cycle": AGAINST_CYCLE,
    "adversarial": ADVERSARIAL,
}


def actors(system: System, scheduler: int) -> NDArray[np.int32]:
    """Return the particles that have agents, each named by its first agent, in a basic order."""
    if scheduler not in (WITH_CYCLE, AGAINST_CYCLE, ADVERSARIAL):
        return system.first_agent[system.first_agent >= 0]
    _, lowest = np.unique(system.particle, return_index=True)
    along = system.first_agent[system.particle[np.sort(lowest)]]
    return along[::-1].copy() if scheduler == AGAINST_CYCLE else along


@rule
def lay_out_turns(state: State) -> None:
    """Lay out the turns of a round, or the next batch of them.

    ``permutation`` shuffles them as it goes. ``uniform`` has no fixed number of turns: they come in
    batches, until everyone has had one.
    """
    run = state.run[0]
    if run.scheduler == UNIFORM:
        pick(state)
        return
    for place in range(len(state.basic)):
        state.order[place] = state.basic[place]
    run.turns = len(state.basic)
    run.complete = 1
    if run.scheduler == ADVERSARIAL:
        oppose(state)


@rule
def end_round(state: State) -> None:
    """Begin to count the next round."""
    run = state.run[0]
    run.current_round += 1
    run.place = 0
    run.interior_turns = 0
    run.batch = 0
    run.turns = 0
    run.complete = 0
    run.time = 0.0


@rule
def shuffle_step(order: NDArray[np.int32], place: int, stream: np.uint64) -> None:
    """Do one step of the Fisher-Yates shuffle: draw who comes at this place."""
    other = place + rng.below(len(order) - place, stream, place)
    order[place], order[other] = order[other], order[place]


@rule
def pick(state: State) -> None:
    """Draw the next batch of independent uniform picks among all particles.

    Picks among all particles are the picks of independent clocks of rate one. Those of particles
    with agents are drawn; the others matter only for when the round is over.
    """
    run = state.run[0]
    basic, seen = state.basic, state.seen
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    if run.turns == 0:
        seen[:] = 0
        run.unseen = len(basic)
    end = interior_time(run.interior, stream)
    run.batch = run.turns
    while run.turns - run.batch < len(state.order) and not run.complete:
        actor = rng.below(len(basic), stream, run.turns)
        run.time += waiting_time(len(basic), stream, run.turns)
        state.order[run.turns - run.batch] = basic[actor]
        run.unseen -= not seen[actor]
        seen[actor] = 1
        run.turns += 1
        following = run.time + waiting_time(len(basic), stream, run.turns)
        run.complete = run.unseen == 0 and following >= end


@rule
def interior_time(interior: int, stream: np.uint64) -> float:
    """Return when the last of the particles without agents has had its turn under ``uniform``.

    The first turn of each is an exponential time, and this draws the greatest of them.
    """
    if interior == 0:
        return 0.0
    return -math.log1p(-(rng.unit(rng.mix(stream)) ** (1.0 / interior)))


@rule
def waiting_time(actors: int, stream: np.uint64, pick: int) -> float:
    """Return the time from the pick before to this one among so many clocks."""
    return -math.log1p(-rng.unit(rng.draw(~stream, pick))) / actors


@rule
def oppose(state: State) -> None:
    """Order a round so that the token the election waits for moves as little as it can.

    Digit tokens and homeward tokens move against the cycle, so activating along the cycle gives
    them single steps wherever particles have one agent. Once a single candidate is left, the
    election waits for its activation token or for that of boundary identification: the particle
    to which that token moves next comes first, so that it has to wait there for the next round,
    and the candidate comes last, so that what it sends out has to wait as well.
    """
    basic, particle, order = state.basic, state.particle, state.order
    candidates = 0
    last = -1
    ahead = -1
    for agent in range(len(state.withdrawals)):
        me = state.memory[agent].candidacy
        if is_candidate(me):
            candidates += 1
            last = particle[agent]
        if me.identification or me.x.activation == OUTWARD:
            ahead = particle[state.wiring[agent].succ]
        elif me.x.activation and ahead < 0:
            ahead = particle[state.wiring[agent].pred]
    if candidates != 1:
        return
    turns = 0
    for place in range(len(basic)):
        if particle[basic[place]] == ahead and ahead != last:
            order[turns] = basic[place]
            turns += 1
    for place in range(len(basic)):
        if particle[basic[place]] != ahead and particle[basic[place]] != last:
            order[turns] = basic[place]
            turns += 1
    for place in range(len(basic)):
        if particle[basic[place]] == last:
            order[turns] = basic[place]


def check_scheduler(name: str) -> int:
    """Return a scheduler's number, or say which names there are."""
    if name not in SCHEDULERS:
        known = ", ".join(SCHEDULERS)
        raise SchedulerError(f"there is no scheduler {name!r}: choose from {known}")
    return SCHEDULERS[name]
