"""How often the algorithm of Section 2 fails: exactly, in numbers, and as the paper bounds it.

It fails if no agent of the outer boundary flips heads, or if the highest identifier is not
unique. Neither depends on the schedule, so both probabilities can be computed.

Some candidate beats all others with L times the probability that a certain agent does, with a
segment of m agents: each other segment is then shorter, or is as long and has a lower identifier.
The segments are counted in fractions or in floating-point numbers by the same code.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Up to this number, values of an identifier are summed one by one.
SUMMED = 512

#: Rarer segments do not matter, and smaller probabilities are not told from zero.
NEGLIGIBLE = 1e-12


def election_probability(length: int, radix: int) -> Fraction:
    """Return the probability that Section 2 elects a leader, exactly."""
    if length == 0:
        return Fraction(1)
    unique = Fraction(0)
    for m in range(1, length + 1):
        rivals = _rivals(length - m, m, Fraction(1))
        lower = (sum_of_powers(r, radix**m) / radix ** (m * (r + 1)) for r in range(len(rivals)))
        unique += sum(map(math.prod, zip(rivals, lower, strict=True))) * length / 2**m
    return unique


def probability_of_no_candidates(length: int) -> float:
    """Return the probability that nobody on an outer boundary of this length flips heads."""
    return 0.5**length


@cache
def probability_of_tie(length: int, radix: int) -> float:
    """Return the probability of candidates of whom none has the only highest identifier."""
    unique = 0.0
    for m in range(1, length + 1):
        if length * 0.5**m < NEGLIGIBLE / 10:
            break
        rivals = _rivals(length - m, m, 1.0)
        unique += length * 0.5**m * float(rivals @ _all_lower(len(rivals), float(radix) ** m))
    tie = 1 - probability_of_no_candidates(length) - unique
    return tie if tie > NEGLIGIBLE else 0.0


def probability_of_failure(length: int, radix: int) -> float:
    """Return the probability that the algorithm of Section 2 elects nobody."""
    return probability_of_no_candidates(length) + probability_of_tie(length, radix)


def bound(particles: int, radix: int) -> float:
    """Return the bound on ties in the proof of Lemma 3, which is large for small radices."""
    return min(1.0, math.pow(particles, 1 - 0.25 * math.log2(radix)))


def _rivals(length: int, m: int, one: Any) -> NDArray[Any]:
    """Return how likely a row of agents is split into segments of which r have length m.

    The others are shorter, and r is the index. ``row[i]`` says it of the first i agents; ``one``
    is the number 1 of the kind to compute with.
    """
    row = np.full((length + 1, length // m + 1), 0 * one)
    row[0, 0] = one
    shorter = row[0] * 0  # the sum of row[i - j] / 2^j over all segments j < m
    for i in range(1, length + 1):
        if m > 1:
            shorter = (shorter + row[i - 1]) / 2
        row[i] = shorter
        if i >= m:
            equal = row[i - m] / 2**m
            if m > 1:
                shorter = shorter - equal
            row[i] = shorter + np.roll(equal, 1)
    return row[length]


def _all_lower(rivals: int, values: float) -> NDArray[np.float64]:
    """Return the probability that identifiers of r rivals are all lower than one's own."""
    r, step = np.arange(rivals), 1 / values
    if values <= SUMMED:
        return ((np.arange(values) * step)[:, np.newaxis] ** r).mean(axis=0)
    # Faulhaber's formula, of which the first terms are enough for that many values.
    first, second = (r > 0) * step / 2, (r > 1) * r * step**2 / 12
    return 1 / (r + 1) - first + second - r * (r - 1) * (r - 2) * step**4 / 720


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
