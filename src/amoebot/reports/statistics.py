"""The statistics of reports: exact intervals, and power laws fitted to data."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the half width of an interval in standard errors, by the degrees of freedom."""
    return float(stats.t.ppf((1 + confidence) / 2, freedom)) if freedom > 0 else math.nan


#: A model does not fit if the p-value of its lack of fit is below this.
MISFIT = 0.001

#: The fewest elections of one size from which its variance is taken.
REPEATED = 5


@dataclass(frozen=True)
class PowerLaw:
    """y = constant · x^exponent + lower · log² x."""

    exponent: float
    constant: float
    error: float  #: the standard error of the exponent
    freedom: float  #: its degrees of freedom
    points: int
    lower: float = 0.0
    misfit: float | None = None  #: p-value of the lack of fit; None without repeated sizes

    def __call__(self, x: ArrayLike) -> Floats:
        """Return the fitted values."""
        at: Floats = np.asarray(x, dtype=np.float64)
        fitted: Floats = self.constant * at**self.exponent + self.lower * np.log2(at) ** 2
        return fitted

    @property
    def margin(self) -> float:
        """Half the width of the exponent's interval."""
        return student(self.freedom) * self.error

    @property
    def fits(self) -> bool:
        """Whether the means of repeated sizes lie on the curve, as far as chance goes."""
        return self.misfit is None or self.misfit >= MISFIT

    def __str__(self) -> str:
        """Return the exponent with its margin, or that there is none."""
        if not self.fits:
            return "does not fit"
        margin = "" if math.isnan(self.margin) else f" ± {self.margin:.3f}"
        return f"{self.exponent:.3f}{margin}"


def fit_power(x: ArrayLike, y: ArrayLike) -> PowerLaw | None:
    """Fit a straight line to the logarithms; None unless x takes at least two values.

    Each value of x counts the same, however many elections it has. The variances may differ: the
    error is the heteroscedasticity-consistent HC3 (MacKinnon and White, 1985), with the degrees of
    freedom of Satterthwaite.
    """
    x, y = _positive(x, y)
    values, place, count = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) < 2:
        return None
    design = np.stack([np.ones(len(x)), np.log(x)], axis=1)
    weighted = design / count[place][:, None]
    inverse = np.linalg.inv(design.T @ weighted)
    rows = weighted @ inverse  # what each point adds to the two coefficients
    intercept, slope = rows.T @ np.log(y)
    residual = np.log(y) - design @ [intercept, slope]
    leverage = np.minimum((rows * design).sum(axis=1), 1 - 1e-9)
    parts = np.bincount(place, (rows[:, 1] * residual / (1 - leverage)) ** 2)
    variance = float(parts.sum())
    spread = float((parts**2 / np.maximum(count - 1, 1)).sum())
    exact = len(x) == 2  # through two points there is always a line
    freedom = 0.0 if exact else variance**2 / spread if spread > 0 else len(x) - 2
    error = math.nan if exact else math.sqrt(variance)
    misfit = lack_of_fit(place, residual, 2)
    return PowerLaw(float(slope), math.exp(intercept), error, freedom, len(x), misfit=misfit)


def lack_of_fit(place: NDArray[np.int64], residual: Floats, parameters: int) -> float | None:
    """Return how likely the residuals' means are by chance, by the variances of repeated sizes.

    Args:
        place: The size that each point belongs to, as a number from 0.
        residual: What is left of each point.
        parameters: How many the model has.
    """
    counts = np.bincount(place)
    if len(counts) <= parameters or counts.min() < REPEATED:
        return None
    means = np.bincount(place, residual) / counts
    variances = np.bincount(place, (residual - means[place]) ** 2) / (counts - 1)
    if (variances <= 0).any():
        return None
    # Each term would be a squared t; it is scaled to the mean of a squared normal deviate.
    terms = means**2 / (variances / counts) * (counts - 3) / (counts - 1)
    return float(stats.chi2.sf(terms.sum(), len(counts) - parameters))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm, 1979)."""
    order = np.argsort(values, kind="stable")
    corrected = np.empty(len(values))
    least = 0.0
    for rank, number in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[number]))
        corrected[number] = least
    return [float(value) for value in corrected]


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
    constant, lower = a * unit / middle**b, c * unit / np.log2(x).max() ** 2
    error = math.sqrt(covariance[1, 1])
    _, place = np.unique(x, return_inverse=True)
    misfit = lack_of_fit(place, y / growth(x, a, b, c) - 1, 3)
    law = PowerLaw(float(b), float(constant), error, float(freedom), len(x), float(lower), misfit)
    found = law.margin < 1 and np.isfinite(covariance).all() and least + 1e-6 < b < most - 1e-6
    return law if found else None


def _positive(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points whose logarithms exist."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    usable = (x > 0) & (y > 0)
    return x[usable], y[usable]
