"""Reports on sweeps of any election."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from amoebot import sweeps
from amoebot.algorithms import registry
from amoebot.reports import analysis, report
from amoebot.reports.page import drawing
from amoebot.reports.sections import sections_of, usual_rows
from helpers.command import ask, check_refusal
from helpers.reporting import check_page

COURSE = registry.find("improved").provides("course", "COURSE")
RULES = Path(__file__).parent.parent / "helpers" / "rules"

PLAN = {
    "sweep": [
        {
            "shapes": ["hexagon:2..4", "line:5..9+2", "labyrinth:3"],
            "schedulers": ["permutation", "adversarial", "uniform"],
            "variants": "full",
            "seeds": 3,
        },
        {"shapes": "hexagon:1..3", "variants": "whp", "radix": [2, 16], "seeds": 40},
    ]
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "results"
    sweeps.sweep(PLAN, folder)
    return folder


@pytest.mark.slow
def test_a_report_is_one_page_with_figures_and_numbers(results: Path) -> None:
    answer = ask("report", str(results))
    assert (answer.status, answer.out) == (0, f"{results / 'report' / 'index.html'}\n")
    text = check_page(results / "report" / "index.html", figures=8)
    for words in ("Rounds against L", "Rounds against n", "Candidates over time", "The phases"):
        assert f"<h2>{words}</h2>" in text
    assert "Clopper–Pearson" in text
    assert "whp, radix 2" in text


@pytest.mark.slow
def test_every_election_has_its_own_sections(tmp_path: Path) -> None:
    plan = {"shapes": ["hexagon:1..3", "line:4"], "algorithms": ["improved", "erosion"], "seeds": 3}
    sweeps.sweep(plan, tmp_path)
    text = check_page(report(tmp_path), figures=15)
    for title in ("Rounds against L by election", "Erosion: The phases"):
        assert f"<h2>{title}</h2>" in text


@pytest.mark.slow
def test_the_same_results_give_the_same_report(results: Path, tmp_path: Path) -> None:
    first = (results / "report" / "index.html").read_text()
    assert report(results, tmp_path).read_text() == first


@pytest.mark.parametrize(
    "plan",
    [
        {"shapes": "line:1"},
        {"shapes": "line:4"},
        {"shapes": "hexagon:2", "variants": "whp"},
        {"shapes": "hexagon:3", "max_rounds": 2},
        {"shapes": "tree:12", "schedulers": "uniform", "variants": "almost-sure"},
        {"shapes": "line:2", "variants": "whp", "radix": 2, "seeds": 3},
        {"shapes": "annulus:3,1", "algorithms": "erosion"},
        {"shapes": "line:5", "algorithms": "erosion", "setup": [True, False], "terminate": False},
    ],
)
def test_any_dataset_has_a_report(plan: dict[str, object]) -> None:
    for section in sections_of(sweeps.sweep(plan).collect()):
        assert "<svg" in drawing(section)


def test_folders_without_a_sweep_get_one_line(tmp_path: Path, results: Path) -> None:
    check_refusal(ask("report", str(tmp_path / "missing")))
    check_refusal(ask("report", str(tmp_path)))
    (tmp_path / "sweep.json").write_text("{")
    check_refusal(ask("report", str(tmp_path)))
    (tmp_path / "file").touch()
    check_refusal(ask("report", str(results), "-o", str(tmp_path / "file")))


def test_schedulers_are_compared_on_the_same_coins(results: Path) -> None:
    ran = analysis.elected(sweeps.load(results).collect())
    table = analysis.compared(analysis.named_options(ran), "scheduler")
    usual = table.filter(pl.col("scheduler") == "permutation").row(0, named=True)
    assert usual["to permutation, least"] == usual["to permutation, most"] == 1
    one = ran.filter(pl.col("shape") == "line:9", pl.col("seed") == 1, pl.col("radix") == 16)
    rounds = dict(one.select("scheduler", "rounds").iter_rows())
    worst = table.filter(pl.col("scheduler") == "adversarial")["to permutation, most"][0]
    assert worst >= rounds["adversarial"] / rounds["permutation"]


def test_schedulers_are_compared_on_what_all_of_them_ran() -> None:
    """Long shapes under permutation alone must not make it look slow."""
    plan = {
        "sweep": [
            {"shapes": "hexagon:3", "schedulers": ["permutation", "adversarial"], "seeds": 12},
            {"shapes": "hexagon:1", "seeds": 40},  # where rounds / L are many
        ]
    }
    ran = analysis.elected(analysis.named_options(sweeps.sweep(plan).collect()))
    table = analysis.compared(ran, "scheduler")
    assert table["scheduler"].to_list() == ["permutation", "adversarial"]
    assert table["elections"].to_list() == [12, 12]
    assert analysis.unmatched(ran, "scheduler") == (
        " 40 elections without a match under all of them are left out."
    )
    apart = ran.filter((pl.col("scheduler") == "permutation") == (pl.col("shape") == "hexagon:1"))
    assert analysis.compared(apart, "scheduler")["scheduler"].to_list() == ["permutation"]
    assert "Not compared, for want of elections on the same shapes and seeds: adversarial" in (
        analysis.unmatched(apart, "scheduler")
    )


def test_no_fit_pools_what_differs_by_more_than_the_size() -> None:
    plan = {
        "shapes": "line:5..11+2",
        "schedulers": ["permutation", "uniform"],
        "radix": [2, 16],
        "expanded": [0, 0.5],
        "variants": "whp",
        "seeds": 4,
    }
    ran = analysis.elected(analysis.named_options(sweeps.sweep(plan).collect()))
    table = analysis.exponents(ran)
    assert table.height == 2 * 2 * 2
    assert table["elections"].sum() == ran.height
    (section,) = [one for one in sections_of(ran) if one.name == "rounds-against-length"]
    assert section.shown is not None
    assert {"scheduler", "options", "expanded"} <= set(section.shown.columns)


def test_failures_on_the_same_coins_are_counted_once(results: Path) -> None:
    """Whether Section 2 fails depends on the coins alone, which all schedulers share."""
    plan = {"shapes": "line:2", "variants": "whp", "radix": 2, "seeds": 40}
    alone = sweeps.sweep(plan).collect()
    both = sweeps.sweep({**plan, "schedulers": ["permutation", "uniform"]}).collect()
    tables = [
        next(one for one in sections_of(frame) if one.name == "failures").numbers["failures"]
        for frame in (alone, both)
    ]
    assert tables[0].equals(tables[1])


def test_phases_add_up_to_the_whole_election(results: Path) -> None:
    ran = analysis.elected(sweeps.load(results).collect()).filter(pl.col("variant") == "whp")
    assert ran.height > 20
    rows, titles = analysis.spans(ran, COURSE)
    assert "Identifier comparison" in titles
    assert rows.select(pl.sum_horizontal(titles)).to_series().equals(rows["rounds"].cast(float))
    table = analysis.phase_growth(ran, COURSE, "hexagon")
    assert table["share of rounds"].sum() == pytest.approx(1)


def test_options_are_named_after_variants_and_what_differs_from_them() -> None:
    frame = pl.DataFrame(
        {
            "algorithm": ["improved", "improved", "improved", "erosion", "erosion"],
            "almost_sure": [True, False, False, None, None],
            "terminate": [True, False, False, True, False],
            "radix": [16, 16, 2, None, None],
            "setup": [None, None, None, True, True],
            "faults": ["", "", "", "crash 3@1", ""],
        }
    )
    named = analysis.named_options(frame)["options"].to_list()
    assert named == ["full", "whp", "whp, radix 2", "default, faults crash 3@1", "terminate off"]


@pytest.mark.slow
def test_elections_with_faults_are_never_mixed_with_those_without() -> None:
    plan = {
        "shapes": "hexagon:2..5",
        "seeds": 4,
        "schedulers": ["permutation", "adversarial"],
        "faults": ["", "corrupt ?@400"],
        "variants": "whp",
        "max_rounds": 400,
    }
    frame = analysis.named_options(sweeps.sweep(plan).collect())
    ran = analysis.elected(frame)
    assert ran["faults"].n_unique() == 2
    assert analysis.pairs(ran, "scheduler").height == ran.height, "each with one other"
    assert {"whp", "whp, faults corrupt ?@400"} == {*analysis.exponents(ran)["options"]}
    made = {section.name: section for section in sections_of(sweeps.sweep(plan).collect())}
    assert "Under uniform" not in made["rounds-by-scheduler"].caption
    assert usual_rows(ran)["faults"].unique().to_list() == [""]


def test_failures_are_counted_by_outcome_and_stopped_runs_are_left_out(results: Path) -> None:
    frame = analysis.named_options(sweeps.load(results).collect())
    stopped = frame.with_columns(pl.lit("round-limit").alias("outcome"))
    table = analysis.failures(pl.concat([frame, stopped]))
    assert table["elections"].sum() == frame.height
    known = table.filter(pl.col("shape") == "hexagon:1", pl.col("options") == "whp, radix 2")
    row = known.row(0, named=True)
    rows = frame.filter(pl.col("shape") == "hexagon:1", pl.col("radix") == 2)
    assert row["elections"] == rows.height == 40
    assert row["failed"] == rows.filter(pl.col("outcome") != "leader").height > 0
    outcomes = set(frame["outcome"].unique()) - {"leader"}
    assert row["failed"] == sum(row[name] for name in outcomes)
    assert row["low"] < row["share"] < row["high"]


def test_candidates_over_time_end_with_one(results: Path) -> None:
    ran = analysis.elected(sweeps.load(results).collect())
    ran = ran.filter(pl.col("shape") == "line:9", pl.col("scheduler") == "permutation")
    table = analysis.candidates_over_time(ran, "family")
    assert table["mean"][-1] * 16 == pytest.approx(1)
    assert table["mean"].is_sorted(descending=True)


def test_elections_without_a_candidate_have_a_curve_too() -> None:
    frame = sweeps.sweep({"shapes": "line:2", "variants": "whp", "seeds": 30}).collect()
    assert "no-candidates" in set(frame["outcome"])
    assert analysis.candidates_over_time(frame, "family")["low"].to_list()[0] == 0


@pytest.mark.slow
def test_rules_are_compared_on_the_same_coins_and_never_mixed() -> None:
    mine = str(RULES / "axes.py")
    plan = {"shapes": ["hexagon:1..2"], "rules": ["paper", mine], "variants": "whp", "seeds": 6}
    frame = sweeps.sweep(plan).collect()
    sections = {section.name: section for section in sections_of(frame)}
    table = sections["rules"].numbers["rules"]
    assert set(table["rules"]) == {"paper", "axes"}
    alone = {
        section.name: section for section in sections_of(frame.filter(pl.col("rules") == "paper"))
    }
    assert "rules" not in alone
    for name, section in alone.items():
        for key, numbers in section.numbers.items():
            assert numbers.equals(sections[name].numbers[key])
    # Rules that elect nobody have a line, too.
    failed = frame.with_columns(
        outcome=pl.when(pl.col("rules") == "axes").then(pl.lit("round-limit")).otherwise("outcome")
    )
    shown = next(section for section in sections_of(failed) if section.name == "rules").shown
    assert shown is not None
    assert dict(shown.select("rules", "leaders").iter_rows()) == {"paper": 12, "axes": 0}
    others = sections_of(frame.filter(pl.col("rules") == "axes"))
    assert [section.name for section in others] == list(alone)
