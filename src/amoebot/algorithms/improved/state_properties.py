"""What must hold in every state of the improved election, sentence by sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.jit import borrowed, compiled, inlined

from ..candidacy import (
    BALANCED,
    IDENTIFYING,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
    Axis,
    Candidacy,
    Sign,
    has_started,
    is_candidate,
)
from ..solitude_verification import lane, sign
from .claims import (
    ALL_SETTLED,
    ALONE,
    CAPACITIES,
    COINS_KEPT,
    EDGES,
    FOLLOWS,
    HIGHEST,
    HIGHEST_STAYS,
    IDENTIFIES,
    NO_GAPS,
    NOTHING_LEFT,
    ORDER_KEPT,
    OUTSIDE,
    RECEIVES,
    REVERSED,
    RIVALS,
    SEGMENTS,
    STOPS,
    TOGETHER,
    TOKENS_KEPT,
    WAITS,
    WINS,
)
from .course import compare_identifiers
from .identifier_comparison import NO_TOKEN, held_tokens
from .memory import COMPLETE, STOPPING, WON
from .token_order import are_in_order


@compiled
def violated(world: World) -> int:
    """Return the number of a property that a state violates, or 0."""
    world = borrowed(world)
    memory, wiring, boundary = world.memory, world.wiring, world.boundary
    leaders = 0
    problem = 0
    for agent in range(len(memory)):
        me, pred = memory[agent], memory[wiring[agent].pred]
        leaders += me.leader
        first, second = me.candidacy, me.second.candidacy
        problem = problem or violated_by_agent(memory, wiring, boundary, agent)
        problem = problem or violated_in_lanes(first) or violated_in_lanes(second)
        if first.x.lane | first.y.lane and stage_of_owner(memory, wiring, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        if second.x.lane | second.y.lane and stage_of_second(memory, wiring, agent) != VERIFYING:
            problem = problem or NOTHING_LEFT
        if not (is_gapless(first, pred.candidacy) and is_gapless(second, pred.second.candidacy)):
            problem = problem or NO_GAPS
        if agent == 0 or boundary[agent] != boundary[agent - 1]:
            problem = problem or violated_on_boundary(memory, boundary, agent)
            problem = problem or violated_by_coins(memory, boundary, agent)
    for agent in range(len(memory)):
        if agent == 0 or boundary[agent] != boundary[agent - 1]:
            problem = problem or violated_by_token_awaited(memory, boundary, agent)
    outer = world.watched if world.options[0].almost_sure else 0
    rivals = outer == 0 or second_has_candidate(memory, outer)
    return problem if rivals or leaders else problem or RIVALS


@compiled
def violated_by_agent(
    memory: NDArray[Any], wiring: NDArray[Any], boundary: NDArray[np.int32], agent: int
) -> int:
    """Check an agent among the others of its boundary."""
    me = memory[agent]
    if is_candidate(me.candidacy) and not me.head:
        return SEGMENTS
    if not me.created and me.oldest != NO_TOKEN:
        return RECEIVES
    if me.candidacy.withdrawing and me.candidacy.stage != VERIFYING:
        return WAITS
    if me.head and me.setup == COMPLETE and not is_reversed(memory, wiring, agent):
        return REVERSED
    for second in range(2):
        mine = candidacy_of(memory, agent, second)
        if mine.stage >= IDENTIFYING and not is_alone(memory, wiring, agent, second):
            return ALONE
        if mine.x.activation == OUTWARD and not is_edge_by_edge(memory, wiring, agent, second):
            return EDGES
    if me.second.candidacy.stage and me.second.coin:
        return FOLLOWS
    if (me.second.stop or me.second.candidacy.stage >= STOPPING) and not me.frozen:
        return STOPS
    if me.leader and boundary[agent] != 0:
        return OUTSIDE
    if boundary[agent] == 0 and me.head:
        withdrawn = not is_candidate(me.candidacy) or me.candidacy.withdrawing
        if withdrawn and has_highest(memory, boundary, agent):
            return HIGHEST_STAYS
        if me.leader and me.second.candidacy.stage != WON:
            return 0 if has_highest(memory, boundary, agent) else HIGHEST
    return 0


@inlined
def candidacy_of(memory: NDArray[Any], agent: int, second: int) -> Candidacy:
    """Return the candidacy lane of an agent in the first or the second algorithm."""
    return memory[agent].second.candidacy if second else memory[agent].candidacy


@compiled
def is_reversed(memory: NDArray[Any], wiring: NDArray[Any], head: int) -> bool:
    """Whether the segment of a head holds its identifier in reversed order as well."""
    last = head
    while not memory[wiring[last].succ].head:
        last = int(wiring[last].succ)
    front = head
    back = last
    while True:
        if not memory[front].drawn or memory[front].digit != memory[back].reversed_digit:
            return False
        if front == last:
            return True
        front = int(wiring[front].succ)
        back = int(wiring[back].pred)


@compiled
def is_alone(memory: NDArray[Any], wiring: NDArray[Any], agent: int, second: int) -> bool:
    """Whether nobody else on its boundary is a candidate."""
    other = int(wiring[agent].succ)
    while other != agent:
        mine = candidacy_of(memory, other, second)
        if is_candidate(mine) or not has_started(mine):
            return False
        other = int(wiring[other].succ)
    return True


@compiled
def is_edge_by_edge(memory: NDArray[Any], wiring: NDArray[Any], agent: int, second: int) -> bool:
    """Whether there are as many tokens of each sign as edges that an activation token walked.

    It is here, on its way out. What is left of a token's sum of turns is its heading.
    """
    candidate = agent
    while not is_candidate(candidacy_of(memory, candidate, second)):
        candidate = int(wiring[candidate].pred)
        if candidate == agent:
            return False
    for axis in range(2):
        heading = 2 * axis
        missing_gains = np.int64(0)
        missing_losses = np.int64(0)
        here = candidate
        while True:
            me = candidacy_of(memory, here, second)
            mine = lane(me, axis)
            missing_gains -= np.int64(mine.positive.held)
            missing_losses -= np.int64(mine.negative.held)
            if here == agent:
                break
            step = sign(heading)
            missing_gains += step > 0
            missing_losses += step < 0
            here = int(wiring[here].succ)
            heading = (heading + candidacy_of(memory, here, second).turn) % 6
        if missing_gains or missing_losses or mine.heading != heading:
            return False
    return True


@compiled
def has_highest(memory: NDArray[Any], boundary: NDArray[np.int32], head: int) -> bool:
    """Whether no identifier on the outer boundary is higher than that of a head."""
    length = 0
    while length < len(memory) and boundary[length] == 0:
        length += 1
    for other in range(length):
        if memory[other].head and compare_identifiers(memory, other, head, length) > 0:
            return False
    return True


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
                held += 1
    if held != created:
        return TOKENS_KEPT
    if created < length:
        return 0
    agents = memory[first : first + length]
    for creator in range(length):
        if are_in_order(agents, agents, 0, creator):
            return 0
    return ORDER_KEPT


@compiled
def violated_by_coins(memory: NDArray[Any], boundary: NDArray[np.int32], first: int) -> int:
    """Check the coins of the second algorithm on the boundary that begins with an agent.

    Whoever has sent its coin one way knows, until it has used one that came that way. So there are
    as many coins on their way as candidates that have sent one.
    """
    forth = np.int64(0)
    back = np.int64(0)
    agent = first
    while agent < len(memory) and boundary[agent] == boundary[first]:
        me = memory[agent].second
        forth += np.int64(me.forth != 0) - np.int64(me.sent_forth)
        back += np.int64(me.back != 0) - np.int64(me.sent_back)
        agent += 1
    return COINS_KEPT if forth or back else 0


@compiled
def violated_by_token_awaited(memory: NDArray[Any], boundary: NDArray[np.int32], first: int) -> int:
    """Check the tokens sent once around the boundary that begins with an agent.

    There are as many as candidates that wait for theirs: no token is lost, and whoever has it back
    waits no longer.
    """
    missing_in_first = np.int64(0)
    missing_in_second = np.int64(0)
    missing_stop = np.int64(0)
    agent = first
    while agent < len(memory) and boundary[agent] == boundary[first]:
        me = memory[agent]
        rival = me.second.candidacy
        missing_in_first += np.int64(me.candidacy.stage == IDENTIFYING)
        missing_in_first -= np.int64(me.candidacy.identification != 0)
        missing_in_second += np.int64(rival.stage == IDENTIFYING)
        missing_in_second -= np.int64(rival.identification != 0)
        missing_stop += np.int64(rival.stage == STOPPING) - np.int64(me.second.stop != 0)
        agent += 1
    if missing_in_first or missing_in_second:
        return IDENTIFIES
    return WINS if missing_stop else 0


@compiled
def second_has_candidate(memory: NDArray[Any], length: int) -> bool:
    """Whether the second algorithm has a candidate left on the outer boundary, or may get one."""
    for agent in range(length):
        me = memory[agent].second.candidacy
        if is_candidate(me) or not has_started(me):
            return True
    return False
