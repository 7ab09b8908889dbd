"""Elections side by side: what they cost, and where their curves cross."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import amoebot
from amoebot import Simulation, shapes, sweeps
from amoebot.reports import analysis, report
from amoebot.reports.comparison import crossings, memory_bits, named_elections, side_by_side
from amoebot.reports.sections import sections_of
from helpers.command import ask, check_refusal

SHAPES = ["hexagon:2", "annulus:2,0"]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    plan = {"shapes": SHAPES, "seeds": 3}
    plan |= {"algorithms": ["improved", "erosion", "segments-2015"]}
    return sweeps.sweep(plan).collect()


def test_each_election_has_a_row_on_each_shape(rows: pl.DataFrame) -> None:
    table = side_by_side(named_elections(analysis.named_options(rows)))
    assert table.height == 6
    assert table["shape"].unique(maintain_order=True).to_list() == SHAPES  # as they were given
    erosion = table.filter(pl.col("algorithm") == "erosion")
    assert erosion["failures"].to_list() == [0, 3]  # on the shape with a hole, never
    assert erosion["coins"].to_list() == [0, None]
    assert erosion["rounds"].to_list()[1] is None
    results = list(amoebot.elect_many(shapes.hexagon(2), range(3)))
    mine = table.filter(pl.col("algorithm") == "improved", pl.col("shape") == "hexagon:2")
    assert mine["rounds"].item() == pytest.approx(np.mean([one.rounds for one in results]))
    assert mine["most"].item() == max(one.rounds for one in results)


def test_coins_and_activations_are_those_of_the_run(rows: pl.DataFrame) -> None:
    row = rows.row(0, named=True)
    simulation = Simulation(shapes.parse(row["shape"]), row["seed"])
    simulation.run()
    assert simulation.activations == row["activations"]
    # One coin each at the start, a digit each, and those of the second algorithm.
    assert row["coins"] >= 2 * row["outer_boundary_length"]


def test_memory_is_what_the_options_need() -> None:
    with_all = memory_bits("improved", {"almost_sure": True, "terminate": True})
    alone = memory_bits("improved", {"almost_sure": False, "terminate": False})
    assert (with_all, alone) == (592, 312)
    assert memory_bits("erosion", {"setup": True, "terminate": True}) == 32


def test_curves_cross_where_they_are_equal() -> None:
    sizes = [10, 100, 1000]
    table = pl.DataFrame(
        {
            "family": ["line"] * 6,
            "election": ["a"] * 3 + ["b"] * 3,
            "particles": sizes * 2,
            "rounds": [*sizes, 50, 50, 50],
        }
    )
    found = crossings(table, "particles").rows()
    assert found == [("line", "a", "b", 10, 50), ("line", "b", "a", 50, 1000)]


@pytest.mark.slow
def test_the_command_compares_on_the_same_seeds(tmp_path: Path) -> None:
    given = ("compare", "hexagon:2", "line:4", "--algorithms", "improved,erosion", "--seeds", "2")
    answer = ask(*given, "--json").json
    assert [entry["shape"] for entry in answer["shapes"]] == ["hexagon:2", "line:4"]
    for entry in answer["shapes"]:
        assert [one["algorithm"] for one in entry["elections"]] == ["improved", "erosion"]
        assert [one["failures"] for one in entry["elections"]] == [0, 0]
    shown = ask(*given, "-o", str(tmp_path / "kept"))
    assert (shown.status, shown.out.count("erosion")) == (0, 2)
    assert (tmp_path / "kept" / "report" / "index.html").exists()


@pytest.mark.slow
def test_variants_are_compared_under_the_names_that_they_were_given(tmp_path: Path) -> None:
    named = ["improved", "improved:whp", "improved:whp+radix=2", "segments-2015:published"]
    given = ("compare", "hexagon:1..2", "--algorithms", ",".join(named), "--seeds", "2")
    for entry in ask(*given, "--json").json["shapes"]:
        found = entry["elections"]
        assert [one["election"] for one in found] == named
        assert [one["options"] for one in found] == ["full", "whp", "whp, radix 2", "published"]
        assert [one["memory"] for one in found] == [592, 312, 312, 336]
        assert found[0]["coins"] > found[1]["coins"]
    shown = ask(*given, "-o", str(tmp_path / "kept"))
    assert shown.out.count("improved:whp+radix=2") == 2
    crossed = pl.read_csv(tmp_path / "kept" / "report" / "numbers" / "crossings-n.csv")
    assert {*crossed["fewer rounds"], *crossed["than"]} == {*named}


def test_what_cannot_be_compared_is_refused() -> None:
    check_refusal(ask("compare", "hexagon:2", "--algorithms", "nobody"))
    check_refusal(ask("compare", "hexagon:2", "--algorithms", "improved:published"))
    check_refusal(ask("compare", "hexagon:2", "--algorithms", "improved:"))
    check_refusal(ask("compare", "no-shape:2"))
    check_refusal(ask("compare"))


@pytest.mark.slow
def test_the_report_shows_elections_against_all_sizes(tmp_path: Path) -> None:
    plan = {"shapes": ["hexagon:1..3"], "algorithms": ["improved", "erosion"], "seeds": 2}
    sweeps.sweep(plan, tmp_path)
    text = report(tmp_path).read_text()
    for unit in "nLD":
        assert f"<h2>Elections side by side, against {unit}</h2>" in text
        assert (tmp_path / "report" / "numbers" / f"crossings-{unit}.csv").exists()
    costs = pl.read_csv(tmp_path / "report" / "numbers" / "costs.csv")
    assert {"activations", "coins", "memory", "failures"} <= {*costs.columns}
    assert costs.height == 3 * 2


def test_no_two_parts_of_a_report_write_the_same_file(tmp_path: Path) -> None:
    """What elections cost was overwritten by another table of elections."""
    plan = {"shapes": ["hexagon:1..3"], "algorithms": ["improved", "erosion"], "seeds": 2}
    rows = sweeps.sweep(plan, tmp_path).collect()
    names = [name for section in sections_of(rows) for name in section.numbers]
    assert "costs" in names
    assert len(names) == len({*names})
