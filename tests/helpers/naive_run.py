"""A run from its definition, in plain Python: everyone is activated at the time that is theirs.

Interior particles are activated like all others, rules run interpreted, and nothing is skipped.
Coins and times are hashes, computed here with integers that never wrap by themselves. Memories are
structures of C, which Python looks into ten times as fast as into records of NumPy.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import jit
from amoebot.algorithms import registry
from amoebot.algorithms.registry import Election
from amoebot.linking import Link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build

WORD, HALF = 2**64 - 1, 2**32 - 1
GOLDEN = 0x9E3779B97F4A7C15

#: The purposes that a seed is split into.
COINS, SCHEDULE, CLOCKS, LAST, SECOND_COINS, ORDERS = 1, 2, 5, 6, 7, 8

#: A unit of time, in the smallest steps.
UNIT = 2**30

#: A moment and a particle: who is activated when.
Activation = tuple[int, int]


# SplitMix64, by its reference implementation; all of these take arrays of uint64 as well.


def mix(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB & WORD
    return value ^ value >> 31


def key(seed: int, purpose: int, number: int) -> int:
    return mix(mix(seed + (purpose * GOLDEN & WORD) & WORD) + (number * GOLDEN & WORD) & WORD)


def draw(stream: int, number: int) -> int:
    return mix(stream + ((number + 1) * GOLDEN & WORD) & WORD)


def unit(value: int) -> float:
    """Return a number in [0, 1) made of the upper 53 bits."""
    return (value >> 11) / 2**53


def coin(seed: int, agent: int, lane: int, number: int, sides: int) -> int:
    return math.floor(unit(draw(key(seed, (COINS, SECOND_COINS)[lane], agent), number)) * sides)


def activation_time(stream: int, particle: int) -> int:
    """Hash a particle's number with the low half of the stream, then with the high half."""
    value = (particle * 0x9E3779B9 & HALF) ^ (stream & HALF)
    value = (value ^ value >> 17) * 0xED5AD4BB & HALF
    value = (value ^ value >> 11) * 0xAC4C1B51 & HALF
    value = value + (stream >> 32) & HALF
    value = (value ^ value >> 15) * 0x31848BAB & HALF
    return (value ^ value >> 14) >> 2


# The order of a round, of all particles.


def permutation(seed: int, number: int, particles: int) -> list[Activation]:
    """Return a random order, ties by number."""
    stream = key(seed, SCHEDULE, number)
    return sorted((activation_time(stream, particle), particle) for particle in range(particles))


def uniform(seed: int, number: int, particles: int, actors: set[int]) -> list[Activation]:
    """Return the ticks of everyone's clock, until everyone's has ticked.

    Clocks restart with each round. The first ticks of those that are no actors are drawn jointly:
    the greatest of them, whose it is, and the others as exponential times below it.
    """
    stream = key(seed, SCHEDULE, number)

    def drawn(particle: int, tick: int) -> float:
        return unit(draw(key(stream, CLOCKS, particle), tick))

    def wait(particle: int, tick: int) -> int:
        return int(-math.log1p(-drawn(particle, tick)) * UNIT)

    first = {particle: wait(particle, 0) for particle in actors}
    if interior := [particle for particle in range(particles) if particle not in actors]:
        greatest = -math.log1p(-(unit(mix(stream)) ** (1 / len(interior))))
        for particle in interior:
            share = drawn(particle, 0) * (1 - math.exp(-greatest))
            first[particle] = int(-math.log1p(-share) * UNIT)
        first[last_of(stream, particles, actors)] = int(greatest * UNIT)
    end = max(first.values())
    found = []
    for particle, time in first.items():
        tick = 1
        while time <= end:
            found.append((time, particle))
            time += wait(particle, tick)
            tick += 1
    return sorted(found)


def last_of(stream: int, particles: int, actors: set[int]) -> int:
    """Return the interior particle whose clock is the last of theirs to tick."""
    number = 0
    while True:
        last = int(unit(draw(key(stream, LAST, 0), number)) * particles)
        if last not in actors:
            return last
        number += 1


