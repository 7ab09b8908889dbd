"""What must hold in every state of the improved election, and when it elects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import DECIDED, MAY_ELECT, World
from amoebot.jit import compiled

from ..candidacy import has_started
from .claims import ALWAYS, IF_UNIQUE, PROPERTIES
from .course import highest_is_unique
from .state_properties import violated
from .step_properties import violated_by_step

__all__ = ["PROPERTIES", "elects", "state_flags", "violated", "violated_by_step"]


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
