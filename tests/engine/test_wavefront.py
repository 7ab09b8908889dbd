"""Two orders of work, one run: all bytes are the same after every round."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot import elect, shapes
from amoebot.jit import INTERPRETED
from amoebot.linking import link
from amoebot.options import Options
from amoebot.shapes import Shape
from helpers import interpreted, two_engines
from helpers.full import FULL
from helpers.two_engines import first_difference, options_of, shape_of

if INTERPRETED:
    pytest.skip("lanes are for compiled runs", allow_module_level=True)


def test_waves_are_the_same_run_after_every_round() -> None:
    used = 0
    for case in range(300 if FULL else 36):
        difference, rounds_in_lanes = first_difference(shape_of(case), options_of(case))
        assert difference == ""
        used += rounds_in_lanes
    assert used > 1000


def test_whole_elections_are_the_same_in_stretches_of_rounds() -> None:
    used = 0
    for case in range(3000 if FULL else 72):
        difference, stretches = first_difference(
            shape_of(case), options_of(case), (1, 9, 63, 64, 200)
        )
        assert difference == ""
        used += stretches
    assert used > 72


def long_shape(case: int) -> Shape:
    """Return a shape without a hole, whose boundary is long enough for three threads."""
    kind = case % 4
    if kind == 0:
        shape = shapes.line(801 + case)
    elif kind == 1:
        shape = shapes.tree(820 + case, seed=case)
    elif kind == 2:
        shape = shapes.comb(20 + case % 5, 40)
    else:
        shape = shapes.spiral(900 + case)
    return shape.with_expanded(0.5, seed=case) if case % 3 == 0 else shape


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_that_run_an_election_together_run_the_same_one(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link("improved").module("engine.wave"), "LEAST_SHARE", 8)
    used = 0
    for case in range(64 if FULL else 8):
        scheduler = "uniform" if case % 3 == 1 else "permutation"
        options = Options(case, scheduler, own=two_engines.VARIANTS[case // 2 % 4])
        difference, stretches = first_difference(
            long_shape(case), options, (1, 9, 64, 300), threads=threads
        )
        assert difference == ""
        used += stretches
    assert used > 16


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_clocks_that_tick_too_often_for_a_slice_of_time_get_shorter_ones(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wave = link("improved").module("engine.wave")
    monkeypatch.setattr(wave, "LEAST_SHARE", 8)
    monkeypatch.setattr(wave, "MOST_TICKS", 9)
    for case in range(16 if FULL else 2):
        options = Options(case, "uniform", own=two_engines.VARIANTS[case % 4])
        difference, used = first_difference(long_shape(case), options, (9, 64), threads=threads)
        assert difference == ""
        assert used > 1


@pytest.mark.slow
def test_an_election_on_threads_has_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link("improved").module("engine.wave"), "LEAST_SHARE", 8)
    for seed, variant in enumerate(two_engines.VARIANTS):
        shape, scheduler = shapes.line(1700 + seed), ("permutation", "uniform")[seed % 2]
        results = [elect(shape, seed, scheduler, threads=n, **variant) for n in (1, 2)]
        assert results[0] == results[1]


def test_threads_that_are_kept_waiting_go_on_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    new_wave = link("improved").module("engine.wave").new_wave
    monkeypatch.setattr(link("improved").module("engine.wave"), "LEAST_SHARE", 8)
    one, other = (two_engines.new_run(shapes.line(600), Options(3)) for _ in range(2))
    rounds = 0
    while other._wave is None:  # it is given up while many withdraw, who must not be told of twice
        rounds += 10
        other.advance(rounds)
    other._wave = new_wave(other.state, other._rings, 2)
    assert len(other._wave.shares) == 2
    other._wave.arrivals[1] = 10**9  # how often the first one has lost patience
    for last in (rounds + 200, rounds + 900, 4000):
        one.advance(last)
        other.advance(last)
        assert len(other._wave.shares) == 1
        assert two_engines.everything(other) == two_engines.everything(one)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", two_engines.MUTANTS if FULL else two_engines.QUICK)
def test_a_mutant_of_either_engine_is_caught(mutant: str) -> None:
    # In another process, where functions can be replaced since nothing is compiled.
    helper = Path(two_engines.__file__)
    ended = interpreted.python("-W", "ignore", str(helper), mutant, folder=helper.parents[1])
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("differs"), f"{mutant}: {ended.stdout}"


@pytest.mark.slow
@pytest.mark.parametrize("mutant", ["none", "stuck"])  # where stuck, threads give up at once
def test_without_a_mutant_nothing_differs(mutant: str) -> None:
    helper = Path(two_engines.__file__)
    ended = interpreted.python("-W", "ignore", str(helper), mutant, folder=helper.parents[1])
    assert (ended.stdout, ended.returncode) == ("same\n", 0), ended.stderr
