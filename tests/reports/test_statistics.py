"""Intervals and fits, against known values and on made data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from amoebot.reports import statistics


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
    assert law.lower == pytest.approx(0, abs=1e-9)
    assert law.exponent > 1
    assert statistics.fit_growth([10, 10, 20, 20], [1, 2, 3, 4]) is None
    assert statistics.fit_growth([10, 20, 40, 80], [1, 1e3, 1e6, 1e9]) is None  # too high a power


def test_a_law_whose_leading_term_is_negative_is_none() -> None:
    falling = 40 * np.log2(LENGTHS) ** 2 - 16 * LENGTHS**0.28
    law = statistics.fit_growth(LENGTHS, falling)
    assert law is None or law.constant >= 0


def test_the_interval_of_a_slope_covers_it_where_variances_differ() -> None:
    noise = np.random.default_rng(2)
    spread = 0.3 / np.sqrt(LENGTHS / 100)  # small systems vary the most
    covered = []
    for _ in range(1000):
        law = statistics.fit_power(
            LENGTHS, 3 * LENGTHS * np.exp(spread * noise.standard_normal(len(LENGTHS)))
        )
        assert law is not None
        covered.append(abs(law.exponent - 1) < law.margin)
    assert 0.93 <= np.mean(covered) <= 0.99


def test_a_curve_that_does_not_fit_is_said_not_to() -> None:
    lengths = np.repeat([100.0, 250, 600, 1500, 5000], 20)
    noise = np.exp(0.02 * np.random.default_rng(3).standard_normal(len(lengths)))
    straight = statistics.fit_power(lengths, 3 * lengths * noise)
    bent = statistics.fit_power(lengths, (3 * lengths + 5 * np.log2(lengths) ** 2) * noise)
    assert straight is not None
    assert bent is not None
    assert straight.fits
    assert not bent.fits
    assert str(bent) == "does not fit"
    beside = statistics.fit_growth(lengths, (3 * lengths + 5 * np.log2(lengths) ** 2) * noise)
    assert beside is not None
    assert beside.fits
    wrong = [
        statistics.fit_power(lengths, lengths * np.exp(0.02 * noise))
        for noise in np.random.default_rng(4).standard_normal((300, len(lengths)))
    ]
    assert sum(law is not None and not law.fits for law in wrong) <= 3
