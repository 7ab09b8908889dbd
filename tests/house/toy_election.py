"""A toy election for lines: whoever stands at an end flips a coin, and withdraws on heads."""

from __future__ import annotations

from typing import Annotated, Any

from amoebot.algorithms import interface
from amoebot.algorithms.description import Course, Phase, Property, Range
from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import compiled, rule

TITLE = "Coins at the ends of a line"
OPTIONS = (Range("sides", 2, 2, 6, "sides of the coin, one of which makes a candidate withdraw"),)

ON_NODES = True
COIN_LANES = 1
DECLARED, WITHDREW = interface.DECLARED, interface.FIRST_OWN_EVENT


class Memory(Record):
    """The memory of a node."""

    withdrawn: Annotated[int, BYTE, "is no candidate any more"]
    leader: Annotated[int, BYTE, "has told its particle to be the leader"]


@compiled
def sides_of_coins(me: Memory, options: Any) -> tuple[int, int]:
    """Every candidate flips a coin."""
    return (1 if me.withdrawn or me.leader else options.sides), 1


@rule
def activate(me: Memory, around: Any, view: Any, coins: tuple[int, int], options: Any) -> int:
    """Win with no rival next to it; with one, withdraw if the coin says so."""
    if me.withdrawn or me.leader:
        return 0
    rivals = 0
    for port in range(6):
        if view.occupied[port] and not around[port].withdrawn:
            rivals += 1
    if rivals == 0:
        me.leader = 1
        return DECLARED
    if rivals > 1 or coins[0] > 0:
        return 0
    me.withdrawn = 1
    return WITHDREW


COURSE = Course((), (Phase("Coins", "", "leader_declared"),))


@compiled
def observe(
    watch: Any, withdrawals: Any, memory: Any, unit: int, events: int, now: int, options: Any
) -> None:
    """Count who withdraws."""
    watch.candidates = len(withdrawals)
    if events & WITHDREW:
        interface.candidate_withdraws(watch, withdrawals, now)


PROPERTIES = {1: Property("somebody is left")}


@compiled
def violated(world: interface.World) -> int:
    """Look for somebody who has not withdrawn."""
    for node in range(world.watched):
        if not world.memory[node].withdrawn:
            return 0
    return 1
