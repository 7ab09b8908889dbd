"""Broken rules, each of which goes against one sentence of the paper."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoebot import jit
from amoebot.algorithms.solitude_verification import pass_tokens
from helpers.broken_rules import (
    EQUIVALENT,
    LINE,
    MUTANTS,
    SECTION_2,
    TRIANGLE,
    TWO,
    TWO_DEFAULT,
    Check,
    place,
)
from helpers.full import FULL
from helpers.mutants import explore_with

NUMBERED = dict(enumerate((*MUTANTS, *EQUIVALENT), start=1))

#: Where the orders of a particle's agents that make no difference are left out: from a moment on.
LATE: Check = ("line:5", [], {**SECTION_2, "after": 18, "seed": 1})


@pytest.fixture(scope="module")
def caught() -> dict[str, list[Any]]:
    """Provide what is found with each broken rule, and without any; all are compiled at once.

    On its own check, or on small shapes if it breaks nothing; then without orders of agents that
    make no difference, and with all orders.
    """
    small = [TWO, TRIANGLE, TWO_DEFAULT, *([LINE] if FULL else [])]
    late = [
        [(shape, pairs, options | {"leave_out": leave_out})]
        for leave_out in (True, False)
        for shape, pairs, options in [LATE]
    ]
    cases = []
    for number in (0, *NUMBERED):
        own = [NUMBERED[number].check] if number and NUMBERED[number].caught else small
        cases += [(number, checks) for checks in (own, *late)]
    found = [*explore_with(NUMBERED, cases)]
    names = ["", *(mutant.name for mutant in NUMBERED.values())]
    return {name: found[3 * place : 3 * place + 3] for place, name in enumerate(names)}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.paper("Section 2.2", "Section 2.3", "Section 2.4", "Section 2.5", "Section 2.6")
def test_every_broken_rule_is_caught_by_the_sentence_that_it_breaks(
    caught: dict[str, list[Any]],
) -> None:
    found = {name: own and own["property"] for name, (own, _, _) in caught.items()}
    wanted = {mutant.name: mutant.caught or None for mutant in NUMBERED.values()}
    assert found == {"": None, **wanted}


@pytest.mark.slow
@pytest.mark.compiled
def test_leaving_out_orders_of_agents_changes_no_verdict_on_broken_rules(
    caught: dict[str, list[Any]],
) -> None:
    told = ("property", "activations")
    for name, (_, *both) in caught.items():
        fewer, every = ([one and one.get(key) for key in told] for one in both)
        assert fewer == every, name
    assert sum(every is not None for _, _, every in caught.values()) > 20


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
