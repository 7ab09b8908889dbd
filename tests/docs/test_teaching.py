"""What is there for a class: proof sketches, a glossary, slides."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS / "hooks"))

slides = importlib.import_module("slides")


def test_every_lemma_and_theorem_has_a_sketch_of_its_proof() -> None:
    paper = (DOCS / "paper.toml").read_text(encoding="utf-8")
    sketches = (DOCS / "proofs.md").read_text(encoding="utf-8")
    names = set(re.findall(r'name = "((?:Lemma|Theorem|Corollary) \d)"', paper))
    assert len(names) == 16
    headings = " ".join(re.findall(r"^### (.*)", sketches, re.MULTILINE))
    headings = re.sub(r"Corollaries (\d) and (\d)", r"Corollary \1, Corollary \2", headings)
    assert [name for name in sorted(names) if name not in headings] == []


def test_words_in_italics_have_an_entry_in_the_glossary() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| **")]
    entries = {word for name, _ in rows for word in name.strip(" *").lower().split(", ")}
    used = {word for _, told in rows for word in re.findall(r"\*([^*]+)\*", told)}
    assert len(rows) >= 40
    assert [word for word in sorted(used) if not is_entry(word.lower(), entries)] == []


def is_entry(word: str, entries: set[str]) -> bool:
    singular = {word, word.removesuffix("s"), word.replace("ies", "y")}
    return bool(singular & entries) or f"{word} boundary" in entries or word == "inner ones"


def test_slides_are_one_file_that_loads_nothing() -> None:
    page = slides.page(DOCS)
    there = tomllib.loads((DOCS / "slides.toml").read_text(encoding="utf-8"))["slide"]
    assert page.count("<section>") == page.count("data:image/svg+xml;base64,") == len(there)
    assert len(there) >= 12
    assert not re.search(r'(?:src|href)="(?!data:)', page)
