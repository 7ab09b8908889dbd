"""Many elections at once: the same results, in order, and no more work than is asked for."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Simulation, batch, elect, elect_many, shapes
from amoebot.engine.names import GROUP
from amoebot.jit import INTERPRETED
from amoebot.options import Options
from amoebot.shapes import Shape
from helpers.naive import SCHEDULERS

SHAPE = shapes.annulus(3, 1)

#: Some particles are on no boundary, and some on the inner one alone.
WITH_INTERIOR = shapes.annulus(4, 1)

ALONE = (
    SHAPE,
    shapes.annulus(3, 1).with_expanded(0.6, seed=2),
    shapes.line(1),
    Shape([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)], offsets=[5, 3, 1, 0, 2]),
)


def threads_at_work() -> list[str]:
    return [thread.name for thread in threading.enumerate() if "elections" in thread.name]


@pytest.mark.parametrize("threads", [None, 1, 2, 5])
def test_results_come_in_the_order_of_the_seeds(threads: int | None) -> None:
    seeds = [7, 3, 3, 2**64 - 1, *range(0 if INTERPRETED else 40)]
    assert list(elect_many(SHAPE, seeds, threads=threads)) == [elect(SHAPE, s) for s in seeds]
    assert threads_at_work() == []


def test_options_reach_every_run() -> None:
    own: dict[str, Any] = {"almost_sure": False, "terminate": False, "radix": 3}
    many = elect_many(SHAPE, range(4), scheduler="uniform", max_rounds=20, **own)
    assert list(many) == [elect(SHAPE, seed, "uniform", max_rounds=20, **own) for seed in range(4)]


@pytest.mark.parametrize("algorithm", ["improved", "erosion"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("shape", ALONE, ids=["hole", "expanded", "one", "offsets"])
def test_many_in_one_call_end_as_each_by_itself(
    shape: Shape, scheduler: str, algorithm: str
) -> None:
    options = Options(scheduler=scheduler, algorithm=algorithm)
    seeds = range(1 if INTERPRETED else 12)
    together = batch.Elections(shape, options)
    assert together.at_once > 1
    for seed, (result, end) in zip(seeds, together.run(seeds), strict=True):
        alone, run = batch.run_to_end(shape, options.with_(seed=seed))
        assert result == alone
        assert (end.activations, end.coins) == (run.activations, run.coins)
        assert end.watched_memory.tobytes() == run.watched_memory.tobytes()


@pytest.mark.parametrize("algorithm", ["improved", "erosion"])
@pytest.mark.parametrize("scheduler", [name for name in SCHEDULERS if name != "uniform"])
def test_the_same_order_has_the_same_activations_however_it_is_run(
    scheduler: str, algorithm: str
) -> None:
    """Those of interior particles counted where each was chosen, and nowhere else."""
    options = Options(5, scheduler, algorithm)
    simulation = Simulation.of(WITH_INTERIOR, options)
    simulation.run()
    planned = Simulation.of(WITH_INTERIOR, options.with_(faults="corrupt 0@99999"))
    planned.run()
    own = Simulation(WITH_INTERIOR, 5, planned.schedule, algorithm=algorithm)
    own.run()
    by_hand = Simulation.of(WITH_INTERIOR, options)
    by_hand.goto(7)
    for particle in planned.schedule[7 * WITH_INTERIOR.particles :]:
        by_hand.activate(particle)
    single = Simulation.of(WITH_INTERIOR, options)
    while not single.finished:
        single.step()
    _, alone = batch.run_to_end(WITH_INTERIOR, options)
    ((_, together),) = batch.Elections(WITH_INTERIOR, options).run([5])
    for other in (planned, own, by_hand, single, alone, together):
        assert other.activations == simulation.activations
    assert planned.steps == own.steps == len(planned.schedule) >= simulation.steps
    by_hand.goto(9)
    planned.goto(9)
    simulation.goto(9)
    assert by_hand.activations == planned.activations == simulation.activations


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("shape", "seed", "algorithm", "terminate"),
    [
        ("annulus:4,2", 0, "improved", False),
        ("annulus:4,2", 2, "segments-2015", True),
        ("annulus:6,4", 1, "segments-2015", False),
    ],
)
def test_a_run_that_the_last_of_a_round_ends_counts_no_more_of_those_left_out(
    shape: str, seed: int, algorithm: str, terminate: bool
) -> None:
    """Inner boundaries that were left out counted as activated in the whole round."""
    given = shapes.parse(shape)
    options = Options(seed, "permutation", algorithm, {"terminate": terminate})
    simulation = Simulation.of(given, options)
    simulation.run()
    _, alone = batch.run_to_end(given, options)
    ((_, together),) = batch.Elections(given, options).run([seed])
    assert simulation.activations == alone.activations == together.activations


def test_seeds_are_taken_as_results_are_asked_for() -> None:
    taken = []

    def seeds() -> Iterator[int]:
        for seed in itertools.count():
            taken.append(seed)
            yield seed

    results = elect_many(shapes.line(2), seeds(), threads=2)
    assert taken == []
    for number in range(30):
        assert next(results).seed == number
        assert len(taken) <= number + (1 + 2 * batch.LOOK_AHEAD) * GROUP
    results.close()  # type: ignore[attr-defined]
    assert threads_at_work() == []


def test_a_range_may_be_longer_than_any_list() -> None:
    assert next(elect_many(SHAPE, range(1, 2**63))).seed == 1


@pytest.mark.parametrize("seeds", ["12", b"12", 7])
def test_what_is_no_list_of_seeds_is_refused_at_once(seeds: Any) -> None:
    with pytest.raises(ValueError, match="is not a list or range of them"):
        elect_many(SHAPE, seeds)


def test_no_seeds_give_no_results() -> None:
    assert list(elect_many(SHAPE, [])) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "at least 1 thread, not 0"),
        ({"radix": 1}, "radix 1 "),
        ({"scheduler": "fair"}, "no scheduler 'fair'"),
    ],
)
def test_bad_options_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        elect_many(SHAPE, range(3), **options)


@pytest.mark.parametrize("seeds", [[1.5], (0, -1), range(-1, 3), {"a"}, np.array([0.5])])
def test_a_bad_seed_among_known_ones_is_refused_at_once(seeds: Any) -> None:
    with pytest.raises(ValueError, match=r"seed .* is not a whole number"):
        elect_many(SHAPE, seeds)


def test_a_bad_seed_of_an_iterator_is_refused_when_its_result_is_asked_for() -> None:
    results = elect_many(SHAPE, iter([1, -1, 2]), threads=2)
    assert next(results).seed == 1
    with pytest.raises(ValueError, match="seed -1"):
        next(results)
    assert threads_at_work() == []


@pytest.mark.compiled
def test_an_error_stops_the_runs_under_way() -> None:
    long = shapes.line(20_000)  # minutes for each run
    with pytest.raises(ValueError, match="seed -1"):
        list(elect_many(long, iter([-1, *range(10)]), threads=2))
    assert threads_at_work() == []


@pytest.mark.slow
@pytest.mark.compiled
def test_ctrl_c_stops_long_elections() -> None:
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import amoebot\n"
        "results = amoebot.elect_many(amoebot.shapes.line(20_000), range(100), threads=2)\n"
        "first = amoebot.elect(amoebot.shapes.line(2))\n"
        "print('ready', flush=True)\n"
        "next(results)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert err.rstrip().endswith("KeyboardInterrupt")


def test_the_package_offers_it() -> None:
    assert amoebot.elect_many is batch.elect_many


def test_seeds_that_are_none_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="seeds 5 is not a list or range of them"):
        elect_many(SHAPE, 5)  # type: ignore[arg-type]
