"""How the loops of engine and explorer call the functions of an election.

In the engine, an election's own are compiled into the loops. Changed rules are called by their
addresses, and so are all rules in the explorer: then the loops are the same machine code whatever
the rules are, and to try a rule out, it and what calls it are all that is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.by_address import NOTHING, NUMBER, TRUTH, TWO_NUMBERS, called_at
from amoebot.jit import compiled, inlined

from ..algorithms.interface import (
    BY_ADDRESS,
    CHANGED,
    NO_COIN,
    ON_NODES,
    activate,
    awaited,
    observe,
    sides_of_coins,
    state_flags,
    violated,
    violated_by_step,
)
from ..algorithms.termination import declare_particle, must_terminate, pass_message, terminate

if ON_NODES:

    @inlined
    def activate_unit(
        memory: NDArray[Any], wires: Any, me: Any, first: int, second: int, options: Any
    ) -> int:
        """Run the rules of a node on its memory and those at the six nodes around it."""
        at = wires.around
        around = (
            memory[at[0]],
            memory[at[1]],
            memory[at[2]],
            memory[at[3]],
            memory[at[4]],
            memory[at[5]],
        )
        return activate(me, around, wires.sight, (first, second), options)  # type: ignore[call-arg]

else:

    @inlined
    def activate_unit(
        memory: NDArray[Any], wires: Any, me: Any, first: int, second: int, options: Any
    ) -> int:
        """Run the rules of an agent on its memory and those of its two neighbours."""
        # An unsigned number is not taken to count from the end.
        pred, succ = memory[np.uint32(wires.pred)], memory[np.uint32(wires.succ)]
        return activate(me, pred, succ, wires.sight, (first, second), options)


@compiled
def activate_flipped(
    memory: NDArray[Any], wires: Any, me: Any, first: int, second: int, options: Any
) -> int:
    """Run the rules of a unit that has flipped coins."""
    return activate_unit(memory, wires, me, first, second, options)


#: The rows of the table of addresses.
ACTIVATE, COUNT_SIDES, DECLARE, MUST_TERMINATE, PASS_MESSAGE, TERMINATE = range(6)
OBSERVE, AWAITED, FLAGS, VIOLATED, VIOLATED_BY_STEP, ROWS = range(6, 12)

#: What runs of the engine call, and what the explorer does.
IN_ACTIVATIONS = (ACTIVATE, COUNT_SIDES, DECLARE, MUST_TERMINATE, PASS_MESSAGE, TERMINATE)
BY_ENGINE = (*IN_ACTIVATIONS, OBSERVE, AWAITED)
BY_EXPLORER = (*IN_ACTIVATIONS, FLAGS, VIOLATED, VIOLATED_BY_STEP)

Addresses = NDArray[np.int64]

if BY_ADDRESS:
    _run_rules = called_at(ACTIVATE, NUMBER)
    call_count_sides = called_at(COUNT_SIDES, TWO_NUMBERS)
    call_declare = called_at(DECLARE, NOTHING)
    call_must_terminate = called_at(MUST_TERMINATE, TRUTH)
    call_pass_message = called_at(PASS_MESSAGE, NOTHING)
    call_terminate = called_at(TERMINATE, NOTHING)
    call_observe = called_at(OBSERVE, NOTHING)
    call_awaited = called_at(AWAITED, TWO_NUMBERS)
    call_state_flags = called_at(FLAGS, NUMBER)
    call_violated = called_at(VIOLATED, NUMBER)
    call_violated_by_step = called_at(VIOLATED_BY_STEP, NUMBER)

else:

    @inlined
    def _run_rules(
        addresses: Addresses,
        memory: NDArray[Any],
        wires: Any,
        me: Any,
        first: int,
        second: int,
        options: Any,
    ) -> int:
        """Run the rules of a unit."""
        return activate_flipped(memory, wires, me, first, second, options)

    @inlined
    def call_count_sides(addresses: Addresses, me: Any, options: Any) -> tuple[int, int]:
        """Return how many sides the coins have that an activation begins with."""
        return sides_of_coins(me, options)

    @inlined
    def call_declare(addresses: Addresses, me: Any) -> None:
        """Let a particle be the leader."""
        declare_particle(me)

    @inlined
    def call_must_terminate(addresses: Addresses, me: Any) -> bool:
        """Whether a particle passes the termination message on."""
        return must_terminate(me)

    @inlined
    def call_pass_message(addresses: Addresses, neighbour: Any) -> None:
        """Write the termination message into a neighbour's memory."""
        pass_message(neighbour)

    @inlined
    def call_terminate(addresses: Addresses, me: Any) -> None:
        """Let a particle terminate."""
        terminate(me)

    @inlined
    def call_observe(
        addresses: Addresses,
        watch: Any,
        withdrawals: NDArray[np.int64],
        memory: NDArray[Any],
        unit: int,
        events: int,
        now: int,
        options: Any,
    ) -> None:
        """Note what an activation of a watched unit did."""
        observe(watch, withdrawals, memory, unit, events, now, options)

    @inlined
    def call_awaited(addresses: Addresses, world: World) -> tuple[int, int]:
        """Return the units whose particles the adversary lets come first and last."""
        return awaited(world)

    @inlined
    def call_state_flags(addresses: Addresses, world: World, before: int) -> int:
        """Return the flags of a state that the election knows of."""
        return state_flags(world, before)

    @inlined
    def call_violated(addresses: Addresses, world: World) -> int:
        """Return the number of a property that a state violates, or 0."""
        return violated(world)

    @inlined
    def call_violated_by_step(
        addresses: Addresses, before: NDArray[Any], world: World, particle: int
    ) -> int:
        """Return the number of a property that an activation violates, or 0."""
        return violated_by_step(before, world, particle)


if CHANGED or BY_ADDRESS:

    @inlined
    def call_activate(
        addresses: Addresses,
        memory: NDArray[Any],
        wires: Any,
        me: Any,
        coins: NDArray[np.int64],
        flipped: bool,
        options: Any,
    ) -> int:
        """Run the rules of a unit, with its two coins if any were flipped."""
        first = coins[0] if flipped else NO_COIN
        second = coins[1] if flipped else NO_COIN
        return _run_rules(addresses, memory, wires, me, first, second, options)

else:

    @inlined
    def call_activate(
        addresses: Addresses,
        memory: NDArray[Any],
        wires: Any,
        me: Any,
        coins: NDArray[np.int64],
        flipped: bool,
        options: Any,
    ) -> int:
        """Run the rules of a unit, with its two coins if any were flipped."""
        # Coins are rare. Without them, what is inlined here has no trace of them.
        if flipped:
            return activate_flipped(memory, wires, me, coins[0], coins[1], options)
        return activate_unit(memory, wires, me, NO_COIN, NO_COIN, options)