def along_boundaries(boundaries: list[int], particles: int, reverse: bool) -> list[int]:
    """Return particles as they come along the boundaries, and then those on none."""
    along = list(dict.fromkeys(boundaries))
    inside = [particle for particle in range(particles) if particle not in along]
    return (along[::-1] if reverse else along) + inside


def adversarial(order: list[int], on_boundary: int, ahead: int, behind: int) -> list[int]:
    """Return an order with one of those on the boundary moved to the front, and one to the end."""
    along = [particle for particle in order[:on_boundary] if particle not in (ahead, behind)]
    front = [ahead] if ahead not in (-1, behind) else []
    return front + along + ([behind] if behind >= 0 else []) + order[on_boundary:]


# Memories.


@cache
def structure(kind: np.dtype[Any]) -> Any:
    """Return the structure of C with the fields of a record; views of several are properties."""
    if kind.subdtype is not None:
        return structure(kind.subdtype[0]) * kind.subdtype[1][0]
    if kind.fields is None:
        return np.ctypeslib.as_ctypes_type(kind)
    own: list[tuple[str, Any]] = []
    views: dict[str, Any] = {}
    end = 0
    for name, (part, at, *_) in kind.fields.items():
        if at < end:
            views[name] = property(view(part, at))
            continue
        own += [(f"padding_{end}", ctypes.c_ubyte * (at - end))] if at > end else []
        own.append((name, structure(part)))
        end = at + part.itemsize
    own.append(("padding", ctypes.c_ubyte * (kind.itemsize - end)))
    made = type("Memory", (ctypes.Structure,), {"_fields_": own, **views})
    assert ctypes.sizeof(made) == kind.itemsize
    return made


def view(kind: np.dtype[Any], at: int) -> Any:
    """Return what reads a record, or one integer, in the place of several fields."""
    read = structure(kind).from_buffer
    return lambda record: read(record, at) if kind.fields else read(record, at).value


def structures(array: NDArray[Any]) -> Any:
    """Return an array of records as structures in the same place."""
    return (structure(array.dtype) * len(array)).from_buffer(array.view(np.uint8).data)


# The run.


class Interpreted(Election):
    """An election whose link is kept apart from the compiled one."""

    @property
    def digest(self) -> str:
        return f"{super().digest}-interpreted"


@cache
def interpreted(algorithm: str) -> Link:
    """Link an election with an engine of plain Python functions."""
    found = registry.find(algorithm)
    compiled, jit.INTERPRETED = jit.INTERPRETED, True
    try:
        made = Link(Interpreted(found.name, found.module, found.file))
        made.module("engine.start")
    finally:
        jit.INTERPRETED = compiled
    return made


@dataclass
class Activated:
    """One activation, and whether the engine counts it: that of an idle interior particle not."""

    time: int
    particle: int
    counts: bool


