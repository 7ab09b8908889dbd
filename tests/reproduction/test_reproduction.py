"""The paper's claims beside measurements."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from amoebot import sweeps
from amoebot.reproduction import probes, reproduce, standard, write_markdown
from amoebot.reproduction.claims import CLAIMS
from amoebot.reproduction.reproducing import ORDER
from amoebot.reproduction.total_time import LONGEST
from amoebot.reproduction.verdicts import FAILS, HOLDS, UNDECIDED
from amoebot.shapes import parse
from amoebot.sweeps import make_plan
from amoebot.system import build
from helpers import small_plans
from helpers.command import ask, check_refusal
from helpers.full import FULL
from helpers.reporting import check_page

_L = pl.col("outer_boundary_length")


def test_the_slowest_digit_token_keeps_up() -> None:
    table = probes.token_steps("hexagon:5", 1, "adversarial")
    assert table.height > 20
    assert (table["least"] >= table["i"]).all()
    assert table["i"].to_list() == [*range(table.height)]


def fewer(content: dict[str, Any]) -> dict[str, Any]:
    """A plan with few elections of each kind."""
    tables = [table | {"seeds": 3} for table in content.get("sweep", [])]
    return content | {"seeds": 3} | ({"sweep": tables} if tables else {})


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = {name: fewer(content) for name, content in small_plans.SMALL.items()}
    monkeypatch.setattr(standard, "plans", lambda full: plans)
    monkeypatch.setattr(standard, "PROBED", small_plans.PROBED)
    monkeypatch.setattr(standard, "RINGS", small_plans.RINGS)


@pytest.mark.slow
def test_every_claim_of_the_paper_has_a_measurement(tiny: None, tmp_path: Path) -> None:
    numbered = [f"lemma-{i}" for i in range(1, 9)] + [f"theorem-{i}" for i in range(1, 4)]
    numbered += [f"corollary-{i}" for i in range(1, 6)]
    others = {"appendix-a-1", "appendix-a-4", "schedulers", "tails"}
    assert set(CLAIMS) == set(ORDER) == {*numbered, *others}
    made = reproduce(tmp_path)
    text = check_page(made.page, figures=len(ORDER))
    for verdict in made.verdicts:
        assert verdict.claim.command(False) in text
        assert verdict.measurement.measured
        assert verdict.word in (HOLDS, UNDECIDED)  # few elections never refute what is true
        assert (verdict.word == HOLDS) == (verdict.reason == "")
    assert UNDECIDED in {verdict.word for verdict in made.verdicts}
    written = write_markdown(tmp_path / "docs", made)
    document = written.read_text(encoding="utf-8")
    assert "\n\n\n" not in document
    for link in re.findall(r"\]\((reproduction/[^)]+)\)", document):
        assert (tmp_path / "docs" / link).exists()
    assert document.count("\n## ") == document.count("**Test:**") == len(ORDER)


@pytest.mark.slow
def test_every_claim_is_told_in_json(tiny: None, tmp_path: Path) -> None:
    for name in ORDER:
        answer = ask("reproduce", "--only", name, "-o", str(tmp_path / "r"), "--json")
        told = answer.json["claims"]
        assert [*told] == [name]
        assert told[name]["verdict"] in (HOLDS, UNDECIDED)
        assert told[name]["test"] == CLAIMS[name].test
        assert answer.status == 0
    kept = {path.name for path in (tmp_path / "r").iterdir()}
    assert kept == {*small_plans.SMALL, *(f"report-{name}" for name in ORDER)}


def test_one_claim_needs_only_its_own_elections(tiny: None, tmp_path: Path) -> None:
    answer = ask("reproduce", "--only", "lemma-2", "-o", str(tmp_path / "r"))
    assert answer.status == 0
    assert answer.out.startswith("? Lemma 2: undecided (not shown: ")
    assert "more elections would decide" in answer.out
    kept = {path.name for path in (tmp_path / "r").iterdir()}
    assert kept == {"segments", "report-lemma-2"}
    check_refusal(ask("reproduce", "--only", "lemma-9", "-o", str(tmp_path / "r")))
    check_refusal(ask("reproduce", "--quick", "--full"))


def test_the_folder_of_a_sweep_is_left_alone(tmp_path: Path) -> None:
    sweeps.sweep({"shapes": "line:3"}, tmp_path / "results")
    before = sorted(tmp_path.rglob("*"))
    check_refusal(ask("reproduce", "--only", "theorem-2", "-o", str(tmp_path / "results")))
    with pytest.raises(
        sweeps.FolderError, match="results is the folder of a sweep: choose another one"
    ):
        reproduce(tmp_path / "results", only="theorem-2")
    assert sorted(tmp_path.rglob("*")) == before


def test_rules_need_a_folder_of_their_own_and_have_to_be_rules(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def nothing(me):\n    pass\n")
    check_refusal(ask("reproduce", "--rules", str(mine)))
    check_refusal(ask("reproduce", "--rules", str(mine), "-o", str(tmp_path / "r")))
    check_refusal(ask("reproduce", "--rules", str(tmp_path / "no.py"), "-o", str(tmp_path / "r")))


def test_a_claim_that_fails_ends_with_status_1(
    tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(full: bool, rules: object) -> pl.DataFrame:
        runs = {"i": [0, 1], "least": [0, 0], "shape": "line:9", "seed": 0, "scheduler": "uniform"}
        return pl.concat([pl.DataFrame(runs), pl.DataFrame(runs | {"scheduler": "round-robin"})])

    monkeypatch.setitem(probes.PROBES, "token-steps", late)
    answer = ask("reproduce", "--only", "lemma-6", "-o", str(tmp_path / "r"))
    assert answer.status == 1
    assert answer.out.startswith("✗ Lemma 6: fails (refuted: ")
    told = ask("reproduce", "--only", "lemma-6", "-o", str(tmp_path / "r"), "--json")
    assert told.json["claims"]["lemma-6"]["verdict"] == FAILS


@pytest.mark.parametrize("full", [False, True])
def test_no_two_shapes_or_parts_have_coins_in_common(full: bool) -> None:
    seeds: dict[tuple[int, int], tuple[str, tuple[str, int, float]]] = {}
    for part, content in standard.plans(full).items():
        for cell, runs in make_plan(content).items():
            for run in runs:
                assert seeds.setdefault(run, (part, cell.shape_key)) == (part, cell.shape_key)
    ends = sorted(seeds)
    assert all(end <= first for (_, end), (first, _) in itertools.pairwise(ends))


def test_random_families_have_several_shapes_of_each_size() -> None:
    cells = make_plan(standard.plans(False)["growth"]).cells
    for family in standard.DRAWN:
        for shape in standard.FAMILIES[family]:
            drawn = {cell.shape_seed for cell in cells if cell.shape == shape}
            assert len(drawn) == standard.SHAPES


def test_rounds_on_different_shapes_are_not_correlated() -> None:
    plan = {"shapes": ["line:51", "hexagon:17"], "variants": "whp", "seeds": 200}
    correlations = {}
    for independent in (False, True):
        frame = sweeps.sweep({**plan, "independent": independent}).collect()
        rounds = [part["rounds"].to_numpy() for part in frame.sort("seed").partition_by("shape")]
        pairs = pl.DataFrame({"one": rounds[0], "other": rounds[1]})
        correlations[independent] = abs(float(pairs.select(pl.corr("one", "other")).item()))
    assert correlations[False] > 0.5
    assert correlations[True] < 0.25


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="takes minutes")
def test_the_quick_reproduction_refutes_no_claim(tmp_path: Path) -> None:
    failed = [one.claim.name for one in reproduce(tmp_path).verdicts if one.word == FAILS]
    assert failed == []


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="builds systems of millions of particles")
def test_the_standard_shapes_have_outer_boundaries_of_100_to_5000_agents() -> None:
    for family, shapes in standard.FAMILIES.items():
        lengths = [build(parse(shape)).outer_boundary_length for shape in shapes]
        assert lengths == sorted(lengths)
        assert 85 <= lengths[0] <= 105
        # The path in a labyrinth is so long that the largest one has a shorter ring.
        assert (3000 if family == "labyrinth" else 5000) <= lengths[-1] <= LONGEST
