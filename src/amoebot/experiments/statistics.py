"""The little statistics that reports need: exact intervals, and power laws fitted to data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

#: The share of cases in which an interval is to contain the true value.
CONFIDENCE = 0.95


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), as a continued fraction."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # where the fraction of the mirror image converges faster
        return 1 - incomplete_beta(b, a, 1 - x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """Return 1 + c1/(1 + c2/(1 + ...)) by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, 10_000):
        m = step // 2
        if step % 2:
            c = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            c = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / ((1 + c * lower) or 1e-300)
        upper = (1 + c / upper) or 1e-300
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value


def solve(rising: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return where a rising function takes a value, by bisection."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return (low + high) / 2


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact binomial interval for a probability (Clopper and Pearson, 1934)."""
    tail = (1 - confidence) / 2
    low, high = 0.0, 1.0
    if hits > 0:
        low = solve(lambda p: incomplete_beta(hits, trials - hits + 1, p), tail, 0, 1)
    if hits < trials:
        high = solve(lambda p: incomplete_beta(hits + 1, trials - hits, p), 1 - tail, 0, 1)
    return low, high


def student(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the number of standard errors on either side, for so many degrees of freedom."""
    if freedom < 1:
        return math.nan

    def within(t: float) -> float:
        return 1 - incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))

    return solve(within, confidence, 0, 1e4)


@dataclass(frozen=True)
class PowerLaw:
    """y = constant · x^exponent, fitted to the logarithms by least squares."""

    exponent: float
    constant: float
    margin: float  #: of the exponent, on either side
    points: int

    def __call__(self, x: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the fitted values."""
        return self.constant * np.asarray(x, dtype=float) ** self.exponent

    def __str__(self) -> str:
        """Return the exponent with its margin."""
        margin = "" if math.isnan(self.margin) else f" ± {self.margin:.2f}"
        return f"{self.exponent:.2f}{margin}"


def fit_power(x: ArrayLike, y: ArrayLike) -> PowerLaw | None:
    """Fit a power law; there is none unless x takes at least two values."""
    logs = np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float))
    usable = np.isfinite(logs[0]) & np.isfinite(logs[1])
    u, v = logs[0][usable], logs[1][usable]
    if len(np.unique(u)) < 2:
        return None
    spread = ((u - u.mean()) ** 2).sum()
    slope = float(((u - u.mean()) * (v - v.mean())).sum() / spread)
    rest = v - v.mean() - slope * (u - u.mean())
    freedom = len(u) - 2
    error = math.sqrt(float((rest**2).sum()) / freedom / float(spread)) if freedom > 0 else math.nan
    constant = float(np.exp(v.mean() - slope * u.mean()))
    return PowerLaw(slope, constant, student(freedom) * error, len(u))
