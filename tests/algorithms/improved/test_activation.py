"""The rules alone, without an engine: all coins of small boundaries, tried one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from amoebot import shapes
from amoebot.algorithms.improved.activation import activate
from amoebot.algorithms.improved.identifier_setup import draws_digit
from amoebot.algorithms.improved.memory import Agent
from amoebot.algorithms.improved.segment_setup import flips_segment_coin
from amoebot.algorithms.interface import NO_COIN
from amoebot.algorithms.records import layout
from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.system import build
from helpers import looking, naive

pytestmark = pytest.mark.compiled

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")


#: Section 2 alone; the radix matters only to who draws digits.
OPTIONS = np.zeros(1, dtype=[("almost_sure", np.int64), ("radix", np.int64)])


@compiled
def activate_agents(
    agents: NDArray[np.int64],
    memory: NDArray[Any],
    wiring: NDArray[Any],
    heads: NDArray[np.int64],
    digits: NDArray[np.int64],
    options: Any,
) -> None:
    """Activate agents of a boundary that is the whole array, one after another."""
    for agent in agents:
        me, pred, succ = memory[agent], memory[agent - 1], memory[(agent + 1) % len(memory)]
        coin = NO_COIN
        if flips_segment_coin(me):
            coin = heads[agent]
        elif draws_digit(me):
            coin = digits[agent]
        activate(me, pred, succ, wiring[agent].sight, (coin, NO_COIN), options[0])


class Boundary:
    """The agents of one boundary with coins of one's own choice."""

    def __init__(self, shape: Shape, which: int, heads: list[bool], digits: list[int]) -> None:
        system = build(shape)
        boundary = system.boundaries[which]
        self.length = boundary.length
        self.wiring = system.wiring[list(boundary.agents)]
        self.heads, self.digits = np.array(heads, dtype=np.int64), np.array(digits, dtype=np.int64)
        self.memory = np.zeros(self.length, dtype=layout(Agent))

    def activate(self, agents: NDArray[np.int64]) -> None:
        activate_agents(agents, self.memory, self.wiring, self.heads, self.digits, OPTIONS)

    def rounds(self, count: int, draw: np.random.Generator) -> None:
        orders = np.tile(np.arange(self.length), (count, 1))
        self.activate(draw.permuted(orders, axis=1).ravel())


def patterns(length: int, radix: int) -> list[tuple[list[bool], list[int]]]:
    """Return all coins and digits that give different identifiers."""
    return [
        (list(heads), list(digits))
        for heads in itertools.product((False, True), repeat=length)
        for digits in itertools.product(range(radix), repeat=length)
    ]


@pytest.mark.slow
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
    draw = np.random.default_rng(1)
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
    draw = np.random.default_rng(2)
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
        draw = np.random.default_rng(seed)
        digits = draw.integers(16, size=10).tolist()
        heads = [agent in (0, length) for agent in range(10)]
        boundary = Boundary(shape, 0, heads, digits)
        while not looking.has_created(boundary.memory).all():
            boundary.rounds(1, draw)
        assert looking.digits(boundary.memory) == digits
        expected = digits[:length][::-1] + digits[length:][::-1]
        assert looking.reversed_digits(boundary.memory) == expected
        assert not looking.setup_tokens(boundary.memory).any()


@pytest.mark.paper("Section 2.3")
@pytest.mark.parametrize("length", range(1, 9))
def test_the_setup_token_copies_from_both_ends_to_the_middle(length: int) -> None:
    boundary = Boundary(shapes.line(6), 0, [agent in (0, length) for agent in range(10)], [0] * 10)
    draw = np.random.default_rng(length)
    order: list[int] = []  # in which the agents of the segment got their copies
    for _ in range(4_000):
        boundary.activate(draw.integers(10, size=1))
        segment = boundary.memory[:length]
        assert looking.setup_tokens(segment).sum() <= 1
        order += [
            agent
            for agent in np.flatnonzero(looking.has_copy(segment)).tolist()
            if agent not in order
        ]
        assert not order or looking.has_drawn(segment).all()
    assert looking.has_created(boundary.memory)[0]
    ends = zip(range(length), reversed(range(length)), strict=True)
    assert order == list(dict.fromkeys(itertools.chain.from_iterable(ends)))


@pytest.mark.paper("Section 2.4")
def test_a_delimiter_leaves_no_result_behind() -> None:
    """An agent whose latest token is a delimiter is active, and has forgotten its result."""
    draw = np.random.default_rng(3)
    kept = 0
    for heads, digits in patterns(4, 2):
        boundary = Boundary(shapes.line(3), 0, heads, digits)
        for _ in range(100):
            boundary.activate(draw.integers(4, size=1))
            matched, results = looking.matched(boundary.memory), looking.results(boundary.memory)
            kept += int(results.any())
            assert not results[~matched].any()
            for agent in range(4):
                held = looking.digit_tokens(boundary.memory, agent)
                assert not (held and held[-1][2] and matched[agent])
    assert kept > 100


def test_nothing_happens_without_the_neighbours() -> None:
    # A token waits until the agent that it is to move to, or must look at, has started.
    boundary = Boundary(shapes.line(3), 0, [True, False, True, False], [1, 2, 3, 0])
    boundary.activate(np.zeros(20, dtype=np.int64))
    assert looking.started(boundary.memory).tolist() == [True, False, False, False]
    assert looking.setup_tokens(boundary.memory).tolist() == [True, False, False, False]
    assert not looking.has_created(boundary.memory).any()
    assert not looking.activation_tokens(boundary.memory).any()
