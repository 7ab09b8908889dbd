"""The worst fair schedule: an exact number, and a run that shows it."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from scipy import stats

import amoebot
from amoebot import elect_many, shapes
from amoebot.verify import search_worst, worst_case

pytestmark = pytest.mark.compiled

SECTION_2: dict[str, Any] = {"almost_sure": False, "terminate": False}

#: Rounds that the worst fair scheduler can expect: what is left of coins are powers of two.
WORST = {"line:2": 9 + 3 / 4, "triangle:2": 18 + 21 / 64, "line:3": 25 + 27 / 32}


@pytest.mark.slow
@pytest.mark.paper("Theorem 2")
@pytest.mark.parametrize(("name", "rounds"), WORST.items())
def test_no_scheduler_is_worse_than_the_worst(name: str, rounds: float) -> None:
    shape = shapes.parse(name)
    found = worst_case(shape, **SECTION_2)
    assert found.rounds == pytest.approx(rounds)
    for scheduler in ("permutation", "adversarial", "against-cycle"):
        results = elect_many(shape, range(2_000), scheduler=scheduler, radix=2, **SECTION_2)
        taken = [result.rounds for result in results]
        error = 4 * stats.sem(taken)
        assert fmean(taken) <= found.rounds + error
        if scheduler == "permutation":
            assert abs(fmean(taken) - found.permutation) < error


def test_a_worst_schedule_is_a_run(tmp_path: Path) -> None:
    found = worst_case(shapes.triangle(2), **SECTION_2)
    found.schedule.save(tmp_path / "worst.json")
    run = amoebot.load(tmp_path / "worst.json")
    for _ in found.schedule.schedule:
        assert run.outcome is None
        run.step()
    assert run.outcome is not None
    assert run.rounds + 1 >= found.rounds  # these coins take longest


def test_a_worst_schedule_ends_though_coins_could_fall_badly_for_ever(tmp_path: Path) -> None:
    """In the almost sure variant coins are flipped until somebody wins."""
    found = worst_case("line:2")
    assert found.rounds == pytest.approx(13.5637, abs=1e-4)
    assert found.permutation < found.rounds
    found.schedule.save(tmp_path / "worst.json")
    run = amoebot.load(tmp_path / "worst.json")
    run.step(len(found.schedule.schedule))
    assert run.outcome == "leader"
    assert run.rounds + 1 >= found.rounds


def test_without_rivals_there_is_nothing_to_schedule() -> None:
    with pytest.raises(ValueError, match="one particle elects itself"):
        worst_case(shapes.line(1))


@pytest.mark.slow
def test_a_search_finds_a_schedule_that_takes_at_least_as_long_as_those_there_are() -> None:
    found = search_worst("hexagon:1", 1, tries=150, almost_sure=False, terminate=False)
    assert found.rounds >= max(found.others.values())
    assert found.rounds > found.others["permutation"]
    assert found.run.result().rounds == found.rounds


@pytest.mark.slow
def test_the_schedule_that_was_found_is_a_fair_run_that_replays(tmp_path: Path) -> None:
    found = search_worst("triangle:2", 3, tries=20, almost_sure=False, terminate=False)
    found.run.save(tmp_path / "long.json")
    again = amoebot.load(tmp_path / "long.json")
    assert again.run().rounds == found.rounds
    rounds = [found.run.schedule[i : i + 3] for i in range(0, len(found.run.schedule), 3)]
    assert all(sorted(one) == [0, 1, 2] for one in rounds[:-1])
    assert len(rounds) == found.rounds
