"""Slow and obvious oracles: plain Python, dictionaries, written from the paper's definitions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np

from amoebot import rng, shapes
from amoebot.shapes import Shape, ShapeError
from amoebot.system import System

Node = tuple[int, int]

#: All schedulers, written out: a new one should be added here by hand.
SCHEDULERS = (
    "permutation",
    "uniform",
    "round-robin",
    "with-cycle",
    "against-cycle",
    "adversarial",
)

#: The combinations of (almost_sure, terminate).
VARIANTS = tuple(product((False, True), repeat=2))

# Right, lower right, lower left, left, upper left, upper right.
CLOCKWISE = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


def step(node: Node, direction: int) -> Node:
    dx, dy = CLOCKWISE[direction % 6]
    return node[0] + dx, node[1] + dy


# Boundaries (Section 2.1).


@dataclass(frozen=True)
class Agent:
    """An agent, by its node and the direction in which its predecessor lies."""

    node: Node
    pred_direction: int
    empty: tuple[Node, ...]
    succ_direction: int
    agent_identifier: int

    @property
    def turn(self) -> int:
        return len(self.empty) - 2


def agents_of_node(node: Node, nodes: set[Node], offset: int) -> list[Agent]:
    """Look around a node: one agent for each maximal sequence of empty neighbours.

    Agent identifiers count the sequences in the order of the particle's own port labels.
    """
    found: list[Agent] = []
    for port in range(6):
        before = (port + offset) % 6
        if step(node, before) not in nodes:
            continue
        empty: list[Node] = []
        while step(node, before + len(empty) + 1) not in nodes:
            empty.append(step(node, before + len(empty) + 1))
        if empty:
            after = (before + len(empty) + 1) % 6
            found.append(Agent(node, before, tuple(empty), after, len(found) + 1))
    return found


def boundaries(shape: Shape, offsets: Iterable[int]) -> list[list[Agent]]:
    """Return the cycles of agents, found by walking from successor to successor."""
    nodes = nodes_of(shape)
    agents = {}
    for node, offset in zip(shape.nodes.tolist(), offsets, strict=True):
        for agent in agents_of_node(tuple(node), nodes, offset):
            agents[agent.node, agent.pred_direction] = agent
    cycles = []
    while agents:
        where = next(iter(agents))
        cycle = []
        while where in agents:
            agent = agents.pop(where)
            cycle.append(agent)
            where = step(agent.node, agent.succ_direction), (agent.succ_direction + 3) % 6
        cycles.append(cycle)
    return cycles


def nodes_of(shape: Shape) -> set[Node]:
    return {(x, y) for x, y in shape.nodes.tolist()}


def outer_region(nodes: set[Node]) -> set[Node]:
    """Return the empty nodes near a shape from which one can walk to infinity."""
    xs, ys = {x for x, _ in nodes}, {y for _, y in nodes}
    found = {(min(xs) - 1, min(ys) - 1)}
    queue = list(found)
    while queue:
        node = queue.pop()
        for other in (step(node, direction) for direction in range(6)):
            near = min(xs) - 1 <= other[0] <= max(xs) + 1 and min(ys) - 1 <= other[1] <= max(ys) + 1
            if near and other not in nodes and other not in found:
                found.add(other)
                queue.append(other)
    return found


# The election's winner (Sections 2.2 and 2.3, Lemma 3).


def coins(system: System, seed: int, radix: int) -> tuple[list[bool], list[int]]:
    """Return for each agent on the outer boundary whether it flips heads, and its digit."""
    agents = system.boundaries[0].agents
    heads = [rng.coin(np.uint64(seed), agent, 0, 0, 2) == 1 for agent in agents]
    digits = [rng.coin(np.uint64(seed), agent, 0, 1, radix) for agent in agents]
    return heads, digits


def identifiers(heads: list[bool], digits: list[int]) -> dict[int, list[int]]:
    """Return the identifier of each candidate: the digits of its segment."""
    length = len(heads)
    found = {}
    for candidate in (agent for agent in range(length) if heads[agent]):
        segment = [candidate]
        while not heads[(segment[-1] + 1) % length]:
            segment.append((segment[-1] + 1) % length)
        found[candidate] = [digits[agent] for agent in segment]
    return found


def winner(heads: list[bool], digits: list[int]) -> int | str:
    """Return the candidate with the highest identifier, or how the election fails."""
    competing = identifiers(heads, digits)
    if not competing:
        return "no-candidates"
    # A shorter identifier is lower than a longer one.
    ranking = sorted(competing, key=lambda c: (len(competing[c]), competing[c]))
    best = competing[ranking[-1]]
    if len(ranking) > 1 and competing[ranking[-2]] == best:
        return "tied-identifiers"
    return ranking[-1]


def digit_tokens(heads: list[bool], digits: list[int]) -> list[tuple[int, bool]]:
    """Return the token (digit, delimiter) that each agent creates: the reversed identifiers."""
    tokens = {}
    for candidate, identifier in identifiers(heads, digits).items():
        for place, digit in enumerate(reversed(identifier)):
            delimiter = place == len(identifier) - 1
            tokens[(candidate + place) % len(heads)] = digit, delimiter
    return [tokens[agent] for agent in sorted(tokens)]


# How likely the algorithm of Section 2 fails.


@cache
def compositions(total: int, most: int, equal: int) -> int:
    """Count the ways to cut ``total`` agents into segments of at most ``most``, of which exactly
    ``equal`` have that length.
    """
    if total == 0:
        return 1 if equal == 0 else 0
    ways = 0
    for first in range(1, min(total, most) + 1):
        if first < most:
            ways += compositions(total - first, most, equal)
        elif equal > 0:
            ways += compositions(total - first, most, equal - 1)
    return ways


@cache
def sum_of_powers(bound: int, power: int) -> Fraction:
    """Return 0^p + 1^p + ... + (bound − 1)^p, by the binomial theorem."""
    total = Fraction(bound ** (power + 1))
    for lower in range(power):
        total -= comb(power + 1, lower) * sum_of_powers(bound, lower)
    return total / (power + 1)


def failure_probability(length: int, radix: int) -> Fraction:
    """Return how likely an outer boundary has no unique highest identifier.

    Any agent may win. It does if it flips heads, its segment has length l, no other segment is
    longer, and each other one of length l has a lower identifier than its own.
    """
    success = Fraction(0)
    for longest in range(1, length + 1):
        values = radix**longest
        for rivals in range(length // longest):
            patterns = compositions(length - longest, longest, rivals)
            all_lower = sum_of_powers(values, rivals) / values ** (rivals + 1)
            success += length * Fraction(patterns, 2**length) * all_lower
    return 1 - success


# The termination message (Appendix A.2).


def flood(system: System, leader: int, orders: Iterable[list[int]]) -> int:
    """Return in how many rounds the message reaches and terminates everyone."""
    node_of = {tuple(node): i for i, node in enumerate(system.shape.nodes.tolist())}
    neighbours: dict[int, set[int]] = {particle: set() for particle in range(system.particles)}
    for node, index in node_of.items():
        for other in (step(node, direction) for direction in range(6)):
            if other in node_of:
                particle = int(system.particle_of_node[index])
                neighbours[particle].add(int(system.particle_of_node[node_of[other]]))
    informed, done = {leader}, set[int]()
    for rounds, order in enumerate(orders, start=1):
        for particle in order:
            if particle in informed and particle not in done:
                informed |= neighbours[particle]
                done.add(particle)
        if len(done) == system.particles:
            return rounds
    raise AssertionError("too few orders")


def diameter(shape: Shape) -> int:
    """Return the greatest distance between two occupied nodes."""
    nodes = nodes_of(shape)
    farthest = 0
    for start in nodes:
        distance = {start: 0}
        queue = [start]
        for node in queue:
            for other in (step(node, direction) for direction in range(6)):
                if other in nodes and other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
        farthest = max(farthest, *distance.values())
    return farthest


# Shapes and schedules to try things on, and when to stop trying.

#: More rounds than any election in the tests takes: a rule that is broken may run for ever.
TOO_LONG = 20_000


def bursts(shape: Shape, seed: int) -> Iterator[int]:
    """Yield particles for ever: some many times in a row, some for a long time not at all."""
    draw = random.Random(seed)
    while True:
        favourites = draw.sample(range(shape.particles), draw.randint(1, shape.particles))
        for _ in range(draw.choice((1, 2, 5, 20)) * len(favourites)):
            yield draw.choice(favourites)


def some_shape(seed: int, least: int, most: int, expanded: bool = False) -> Shape:
    """Return a small random shape: a tree, a blob, a blob with holes, a hexagon with losses."""
    draw = random.Random(seed)
    size = draw.randint(least, most)
    kind = draw.randrange(4)
    try:
        if kind == 0:
            shape = shapes.tree(size, seed=seed)
        elif kind == 1:
            shape = shapes.random(size, seed=seed)
        elif kind == 2:
            shape = shapes.random(size, draw.randint(1, 1 + size // 12), seed=seed)
        else:
            shape = shapes.swiss(1 + size // 16, draw.uniform(0.1, 0.5), seed=seed)
    except ShapeError:  # too small for the holes
        shape = shapes.tree(size, seed=seed)
    if not least <= len(shape) <= most:
        shape = shapes.random(size, seed=seed)
    return shape.with_expanded(draw.random(), seed) if expanded else shape
