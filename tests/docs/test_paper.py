"""Every part of the paper is covered, and whatever is cited exists."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import amoebot
from amoebot.algorithms.improved.monitors import MONITORS
from helpers.pages import MENTIONS, ROOT

sys.path.append(str(ROOT / "docs/hooks"))
paper = importlib.import_module("paper")

ITEMS = paper.items()
EVIDENCE = paper.evidence()


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


def test_every_monitor_and_every_property_says_where_it_comes_from() -> None:
    shown = {one.text for one in EVIDENCE}
    assert shown >= {f"`{monitor.__name__}`" for monitor in MONITORS}
    for almost_sure in (True, False):
        report = amoebot.verify.verify(amoebot.shapes.line(1), almost_sure=almost_sure)
        assert len(report.verdicts) >= 12
        assert shown >= set(report.verdicts)


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
