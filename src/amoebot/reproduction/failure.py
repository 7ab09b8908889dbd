"""How often the algorithm of Section 2 fails: exactly, and as the paper bounds it.

It fails if no agent of the outer boundary flips heads, or if the highest identifier is not
unique. Neither depends on the schedule, so both probabilities can be computed.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

#: So many values of an identifier are summed one by one; more are integrated.
SUMMED = 512

#: Segments so rare do not matter; and a probability below this is not told from zero.
NEGLIGIBLE = 1e-12


def probability_of_no_candidates(length: int) -> float:
    """Return the probability that nobody on an outer boundary of this length flips heads."""
    return 0.5**length


@cache
def probability_of_tie(length: int, radix: int) -> float:
    """Return the probability that there are candidates, and the highest identifier is not unique.

    One minus the probability that some candidate beats all others, which is L times the
    probability that a certain agent is that candidate, with a segment of m agents and an
    identifier above a share p of all those of its length: each other segment is then shorter,
    or as long and of this share.
    """
    unique = 0.0
    for m in range(1, length + 1):
        if length * 0.5**m < NEGLIGIBLE / 10:
            break
        shares, weights = _identifiers(float(radix) ** m)
        unique += length * 0.5**m * float(weights @ _others(length - m, m, shares))
    tie = 1 - probability_of_no_candidates(length) - unique
    return tie if tie > NEGLIGIBLE else 0.0


def probability_of_failure(length: int, radix: int) -> float:
    """Return the probability that the algorithm of Section 2 elects nobody."""
    return probability_of_no_candidates(length) + probability_of_tie(length, radix)


def at_most(length: int, radix: int) -> float:
    """Return a bound on the probability of failure that is quick to compute for any length.

    It falls with the length, so that of a shorter boundary will do.
    """
    return probability_of_failure(min(length, 120), radix) if length else 0.0


def bound(particles: int, radix: int) -> float:
    """Return the bound on ties in the proof of Lemma 3, which is large for small radices."""
    return min(1.0, math.pow(particles, 1 - 0.25 * math.log2(radix)))


def _identifiers(values: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return shares p = v / values of identifiers below each v, and how much each counts."""
    if values <= SUMMED:
        shares = np.arange(int(values)) / values
        return shares, np.full(len(shares), 1 / values)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    # The sum over v is the integral less half the step between the ends (Euler and Maclaurin).
    shares = np.concatenate([(nodes + 1) / 2, [0.0, 1.0]])
    ends = [0.5 / values, -0.5 / values]
    return shares, np.concatenate([weights / 2, ends])


def _others(length: int, m: int, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that all other segments lose, for each share of identifiers.

    A row of agents is split into segments: ``row[i]`` is the probability for the first i agents.
    """
    row = np.zeros((length + 1, len(shares)))
    row[0] = 1
    recent = np.zeros(len(shares))  # the sum of row[i - j] / 2^j over all shorter segments j < m
    for i in range(1, length + 1):
        if m > 1:
            recent = (recent + row[i - 1]) / 2
            if i >= m:
                recent -= row[i - m] * 0.5**m
        row[i] = recent + (row[i - m] * 0.5**m * shares if i >= m else 0)
    last: NDArray[np.float64] = row[length]
    return last
