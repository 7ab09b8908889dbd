"""How tests compare two simulators: outcomes and rounds must have the same distributions."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from scipy import stats

#: Two of these fail by chance once in a thousand times that all of them are run.
LEAST = 1e-4

#: The outcome of an election, and the round in which it was known.
Told = tuple[str, int]


def check_same(expected: Sequence[Told], told: Sequence[Told]) -> None:
    """Compare how often each outcome is, and the rounds until a leader."""
    for outcome in {outcome for outcome, _ in [*expected, *told]}:
        counts = [[one[0] == outcome for one in runs].count(True) for runs in (expected, told)]
        table = [counts, [len(expected) - counts[0], len(told) - counts[1]]]
        if min(map(min, table)) > 0 or max(counts) > 20:
            assert stats.fisher_exact(table).pvalue > LEAST, (outcome, table)
    rounds, others = (
        np.array([number for outcome, number in runs if outcome == "leader"])
        for runs in (expected, told)
    )
    error = np.hypot(stats.sem(rounds), stats.sem(others))
    assert abs(fmean(rounds) - fmean(others)) < 4 * error
    assert stats.ks_2samp(rounds, others).pvalue > LEAST
