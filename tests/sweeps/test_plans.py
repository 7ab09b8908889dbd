"""Plans: the elections that they stand for, and what is said about invalid ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from amoebot import files
from amoebot.options import Options
from amoebot.sweeps import PlanError, make_plan, read_plan, sweep
from amoebot.sweeps.costs import Costs
from amoebot.sweeps.plan import subtract, unite
from amoebot.sweeps.ranges import expand


def test_ranges_in_shape_strings() -> None:
    assert expand("hexagon:3") == ["hexagon:3"]
    assert expand("hexagon:3..5") == ["hexagon:3", "hexagon:4", "hexagon:5"]
    assert expand("line:10..35+10") == ["line:10", "line:20", "line:30"]
    assert expand("line:10..80*2") == ["line:10", "line:20", "line:40", "line:80"]
    assert expand("comb:2..3,5") == ["comb:2,5", "comb:3,5"]
    assert len(expand("comb:2..4,5..6")) == 6
    assert expand("swiss:5,0.1..0.3+0.1") == ["swiss:5,0.1", "swiss:5,0.2", "swiss:5,0.3"]
    assert expand("../my.txt") == ["../my.txt"]


def test_a_plan_is_all_combinations() -> None:
    plan = make_plan(
        {
            "shapes": ["hexagon:1..3", "line: 4"],
            "schedulers": ["permutation", "uniform"],
            "variants": ["whp", "full"],
            "radix": [2, 16],
            "seeds": 10,
        }
    )
    assert len(plan.cells) == 4 * 2 * 2 * 2
    assert len(plan) == 320
    assert {cell.shape for cell in plan.cells} >= {"line:4"}
    assert {cell.template.variant for cell in plan.cells} == {"whp", "full"}


def test_an_option_of_an_election_is_a_key_of_its_own() -> None:
    plan = make_plan({"shapes": "line:3", "algorithms": "erosion", "setup": [False, True]})
    assert [cell.template.own["setup"] for cell in plan.cells] == [False, True]
    assert {cell.template.algorithm for cell in plan.cells} == {"erosion"}
    both = make_plan({"shapes": "line:3", "algorithms": ["improved", "erosion"]})
    assert both.algorithms == ["improved", "erosion"]
    assert [cell.template.own["terminate"] for cell in both.cells] == [True, True]


def test_an_election_may_have_settings_of_its_own() -> None:
    named = ["improved", "improved:whp+radix=8", "segments-2015:repaired=false", "erosion"]
    plan = make_plan({"shapes": "line:3", "algorithms": named})
    found = [(cell.template.algorithm, dict(cell.template.own)) for cell in plan.cells]
    assert found == [
        ("improved", {"almost_sure": True, "radix": 16, "terminate": True}),
        ("improved", {"almost_sure": False, "radix": 8, "terminate": False}),
        ("segments-2015", {"repaired": False, "terminate": True}),
        ("erosion", {"setup": True, "terminate": True}),
    ]


def test_a_cell_gives_the_options_of_its_elections() -> None:
    (cell,) = make_plan({"shapes": "line:3", "schedulers": "uniform", "max_rounds": 9}).cells
    assert cell.options(7) == Options(7, "uniform", max_rounds=9)


def test_tables_share_what_stands_above_them() -> None:
    plan = make_plan(
        {"seeds": 5, "sweep": [{"shapes": "line:3"}, {"shapes": "line:4", "seeds": 2}]}
    )
    assert {cell.shape: runs for cell, runs in plan.items()} == {
        "line:3": [(0, 5)],
        "line:4": [(0, 2)],
    }


def test_an_election_that_is_named_twice_is_run_once() -> None:
    tables = [{"shapes": "line:3", "seeds": 5}, {"shapes": "line:2..3", "seeds": 8}]
    assert len(make_plan({"sweep": tables})) == 16


def test_only_random_shapes_have_shape_seeds() -> None:
    plan = make_plan({"shapes": ["tree:9", "line:9"], "shape_seeds": 3, "expanded": [0, 0.5]})
    drawn = [(cell.shape, cell.expanded, cell.shape_seed) for cell in plan.cells]
    assert drawn.count(("line:9", 0.0, 0)) == 1
    assert sum(shape == "line:9" for shape, *_ in drawn) == 1 + 3
    assert sum(shape == "tree:9" for shape, *_ in drawn) == 6


def test_runs_of_seeds() -> None:
    assert unite([(5, 8), (0, 3), (2, 4)]) == [(0, 4), (5, 8)]
    assert subtract([(0, 10)], [(2, 4), (6, 7), (9, 20)]) == [(0, 2), (4, 6), (7, 9)]
    assert subtract([(0, 10)], [(0, 10)]) == []


def test_longer_elections_are_thought_to_take_longer() -> None:
    plan = make_plan({"shapes": ["line:10", "line:100"], "variants": ["whp"]})
    short, long = (Costs(plan).seconds(cell) for cell in plan.cells)
    assert short < long


BAD_PLANS = {
    "shapes are missing": "seeds = 3",
    "there is no key 'schedular'": 'shapes = "line:3"\nschedular = "uniform"',
    "[[sweep]] 2: there is no key 'x'": '[[sweep]]\nshapes = "line:3"\n[[sweep]]\nx = 1',
    "sweep must be tables": 'sweep = "line:3"',
    "this is not TOML": "shapes = ",
    "seeds 0 is not a whole number from 1 to": 'shapes = "line:3"\nseeds = 0',
    "seeds '9' is not a whole number from 1 to": 'shapes = "line:3"\nseeds = "9"',
    "seeds True is not a whole number from 1 to": 'shapes = "line:3"\nseeds = true',
    "first_seed -1 is not a whole number from 0 to": 'shapes = "line:3"\nfirst_seed = -1',
    "first_seed 9223372036854775807 is": 'shapes = "line:3"\nfirst_seed = 9223372036854775807',
    "shapes = 3 must be": "shapes = [3]",
    "shapes is empty": "shapes = []",
    "line:9..3: the range 9..3 is empty": 'shapes = "line:9..3"',
    "3..x is not a range": 'shapes = "line:3..x"',
    "a factor above 1": 'shapes = "line:3..9*1"',
    "a step above 0": 'shapes = "line:3..9+0"',
    "has more than 10,000 values": 'shapes = "line:1..99999999"',
    "nope:3": 'shapes = "nope:3"',
    "missing.txt": 'shapes = "missing.txt"',
    "at most 100,000,000 nodes": 'shapes = "hexagon:99999999"',
    "HOLE must be less than R": 'shapes = "annulus:2,2"',
    "there is no scheduler 'frob'": 'shapes = "line:3"\nschedulers = ["frob"]',
    "schedulers is empty": 'shapes = "line:3"\nschedulers = []',
    "improved has no variant 'frob'": 'shapes = "line:3"\nvariants = "frob"',
    "erosion has no variant 'whp'": 'shapes = "line:3"\nalgorithms = "erosion"\nvariants = "whp"',
    "there is no election 'frob'": 'shapes = "line:3"\nalgorithms = "frob"',
    "mine.py: there is no election here": 'shapes = "line:3"\nalgorithms = "mine.py"',
    "erosion has no variant 'almost-sure'": 'shapes = "line:3"\nalgorithms = "erosion:almost-sure"',
    "improved has no option 'frob'": 'shapes = "line:3"\nalgorithms = "improved:frob=1"',
    "there is no election 'improved:'": 'shapes = "line:3"\nalgorithms = "improved:"',
    "two settings contradict": 'shapes = "line:3"\nalgorithms = "improved:whp+terminate=true"',
    "radix is part of improved:radix=8": (
        'shapes = "line:3"\nalgorithms = "improved:radix=8"\nradix = 4'
    ),
    "[[sweep]] 1: radix 1 is not a whole": 'radix = [2, 1]\n[[sweep]]\nshapes = "line:3"',
    "radix 2.5 is not a whole number from 2": 'shapes = "line:3"\nradix = 2.5',
    "radix is empty": 'shapes = "line:3"\nradix = []',
    "terminate 1 is neither true nor false": 'shapes = "line:3"\nterminate = 1',
    "independent 1 is neither true nor false": 'shapes = "line:3"\nindependent = 1',
    "terminate is part of the variant whp": 'shapes="line:3"\nvariants="whp"\nterminate=true',
    "no key 'radix'": 'shapes = "line:3"\nalgorithms = "erosion"\nradix = 4',
    "erosion has no option 'radix'": (
        'shapes = "line:3"\nalgorithms = ["improved", "erosion"]\nradix = 4'
    ),
    "expanded = 2 must be": 'shapes = "line:3"\nexpanded = 2',
    "max_rounds 0 is not a whole number from 1 to": 'shapes = "line:3"\nmax_rounds = 0',
    "more than 1,000,000 combinations": 'shapes = "tree:1..9999"\nshape_seeds = 999999',
    "stands for more than 10,000 shapes": 'shapes = ["comb:1..2000,1..2000"]',
    "the most is 1,000,000,000": 'shapes = ["line:1..100"]\nseeds = 900000000',
}


@pytest.mark.parametrize("sentence", BAD_PLANS)
def test_an_invalid_plan_is_refused_in_one_line_with_table_key_and_value(
    sentence: str, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(BAD_PLANS[sentence])
    with pytest.raises(ValueError, match=re.escape(sentence)) as refusal:
        sweep(plan, tmp_path / "results")
    assert str(refusal.value).isprintable()
    assert not (tmp_path / "results").exists()


def test_files_that_are_no_plans_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name, reason in {
        "missing.toml": "no such file",
        "bytes.toml": "not a text file",
        ".": "director",
    }.items():
        with pytest.raises(PlanError, match=reason):
            read_plan(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such pipes")
def test_a_plan_or_a_shape_that_never_ends_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both were read for ever."""
    monkeypatch.setattr(files, "READING", 0.3)
    for name in ("plan.toml", "shape.txt"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(PlanError, match=r"plan\.toml: it takes longer than 0\.3 s to be read"):
        read_plan(tmp_path / "plan.toml")
    (tmp_path / "endless.toml").symlink_to("/dev/zero")
    with pytest.raises(PlanError, match=r"endless\.toml: this is longer than 16 MiB"):
        read_plan(tmp_path / "endless.toml")
    with pytest.raises(PlanError, match="this is not a regular file"):
        make_plan({"shapes": "shape.txt"}, tmp_path)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("shapes = " + "[" * 500 + "]" * 500, "its lists are nested too deeply"),
        ("shapes" + ".a" * 2000 + " = 1", "its lists are nested too deeply"),
        ('shapes = "line:3"\nseeds = ' + "9" * 6000, "it has a number that is too long to be read"),
        ('shapes = "line:3"\nexpanded = 0x' + "9" * 6000, "expanded = (a number too long to wri"),
    ],
)
def test_a_plan_that_python_cannot_read_is_refused_with_its_name(
    written: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(written)
    with pytest.raises(PlanError, match=re.escape(f"{file}: {words}")):
        read_plan(file)


def test_lists_that_never_end_are_refused() -> None:
    deep: list[object] = []
    for _ in range(3000):
        deep = [deep]
    endless: list[object] = []
    endless += [endless] * 9
    for given in (deep, endless):
        for key in ("shapes", "seeds", "sweep"):
            with pytest.raises(PlanError, match="nested too deeply"):
                make_plan({"shapes": "line:3", key: given})


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    from helpers.command import ask, check_refusal

    (tmp_path / "bad.toml").write_text('shapes = "nope:3"')
    for name in ("missing.toml", "bad.toml"):
        check_refusal(ask("sweep", str(tmp_path / name), "-o", str(tmp_path / "results")))
    (tmp_path / "plan.toml").write_text('shapes = "line:3"')
    check_refusal(ask("sweep", str(tmp_path / "plan.toml")))
    check_refusal(ask("sweep", str(tmp_path / "plan.toml"), "-o", "x", "--threads", "0"))
