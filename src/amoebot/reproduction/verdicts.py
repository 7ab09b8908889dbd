"""Verdicts on claims: each holds, fails or is undecided, and an interval decides.

A claim is tested by one or more checks, each that a quantity is at most a bound. It *fails* if one
of them is refuted, with Holm's correction for their number. It *holds* if each of them is shown,
which needs no correction: all have to be. Otherwise it is *undecided*, and the number of
elections that would decide it is estimated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import polars as pl
from scipy import stats

from amoebot.reports.statistics import PowerLaw, clopper_pearson, holm, student

#: The most that the probability of a wrong verdict may be.
ALPHA = 0.01

#: Intervals whose ends are the limits of two one-sided tests at that level.
LEVEL = 1 - 2 * ALPHA

#: The most elections, in multiples of those there are, that are looked at for a decision.
MOST_TIMES = 1e6

#: The p-values on both sides of a check if there were N times as many elections.
Tails = Callable[[float], tuple[float, float]]

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"


@dataclass(frozen=True)
class Check:
    """That a quantity is at most a bound."""

    what: str
    estimate: float
    low: float
    high: float
    bound: float
    refuted: float  #: p-value: an estimate at least this high if the quantity is at the bound
    shown: float  #: p-value: an estimate at most this low then
    elections: int
    more: int | None = None  #: elections that would decide, where that is known beforehand
    #: both p-values with N times as many elections of the same outcomes
    tails: Tails | None = field(default=None, compare=False, repr=False)

    def needed(self, checks: int) -> int | None:
        """Return how many more elections would decide it as one of N checks; None if none would."""
        if self.tails is None or self.elections == 0:
            return self.more
        return _more(self.tails, self.elections, ALPHA / checks)

    def as_dict(self, checks: int) -> dict[str, Any]:
        """Return all fields as one of N checks, ready for JSON."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "tails"}
        return told | {"more": self.needed(checks) if self.is_open else None}

    @property
    def is_open(self) -> bool:
        """Whether it is not shown."""
        return self.shown >= ALPHA

    def __str__(self) -> str:
        """Name the quantity with its interval and bound."""
        interval = "" if self.low == self.high else f" ({_spell(self.low)} to {_spell(self.high)})"
        return f"{self.what}: {_spell(self.estimate)}{interval}, bound {_spell(self.bound)}"


@dataclass(frozen=True)
class Decision:
    """A verdict in one word, and the checks that it rests on."""

    word: str
    reason: str
    more: int | None
    checks: tuple[Check, ...]

    def table(self) -> pl.DataFrame:
        """Return the checks, one row each."""
        corrected = holm([check.refuted for check in self.checks])
        return pl.DataFrame(
            {
                "check": [check.what for check in self.checks],
                "elections": [check.elections for check in self.checks],
                "estimate": [float(check.estimate) for check in self.checks],
                "low": [float(check.low) for check in self.checks],
                "high": [float(check.high) for check in self.checks],
                "bound": [float(check.bound) for check in self.checks],
                "p that it is above": [float(p) for p in corrected],
                "p that it is at most": [float(check.shown) for check in self.checks],
            }
        )


def decide(checks: Sequence[Check]) -> Decision:
    """Return the verdict of all checks of a claim."""
    kept = tuple(checks)
    if not kept:
        return Decision(UNDECIDED, "there are no elections to decide by", None, kept)
    corrected = holm([check.refuted for check in kept])
    refuted = [check for check, p in zip(kept, corrected, strict=True) if p < ALPHA]
    if refuted:
        worst = min(refuted, key=lambda check: check.refuted)
        others = f", and {len(refuted) - 1} more" if len(refuted) > 1 else ""
        return Decision(FAILS, f"refuted: {worst}{others}", None, kept)
    unshown = [check for check in kept if check.is_open]
    if not unshown:
        return Decision(HOLDS, "", None, kept)
    needed = [check.needed(len(kept)) for check in unshown]
    known = [number for number in needed if number is not None]
    more = max(1, sum(known)) if len(known) == len(unshown) else None
    told = (
        f"about {more:,} more elections would decide" if more else "more elections may not decide"
    )
    return Decision(UNDECIDED, f"not shown: {unshown[0]}; {told}", more, kept)


def exact(what: str, violations: int, looks: int) -> Check:
    """Check a statement about every case: one that violates it refutes it."""
    refuted, shown = float(violations == 0), float(violations > 0 or looks == 0)
    more = None if looks else 1
    return Check(what, violations, violations, violations, 0, refuted, shown, looks, more)


