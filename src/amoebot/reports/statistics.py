"""The statistics of reports: exact intervals, and power laws fitted to data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

Floats = NDArray[np.float64]

#: The share of cases in which an interval is to contain the true value.
CONFIDENCE = 0.95

#: The exponents among which a power law with a lower term is looked for.
EXPONENTS = (0.0, 4.0)


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact binomial interval for a probability (Clopper and Pearson, 1934)."""
    interval = stats.binomtest(hits, trials).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def student(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the half width of an interval in standard errors, by the degrees of freedom."""
    return float(stats.t.ppf((1 + confidence) / 2, freedom)) if freedom > 0 else math.nan


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
    """Fit a power law to the logarithms; None unless x takes at least two values."""
    x, y = _positive(x, y)
    if len(np.unique(x)) < 2:
        return None
    line = stats.linregress(np.log(x), np.log(y))
    margin = student(len(x) - 2) * float(line.stderr)
    return PowerLaw(float(line.slope), math.exp(line.intercept), margin, len(x))


def fit_growth(x: ArrayLike, y: ArrayLike) -> PowerLaw | None:
    """Fit a x^b + c log² x with c ≥ 0; None where the values of x are too close.

    The variance of y is taken to grow like its mean, as that of rounds does. The margin of b is
    that of the linearised problem in all three parameters.
    """
    x, y = _positive(x, y)
    rough = fit_power(x, y)
    freedom = len(x) - 3
    if rough is None or freedom < 1:
        return None
    middle, unit = float(np.exp(np.log(x).mean())), float(y.mean())
    squares = np.log2(x) ** 2 / np.log2(x).max() ** 2
    weight = 1 / np.sqrt(rough(x))

    def growth(at: Floats, a: float, b: float, c: float) -> Floats:
        """Return the fitted values; a and c in units that make them about 1."""
        fitted: Floats = unit * (a * (at / middle) ** b + c * squares)
        return fitted

    def best(b: float) -> tuple[float, tuple[float, float, float]]:
        """Return the distance from the data, and the best parameters, for a given exponent."""
        columns = unit * np.stack([(x / middle) ** b, squares], axis=1) * weight[:, None]
        (a, c), distance = optimize.nnls(columns, y * weight)
        return distance, (a, b, c)

    least, most = EXPONENTS
    # For each b the best a and c are a linear problem; from the best b of a grid the rest is local.
    start = min(map(best, np.linspace(least, most, 41)))[1]
    (a, b, c), covariance = optimize.curve_fit(
        growth,
        x,
        y,
        p0=start,
        sigma=1 / weight,
        bounds=([0.0, least, 0.0], [np.inf, most, np.inf]),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    margin = student(freedom) * math.sqrt(covariance[1, 1])
    constant, lower = a * unit / middle**b, c * unit / np.log2(x).max() ** 2
    law = PowerLaw(float(b), float(constant), margin, len(x), float(lower))
    found = margin < 1 and np.isfinite(covariance).all() and least + 1e-6 < b < most - 1e-6
    return law if found else None


def _positive(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points whose logarithms exist."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    usable = (x > 0) & (y > 0)
    return x[usable], y[usable]
