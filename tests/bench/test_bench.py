"""The benchmark works. How fast it finds things to be is nobody's business here."""

from __future__ import annotations

import math

from amoebot.bench.inner_loop import VARIANTS
from helpers.command import ask

PARTS = ("inner loop", "set-up", "election", "throughput", "start-up")


def test_the_short_form_measures_everything_once() -> None:
    answer = ask("bench", "--short", "--json")
    assert answer.status == 0
    figures = answer.json["figures"]
    assert {figure["part"] for figure in figures} == set(PARTS)
    for figure in figures:
        assert math.isfinite(figure["value"])
        assert figure["value"] > 0
        assert figure["limit"]
    assert sum(figure["part"] == "inner loop" for figure in figures) == 3 * len(VARIANTS)
    assert {"amoebot", "python", "numba", "processor", "date"} <= set(answer.json["machine"])


def test_the_table_states_limits_next_to_figures() -> None:
    answer = ask("bench", "--short")
    assert answer.status == 0
    for words in ("Inner loop", "Section 2, hexagon:4", "at most 5", "at least 1.8", "under 2"):
        assert words in answer.out
