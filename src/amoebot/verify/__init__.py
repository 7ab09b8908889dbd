"""Every schedule, every coin: exhaustive exploration of small systems, for any election.

``verifying`` and what it imports are what a user holds. ``checker`` and what it imports are linked
with an election: those modules import each other relatively.
"""

from amoebot.verify.any_length import LaneReport, verify_any_length
from amoebot.verify.report import HOLDS, NOT_EXHAUSTED, VIOLATED, Counterexample, Report
from amoebot.verify.search import LongSchedule, search_worst
from amoebot.verify.small_shapes import all_shapes
from amoebot.verify.verifying import WorstCase, expected_activations, verify, worst_case
from amoebot.verify.watching import watch

__all__ = [
    "HOLDS",
    "NOT_EXHAUSTED",
    "VIOLATED",
    "Counterexample",
    "LaneReport",
    "LongSchedule",
    "Report",
    "WorstCase",
    "all_shapes",
    "expected_activations",
    "search_worst",
    "verify",
    "verify_any_length",
    "watch",
    "worst_case",
]
