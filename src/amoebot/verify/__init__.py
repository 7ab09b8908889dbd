"""Every schedule, every coin: exhaustive exploration of small systems."""

from .checker import verify
from .report import HOLDS, NOT_EXHAUSTED, VIOLATED, Counterexample, Report
from .small_shapes import all_shapes

__all__ = [
    "HOLDS",
    "NOT_EXHAUSTED",
    "VIOLATED",
    "Counterexample",
    "Report",
    "all_shapes",
    "verify",
]
