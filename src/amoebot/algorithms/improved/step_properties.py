"""What must hold of every activation: the sentences of Sections 2.4, 2.5, 2.6 and Appendix A.3.

An activation is judged by the memories before and after it. They do not say in which order the
agents of the particle acted, so what depends on it is judged only where it makes no difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.jit import borrowed, compiled, inlined

from ..candidacy import (
    BALANCED,
    HOMEWARD,
    IDENTIFYING,
    OUTER,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
    Candidacy,
    has_started,
    is_candidate,
)
from ..solitude_verification import lane
from .claims import (
    ALL_COMPETE,
    CARRIED_OUT,
    COMPARES,
    FOLLOWS,
    FORWARDS_ONE,
    IDENTIFIES,
    LEADER_STOPS,
    SIGNS_KEPT,
    STARTS_VERIFYING,
    STOPPED,
    WITHDRAWS,
)
from .course import compare_identifiers
from .identifier_comparison import ACTIVE, DELIMITER, NO_TOKEN, held_tokens
from .memory import WON
from .second_steps import end_of_iteration, end_of_stop, violated_by_coin
from .token_order import after, are_in_order

#: The agent at which nothing is found.
NOBODY = -1


@compiled
def violated_by_step(before: NDArray[Any], world: World, particle: int) -> int:
    """Return the number of a property that an activation violates, or 0."""
    before, world = borrowed(before), borrowed(world)
    memory, wiring, boundary = world.memory, world.wiring, world.boundary
    second = bool(world.options[0].almost_sure)
    first_lanes = False
    second_lanes = False
    for agent in range(len(memory)):
        was, now = before[agent], memory[agent]
        first_lanes |= have_changed(was.candidacy, now.candidacy)
        second_lanes |= second and have_changed(was.second.candidacy, now.second.candidacy)
    problem = 0
    for agent in range(len(memory)):
        was, now = before[agent], memory[agent]
        pred, succ = wiring[agent].pred, wiring[agent].succ
        # Neighbours that act as well may bring something.
        by_itself = world.particle[pred] != particle and world.particle[succ] != particle
        problem = problem or late_withdrawal(was.candidacy, now.candidacy)
        if was.frozen and now.leader > was.leader and now.second.candidacy.stage != WON:
            problem = problem or STOPPED
        if (was.frozen | was.leader) and by_itself and not stands_still(was, now):
            problem = problem or (STOPPED if was.frozen else LEADER_STOPS)
        if was.candidacy.stage == IDENTIFYING or was.second.candidacy.stage == IDENTIFYING:
            problem = problem or violated_identification(before, world, agent, particle)
        if first_lanes and goes_on(was.candidacy, now.candidacy):
            problem = problem or violated_on_axes(before, memory, wiring, agent, False)
        if second_lanes and goes_on(was.second.candidacy, now.second.candidacy):
            problem = problem or violated_on_axes(before, memory, wiring, agent, True)
        if second:
            started = has_started(now.second.candidacy) and not has_started(was.second.candidacy)
            if started and not is_candidate(now.second.candidacy):
                problem = problem or ALL_COMPETE
            problem = problem or violated_by_coin(before, world, agent, particle)
            problem = problem or end_of_stop(before, memory, agent)
            if by_itself:
                problem = problem or end_of_iteration(was.second, now.second)
        if agent == 0 or boundary[agent] != boundary[agent - 1]:
            problem = problem or violated_in_flow(before, world, particle, agent)
    return problem


@inlined
def have_changed(was: Candidacy, now: Candidacy) -> bool:
    """Whether something of a verification has moved here."""
    return was.x.lane != now.x.lane or was.y.lane != now.y.lane


@inlined
def goes_on(was: Candidacy, now: Candidacy) -> bool:
    """Whether a candidate was verifying its solitude before and after a step."""
    return was.stage == VERIFYING and now.stage == VERIFYING


@inlined
def late_withdrawal(was: Candidacy, now: Candidacy) -> int:
    """Check that a withdrawal that waited is not forgotten (Section 2.5)."""
    return CARRIED_OUT if was.withdrawing and not now.withdrawing and is_candidate(now) else 0


@compiled
def stands_still(was: Any, now: Any) -> bool:
    """Whether nothing of Section 2 has changed at an agent."""
    mine, then = was.candidacy, now.candidacy
    return (
        was.oldest == now.oldest
        and was.newest == now.newest
        and was.digit == now.digit
        and was.inactive == now.inactive
        and was.result == now.result
        and was.created == now.created
        and was.head == now.head
        and was.setup == now.setup
        and was.carried == now.carried
        and was.drawn == now.drawn
        and was.marked == now.marked
        and was.reversed_digit == now.reversed_digit
        and mine.role == then.role
        and mine.angle == then.angle
        and mine.under_way == then.under_way
        and not have_changed(mine, then)
    )


# Identifier comparison.


@inlined
def violated_in_flow(before: NDArray[Any], world: World, particle: int, first: int) -> int:
    """Check what digit tokens do on the boundary that begins with an agent.

    How many tokens each agent forwarded follows from how many everyone holds, from one on that was
    not activated. Where all agents are the particle's there is none.
    """
    boundary, wiring = world.boundary, world.wiring
    length = 0
    start = NOBODY
    while first + length < len(boundary) and boundary[first + length] == boundary[first]:
        if world.particle[first + length] != particle:
            start = first + length
        length += 1
    if start == NOBODY:
        return 0
    agent = start
    forwarded = np.int64(0)
    for _ in range(length):
        was, now = before[agent], world.memory[agent]
        created = np.int64(now.created) - np.int64(was.created)
        succ = int(wiring[agent].succ)
        forwarded += count_tokens(now) - count_tokens(was) - created
        if forwarded < 0 or forwarded > (world.particle[succ] == particle):
            return FORWARDS_ONE
        if forwarded and before[succ].leader:
            return LEADER_STOPS
        if forwarded and before[succ].frozen:
            return STOPPED
        if is_candidate(was.candidacy):
            received = bool(forwarded > 0)
            restarts = have_changed(was.candidacy, now.candidacy) and has_restarted(
                before, world.memory, wiring, agent, False
            )
            problem = violated_judgement(
                before, world.memory, agent, received, restarts, first, length
            )
            if problem:
                return problem
        agent = succ
    return 0


@inlined
def count_tokens(me: Any) -> int:
    """Return how many digit tokens an agent holds."""
    count = 0
    for token in held_tokens(me):
        if token != NO_TOKEN:
            count += 1
    return count


@compiled
def violated_judgement(
    before: NDArray[Any],
    memory: NDArray[Any],
    agent: int,
    received: bool,
    restarts: bool,
    first: int,
    length: int,
) -> int:
    """Check what a candidate made of the digit token that it received, or of none."""
    was, now = before[agent].candidacy, memory[agent].candidacy
    if was.stage and now.stage != was.stage:
        return 0  # what a verification or identification came to is judged elsewhere
    withdraws = not is_candidate(now) or now.withdrawing > was.withdrawing
    starts = is_candidate(now) and now.stage != 0 and (was.stage == 0 or restarts)
    if not withdraws and not starts and not received:
        return 0
    met = 0
    if received:
        end = first + length
        met = identifiers_met(before[first:end], memory[first:end], agent - first)
    if withdraws and not met & HIGHER_MET:
        return WITHDRAWS
    if starts and (met & EQUAL_MET == 0 or met & PASSED == 0):
        return STARTS_VERIFYING
    if met & ~PASSED == HIGHER_MET and not withdraws and not was.withdrawing:
        return WITHDRAWS
    if met == EQUAL_MET | PASSED and was.stage == 0 and not starts:
        return STARTS_VERIFYING
    return 0


#: How the identifier that a candidate met can compare with its own, one bit each; and whether it
#: has passed through the segment. When a candidate's own tokens first leave, they have not.
LOWER_MET, EQUAL_MET, HIGHER_MET, PASSED = 1, 2, 4, 8


@compiled
def identifiers_met(past: NDArray[Any], memory: NDArray[Any], candidate: int) -> int:
    """Return how the identifier whose last token a candidate received can compare with its own.

    0 if it was not the last token. Tokens keep their order, so their creators are known up to the
    ways in which the whole sequence looks the same.
    """
    length = len(memory)
    holder = after(candidate, length)
    passed = PASSED if memory[holder].head else 0
    while past[holder].oldest == NO_TOKEN and memory[holder].created == past[holder].created:
        holder = after(holder, length)
        passed |= PASSED if memory[holder].head else 0
    if past[holder].oldest == NO_TOKEN:  # it was created just now
        if not memory[after(holder, length)].head:
            return 0
        return passed | order_bit(memory, holder, candidate)
    if not past[holder].oldest & DELIMITER:
        return 0
    met = passed | (PASSED if past[holder].oldest & ACTIVE else 0)
    for creator in range(length):
        # The token is a delimiter: whoever created it is the last one of a segment.
        ends = past[creator].created and memory[after(creator, length)].head
        if ends and are_in_order(past, memory, holder, creator):
            met |= order_bit(memory, creator, candidate)
    return met


@compiled
def order_bit(memory: NDArray[Any], creator: int, candidate: int) -> int:
    """Return how the identifier of the segment in which a token was created compares."""
    head = creator
    while not memory[head].head:
        head = (head or len(memory)) - 1
    order = compare_identifiers(memory, head, candidate, len(memory))
    return HIGHER_MET if order > 0 else (LOWER_MET if order < 0 else EQUAL_MET)


# Solitude verification.


@compiled
def violated_on_axes(
    before: NDArray[Any], memory: NDArray[Any], wiring: NDArray[Any], agent: int, second: bool
) -> int:
    """Check both axes of a verification that went on: tokens are kept, then counted rightly."""
    for axis in range(2):
        was, gains, losses = walk_segment(before, wiring, agent, axis, second)
        now, gains_now, losses_now = walk_segment(memory, wiring, agent, axis, second)
        if now == 0:
            return SIGNS_KEPT
        if was == HOMEWARD and now == HOMEWARD and (gains, losses) != (gains_now, losses_now):
            return SIGNS_KEPT
        if was == HOMEWARD and now == (UNBALANCED if gains == losses else BALANCED):
            return COMPARES
        # A verification can have finished, and the next one begun.
        if was > HOMEWARD and now not in (was, OUTWARD):
            return COMPARES
    return FOLLOWS if second and has_restarted(before, memory, wiring, agent, True) else 0


@compiled
def has_restarted(
    before: NDArray[Any], memory: NDArray[Any], wiring: NDArray[Any], agent: int, second: bool
) -> bool:
    """Whether a candidate finished a verification and began another one in the same step.

    An activation token that is on its way home goes out no more.
    """
    was, now = before[agent], memory[agent]
    if second and not goes_on(was.second.candidacy, now.second.candidacy):
        return False
    if not second and not goes_on(was.candidacy, now.candidacy):
        return False
    activation, _, _ = walk_segment(before, wiring, agent, 0, second)
    then, _, _ = walk_segment(memory, wiring, agent, 0, second)
    return activation > OUTWARD and then == OUTWARD


@compiled
def walk_segment(
    memory: NDArray[Any], wiring: NDArray[Any], candidate: int, axis: int, second: bool
) -> tuple[int, int, int]:
    """Return what an extended segment holds of an axis: activation token, gains and losses."""
    activation = 0
    gains = 0
    losses = 0
    agent = candidate
    for _ in range(len(memory)):
        me = memory[agent].second.candidacy if second else memory[agent].candidacy
        if agent != candidate and is_candidate(me):
            break
        mine = lane(me, axis)
        activation = max(activation, int(np.int64(mine.activation)))
        gains += int(np.int64(mine.positive.held))
        losses += int(np.int64(mine.negative.held))
        agent = int(wiring[agent].succ)
        if agent == candidate:
            break
    return activation, gains, losses


# Boundary identification.


@compiled
def violated_identification(before: NDArray[Any], world: World, agent: int, particle: int) -> int:
    """Check what an only candidate does when the identification token is back.

    Where its predecessor acts as well, the stop token may have come round already.
    """
    outer = world.boundary[agent] == 0
    pred = world.wiring[agent].pred
    if outer and world.particle[agent] == particle and world.particle[pred] == particle:
        return 0
    for second in range(2):
        was = before[agent].second.candidacy if second else before[agent].candidacy
        now = world.memory[agent].second.candidacy if second else world.memory[agent].candidacy
        if was.stage == IDENTIFYING and now.stage != IDENTIFYING:
            stays = is_candidate(now) and now.stage >= OUTER
            if outer and not stays:
                return IDENTIFIES
            if not outer and (is_candidate(now) or now.stage):
                return IDENTIFIES
    return 0
