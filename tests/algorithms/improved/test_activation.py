"""The rules alone, without an engine: all coins of small boundaries, tried one by one."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from numpy.typing import NDArray

from amoebot import shapes
from amoebot.algorithms.improved.activation import activate_agent
from amoebot.algorithms.improved.memory import empty_memory
from amoebot.algorithms.improved.segment_setup import flips_segment_coin
from amoebot.jit import INTERPRETED, rule
from amoebot.shapes import Shape
from amoebot.system import build
from helpers import looking, naive

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too long without the compiler")

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")


@rule
def activate(
    memory: NDArray[Any], views: NDArray[Any], agent: int, heads: bool, digit: int
) -> None:
    """Activate one agent of a boundary that is the whole array."""
    me, pred, succ = memory[agent], memory[agent - 1], memory[(agent + 1) % len(memory)]
    coin = int(heads) if flips_segment_coin(me) else digit
    activate_agent(me, pred, succ, views[agent], coin, False)


class Boundary:
    """The agents of one boundary with coins of one's own choice."""

    def __init__(self, shape: Shape, which: int, heads: list[bool], digits: list[int]) -> None:
        system = build(shape)
        boundary = system.boundaries[which]
        self.length = boundary.length
        self.views = system.wiring[list(boundary.agents)]
        self.heads, self.digits = heads, digits
        self.memory = empty_memory(self.length)

    def activate(self, agent: int) -> None:
        activate(self.memory, self.views, agent, self.heads[agent], self.digits[agent])

    def rounds(self, count: int, draw: random.Random) -> None:
        for _ in range(count):
            for agent in draw.sample(range(self.length), self.length):
                self.activate(agent)


def patterns(length: int, radix: int) -> list[tuple[list[bool], list[int]]]:
    """Return all coins and digits that give different identifiers."""
    return [
        (list(heads), list(digits))
        for heads in itertools.product((False, True), repeat=length)
        for digits in itertools.product(range(radix), repeat=length)
    ]


@pytest.mark.paper("Section 2", "Section 2.4", "Section 2.5", "Section 2.6")
@pytest.mark.parametrize(
    ("shape", "radix"),
    [
        (shapes.line(2), 3),
        (shapes.triangle(2), 3),
        (shapes.line(3), 3),
        (STAR, 2),
        (shapes.annulus(1, 0), 2),
    ],
    ids=["two", "triangle", "line of three", "star", "ring"],
)
def test_exactly_the_unique_highest_identifier_leads(shape: Shape, radix: int) -> None:
    draw = random.Random(1)
    length = build(shape).outer_boundary_length
    for heads, digits in patterns(length, radix):
        boundary = Boundary(shape, 0, heads, digits)
        boundary.rounds(9 * length + 20, draw)
        expected = naive.winner(heads, digits)
        found = looking.leaders(boundary.memory)
        assert found == ([] if isinstance(expected, str) else [expected]), (heads, digits)
        # Everyone below the highest has withdrawn, and nobody else.
        identifiers = naive.identifiers(heads, digits)
        ranks = {c: (len(identifier), identifier) for c, identifier in identifiers.items()}
        best = [c for c in ranks if ranks[c] == max(ranks.values())]
        assert [c for c in range(length) if looking.candidates(boundary.memory)[c]] == best


@pytest.mark.paper("Section 2.6")
def test_nobody_leads_on_an_inner_boundary() -> None:
    draw = random.Random(2)
    withdrew = 0
    for heads, digits in patterns(6, 1):
        boundary = Boundary(shapes.annulus(1, 0), 1, heads, digits)
        boundary.rounds(80, draw)
        assert looking.leaders(boundary.memory) == []
        if isinstance(naive.winner(heads, digits), int):
            assert not looking.candidates(boundary.memory).any()
            withdrew += 1
    assert withdrew > 10


@pytest.mark.paper("Section 2.3")
@pytest.mark.parametrize("length", range(1, 9))
def test_identifier_setup_leaves_the_reversed_copy_and_no_token(length: int) -> None:
    # A line with one candidate: its segment is the whole boundary, cut short by a second one.
    shape = shapes.line(6)
    for seed in range(5):
        draw = random.Random(seed)
        digits = [draw.randrange(16) for _ in range(10)]
        heads = [agent in (0, length) for agent in range(10)]
        boundary = Boundary(shape, 0, heads, digits)
        while not looking.has_created(boundary.memory).all():
            boundary.rounds(1, draw)
        assert looking.digits(boundary.memory) == digits
        expected = digits[:length][::-1] + digits[length:][::-1]
        assert looking.reversed_digits(boundary.memory) == expected
        assert not looking.setup_tokens(boundary.memory).any()


def test_nothing_happens_without_the_neighbours() -> None:
    # A token waits until the agent that it is to move to, or must look at, has started.
    boundary = Boundary(shapes.line(3), 0, [True, False, True, False], [1, 2, 3, 0])
    for _ in range(20):
        boundary.activate(0)
    assert looking.started(boundary.memory).tolist() == [True, False, False, False]
    assert looking.setup_tokens(boundary.memory).tolist() == [True, False, False, False]
    assert not looking.has_created(boundary.memory).any()
    assert not looking.activation_tokens(boundary.memory).any()
