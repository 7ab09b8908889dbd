"""Exact numbers for small systems: how likely Section 2 elects, and how long an election takes."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled
from amoebot.shapes import Shape
from amoebot.verify.report import Report

from .checker import NEVER_ENDING, explored
from .explore import new_moment
from .model import Model, Moment, activate, fixed_offsets, new_model, next_choices
from .properties import DECIDED, HAS_LEADER, MAY_ELECT
from .space import Space, find, load, write_row

#: The longest boundary whose coin flips are all enumerated.
MOST_AGENTS = 20

#: The linear system counts as solved when no unknown moves by more than this part of itself.
PRECISION = 1e-13


def election_probability(length: int, radix: int) -> Fraction:
    """Return the probability that the algorithm of Section 2 elects a leader.

    That is the probability that a boundary of so many agents gets a unique highest identifier: the
    segments of greatest length have independent uniform identifiers, and one of them is greatest.
    """
    if length == 0:
        return Fraction(1)
    if length > MOST_AGENTS:
        raise ValueError(f"{length} agents flip too many coins to enumerate: at most {MOST_AGENTS}")
    total = Fraction(0)
    for flips in product((False, True), repeat=length):
        sizes = segment_sizes(flips)
        if sizes:
            total += unique_highest(sizes.count(max(sizes)), radix ** max(sizes))
    return total / 2**length


def segment_sizes(heads: tuple[bool, ...]) -> list[int]:
    """Return the lengths of the segments that coin flips around a boundary make."""
    places = [place for place, head in enumerate(heads) if head]
    following = [*places[1:], places[0] + len(heads)] if places else []
    return [after - before for before, after in zip(places, following, strict=True)]


def unique_highest(rivals: int, values: int) -> Fraction:
    """Return the probability that one of some independent uniform numbers is the only highest."""
    return rivals * sum_of_powers(rivals - 1, values) / values**rivals


def sum_of_powers(power: int, below: int) -> Fraction:
    """Return the sum of k to a power for all k below a number, by Faulhaber's formula."""
    terms = (
        math.comb(power + 1, j) * bernoulli(j) * below ** (power + 1 - j) for j in range(power + 1)
    )
    return sum(terms, Fraction(0)) / (power + 1)


@cache
def bernoulli(number: int) -> Fraction:
    """Return a Bernoulli number; the first is -1/2."""
    if number == 0:
        return Fraction(1)
    rest = (math.comb(number + 1, j) * bernoulli(j) for j in range(number))
    return -sum(rest, Fraction(0)) / (number + 1)


def expected_activations(
    shape: Shape, *, almost_sure: bool = True, terminate: bool = False, radix: int = 2
) -> float:
    """Return the expected number of activations under ``uniform`` until an election is decided.

    Decided means that there is a leader or, for Section 2 alone, that all coins are flipped and the
    highest identifier is not unique. It is the solution of a linear system over all states, to at
    least ten digits.
    """
    shape = fixed_offsets(shape)
    model = new_model(shape, radix, almost_sure, terminate)
    if len(model.wiring) == 0:
        return 1.0
    report = Report(shape.name, shape.particles, radix, almost_sure, terminate)
    space = explored(model, report, NEVER_ENDING, None, None)
    states = int(space.progress["states"][0])
    flags = space.flags[:states]
    over = (flags & HAS_LEADER) != 0
    if not almost_sure:
        over |= (flags & (DECIDED | MAY_ELECT)) == DECIDED
    start, targets, weights = chain(model, space, new_moment(model), states)
    return float(solve(start, targets, weights, over)[0])


@compiled
def chain(
    model: Model, space: Space, moment: Moment, states: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the Markov chain of uniform activation: for each state, where to and how likely."""
    transitions = space.progress[0].transitions
    start = np.zeros(states + 1, dtype=np.int64)
    targets = np.empty(transitions, dtype=np.int32)
    weights = np.empty(transitions, dtype=np.float64)
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    count = 0
    for state in range(states):
        for particle in range(len(model.first_agent)):
            moment.choices[:] = 0
            more = True
            while more:
                load(space.states, space.memories, moment.words, moment.particles, state)
                used = activate(model, moment, particle)
                write_row(
                    space.states,
                    space.memories,
                    space.memory_table,
                    space.progress[0],
                    moment.words,
                    moment.particles,
                    state,
                    row,
                )
                weight = 1.0 / len(model.first_agent)
                for coin in range(used):
                    weight /= moment.sides[coin]
                slot = find(space.state_table, space.states, row, 0)
                targets[count] = space.state_table[slot]
                weights[count] = weight
                count += 1
                more = used > 0 and next_choices(moment, used)
        start[state + 1] = count
    return start, targets, weights


@compiled
def solve(
    start: NDArray[np.int64],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    over: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the expected number of steps until a state that is over, from every state.

    Gauss-Seidel: states found late lead to others found late, so it sweeps from the last to the
    first, and repeats until nothing moves.
    """
    expected = np.zeros(len(over), dtype=np.float64)
    moved = 1.0
    while moved > PRECISION:
        moved = 0.0
        for state in range(len(over) - 1, -1, -1):
            if over[state]:
                continue
            steps = 1.0
            stay = 0.0
            for edge in range(start[state], start[state + 1]):
                if targets[edge] == state:
                    stay += weights[edge]
                else:
                    steps += weights[edge] * expected[targets[edge]]
            steps /= 1.0 - stay
            moved = max(moved, (steps - expected[state]) / steps)
            expected[state] = steps
    return expected
