"""What must hold in every state, and what a state is.

Properties that a state or a step shows by itself are checked when it is found. Those about what can
be reached are decided afterwards, from the flags and the edges of all states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled, inlined

from ..election.identifier_comparison import DELIMITER, DIGIT, NO_TOKEN, held_tokens
from ..election.memory import (
    BALANCED,
    DRAW,
    DRAWN,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
    Record,
    has_started,
    is_candidate,
)
from ..engine.observer import highest_is_unique
from .model import Model, Moment

# flags: what a state is. Decided means that all coins of the first algorithm have been flipped.
HAS_LEADER, ALL_TERMINATED, MAY_ELECT, DECIDED = 1, 2, 4, 8

# The properties of a state or a step, by number.
ONE_LEADER, LEADER_STAYS, CAPACITIES, TOKENS_KEPT, ORDER_KEPT = 1, 2, 3, 4, 5
NOTHING_LEFT, TOGETHER, ALL_SETTLED, NO_GAPS, RIVALS = 6, 7, 8, 9, 10

#: What each property says, for reports, and where the paper says so.
SENTENCES = {
    ONE_LEADER: "never two leaders",  # Section 1.3
    LEADER_STAYS: "a leader is never revoked",  # Section 1.3
    CAPACITIES: "no agent holds more tokens than the paper allows",  # Section 2.5
    TOKENS_KEPT: "digit tokens are neither lost nor doubled",  # Section 2.4
    ORDER_KEPT: "digit tokens keep their order",  # Section 2.4
    NOTHING_LEFT: "a finished verification leaves nothing",  # Section 2.5
    TOGETHER: "both activation tokens turn at the same candidate",  # Section 2.5
    ALL_SETTLED: "the activation token compares when all tokens have settled",  # Section 2.5
    NO_GAPS: "tokens settle only behind two settled ones",  # Section 2.5
    RIVALS: "the second algorithm never loses its last candidate",  # Appendix A.3
}


@compiled
def what_is(model: Model, moment: Moment, before: int) -> int:
    """Return the flags of a state, given those of the state before it."""
    flags = np.int64(before) & (MAY_ELECT | DECIDED)
    if not flags & DECIDED:
        flags = np.int64(0)
        if may_be_unique(moment.agents, model.length, model.radix):
            flags |= MAY_ELECT
        if is_decided(moment.agents, model.length):
            flags |= DECIDED
    for agent in range(len(moment.agents)):
        if moment.agents[agent].leader:
            flags |= HAS_LEADER
    if model.terminate:
        terminated = 0
        for particle in range(len(moment.particles)):
            terminated += moment.particles[particle].terminated
        if terminated == len(moment.particles):
            flags |= ALL_TERMINATED
    return int(flags)


@compiled
def is_decided(agents: NDArray[Any], length: int) -> bool:
    """Whether no coin of the first algorithm is left to be flipped on the outer boundary."""
    for agent in range(length):
        me = agents[agent]
        if not has_started(me.candidacy) or me.setup == DRAW or me.setup == DRAWN:
            return False
    return True


@compiled
def violated(model: Model, moment: Moment) -> int:
    """Return the first property that a state violates, or 0."""
    agents, particle, boundary = moment.agents, model.particle, model.boundary
    leader = -1
    problem = 0
    for agent in range(len(agents)):
        me = agents[agent]
        if me.leader:
            if leader >= 0 and leader != particle[agent]:
                problem = ONE_LEADER
            leader = particle[agent]
        first, second = me.candidacy, me.second.candidacy
        problem = problem or violated_in_lanes(first) or violated_in_lanes(second)
        if first.x.lane | first.y.lane and stage_of_owner(model, agents, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        if second.x.lane | second.y.lane and stage_of_second(model, agents, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        pred = agents[model.wiring[agent].pred]
        if not (is_gapless(first, pred.candidacy) and is_gapless(second, pred.second.candidacy)):
            problem = problem or NO_GAPS
        if agent == 0 or boundary[agent] != boundary[agent - 1]:
            problem = problem or violated_on_boundary(model, moment, agent)
    if model.almost_sure and leader < 0 and not second_has_candidate(agents, model.length):
        problem = problem or RIVALS
    return problem


@inlined
def violated_in_lanes(me: Record) -> int:
    """Check the tokens of solitude verification that an agent holds."""
    x, y = me.x, me.y
    if (x.activation == OUTWARD) != (y.activation == OUTWARD):
        return TOGETHER
    if not (is_candidate(me) or (was_settled(x) and was_settled(y))):
        return ALL_SETTLED
    fits = is_sound(x.positive) and is_sound(x.negative)
    fits = fits and is_sound(y.positive) and is_sound(y.negative)
    return 0 if fits else CAPACITIES


@inlined
def was_settled(axis: Record) -> bool:
    """Whether a result that passes here can come from settled tokens.

    It was found behind this agent. So this agent holds two settled tokens of a sign, and of both
    signs if they were balanced.
    """
    gains, losses = axis.positive.settled == 2, axis.negative.settled == 2
    if axis.activation == BALANCED:
        return gains and losses
    return axis.activation != UNBALANCED or gains or losses


@inlined
def is_gapless(me: Record, pred: Record) -> bool:
    """Whether the settled tokens of an agent are at the candidate, or behind two settled ones."""
    return is_candidate(me) or (
        is_behind(me.x.positive, pred.x.positive)
        and is_behind(me.x.negative, pred.x.negative)
        and is_behind(me.y.positive, pred.y.positive)
        and is_behind(me.y.negative, pred.y.negative)
    )


@inlined
def is_behind(tokens: Record, ahead: Record) -> bool:
    """Whether there are no settled tokens here, or two of them ahead."""
    return tokens.settled == 0 or ahead.settled == 2


@inlined
def is_sound(tokens: Record) -> bool:
    """Whether there are at most two tokens of a sign, and no more settled ones than there are."""
    return tokens.held <= 2 and tokens.settled <= tokens.held


@compiled
def stage_of_owner(model: Model, agents: NDArray[Any], agent: int) -> int:
    """Return the stage of the candidate whose extended segment an agent belongs to."""
    for _ in range(len(agents)):
        if is_candidate(agents[agent].candidacy):
            return agents[agent].candidacy.stage
        agent = int(model.wiring[agent].pred)
    return -1


@compiled
def stage_of_second(model: Model, agents: NDArray[Any], agent: int) -> int:
    """Return the same for the second algorithm."""
    for _ in range(len(agents)):
        if is_candidate(agents[agent].second.candidacy):
            return agents[agent].second.candidacy.stage
        agent = int(model.wiring[agent].pred)
    return -1


@compiled
def violated_on_boundary(model: Model, moment: Moment, first: int) -> int:
    """Check number and order of the digit tokens on the boundary that begins with an agent."""
    agents, tokens = moment.agents, moment.tokens
    length = 0
    while first + length < len(agents) and model.boundary[first + length] == model.boundary[first]:
        length += 1
    created = 0
    held = 0
    for agent in range(first, first + length):
        me = agents[agent]
        created += me.created
        gap = False
        for token in held_tokens(me):
            if token == NO_TOKEN:
                gap = True
            elif gap:
                return ORDER_KEPT
            else:
                tokens[held] = token & (DIGIT | DELIMITER)
                held += 1
    if held != created:
        return TOKENS_KEPT
    if created < length:
        return 0
    for shift in range(length):
        same = True
        for place in range(length):
            me = agents[first + (place + shift) % length]
            succ = agents[first + (place + shift + 1) % length]
            token = np.int64(me.reversed_digit) | (DELIMITER if succ.head else 0)
            same = same and token == tokens[place]
        if same:
            return 0
    return ORDER_KEPT


@compiled
def second_has_candidate(agents: NDArray[Any], length: int) -> bool:
    """Whether the second algorithm has a candidate left on the outer boundary, or may get one."""
    for agent in range(length):
        me = agents[agent].second.candidacy
        if is_candidate(me) or not has_started(me):
            return True
    return False


@compiled
def may_be_unique(agents: NDArray[Any], length: int, radix: int) -> bool:
    """Whether coins still to be flipped can make the outer boundary's highest identifier unique.

    Where all have been flipped, that is whether it is unique.
    """
    guess = agents[:length].copy()
    sides = np.ones(2 * length, dtype=np.int64)  # of each agent's two coins
    for agent in range(length):
        if not has_started(guess[agent].candidacy):
            sides[2 * agent] = 2
            sides[2 * agent + 1] = radix
        elif guess[agent].head:
            mark_undrawn(guess, agent, length, sides, radix)
    coins = np.zeros(2 * length, dtype=np.int64)
    while True:
        heads = 0
        for agent in range(length):
            if sides[2 * agent] > 1:
                guess[agent].head = coins[2 * agent]
            if sides[2 * agent + 1] > 1:
                guess[agent].digit = coins[2 * agent + 1]
            heads += guess[agent].head
        if heads > 0 and highest_is_unique(guess, length):
            return True
        last = 2 * length - 1
        while last >= 0 and coins[last] == sides[last] - 1:
            coins[last] = 0
            last -= 1
        if last < 0:
            return False
        coins[last] += 1


@compiled
def mark_undrawn(
    agents: NDArray[Any], head: int, length: int, sides: NDArray[np.int64], radix: int
) -> None:
    """Mark the agents of a segment whose digits have not been drawn: those from the token on."""
    drawing = False
    for place in range(length):
        agent = (head + place) % length
        me = agents[agent]
        if place > 0 and me.head:
            return
        if me.setup == DRAW or drawing:
            sides[2 * agent + 1] = radix
        drawing = drawing or me.setup == DRAW or me.setup == DRAWN
