"""Reports on sweeps, and the paper's claims next to measurements."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import polars as pl
import pytest

from amoebot import experiments
from amoebot.experiments import analysis, probes, standard
from amoebot.reproduction.claims import CLAIMS
from amoebot.reports.page import show
from amoebot.reports.report import report
from amoebot.reproduction.reproduce import ORDER, reproduce, write_markdown
from amoebot.reports.sections import sections_of
from amoebot.reproduction.total_time import LONGEST
from amoebot.shapes import parse
from amoebot.system import build
from helpers.command import ask, check_refusal

_L = pl.col("outer_boundary_length")
FULL = os.environ.get("AMOEBOT_FULL") == "1"

PLAN = {
    "sweep": [
        {
            "shapes": ["hexagon:2..4", "line:5..9+2", "labyrinth:3"],
            "schedulers": ["permutation", "adversarial", "uniform"],
            "variants": "full",
            "seeds": 3,
        },
        {"shapes": "hexagon:1..3", "variants": "whp", "radices": [2, 16], "seeds": 40},
    ]
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "results"
    experiments.sweep(PLAN, folder)
    return folder


def check_page(page: Path, figures: int) -> str:
    """Check that a page needs nothing from elsewhere, and that its figures and numbers exist."""
    text = page.read_text()
    assert text.count("<svg") == figures
    assert not re.search(r'(src|href)="https?:', text)
    assert "<script" not in text
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
    for link in re.findall(r'href="((?:figures|numbers)/[^"]+)"', text):
        assert (page.parent / link).stat().st_size > 0
    for drawing in (page.parent / "figures").glob("*.svg"):
        ElementTree.fromstring(drawing.read_text())
    for table in (page.parent / "numbers").glob("*.csv"):
        assert pl.read_csv(table, infer_schema_length=None).height > 0
    return text


def test_a_report_is_one_page_with_figures_and_numbers(results: Path) -> None:
    answer = ask("report", str(results))
    assert (answer.status, answer.out) == (0, f"{results / 'report' / 'index.html'}\n")
    text = check_page(results / "report" / "index.html", figures=8)
    for words in ("Rounds against L", "Rounds against n", "Candidates over time", "The phases"):
        assert f"<h2>{words}</h2>" in text
    assert "Clopper–Pearson" in text


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
        {"shapes": "line:2", "variants": "whp", "radices": 2, "seeds": 3},
    ],
)
def test_any_dataset_has_a_report(plan: dict[str, object]) -> None:
    for section in sections_of(experiments.sweep(plan).collect()):
        assert "<svg" in show(section)


def test_folders_without_a_sweep_get_one_line(tmp_path: Path, results: Path) -> None:
    check_refusal(ask("report", str(tmp_path / "missing")))
    check_refusal(ask("report", str(tmp_path)))
    (tmp_path / "sweep.json").write_text("{")
    check_refusal(ask("report", str(tmp_path)))
    (tmp_path / "file").touch()
    check_refusal(ask("report", str(results), "-o", str(tmp_path / "file")))


def test_schedulers_are_compared_on_the_same_coins(results: Path) -> None:
    ran = analysis.elected(experiments.load(results).collect())
    table = analysis.compared(ran, "scheduler")
    usual = table.filter(pl.col("scheduler") == "permutation").row(0, named=True)
    assert usual["to permutation, least"] == usual["to permutation, most"] == 1
    one = ran.filter(pl.col("shape") == "line:9", pl.col("seed") == 1, pl.col("radix") == 16)
    rounds = dict(one.select("scheduler", "rounds").iter_rows())
    worst = table.filter(pl.col("scheduler") == "adversarial")["to permutation, most"][0]
    assert worst >= rounds["adversarial"] / rounds["permutation"]


def test_phases_add_up_to_the_whole_election(results: Path) -> None:
    ran = analysis.elected(experiments.load(results).collect()).filter(pl.col("variant") == "whp")
    table = analysis.phases(ran, ["shape", "seed", "radix"])
    total = table.with_columns(pl.sum_horizontal(pl.col(*analysis.PHASES)).alias("total"))
    both = total.join(ran, on=["shape", "seed", "radix"])
    assert (both["total"] - both["rounds_per_length"]).abs().max() < 1e-9  # type: ignore[operator]


def test_candidates_over_time_end_with_one(results: Path) -> None:
    ran = analysis.elected(experiments.load(results).collect())
    ran = ran.filter(pl.col("shape") == "line:9", pl.col("scheduler") == "permutation")
    table = analysis.candidates_over_time(ran, "family")
    assert table["mean"][-1] * 16 == pytest.approx(1)
    assert table["mean"].is_sorted(descending=True)


def test_the_slowest_digit_token_keeps_up() -> None:
    table = probes.token_steps("line:6", 1, "adversarial")
    assert table.height > 5
    assert (table["least"] >= table["i"]).all()


TINY = {
    "growth": {"shapes": ["hexagon:3..12*2", "line:10..40*2"], "variants": "whp", "seeds": 3},
    "segments": {"shapes": "hexagon:6..24*2", "variants": "whp", "seeds": 10, "max_rounds": 400},
    "schedulers": {
        "shapes": ["hexagon:3..6*2"],
        "schedulers": ["permutation", "adversarial"],
        "variants": "whp",
        "seeds": 3,
    },
    "failures": {"shapes": "hexagon:1..3", "variants": "whp", "radices": [2, 16, 256], "seeds": 50},
    "termination": {"shapes": ["hexagon:3..6*2", "labyrinth:3..6*2"], "seeds": 2},
    "almost-sure": {"shapes": ["hexagon:3..24*2"], "variants": "almost-sure", "seeds": 3},
    "expanded": {"shapes": ["line:10..40*2"], "expanded": 0.5, "variants": "whp", "seeds": 3},
}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard, "plans", lambda full: TINY)
    monkeypatch.setattr(standard, "PROBED", ("line:5",))


def test_every_claim_of_the_paper_has_a_measurement(tiny: None, tmp_path: Path) -> None:
    numbered = [f"lemma-{i}" for i in range(1, 9)] + [f"theorem-{i}" for i in range(1, 4)]
    numbered += [f"corollary-{i}" for i in range(1, 6)]
    assert set(CLAIMS) == set(ORDER) == {*numbered, "appendix-a-1", "schedulers"}
    page, outcomes = reproduce(tmp_path)
    text = check_page(page, figures=len(ORDER))
    for outcome in outcomes:
        assert outcome.claim.command(False) in text
        assert outcome.finding.measured
    # Small systems are not yet as the theorems say they become; these always are.
    held = {outcome.claim.name for outcome in outcomes if outcome.finding.holds}
    assert held >= {"lemma-1", "lemma-3", "lemma-4", "lemma-6", "corollary-2", "theorem-1"}
    document = write_markdown(tmp_path / "docs", outcomes, full=False).read_text()
    for link in re.findall(r"\]\((reproduction/[^)]+)\)", document):
        assert (tmp_path / "docs" / link).exists()
    assert document.count("\n## ") == len(ORDER)
    assert "| hexagon | 9 | 18 | 72 | " in document  # the exponents of Theorem 2 by family


def test_one_claim_needs_only_its_own_elections(tiny: None, tmp_path: Path) -> None:
    answer = ask("reproduce", "--only", "lemma-2", "-o", str(tmp_path / "r"), "--json")
    assert [*answer.json["claims"]] == ["lemma-2"]
    assert answer.status == (0 if answer.json["claims"]["lemma-2"]["holds"] else 1)
    assert {path.name for path in (tmp_path / "r").iterdir()} == {"segments", "report-lemma-2"}
    check_refusal(ask("reproduce", "--only", "lemma-9", "-o", str(tmp_path / "r")))
    check_refusal(ask("reproduce", "--quick", "--full"))


def test_a_claim_that_is_wrong_is_told(tiny: None, tmp_path: Path) -> None:
    """Falsified rows must turn each verdict."""
    rows = {part: experiments.sweep(plan).collect() for part, plan in TINY.items()}
    lies = {
        "lemma-1": ("growth", pl.col("particles") * 1000),
        "lemma-2": ("segments", pl.lit(1, pl.Int64).alias("longest_segment")),
        "lemma-3": ("failures", pl.lit("tied-identifiers").alias("outcome")),
        "theorem-1": ("growth", pl.lit("tied-identifiers").alias("outcome")),
        "lemma-4": ("segments", pl.col("longest_segment") ** 3 * 2),
        "lemma-5": ("segments", pl.col("particles") ** 2 + 0 * pl.col("longest_segment")),
        "corollary-1": ("segments", pl.col("particles").alias("identifiers_set_up")),
        "lemma-7": ("growth", pl.col("boundary_identification") ** 2),
        "lemma-8": ("growth", pl.col("leader_declared") ** 2),
        "theorem-2": ("growth", pl.col("rounds") ** 2),
        "corollary-2": ("growth", pl.col("outer_boundary_particles") // 4),
        "corollary-3": ("growth", pl.col("rounds") ** 2),
        "corollary-4": ("termination", pl.col("rounds_terminated") ** 3),
        "corollary-5": ("termination", pl.col("rounds_terminated") ** 3),
        "theorem-3": ("almost-sure", pl.lit("round-limit").alias("outcome")),
        "appendix-a-1": ("expanded", pl.col("rounds") ** 2),
        "schedulers": ("schedulers", pl.col("rounds") ** 2),
    }
    targets = {"lemma-4": "identifiers_set_up", "lemma-5": "longest_segment"}
    assert {*lies, "lemma-6"} == set(ORDER)
    for name, (part, lie) in lies.items():
        lie = lie.alias(targets[name]) if name in targets else lie
        wrong = {**rows, part: rows[part].with_columns(lie)}
        if name == "theorem-3":  # without any leader there is nothing to draw
            wrong[part] = pl.concat([rows[part], wrong[part].head(1)])
        assert not CLAIMS[name].judge(wrong).holds, name


@pytest.mark.parametrize(
    ("rounds", "holds"),
    [
        (3 * _L + pl.col("digit_tokens_created"), True),
        (3 * _L + _L.log(2) ** 2, True),
        (3 * _L**0.97 + _L.log(2) ** 2, False),
        (3 * _L**1.03 + _L.log(2) ** 2, False),
        (_L * _L.log(2) / 2, False),
    ],
)
def test_linear_running_time_is_told_from_others(rounds: pl.Expr, holds: bool) -> None:
    plan = {"shapes": ["line:51", "line:126", "line:301", "line:751"], "seeds": 5}
    frame = experiments.sweep({**plan, "variants": "whp"}).collect()
    frame = frame.with_columns(rounds.round().cast(pl.Int64).alias("rounds"))
    assert CLAIMS["theorem-2"].judge({"growth": frame}).holds == holds


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="takes minutes")
def test_the_quick_reproduction_finds_all_claims_true(tmp_path: Path) -> None:
    _, outcomes = reproduce(tmp_path)
    assert [outcome.claim.name for outcome in outcomes if not outcome.finding.holds] == []


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="builds systems of millions of particles")
def test_the_standard_shapes_have_outer_boundaries_of_100_to_5000_agents() -> None:
    for shapes in standard.FAMILIES.values():
        lengths = [build(parse(shape)).outer_boundary_length for shape in shapes]
        assert lengths == sorted(lengths)
        assert 85 <= lengths[0] <= 105
        assert 5000 <= lengths[-1] <= LONGEST


def test_rules_are_compared_on_the_same_coins_and_never_mixed() -> None:
    mine = str(Path(__file__).parent / "rules" / "axes.py")
    plan = {"shapes": ["hexagon:1..2"], "rules": ["paper", mine], "variants": "whp", "seeds": 6}
    frame = experiments.sweep(plan).collect()
    sections = {section.name: section for section in sections_of(frame)}
    table = sections["rules"].numbers["rules"]
    assert set(table["rules"]) == {"paper", "axes"}
    alone = {
        section.name: section for section in sections_of(frame.filter(pl.col("rules") == "paper"))
    }
    assert "rules" not in alone
    for name, section in alone.items():
        for key, numbers in section.numbers.items():
            assert numbers.equals(sections[name].numbers[key], null_equal=True)
    # Rules that elect nobody have a line, too.
    failed = frame.with_columns(
        outcome=pl.when(pl.col("rules") == "axes").then(pl.lit("round-limit")).otherwise("outcome")
    )
    table = next(section for section in sections_of(failed) if section.name == "rules").shown
    assert table is not None
    assert dict(table.select("rules", "leaders").iter_rows()) == {"paper": 12, "axes": 0}
    others = sections_of(frame.filter(pl.col("rules") == "axes"))
    assert [section.name for section in others] == list(alone)