def slope(what: str, law: PowerLaw | None, bound: float, elections: int) -> Check:
    """Check that an exponent is at most a bound."""
    if law is None or math.isnan(law.error):
        nothing = math.nan
        return Check(what, nothing, nothing, nothing, bound, 1.0, 1.0, elections, elections or 1)

    def tails(times: float) -> tuple[float, float]:
        error = max(law.error / math.sqrt(times), 1e-12)
        t = (law.exponent - bound) / error
        return float(stats.t.sf(t, law.freedom)), float(stats.t.cdf(t, law.freedom))

    margin = student(law.freedom, LEVEL) * law.error
    ends = law.exponent - margin, law.exponent + margin
    return _check(what, law.exponent, ends, bound, tails, elections)


def share(what: str, hits: int, trials: int, bound: float) -> Check:
    """Check that a probability is at most a bound (exact binomial test)."""

    def tails(times: float) -> tuple[float, float]:
        n, k = round(trials * times), round(hits * times)
        above, below = stats.binom.sf(k - 1, n, bound), stats.binom.cdf(k, n, bound)
        return float(above), float(below)

    ends = clopper_pearson(hits, trials, LEVEL) if trials else (0.0, 1.0)
    return _check(what, hits / max(1, trials), ends, bound, tails, trials)


def never_more(what: str, hits: int, trials: int, bound: float) -> Check:
    """Check that a probability is not refuted to be at most a bound; that alone is asked."""
    check = share(what, hits, trials, bound)
    return Check(what, check.estimate, check.low, check.high, bound, check.refuted, 0.0, trials)


def as_computed(what: str, hits: int, trials: int, probability: float) -> Check:
    """Check that a share is consistent with a probability that is computed, on both sides."""
    p = float(stats.binomtest(hits, trials, probability).pvalue)
    low, high = clopper_pearson(hits, trials, LEVEL)
    return Check(what, hits / trials, low, high, probability, p, 0.0, trials)


def expected(what: str, hits: int, expectation: float, trials: int) -> Check:
    """Check that rare events are not more than expected (Poisson)."""
    p = float(stats.poisson.sf(hits - 1, expectation))
    return Check(what, hits, hits, hits, expectation, p, 0.0, trials)


def falls(what: str, small: tuple[int, int], large: tuple[int, int], factor: float) -> Check:
    """Check that a probability falls by at least a factor from a small size to a large one.

    Given how many events there were at both, those at the large size are binomial.

    Args:
        what: The probability.
        small: Events and elections at the small size.
        large: Events and elections at the large size.
        factor: The factor.
    """

    def tails(times: float) -> tuple[float, float]:
        (few, of_few), (many, of_many) = (
            (round(hits * times), trials * times) for hits, trials in (small, large)
        )
        p = of_many / factor / (of_few + of_many / factor)
        both = few + many
        return float(stats.binom.sf(many - 1, both, p)), float(stats.binom.cdf(many, both, p))

    rates = [hits / max(1, trials) for hits, trials in (small, large)]
    ratio = rates[1] / rates[0] if rates[0] else math.nan
    low, high = _ratio_interval(small, large)
    return _check(what, ratio, (low, high), 1 / factor, tails, small[1] + large[1])


def _ratio_interval(small: tuple[int, int], large: tuple[int, int]) -> tuple[float, float]:
    """Return the interval of the ratio of two probabilities, given the number of events."""
    both = small[0] + large[0]
    if both == 0:
        return 0.0, math.inf
    ends = clopper_pearson(large[0], both, LEVEL)
    scale = small[1] / large[1]
    low, high = (end / (1 - end) * scale if end < 1 else math.inf for end in ends)
    return low, high


def _check(
    what: str,
    estimate: float,
    ends: tuple[float, float],
    bound: float,
    tails: Tails,
    elections: int,
) -> Check:
    return Check(what, estimate, *ends, bound, *tails(1.0), elections, tails=tails)


def _more(tails: Tails, elections: int, level: float) -> int | None:
    """Return how many more elections would decide, if they came out like those there are.

    The bound is refuted at a level that is corrected for the number of checks, and shown without.
    """

    def is_decided(times: float) -> bool:
        refuted, shown = tails(times)
        return refuted < level or shown < ALPHA

    low, high = 1.0, 2.0
    while not is_decided(high):
        low, high = high, 2 * high
        if high > MOST_TIMES:
            return None
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_decided(middle) else (middle, high)
    return math.ceil(max(1, elections) * (high - 1))


def _spell(value: float) -> str:
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "∞"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.3g}"
