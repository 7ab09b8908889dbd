"""The world that is explored: its memory is put into one state after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.jit import inlined
from amoebot.system import System
from amoebot.verify.arrays import Model
from amoebot.verify.orders import Order, around, orders_of

from ..algorithms.interface import NO_COIN, ON_NODES
from ..engine.activation import MOST_UNITS, count_sides, no_coins
from ..engine.addresses import addresses
from ..engine.calls import BY_EXPLORER, Addresses
from ..engine.layouts import STORED, with_all_fields
from ..engine.start import new_world


def new_model(system: System, options: Mapping[str, Any], as_run: bool = False) -> Model:
    """Build the model to explore, with empty memories.

    Units are activated in any order, or in that of a run.
    """
    every = range(system.particles)
    if as_run:
        world = new_world(system, options)
        return model_with(system, options, [[run_order(world, p)] for p in every])
    return model_with(system, options, [orders_of(system, p, ON_NODES) for p in every])


def run_order(world: World, particle: int) -> Order:
    """Return the order in which a run activates a particle's units."""
    units = []
    unit = int(world.first_unit[particle])
    while unit >= 0:
        units.append(unit)
        unit = int(world.wiring[unit]["sibling"])
    return Order(tuple(units), 1.0)


def fixed_models(system: System, options: Mapping[str, Any]) -> Iterator[tuple[Model, float]]:
    """Make a model for each way in which all particles keep to an order, with its probability."""
    every = range(system.particles)
    for kept in product(*(orders_of(system, particle, ON_NODES) for particle in every)):
        likely = prod(order.share for order in kept)
        yield model_with(system, options, [[order] for order in kept]), likely


def model_with(system: System, options: Mapping[str, Any], choices: list[list[Order]]) -> Model:
    """Build a model with the orders that each particle can choose from."""
    world = new_world(system, options)
    particles = len(choices)
    orders = np.full((particles, max(map(len, choices)), MOST_UNITS + 1), -1, dtype=np.int32)
    for particle, own in enumerate(choices):
        for number, order in enumerate(own):
            orders[particle, number, : len(order.units)] = order.units
    before = world.memory.copy()
    return Model(
        world=world._replace(wiring=world.wiring.copy()),
        words=as_words(world.memory),
        before=before,
        past=as_words(before),
        touched=touched_units(system, world, choices),
        orders=orders,
        order_counts=np.array([len(own) for own in choices]),
        node=np.arange(len(system.shape), dtype=np.int32) if ON_NODES else system.node,
        sides=np.ones((particles, MOST_UNITS, 2), dtype=np.int64),
        outcomes=np.ones(particles, dtype=np.int64),
        coins=no_coins(),
        events=np.zeros(MOST_UNITS, dtype=np.int64),
        addresses=addresses(world, BY_EXPLORER),
    )


def as_words(memory: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a view of everyone's memory as words, one row for each unit."""
    return memory.view(np.uint64).reshape(-1, STORED.itemsize // 8)


def touched_units(system: System, world: World, choices: list[list[Order]]) -> NDArray[np.int32]:
    """Return the units whose memory each particle can write to: its own and those beside them."""
    found = []
    for own in choices:
        units = {unit for unit in own[0].units if unit >= 0}
        if ON_NODES:
            # All empty nodes have the last memory.
            last = len(world.memory)
            beside = {int(one) % last for unit in units for one in world.wiring[unit].around}
        else:
            beside = {one for unit in units for one in around(system, unit)}
        found.append(sorted(units | beside))
    touched = np.full((len(found), 1 + max(map(len, found))), -1, dtype=np.int32)
    for particle, writes in enumerate(found):
        touched[particle, : len(writes)] = writes
    return touched


def another(model: Model) -> Model:
    """Return the same model with a world of its own to put into states, for another thread."""
    world = model.world
    apart = {name: getattr(world, name).copy() for name in ("memory", "particles", "wiring")}
    scratch = {
        name: getattr(model, name).copy() for name in ("sides", "outcomes", "coins", "events")
    }
    before = model.before.copy()
    world = world._replace(**apart)
    return model._replace(
        world=world, words=as_words(world.memory), before=before, past=as_words(before), **scratch
    )


def model_with_all_fields(model: Model) -> Model:
    """Return the model with all fields of everyone's memory, for properties of the user's."""
    return model._replace(world=with_all_fields(model.world))


@inlined
def link_units(orders: NDArray[np.int32], order: int, wiring: NDArray[Any]) -> int:
    """Chain a particle's units in one of their orders; return the first one, -1 for none."""
    for place in range(orders.shape[1] - 1):
        if orders[order, place] >= 0:
            wiring[orders[order, place]].sibling = orders[order, place + 1]
    return int(orders[order, 0])


@inlined
def count_outcomes(
    addresses: Addresses,
    particle: int,
    unit: int,
    memory: NDArray[Any],
    wiring: NDArray[Any],
    particles: NDArray[Any],
    options: Any,
    sides: NDArray[np.int64],
) -> int:
    """Return how many outcomes the coins have that a particle's activation begins with.

    ``unit`` is its first one. A particle that has the termination message flips none.
    """
    if len(particles) > 0 and particles[particle].message:
        return 1
    count = 1
    if count_sides(addresses, unit, memory, wiring, options, sides) > 0:
        for number in range(len(sides)):
            count *= sides[number, 0] * sides[number, 1]
    return count


@inlined
def choose_outcome(coins: NDArray[np.int64], sides: NDArray[np.int64], outcome: int) -> None:
    """Set the coins to one of their outcomes, by its number: the last coin changes fastest."""
    rest = outcome
    for number in range(len(coins) - 1, -1, -1):
        for lane in range(1, -1, -1):
            coins[number, lane] = NO_COIN
            if sides[number, lane] > 1:
                coins[number, lane] = rest % sides[number, lane]
                rest //= sides[number, lane]
