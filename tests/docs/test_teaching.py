"""What is there for a class: proof sketches, a glossary, slides."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from markdown.extensions.toc import slugify

from amoebot import Simulation, elect, elect_many, shapes
from amoebot.algorithms import registry
from amoebot.algorithms.improved.course import OUTCOMES
from amoebot.algorithms.improved.failure import election_probability, probability_of_no_candidates
from amoebot.algorithms.improved.identifier_comparison import DIGIT
from amoebot.engine.names import SCHEDULERS
from amoebot.options import Options
from amoebot.system import build

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS / "hooks"))

paper = importlib.import_module("paper")
slides = importlib.import_module("slides")

#: What the paper proves.
NUMBERED = ("Lemma", "Theorem", "Corollary")


def test_every_lemma_and_theorem_has_a_sketch_of_its_proof() -> None:
    paper = (DOCS / "paper.toml").read_text(encoding="utf-8")
    sketches = (DOCS / "proofs.md").read_text(encoding="utf-8")
    names = set(re.findall(r'name = "((?:Lemma|Theorem|Corollary) \d)"', paper))
    assert len(names) == 16
    headings = " ".join(re.findall(r"^### (.*)", sketches, re.MULTILINE))
    headings = re.sub(r"Corollaries (\d) and (\d)", r"Corollary \1, Corollary \2", headings)
    assert [name for name in sorted(names) if name not in headings] == []


def sketches() -> dict[str, str]:
    """Return the anchors of all sketches, by what they prove."""
    text = (DOCS / "proofs.md").read_text(encoding="utf-8")
    found = {}
    for heading, anchor in re.findall(r"^### (.*?)(?: \{ #([\w-]+) \})?$", text, re.MULTILINE):
        title = re.sub(r"Corollaries (\d) and (\d)", r"Corollary \1, Corollary \2", heading)
        for name in re.findall(rf"(?:{'|'.join(NUMBERED)}) \d", title) or [heading]:
            found[name] = anchor or slugify(heading, "-")
    return found


def linked_sketches(page: Path) -> set[str]:
    return set(re.findall(r"\]\((?:\.\./)?proofs\.md#([\w-]+)\)", page.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "page", sorted((DOCS / "algorithm").glob("*.md")), ids=lambda one: one.stem
)
def test_a_page_that_names_a_lemma_links_to_its_sketch(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = {name for name in paper.cited(text) if name.startswith(NUMBERED)}
    measured = re.findall(r"reproduction\.md#((?:lemma|theorem|corollary)-\d)", text)
    named |= {name.replace("-", " ").capitalize() for name in measured}
    assert {sketches()[name] for name in named} <= linked_sketches(page)


def test_every_sketch_is_linked_from_the_page_that_it_is_about() -> None:
    pages = [*(DOCS / "algorithm").glob("*.md"), DOCS / "general-graphs.md"]
    assert set.union(*map(linked_sketches, pages)) == {*sketches().values()}


def test_the_page_about_the_paper_leads_from_each_lemma_to_its_sketch() -> None:
    found = sketches()
    for name, item in paper.items().items():
        if name.startswith(NUMBERED):
            assert item.get("page") == f"proofs.md#{found[name]}", name


def test_words_in_italics_have_an_entry_in_the_glossary() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| **")]
    entries = {word for name, _ in rows for word in name.strip(" *").lower().split(", ")}
    used = {word for _, told in rows for word in re.findall(r"\*([^*]+)\*", told)}
    assert len(rows) >= 40
    assert [word for word in sorted(used) if not is_entry(word.lower(), entries)] == []


def test_the_glossary_has_the_words_of_the_model() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"^\| \*\*([^*]+)\*\*", text, re.MULTILINE)
    words = {"scheduler", "memory", "node", "hole", "crash", "corrupt"}
    assert words - {*entries} == set()
    assert entries == sorted(entries, key=str.lower)


def is_entry(word: str, entries: set[str]) -> bool:
    singular = {word, word.removesuffix("s"), word.replace("ies", "y")}
    return bool(singular & entries) or f"{word} boundary" in entries or word == "inner ones"


def test_slides_are_one_file_that_loads_nothing() -> None:
    page = slides.page(DOCS)
    there = tomllib.loads((DOCS / "slides.toml").read_text(encoding="utf-8"))["slide"]
    assert page.count("<section>") == page.count("data:image/svg+xml;base64,") == len(there)
    assert len(there) >= 12
    assert not re.search(r'(?:src|href)="(?!data:)', page)


def exercise(number: int) -> tuple[str, str]:
    """Return an exercise and its solution, each in one line."""
    text = (DOCS / "exercises.md").read_text(encoding="utf-8")
    section = re.split(r"^## \d+\. .*", text, flags=re.MULTILINE)[number]
    told, solution = section.split("<summary>Solution</summary>")
    return " ".join(told.split()), " ".join(solution.split())


def commands(text: str) -> list[str]:
    return re.findall(r"`([a-z]+:[\d,]+)`", text)


#: The nodes around the one in the middle.
AROUND = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]


def agents_of(shape: shapes.Shape) -> list[int]:
    """Return how many agents each particle has."""
    system = build(shape)
    return [len(system.agents_of(particle)) for particle in range(system.particles)]


def test_exercise_1_a_particle_has_up_to_three_agents() -> None:
    _, solution = exercise(1)
    words = {"none": 0, "two": 2, "three": 3}
    told = re.search(r"have (\w+) and .* line has (\w+), .* (\w+) are possible", solution)
    assert told
    inner, in_line, most = (words[word] for word in told.groups())
    found = set()
    for chosen in product((False, True), repeat=6):
        nodes = [node for node, there in zip(AROUND, chosen, strict=True) if there]
        shape = shapes.Shape([(0, 0), *nodes])
        middle = shape.nodes.tolist().index([0, 0])
        found.add(agents_of(shape)[middle])
    assert max(found) == most
    assert agents_of(shapes.line(5))[1:-1] == [in_line] * 3
    assert min(agents_of(shapes.hexagon(2))) == inner
    assert "An expanded particle has up to three at each of its two nodes" in solution
    nodes = [(0, 0), (1, 0), (-1, 1), (0, -1), (1, 1), (2, -1)]
    assert max(agents_of(shapes.Shape(nodes, expanded=[(0, 1)]))) == 2 * most


def test_exercise_2_the_same_particle_is_elected_in_another_number_of_rounds() -> None:
    told, solution = exercise(2)
    (shape,) = commands(told)
    seed = int(re.findall(r"seed (\d+)", told)[0])
    assert "the same particle is elected each time" in solution
    results = [elect(shape, seed, scheduler) for scheduler in SCHEDULERS]
    assert {result.outcome for result in results} == {"leader"}
    assert len({result.leader for result in results}) == 1
    assert len({result.rounds for result in results}) > 1


def test_exercise_3_two_particles_fail_as_often_as_it_says() -> None:
    told, solution = exercise(3)
    (radix,) = map(int, re.findall(r"radix (\d+)", told))
    nobody, tie, both = re.findall(r"probability (1/\d+) \+ (1/\d+) = (\d/\d+)", solution)[0]
    length = build(shapes.line(2)).outer_boundary_length
    assert f"equal with probability 1/{radix}" in solution
    assert 1 - election_probability(length, radix) == Fraction(nobody) + Fraction(tie)
    assert Fraction(nobody) + Fraction(tie) == Fraction(both)
    assert probability_of_no_candidates(length) == Fraction(nobody)
    default, about = re.findall(
        r"the default radix of (\d+) it is 1/4 \+ 1/64 ≈ (\S+)\.", solution
    )[0]
    assert int(default) == Options().own["radix"]
    assert f"{1 - float(election_probability(length, int(default))):.3f}" == about
    plain = {**registry.preset("improved", "whp"), "radix": radix}
    outcomes = [one.outcome for one in elect_many("line:2", range(200), **plain)]
    reasons = re.findall(r'"([^"]+)" \(`([\w-]+)`; seed (\d+)', solution)
    assert {*outcomes} == {"leader", *(name for _, name, _ in reasons)}
    sentences = {one.name: one.sentence for one in OUTCOMES.values()}
    for reason, name, seed in reasons:
        assert outcomes.index(name) == int(seed)
        assert reason in sentences[name]
    assert {one.outcome for one in elect_many("line:2", range(200))} == {"leader"}


def test_exercise_4_least_significant_digits_meet_first() -> None:
    _, solution = exercise(4)
    (identifier,) = re.findall(r"most significant digit first: ((?:\d ?)+)\.", solution)
    (reversed_copy,) = re.findall(r"Hence the reversed copy, ((?:\d ?)+)\.", solution)
    digits, copy = ([int(digit) for digit in text.split()] for text in (identifier, reversed_copy))
    assert f"least significant digit, then: the {digits[-1]}" in solution
    # The election of the figures.
    shape = shapes.parse("random:16,1", seed=32)
    simulation = Simulation(shape, 34, radix=10, **registry.preset("improved", "whp"))
    length = simulation.system.outer_boundary_length
    met: dict[int, int] = {}  # by head: the digit that the agent before it meets first
    heads: list[int] = []
    while not heads or len(met) < len(heads):
        simulation.step()
        memory = simulation.memory[:length]
        heads = np.flatnonzero(memory["head"]).tolist()
        for head in heads:
            before = memory[head - 1]
            if before["inactive"]:
                met.setdefault(head, int(before["newest"] or before["oldest"]) & DIGIT)
    found = []
    for head, after in zip(heads, [*heads[1:], heads[0] + length], strict=True):
        segment = memory[[agent % length for agent in range(head, after)]]
        found.append((segment["digit"].tolist(), segment["reversed_digit"].tolist()))
        assert segment["reversed_digit"][0] == segment["digit"][-1]
        if len(segment) > 1:  # a sequence of one token has passed as soon as it is there
            assert met[head] == segment["digit"][-1]
    assert (digits, copy) in found


def test_exercise_5_an_adversary_delays_and_no_more_than_linearly() -> None:
    told, solution = exercise(5)
    shape, seed = re.findall(r"`(\S+)` with seed (\d+)", told)[0]
    (usual,) = re.findall(r"Left alone it takes (\d+) rounds", told)
    (adversary,) = re.findall(r"The scheduler `(\w+)`", solution)
    assert adversary in SCHEDULERS
    assert "still linear in L" in solution
    (delayed,) = re.findall(r"from the last candidate on: (\d+) rounds", solution)
    assert elect(shape, int(seed)).rounds == int(usual)
    assert elect(shape, int(seed), adversary).rounds == int(delayed)
    shares = []
    for size in (5, 10, 20):
        slow, usual = (elect(f"hexagon:{size}", 1, one) for one in (adversary, "permutation"))
        assert slow.rounds > usual.rounds
        shares.append(slow.rounds / slow.outer_boundary_length)
    assert max(shares) < 2 * min(shares)


def test_exercise_6_erosion_is_quick_on_a_hexagon_and_stuck_on_a_ring() -> None:
    told, solution = exercise(6)
    hexagon, ring = commands(told)
    assert "On a hexagon, erosion" in solution
    eroded, improved = (elect(hexagon, 1, algorithm=name) for name in ("erosion", "improved"))
    assert (eroded.outcome, improved.outcome) == ("leader", "leader")
    rings = int(hexagon.partition(":")[2])
    assert rings <= eroded.rounds <= 2 * rings < improved.outer_boundary_length < improved.rounds
    assert "erosion gets stuck" in solution
    simulation = Simulation(ring, 1, algorithm="erosion")
    assert simulation.run().outcome == "stuck"
    assert elect(ring, 1).outcome == "leader"
