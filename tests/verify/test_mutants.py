"""Broken rules, each of which goes against one sentence of the paper."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from amoebot import jit
from amoebot.algorithms.solitude_verification import pass_tokens
from helpers.broken_rules import EQUIVALENT, LINE, MUTANTS, TRIANGLE, TWO, TWO_DEFAULT, place
from helpers.mutants import try_mutants
from helpers.naive import FULL


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.paper("Section 2.2", "Section 2.3", "Section 2.4", "Section 2.5", "Section 2.6")
def test_every_broken_rule_is_caught_by_the_sentence_that_it_breaks() -> None:
    """All are compiled at once. Those that break nothing are tried where they would show."""
    small = [TWO, TRIANGLE, TWO_DEFAULT, *([LINE] if FULL else [])]
    checks = {mutant.name: [mutant.check] for mutant in MUTANTS}
    checks |= {mutant.name: small for mutant in EQUIVALENT} | {"": small}
    mutants = (*MUTANTS, *EQUIVALENT)
    told = try_mutants(mutants, checks)
    found = {
        mutant.name: caught and caught["property"]
        for mutant, caught in zip(mutants, told, strict=True)
    }
    assert found == {mutant.name: mutant.caught or None for mutant in mutants}


@pytest.mark.paper("Section 2.5")
def test_tokens_settle_only_behind_two_that_have_settled() -> None:
    """It takes three tokens of a sign to show this: the explorer needs four particles."""
    for ahead, settled in ((2, 0), (2, 1)):
        behind = SimpleNamespace(held=1, settled=0)
        jit.source(pass_tokens)(behind, SimpleNamespace(held=ahead, settled=settled), False)
        assert (behind.held, behind.settled) == (1, 0)
    jit.source(pass_tokens)(behind, SimpleNamespace(held=2, settled=2), False)
    assert (behind.held, behind.settled) == (1, 1)


def test_the_documentation_lists_all_of_them() -> None:
    page = Path("docs/verified.md").read_text()
    for broken in MUTANTS:
        row = f"| {broken.section} | {broken.name} | {place(broken.check)} | {broken.caught} |"
        assert row in page
    for same in EQUIVALENT:
        assert f"| {same.section} | {same.name} | {same.why} |" in page
    assert f"{len(MUTANTS)} rules were broken" in page
    assert f"{len(EQUIVALENT)} more changes break nothing" in page


def test_what_breaks_nothing_says_why() -> None:
    assert all(mutant.caught and not mutant.why for mutant in MUTANTS)
    assert all(mutant.why and not mutant.caught for mutant in EQUIVALENT)
    assert len(MUTANTS) >= 18 + 25
