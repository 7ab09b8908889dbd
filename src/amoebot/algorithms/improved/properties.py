"""What must hold in every state of the improved election, and when it elects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import Property
from amoebot.algorithms.interface import DECIDED, MAY_ELECT, World
from amoebot.jit import compiled, inlined

from ..candidacy import (
    BALANCED,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
    Axis,
    Candidacy,
    Sign,
    has_started,
    is_candidate,
)
from .course import highest_is_unique
from .identifier_comparison import DELIMITER, DIGIT, NO_TOKEN, held_tokens

CAPACITIES, TOKENS_KEPT, ORDER_KEPT, NOTHING_LEFT, TOGETHER, ALL_SETTLED, NO_GAPS, RIVALS = range(
    1, 9
)

PROPERTIES = {
    CAPACITIES: Property("no agent holds more tokens than the paper allows", "Section 2.5"),
    TOKENS_KEPT: Property("digit tokens are neither lost nor doubled", "Section 2.4"),
    ORDER_KEPT: Property("digit tokens keep their order", "Section 2.4"),
    NOTHING_LEFT: Property("a finished verification leaves nothing", "Section 2.5"),
    TOGETHER: Property("both activation tokens turn at the same candidate", "Section 2.5"),
    ALL_SETTLED: Property(
        "the activation token compares when all tokens have settled", "Section 2.5"
    ),
    NO_GAPS: Property("tokens settle only behind two settled ones", "Section 2.5"),
    RIVALS: Property(
        "the second algorithm never loses its last candidate", "Appendix A.3", needs="almost_sure"
    ),
}


# What theorems say of elections, without the probability.
IF_UNIQUE = Property(
    "a leader can be elected if and only if the highest identifier is unique", "Theorem 1"
)
ALWAYS = Property("a leader can be elected from every state", "Theorem 3")


def elects(options: Mapping[str, Any]) -> str:
    """Return what is claimed of elections."""
    return (ALWAYS if options["almost_sure"] else IF_UNIQUE).sentence


@compiled
def state_flags(world: World, before: int) -> int:
    """Say whether the highest identifier is unique or can still be; once decided, for good."""
    options = world.options[0]
    if options.almost_sure:
        return MAY_ELECT | DECIDED
    if before & DECIDED:
        return before
    flags = MAY_ELECT if may_be_unique(world.memory, world.watched, options.radix) else 0
    return flags | DECIDED if is_decided(world.memory, world.watched) else flags


@compiled
def is_decided(memory: NDArray[Any], length: int) -> bool:
    """Whether no coin of the first algorithm is left to be flipped on the outer boundary."""
    heads = 0
    drawn = 0
    for agent in range(length):
        if not has_started(memory[agent].candidacy):
            return False
        heads += memory[agent].head
        drawn += memory[agent].drawn
    return heads == 0 or drawn == length


@compiled
def may_be_unique(memory: NDArray[Any], length: int, radix: int) -> bool:
    """Whether coins still to be flipped can make the outer boundary's highest identifier unique.

    Where all have been flipped, that is whether it is unique.
    """
    guess = memory[:length].copy()
    sides = np.ones(2 * length, dtype=np.int64)  # of each agent's two coins
    for agent in range(length):
        if not has_started(guess[agent].candidacy):
            sides[2 * agent] = 2
        if not guess[agent].drawn:
            sides[2 * agent + 1] = radix
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
def violated(world: World) -> int:
    """Return the number of a property that a state violates, or 0."""
    memory, wiring, boundary = world.memory, world.wiring, world.boundary
    leaders = 0
    problem = 0
    for agent in range(len(memory)):
        me, pred = memory[agent], memory[wiring[agent].pred]
        leaders += me.leader
        first, second = me.candidacy, me.second.candidacy
        problem = problem or violated_in_lanes(first) or violated_in_lanes(second)
        if first.x.lane | first.y.lane and stage_of_owner(memory, wiring, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        if second.x.lane | second.y.lane and stage_of_second(memory, wiring, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        if not (is_gapless(first, pred.candidacy) and is_gapless(second, pred.second.candidacy)):
            problem = problem or NO_GAPS
        if agent == 0 or boundary[agent] != boundary[agent - 1]:
            problem = problem or violated_on_boundary(memory, boundary, agent)
    rivals = not world.options[0].almost_sure or second_has_candidate(memory, world.watched)
    return problem if rivals or leaders else problem or RIVALS


@compiled
def violated_in_lanes(me: Candidacy) -> int:
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
def was_settled(axis: Axis) -> bool:
    """Whether a result that passes here can come from settled tokens.

    It was found behind this agent. So this agent holds two settled tokens of a sign, and of both
    signs if they were balanced.
    """
    gains, losses = axis.positive.settled == 2, axis.negative.settled == 2
    if axis.activation == BALANCED:
        return gains and losses
    return axis.activation != UNBALANCED or gains or losses


@compiled
def is_gapless(me: Candidacy, pred: Candidacy) -> bool:
    """Whether the settled tokens of an agent are at the candidate, or behind two settled ones."""
    return is_candidate(me) or (
        is_behind(me.x.positive, pred.x.positive)
        and is_behind(me.x.negative, pred.x.negative)
        and is_behind(me.y.positive, pred.y.positive)
        and is_behind(me.y.negative, pred.y.negative)
    )


@inlined
def is_behind(tokens: Sign, ahead: Sign) -> bool:
    """Whether there are no settled tokens here, or two of them ahead."""
    return tokens.settled == 0 or ahead.settled == 2


@inlined
def is_sound(tokens: Sign) -> bool:
    """Whether there are at most two tokens of a sign, and no more settled ones than there are."""
    return tokens.held <= 2 and tokens.settled <= tokens.held


@compiled
def stage_of_owner(memory: NDArray[Any], wiring: NDArray[Any], agent: int) -> int:
    """Return the stage of the candidate whose extended segment an agent belongs to."""
    for _ in range(len(memory)):
        if is_candidate(memory[agent].candidacy):
            return memory[agent].candidacy.stage
        agent = int(wiring[agent].pred)
    return -1


@compiled
def stage_of_second(memory: NDArray[Any], wiring: NDArray[Any], agent: int) -> int:
    """Return the same for the second algorithm."""
    for _ in range(len(memory)):
        if is_candidate(memory[agent].second.candidacy):
            return memory[agent].second.candidacy.stage
        agent = int(wiring[agent].pred)
    return -1


@compiled
def violated_on_boundary(memory: NDArray[Any], boundary: NDArray[np.int32], first: int) -> int:
    """Check number and order of the digit tokens on the boundary that begins with an agent."""
    length = 0
    while first + length < len(memory) and boundary[first + length] == boundary[first]:
        length += 1
    tokens = np.empty(len(held_tokens(memory[first])) * length, dtype=np.int64)
    created = 0
    held = 0
    for agent in range(first, first + length):
        me = memory[agent]
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
            me = memory[first + (place + shift) % length]
            succ = memory[first + (place + shift + 1) % length]
            token = np.int64(me.reversed_digit) | (DELIMITER if succ.head else 0)
            same = same and token == tokens[place]
        if same:
            return 0
    return ORDER_KEPT


@compiled
def second_has_candidate(memory: NDArray[Any], length: int) -> bool:
    """Whether the second algorithm has a candidate left on the outer boundary, or may get one."""
    for agent in range(length):
        me = memory[agent].second.candidacy
        if is_candidate(me) or not has_started(me):
            return True
    return False
