"""The little statistics that reports need: exact intervals, and power laws fitted to data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

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
    """y = constant · x^exponent + lower · log² x."""

    exponent: float
    constant: float
    margin: float  #: of the exponent, on either side
    points: int
    lower: float = 0.0

    def __call__(self, x: ArrayLike) -> Floats:
        """Return the fitted values."""
        at: Floats = np.asarray(x, dtype=np.float64)
        fitted: Floats = self.constant * at**self.exponent + self.lower * np.log2(at) ** 2
        return fitted

    def __str__(self) -> str:
        """Return the exponent with its margin."""
        margin = "" if math.isnan(self.margin) else f" ± {self.margin:.3f}"
        return f"{self.exponent:.3f}{margin}"


def fit_power(x: ArrayLike, y: ArrayLike) -> PowerLaw | None:
    """Fit a power law to the logarithms; there is none unless x takes at least two values."""
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


#: Between which exponents a power law with a lower term is looked for.
EXPONENTS = (0.0, 4.0)


def fit_growth(x: ArrayLike, y: ArrayLike) -> PowerLaw | None:
    """Fit a x^b + c log² x with c ≥ 0; there is none where the values of x are too close.

    For each b the best a and c are a linear problem, so only b is searched for. The variance of y
    is taken to grow like its mean, as that of rounds does. The margin of b is that of the
    linearised problem, with a and c as unknown as b is.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    x, y = x[(x > 0) & (y > 0)], y[(x > 0) & (y > 0)]
    rough = fit_power(x, y)
    if rough is None:
        return None
    weight = 1 / np.sqrt(rough(x))
    target, lower = y * weight, np.log2(x) ** 2 * weight
    middle = np.exp(np.log(x).mean())

    def solve_for(b: float) -> tuple[float, float, float]:
        """Return the sum of squares with the best a (in units of the middle x) and c."""
        power = (x / middle) ** b * weight
        (a, c), *_ = np.linalg.lstsq(np.stack([power, lower], axis=1), target)
        if c < 0:
            a, c = (power @ target) / (power @ power), 0.0
        return float(((a * power + c * lower - target) ** 2).sum()), float(a), float(c)

    b = least(lambda b: solve_for(b)[0], *EXPONENTS)
    squares, a, c = solve_for(b)
    power = (x / middle) ** b * weight
    slopes = np.stack([power, a * power * np.log(x / middle), lower], axis=1)
    freedom = len(x) - 3
    if freedom < 1 or b in EXPONENTS or np.linalg.matrix_rank(slopes) < 3:
        return None
    error = math.sqrt(squares / freedom) * float(np.linalg.norm(np.linalg.pinv(slopes)[1]))
    margin = student(freedom) * error
    return PowerLaw(b, a / middle**b, margin, len(x), c) if margin < 1 else None


def least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function is least, on ever finer grids; one of the ends if it is there."""
    first, last = low, high
    for _ in range(7):
        grid = np.linspace(low, high, 41)
        best = float(grid[np.argmin([function(value) for value in grid])])
        step = (high - low) / 40
        low, high = max(first, best - step), min(last, best + step)
    return best
