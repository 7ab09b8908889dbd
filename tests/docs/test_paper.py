"""Every part of the paper is covered, and whatever is cited exists."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import amoebot
from amoebot.algorithms.improved.monitors import MONITORS
from helpers.broken_rules import EQUIVALENT, MUTANTS
from helpers.pages import MENTIONS, ROOT

sys.path.append(str(ROOT / "docs/hooks"))
paper = importlib.import_module("paper")

ITEMS = paper.items()
EVIDENCE = paper.evidence()
SENTENCES = paper.sentences()
KNOWN = paper.checks()


@pytest.mark.parametrize("name", ITEMS)
def test_each_part_of_the_paper_is_covered(name: str) -> None:
    found = {one.kind for one in EVIDENCE if one.item == name}
    assert found >= set(ITEMS[name].get("by", []))
    assert bool(found) != ("nothing" in ITEMS[name])


def test_nothing_is_cited_that_the_paper_does_not_have() -> None:
    sources = [
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("tests/**/*.py"),
        *map(ROOT.joinpath, MENTIONS),
    ]
    for path in set(sources) - {Path(__file__)}:
        unknown = set(paper.cited(path.read_text(encoding="utf-8"))) - ITEMS.keys()
        assert not unknown, path


@cache
def decided() -> set[str]:
    """Return all that the explorer decides of the improved election, with or without a variant."""
    reports = [
        amoebot.verify.verify(amoebot.shapes.line(1), almost_sure=almost_sure)
        for almost_sure in (True, False)
    ]
    assert all(len(report.verdicts) >= 12 for report in reports)
    return {sentence for report in reports for sentence in report.verdicts}


def test_every_monitor_and_every_property_says_where_it_comes_from() -> None:
    shown = {one.text for one in EVIDENCE}
    assert shown >= {f"`{monitor.__name__}`" for monitor in MONITORS}
    assert shown >= decided()


def test_every_sentence_has_a_check_and_every_check_exists() -> None:
    assert len(SENTENCES) >= 100
    for one in SENTENCES:
        assert one.item in ITEMS, one
        assert one.verified or one.tested, one
        for kind in paper.CHECKS:
            assert set(getattr(one, kind)) <= KNOWN[kind].keys(), (one.says, kind)


def test_every_property_and_every_broken_rule_belongs_to_a_sentence() -> None:
    named = {kind: {name for one in SENTENCES for name in getattr(one, kind)} for kind in KNOWN}
    assert named["verified"] == decided()
    assert named["broken"] == {mutant.name for mutant in MUTANTS}
    assert named["same"] == {mutant.name for mutant in EQUIVALENT}


def test_a_broken_rule_is_caught_by_a_property_of_its_sentence() -> None:
    caught = {mutant.name: mutant.caught for mutant in MUTANTS}
    for one in SENTENCES:
        assert {caught[name] for name in one.broken} <= set(one.verified), one.says


def test_citations_are_read_as_people_write_them() -> None:
    text = "Lemmas 2 and 5, Section 2.4. Appendix A.1 and A.2; Corollaries 1, 4 or 5; Lemmas 6 to 8"
    assert list(paper.cited(text)) == [
        *("Lemma 2", "Lemma 5", "Section 2.4", "Appendix A.1", "Appendix A.2"),
        *("Corollary 1", "Corollary 4", "Corollary 5", "Lemma 6", "Lemma 7", "Lemma 8"),
    ]


@pytest.mark.skipif("AMOEBOT_PAPER" not in os.environ, reason="AMOEBOT_PAPER is not the .tex file")
def test_the_parts_are_those_of_the_paper() -> None:
    text = Path(os.environ["AMOEBOT_PAPER"]).read_text(encoding="utf-8")
    expected = [(item["name"], item["label"]) for item in ITEMS.values()]
    assert list(numbered(text)) == expected


def numbered(text: str) -> Iterator[tuple[str, str]]:
    """Yield what LaTeX would number, with its label."""
    counts = dict.fromkeys(("section", "subsection", "figure", "lemma", "theorem", "corollary"), 0)
    appendix = False
    parts = re.finditer(
        r"\\(appendix)\b|\\((?:sub)*section)\{|\\begin\{(figure|lemma|theorem|corollary"
        r"|definition|proposition|claim|remark|table|algorithm)\}",
        text,
    )
    for found in parts:
        if found[1]:
            appendix, counts["section"] = True, 0
            continue
        kind = found[2] or found[3]
        counts[kind] += 1
        label = re.compile(r"\\label\{(.*?)\}").search(text, found.end())
        assert label is not None
        if not found[2]:
            yield f"{kind.capitalize()} {counts[kind]}", label[1]
            continue
        if kind == "section":
            counts["subsection"] = 0
        number = "ABC"[counts["section"] - 1] if appendix else str(counts["section"])
        number += f".{counts['subsection']}" if kind == "subsection" else ""
        yield f"{'Appendix' if appendix else 'Section'} {number}", label[1]
