"""Intervals, fits and failure probabilities, against known values and by brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from amoebot.experiments import failure, statistics
from amoebot.sweeps.diameter import diameter
from amoebot.shapes import Shape, parse


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.308497),
        (1, 10, 0.00252858, 0.445016),
        (3, 10, 0.066740, 0.652453),
        (10, 10, 0.691503, 1.0),
        (50, 100, 0.398321, 0.601679),
        (5, 1_000_000, 1.623488e-6, 1.166829e-5),
    ],
)
def test_clopper_pearson_intervals(hits: int, trials: int, low: float, high: float) -> None:
    assert statistics.clopper_pearson(hits, trials) == pytest.approx((low, high), rel=1e-4)


def test_the_incomplete_beta_function_is_the_binomial_tail() -> None:
    for trials, p in ((5, 0.3), (12, 0.7), (40, 0.05)):
        for hits in range(1, trials + 1):
            tail = sum(
                math.comb(trials, k) * p**k * (1 - p) ** (trials - k)
                for k in range(hits, trials + 1)
            )
            assert statistics.incomplete_beta(hits, trials - hits + 1, p) == pytest.approx(tail)


@pytest.mark.parametrize(
    ("freedom", "t"), [(1, 12.7062), (4, 2.7764), (10, 2.2281), (1000, 1.9623)]
)
def test_students_quantiles(freedom: int, t: float) -> None:
    assert statistics.student(freedom) == pytest.approx(t, rel=1e-4)


def test_power_laws_are_found() -> None:
    x = np.array([1.0, 2, 4, 8, 16])
    law = statistics.fit_power(x, 3 * x**1.5)
    assert law is not None
    assert (law.exponent, law.constant) == pytest.approx((1.5, 3))
    assert law.margin == pytest.approx(0, abs=1e-9)
    noisy = statistics.fit_power(x, x * np.array([1.1, 0.9, 1.1, 0.9, 1.1]))
    assert noisy is not None
    assert abs(noisy.exponent - 1) < noisy.margin
    assert statistics.fit_power([2, 2], [1, 3]) is None


#: Lengths and numbers of elections as in the standard plan, and how far rounds were seen to spread.
LENGTHS = np.repeat([100.0, 250, 600, 1500, 5000], [60, 40, 20, 6, 2])
SPREAD = 1.1 * np.sqrt(LENGTHS)


@pytest.mark.parametrize(("a", "b", "c"), [(2.7, 1.0, 0.95), (3, 0.5, 2), (1, 1.5, 0)])
def test_a_power_law_is_found_beside_a_lower_term(a: float, b: float, c: float) -> None:
    law = statistics.fit_growth(LENGTHS, a * LENGTHS**b + c * np.log2(LENGTHS) ** 2)
    assert law is not None
    assert (law.constant, law.exponent, law.lower) == pytest.approx((a, b, c), abs=1e-5)
    assert law(LENGTHS) == pytest.approx(a * LENGTHS**b + c * np.log2(LENGTHS) ** 2)
    assert law.margin < 1e-5


def test_the_exponent_beside_a_lower_term_is_unbiased_and_its_interval_covers_it() -> None:
    noise = np.random.default_rng(1)
    rounds = 2.7 * LENGTHS + 0.95 * np.log2(LENGTHS) ** 2
    laws = [
        statistics.fit_growth(LENGTHS, rounds + SPREAD * noise.standard_normal(len(LENGTHS)))
        for _ in range(200)
    ]
    exponents = np.array([law.exponent for law in laws if law])
    margins = np.array([law.margin for law in laws if law])
    assert len(exponents) == 200
    assert abs(exponents.mean() - 1) < 3 * exponents.std() / math.sqrt(200)
    assert margins.mean() == pytest.approx(1.96 * exponents.std(), rel=0.15)
    assert 0.91 <= (abs(exponents - 1) < margins).mean() <= 0.99
    plain = statistics.fit_power(LENGTHS, rounds)
    assert plain is not None
    assert plain.exponent < 0.97  # which is why the lower term is there


def test_a_lower_term_is_never_negative_and_needs_three_sizes() -> None:
    law = statistics.fit_growth(LENGTHS, 3 * LENGTHS - 0.5 * np.log2(LENGTHS) ** 2)
    assert law is not None
    assert law.lower == 0
    assert law.exponent > 1
    assert statistics.fit_growth([10, 10, 20, 20], [1, 2, 3, 4]) is None
    assert statistics.fit_growth([10, 20, 40, 80], [1, 1e3, 1e6, 1e9]) is None  # no power so high


def naive_tie(length: int, radix: int) -> Fraction:
    """All coin flips one by one; then the chance that the highest of M identifiers is shared."""
    tie = Fraction(0)
    for coins in itertools.product((False, True), repeat=length):
        heads = [place for place in range(length) if coins[place]]
        if not heads:
            continue
        segments = [
            (b - a - 1) % length + 1 for a, b in zip(heads, heads[1:] + heads[:1], strict=True)
        ]
        rivals, values = segments.count(max(segments)), radix ** max(segments)
        unique = sum(
            Fraction(rivals, values) * Fraction(v, values) ** (rivals - 1) for v in range(values)
        )
        tie += (1 - unique) / 2**length
    return tie


@pytest.mark.parametrize(("length", "radix"), [(1, 2), (2, 2), (3, 2), (4, 3), (7, 2), (9, 2)])
def test_the_probability_of_a_tie_is_exact(length: int, radix: int) -> None:
    exact = float(naive_tie(length, radix))
    assert failure.probability_of_tie(length, radix) == pytest.approx(exact, abs=1e-12)


def test_failures_become_rare() -> None:
    for radix in (2, 16):
        rates = [failure.probability_of_failure(length, radix) for length in (6, 12, 24, 48, 96)]
        assert rates == sorted(rates, reverse=True)
    assert failure.bound(10_000, 16) == 1
    assert failure.bound(10_000, 256) == pytest.approx(1e-4)


def naive_diameter(shape: Shape) -> int:
    longest = 0
    for start in range(len(shape)):
        steps, waiting = {start: 0}, [start]
        for node in waiting:
            for other in shape.neighbours[node].tolist():
                if other >= 0 and other not in steps:
                    steps[other] = steps[node] + 1
                    waiting.append(other)
        longest = max(longest, *steps.values())
    return longest


@pytest.mark.parametrize(
    "text",
    [
        "line:1",
        "line:8",
        "hexagon:4",
        "annulus:3,1",
        "annulus:5,4",
        "comb:3,4",
        "labyrinth:4",
        "tree:40",
        "random:60",
        "random:90,3",
        "swiss:4,0.3",
        "spiral:30",
    ],
)
def test_diameters(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = parse(text)
    assert diameter(shape) == (naive_diameter(shape), True)
    monkeypatch.setattr("amoebot.sweeps.diameter.EXHAUSTIVE", 0)
    found, exact = diameter(shape)
    assert found <= naive_diameter(shape)
    assert not exact or found == naive_diameter(shape)
