"""How long a sweep will take: a model, corrected by a sample of its elections."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoebot.sweeps import estimating, make_plan
from amoebot.sweeps.plan import Cell, Plan

#: What the model believes that an election takes.
SECONDS = {"line:3": 0.01, "line:4": 0.02, "hexagon:9": 5.0}


class Model:
    """Knows what elections take without running any."""

    def __init__(self, plan: Plan) -> None:
        pass

    def seconds(self, cell: Cell) -> float:
        return SECONDS[cell.shape]

    def wall_clock(self, plan: Plan, threads: int) -> float:
        found = (self.seconds(cell) * (end - a) for cell, runs in plan.items() for a, end in runs)
        return sum(found) / threads


def estimate(
    monkeypatch: pytest.MonkeyPatch, slower: float, *plans: dict[str, Any]
) -> tuple[float, list[Plan]]:
    """Return the estimate where all elections are slower than the model, and what was run."""
    samples = []

    def run(plan: Plan, folder: Path, threads: int) -> Any:
        samples.append(plan)
        return SimpleNamespace(elapsed=slower * Model(plan).wall_clock(plan, threads))

    monkeypatch.setattr(estimating, "Costs", Model)
    monkeypatch.setattr(estimating, "carry_out", run)
    return estimating.wall_clock([make_plan(plan) for plan in plans], 2), samples


def test_short_elections_are_told_by_a_sample_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told, samples = estimate(monkeypatch, 3.0, {"shapes": ["line:3", "line:4"], "seeds": 1000})
    assert told == pytest.approx(3 * (10 + 20) / 2)
    (sample,) = samples
    assert 0.8 < Model(sample).wall_clock(sample, 2) < 1.2
    assert {cell.shape for cell in sample.cells} == {"line:3", "line:4"}


def test_long_elections_are_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told, samples = estimate(
        monkeypatch, 2.0, {"shapes": ["line:3", "hexagon:9"], "seeds": 10}, {"shapes": "hexagon:9"}
    )
    assert told == pytest.approx(2 * 0.1 / 2 + 50 / 2 + 5 / 2)
    assert [[cell.shape for cell in sample.cells] for sample in samples] == [["line:3"]]


def test_of_very_many_kinds_some_are_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"shapes": ["line:3", "line:4"], "expanded": [i / 100 for i in range(101)]}
    told, samples = estimate(monkeypatch, 1.5, {**kinds, "seeds": 50})
    assert told == pytest.approx(1.5 * 101 * 50 * 0.03 / 2)
    assert sum(map(len, samples)) < 202
    assert 0.5 < sum(Model(one).wall_clock(one, 2) for one in samples) < 2
