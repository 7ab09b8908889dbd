"""Verdicts that can fail: intervals decide, families are corrected, and errors stay rare."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from amoebot.reports.statistics import fit_power, holm
from amoebot.reproduction import verdicts
from amoebot.reproduction.verdicts import ALPHA, FAILS, HOLDS, UNDECIDED, decide

SIZES = np.repeat([100.0, 250, 600, 1500, 5000], [60, 40, 24, 12, 8])


def made(exponent: float, seed: int, spread: float = 0.05) -> verdicts.Check:
    """A check on rounds that grow with an exponent, and vary less the larger they are."""
    noise = np.random.default_rng(seed).standard_normal(len(SIZES))
    rounds = 3 * SIZES**exponent * np.exp(spread * noise * (100 / SIZES) ** 0.25)
    return verdicts.slope("exponent", fit_power(SIZES, rounds), 1.05, len(SIZES))


def test_holm_corrects_as_published() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(("exponent", "word"), [(1.0, HOLDS), (1.1, FAILS)])
def test_an_exponent_is_told_from_the_bound(exponent: float, word: str) -> None:
    assert {decide([made(exponent, seed)]).word for seed in range(50)} == {word}


def test_at_the_bound_verdicts_are_undecided_and_wrong_ones_rare() -> None:
    words = [decide([made(1.05, seed)]).word for seed in range(600)]
    for word in (HOLDS, FAILS):
        assert stats.binomtest(words.count(word), len(words), ALPHA, "greater").pvalue > 1e-3


def test_of_many_true_families_one_fails_by_chance_as_rarely_as_of_one() -> None:
    words = [decide([made(1.05, 11 * seed + k) for k in range(11)]).word for seed in range(60)]
    assert stats.binomtest(words.count(FAILS), len(words), ALPHA, "greater").pvalue > 1e-3


def test_one_false_family_among_many_true_ones_fails() -> None:
    checks = [made(1.0, seed) for seed in range(10)]
    assert decide(checks).word == HOLDS
    assert decide([*checks, made(1.1, 99)]).word == FAILS


def test_undecided_says_how_many_more_elections_would_decide() -> None:
    for check in (
        verdicts.share("exceptions", 0, 100, 0.01),
        verdicts.share("exceptions", 3, 400, 0.01),
        made(1.04, 1, spread=0.3),
        verdicts.falls("long runs", (20, 1000), (2, 1000), 4),
    ):
        decision = decide([check])
        assert decision.word == UNDECIDED
        assert decision.more is not None
        assert f"{decision.more:,} more elections" in decision.reason
    needed = decide([verdicts.share("exceptions", 0, 100, 0.01)]).more
    assert needed is not None
    assert decide([verdicts.share("exceptions", 0, 100 + needed, 0.01)]).word == HOLDS


def test_how_many_more_would_decide_is_corrected_for_the_number_of_checks() -> None:
    fine = [verdicts.share(f"x{number}", 0, 2000, 0.01) for number in range(20)]
    many = decide([*fine, verdicts.share("bad", 36, 2000, 0.01)])
    assert many.word == UNDECIDED
    assert many.more is not None
    times = 1 + many.more / 2000
    again = verdicts.share("bad", round(36 * times), round(2000 * times), 0.01)
    assert decide([*fine, again]).word == FAILS


def test_a_statement_about_every_case_falls_with_one() -> None:
    assert decide([verdicts.exact("late tokens", 0, 1000)]).word == HOLDS
    assert decide([verdicts.exact("late tokens", 1, 1000)]).word == FAILS
    assert decide([verdicts.exact("late tokens", 0, 0)]).word == UNDECIDED
    assert decide([]).word == UNDECIDED


def test_a_single_failure_where_a_thousandth_is_expected_is_too_many() -> None:
    assert decide([verdicts.expected("failures", 1, 0.001, 1400)]).word == FAILS
    assert decide([verdicts.expected("failures", 1, 0.9, 1400)]).word == HOLDS


def test_too_few_sizes_decide_nothing() -> None:
    assert decide([verdicts.slope("exponent", None, 1.05, 10)]).word == UNDECIDED
    two = fit_power([10, 20], [10, 20])
    assert decide([verdicts.slope("exponent", two, 1.05, 2)]).word == UNDECIDED