class NaiveRun:
    """All memories, changed by one activation after another."""

    def __init__(self, shape: Shape, options: Options) -> None:
        self.options = options
        self.system = build(shape, options.seed)
        self.rules = interpreted(options.algorithm).module("algorithms.interface")
        start = interpreted(options.algorithm).module("engine.start")
        self.world = start.new_world(self.system, options.own)
        self.memory = structures(self.world.memory)
        self.particles = structures(self.world.particles)
        self.wiring = structures(self.world.wiring.copy())
        self.chosen = SimpleNamespace(**options.own)
        self.orders = key(options.seed, ORDERS, 0)
        self.units = [self.units_of(particle) for particle in range(self.system.particles)]
        self.actors = {p for p, units in enumerate(self.units) if units}
        # Coins that each unit has flipped in each lane.
        self.flips = np.zeros((len(self.world.wiring), self.rules.COIN_LANES), dtype=np.uint32)
        self.rounds = 0
        self.leader_declared: int | None = None
        self.all_terminated: int | None = None

    def units_of(self, particle: int) -> list[int]:
        if self.rules.ON_NODES:
            nodes = [
                node for node in self.system.nodes_of_particles()[particle].tolist() if node >= 0
            ]
            return sorted(nodes, key=lambda node: draw(self.orders, 2 * node))
        agents = np.flatnonzero(self.system.particle == particle).tolist()
        return sorted(agents, key=self.place_in_order)

    def place_in_order(self, agent: int) -> tuple[int, int]:
        """Return what the agents of a particle are sorted by: first the nodes, then the agents."""
        return draw(self.orders, 2 * int(self.system.node[agent])), draw(self.orders, 2 * agent + 1)

    def order(self) -> list[Activation]:
        """Return who is activated when in the round that begins now."""
        seed, scheduler, count = self.options.seed, self.options.scheduler, self.system.particles
        if scheduler == "permutation":
            return permutation(seed, self.rounds + 1, count)
        if scheduler == "uniform":
            return uniform(seed, self.rounds + 1, count, self.actors)
        order = list(range(count))
        if scheduler != "round-robin":
            agents = self.system.particle.tolist()
            order = along_boundaries(agents, count, scheduler == "against-cycle")
        if scheduler == "adversarial" and self.options.terminate and self.leader_declared:
            order.sort(key=lambda particle: self.particles[particle].message)
        elif scheduler == "adversarial":
            ahead, behind = (
                -1 if at < 0 else int(self.world.particle[at])
                for at in self.rules.awaited(self.world._replace(memory=self.memory))
            )
            order = adversarial(order, len(self.actors), ahead, behind)
        return list(enumerate(order))

    def round(self) -> Iterator[Activated]:
        """Activate everyone in their order, one at a time, until all have terminated."""
        for time, particle in self.order():
            counts = particle in self.actors or self.must_terminate(particle)
            self.activate(particle)
            yield Activated(time, particle, counts)
            if self.all_terminated:
                return
        self.rounds += 1

    def must_terminate(self, particle: int) -> bool:
        if not self.options.terminate:
            return False
        mine = self.particles[particle]
        return bool(mine.message and not mine.terminated)

    def activate(self, particle: int) -> None:
        """Pass the message on and stop, or flip all coins and run the rules of all units."""
        if self.must_terminate(particle):
            self.broadcast(particle)
        elif not (self.options.terminate and self.particles[particle].terminated):
            coins = [self.coins_of(unit) for unit in self.units[particle]]
            for number, unit_ in enumerate(self.units[particle]):
                self.act(unit_, coins[number])
                if self.memory[unit_].leader:
                    self.leader_declared = self.leader_declared or self.rounds + 1
                    if self.options.terminate:
                        self.particles[particle].message = 1

    def broadcast(self, particle: int) -> None:
        around = self.system.shape.neighbours[self.system.particle_of_node == particle]
        for node in around[around >= 0].tolist():
            self.particles[int(self.system.particle_of_node[node])].message = 1
        self.particles[particle].terminated = 1
        if all(one.terminated for one in self.particles):
            self.all_terminated = self.rounds + 1

    def coins_of(self, unit_: int) -> tuple[int, int]:
        sides = self.rules.sides_of_coins(self.memory[unit_], self.chosen)
        return self.flip(unit_, 0, sides[0]), self.flip(unit_, 1, sides[1])

    def flip(self, unit_: int, lane: int, sides: int) -> int:
        if sides < 2:
            return -1
        self.flips[unit_, lane] += 1
        return coin(self.options.seed, unit_, lane, int(self.flips[unit_, lane]) - 1, sides)

    def act(self, unit_: int, coins: tuple[int, int]) -> None:
        me, wires, options = self.memory[unit_], self.wiring[unit_], self.chosen
        if self.rules.ON_NODES:
            around = tuple(self.memory[node] for node in wires.around)
            self.rules.activate(me, around, wires.sight, coins, options)
        else:
            pred, succ = self.memory[wires.pred], self.memory[wires.succ]
            self.rules.activate(me, pred, succ, wires.sight, coins, options)

    def contents(self) -> tuple[bytes, bytes, bytes]:
        """Return all memories, and how many coins have been flipped."""
        world = self.world
        return world.memory.tobytes(), world.particles.tobytes(), self.flips.tobytes()
