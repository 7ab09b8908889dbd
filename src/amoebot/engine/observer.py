"""The observer: sees what no particle can, and changes nothing.

It counts what activations on the outer boundary report, notes the rounds of the milestones, and
recognises the two ways in which the algorithm of Section 2 can fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import rule

from ..election.memory import (
    CREATED_TOKEN,
    DECLARED,
    DREW_DIGIT,
    SENT_STOP_TOKEN,
    SET_UP,
    STARTED,
    STARTED_IDENTIFYING,
    STARTED_VERIFYING,
    WITHDREW,
    WITHDREW_LATE,
)
from .state import LEADER, NO_CANDIDATES, TIED_IDENTIFIERS, State


@rule
def observe(state: State, agent: int, events: int) -> None:
    """Take note of what an activation of an agent on the outer boundary did."""
    watch = state.watch[0]
    now = state.run[0].current_round
    length = len(state.withdrawals)
    if events & STARTED:
        watch.started += 1
        watch.heads += state.memory[agent].head
        if watch.started == length and watch.heads == 0 and not state.run[0].almost_sure:
            watch.outcome = NO_CANDIDATES
    if events & DREW_DIGIT:
        watch.digits += 1
        exist = watch.digits == length and not state.run[0].almost_sure
        if exist and not highest_is_unique(state.memory, length):
            watch.outcome = TIED_IDENTIFIERS
    if events & SET_UP:
        watch.set_up += 1
        if watch.started == length and watch.set_up == watch.heads:
            watch.identifiers_set_up = now
    if events & CREATED_TOKEN:
        watch.created += 1
        if watch.created == length:
            watch.digit_tokens_created = now
    if events & WITHDREW:
        note_withdrawal(state)
    if events & WITHDREW_LATE:
        note_withdrawal(state)
    if events & STARTED_VERIFYING:
        if watch.first_solitude_verification == 0:
            watch.first_solitude_verification = now
        watch.last_solitude_verification = now
    if events & STARTED_IDENTIFYING:
        watch.boundary_identification = now
    if events & SENT_STOP_TOKEN:
        watch.stop_token_sent = now
    if events & DECLARED:
        watch.outcome = LEADER
        watch.leader = agent
        watch.leader_declared = now


@rule
def observe_termination(state: State) -> None:
    """Count one particle more that has terminated."""
    watch = state.watch[0]
    watch.terminated += 1
    if watch.terminated == len(state.particles):
        watch.all_terminated = state.run[0].current_round


@rule
def note_withdrawal(state: State) -> None:
    """Count one candidate less."""
    watch = state.watch[0]
    state.withdrawals[watch.withdrawn] = state.run[0].current_round
    watch.withdrawn += 1
    if watch.started == len(state.withdrawals) and watch.withdrawn == watch.heads - 1:
        watch.last_rival_gone = state.run[0].current_round


@rule
def highest_is_unique(memory: NDArray[Any], length: int) -> bool:
    """Whether exactly one candidate on the outer boundary has the highest identifier."""
    first = 0
    while not memory[first].head:
        first += 1
    best = first
    unique = True
    head = first + segment_length(memory, first, length)
    while head < first + length:
        order = compare_identifiers(memory, head, best, length)
        if order > 0:
            best = head
        unique = order > 0 or (unique and order < 0)
        head += segment_length(memory, head, length)
    return unique


@rule
def segment_length(memory: NDArray[Any], head: int, length: int) -> int:
    """Return the number of agents in the segment of a head."""
    size = 1
    while not memory[(head + size) % length].head:
        size += 1
    return size


@rule
def compare_identifiers(memory: NDArray[Any], one: int, other: int, length: int) -> int:
    """Return whether the identifier of one head is higher (1), equal (0) or lower (-1)."""
    size = segment_length(memory, one, length)
    difference = np.int64(size - segment_length(memory, other, length))
    place = 0
    while difference == 0 and place < size:
        mine = np.int64(memory[(one + place) % length].digit)
        difference = mine - np.int64(memory[(other + place) % length].digit)
        place += 1
    return 1 if difference > 0 else (-1 if difference < 0 else 0)
