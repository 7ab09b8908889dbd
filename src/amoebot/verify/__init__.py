"""Every schedule, every coin: exhaustive exploration of small systems."""

from amoebot.verify.checker import HOLDS, NOT_EXHAUSTED, VIOLATED, Report, verify
from amoebot.verify.counterexample import Counterexample
from amoebot.verify.small_shapes import all_shapes

__all__ = [
    "HOLDS",
    "NOT_EXHAUSTED",
    "VIOLATED",
    "Counterexample",
    "Report",
    "all_shapes",
    "verify",
]
