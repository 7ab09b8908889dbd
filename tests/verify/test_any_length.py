"""Rings of any length: what is proved, that it can fail, and that no real window is missing."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoebot import Rules, Simulation
from amoebot.algorithms.abstraction import Abstraction, Kept, LeftOut
from amoebot.algorithms.bits import choose
from amoebot.algorithms.improved import identifier_comparison
from amoebot.algorithms.registry import ElectionError
from amoebot.jit import source
from amoebot.linking import link
from amoebot.verify import any_length, verify_any_length
from amoebot.verify.open_numbers import Choices, Open, Source, one_or_other, same
from amoebot.verify.soundness import unsound
from amoebot.verify.steps import Steps
from amoebot.verify.windows import Windows
from helpers.broken_rules import MUTANTS, Mutant
from helpers.command import ask
from helpers.full import FULL

IMPROVED = "improved"
SETUP, TOKENS, SIGN = 0, 1, 2
WINDOWS = {SETUP: 756, TOKENS: 3_123, SIGN: 6_253}
LANES = [*WINDOWS] if FULL else [SETUP]  # the others take a minute each
REMEMBERED = ("outside", "covered")  # which are in no memory
OPTIONS = SimpleNamespace(radix=2, almost_sure=False, terminate=False)


def lane(number: int, rules: Rules | None = None) -> tuple[Steps, Abstraction]:
    linked = link(IMPROVED, rules, plain=True)
    found = any_length.abstractions_of(linked)[number]
    return Steps(linked, found, OPTIONS), found


@cache
def closed(number: int) -> tuple[Steps, Windows]:
    steps, _ = lane(number)
    windows = Windows(steps, 3, 100_000)
    with steps.bound():
        assert windows.close(lambda found: True)
    return steps, windows


@pytest.mark.parametrize("number", LANES)
def test_every_claim_is_proved(number: int) -> None:
    steps, windows = closed(number)
    assert steps.broken == {}
    assert len(windows) == WINDOWS[number]  # as the documentation says


@pytest.mark.parametrize("number", [TOKENS, SIGN])
def test_no_claim_is_broken_in_the_first_windows(number: int) -> None:
    steps, _ = lane(number)
    with steps.bound():
        assert not Windows(steps, 3, 100).close(lambda found: True)
    assert steps.broken == {}


@pytest.mark.parametrize("number", LANES)
def test_short_rings_are_gone_through_one_by_one(number: int) -> None:
    steps, found = lane(number)
    report = any_length.verify_lane(steps, found, 3, 100_000, None, lambda windows: None)
    assert report.proved
    assert report.stopped == ""


@pytest.mark.parametrize("number", LANES)
def test_no_window_of_a_real_run_is_missing(number: int) -> None:
    steps, windows = closed(number)
    visible = [path for path in steps.layout.kept if path not in REMEMBERED]
    known = {tuple(seen(steps, one, visible) for one in window) for window in windows}
    checked = 0
    for seed, (shape, scheduler) in enumerate(
        [("hexagon:2", "permutation"), ("line:6", "uniform"), ("annulus:3,1", "adversarial")]
    ):
        run = Simulation(shape, seed, scheduler, almost_sure=False, terminate=False)
        while run.outcome is None:
            run.step()
            if run.activations % 7:
                continue
            for window in real_windows(run, steps, visible):
                assert window in known
                checked += 1
    assert checked > 2_000


def seen(steps: Steps, number: int, visible: list[str]) -> tuple[int, ...]:
    names = [*steps.layout.kept]
    return tuple(steps.states[number][names.index(path)] for path in visible)


def real_windows(run: Simulation, steps: Steps, visible: list[str]) -> list[Any]:
    def known(agent: Any) -> tuple[int, ...]:
        found = []
        for path in visible:
            value: Any = agent
            for name in path.split("."):
                value = value[name]
            found.append(steps.layout.kept[path].keeps(int(value)))
        return tuple(found)

    made = []
    for ring in run.system.boundaries:
        agents = [known(run.memory[ring.first + i]) for i in range(ring.length)]
        starts = range(ring.length if ring.length > 2 else 0)
        made += [tuple(agents[(i + j) % ring.length] for j in range(3)) for i in starts]
    return made


CAUGHT = {
    "the setup token does not wait for the next agent to start": SETUP,
    "tokens are created as soon as the digit is marked": SETUP,
    "only the two ends are copied": SETUP,
    "an agent is sent a third digit token": TOKENS,
    "tokens arrive before the agent has created its own": TOKENS,
    "an agent forwards two tokens at once": TOKENS,
    "a token overtakes the one before it": TOKENS,
    "a candidate withdraws at once": SIGN,
    "tokens move beyond the candidate": SIGN,
    "tokens settle behind a single settled one": SIGN,
    "an agent holds three tokens of a sign": SIGN,
    "the activation token deletes no tokens on the way home": SIGN,
}


class CaughtError(Exception):
    """A claim is broken: that is enough."""


@pytest.mark.parametrize("name", [*CAUGHT] if FULL else [*CAUGHT][:-2:2])
def test_a_broken_rule_leaves_a_claim_unproved(name: str, tmp_path: Path) -> None:
    (mutant,) = (one for one in MUTANTS if one.name == name)
    steps, _ = lane(CAUGHT[name], as_rules(mutant, tmp_path))

    def go_on(found: int) -> bool:
        if steps.broken:
            raise CaughtError
        return True

    with pytest.raises(CaughtError), steps.bound():
        Windows(steps, 3, 100_000).close(go_on)


BY_DIGIT = """
from amoebot.algorithms.improved.identifier_comparison import *

def receive_token(me, token):
    if token & DIGIT == 1:
        return 0
    add_newest(me, token)
    return 0
"""


def test_a_rule_that_is_wrong_for_one_digit_only_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "by_digit.py"
    file.write_text(BY_DIGIT, encoding="utf-8")
    steps, found = lane(TOKENS, Rules.read(str(file), IMPROVED))
    report = any_length.verify_lane(steps, found, 3, 60, None, lambda windows: None)
    assert "digit tokens are neither lost nor doubled, and keep their order" in {
        one.claim for one in report.verdicts if one.example
    }


def as_rules(mutant: Mutant, folder: Path) -> Rules:
    """Write the broken function to a file of rules."""
    name = "amoebot." + mutant.file.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(name)
    for function in vars(module).values():
        plain = source(function)
        if inspect.isfunction(plain) and plain.__module__ == name:
            text = inspect.getsource(plain)
            if mutant.line in text:
                broken = text.replace(mutant.line, mutant.broken)
                rules = folder / "broken.py"
                body = broken[broken.index("def ") :]
                rules.write_text(f"from {name} import *\n\n\n{body}", encoding="utf-8")
                return Rules.read(str(rules), IMPROVED)
    raise AssertionError(f"{mutant.name} is in no function")


def test_an_example_says_what_is_known_of_three_agents(tmp_path: Path) -> None:
    (mutant,) = (one for one in MUTANTS if one.name == "an agent is sent a third digit token")
    steps, found = lane(TOKENS, as_rules(mutant, tmp_path))
    report = any_length.verify_lane(steps, found, 3, 60, None, lambda windows: None)
    assert not report.proved
    ((claim, example),) = ((one.claim, one.example) for one in report.verdicts if one.example)
    assert claim == "digit tokens are neither lost nor doubled, and keep their order"
    assert len(example.agents) == len(example.after) == 3


def test_a_limit_proves_nothing() -> None:
    steps, found = lane(SETUP)
    report = any_length.verify_lane(steps, found, 3, 10, None, lambda windows: None)
    assert not report.proved
    assert report.stopped == "a limit was reached"


def test_the_command_says_what_it_could_not_finish() -> None:
    answer = ask("verify", "--any-length", "--time-limit", "0.2")
    assert answer.status == 1
    assert "identifier setup" in answer.out
    assert "a limit was reached" in answer.out


def test_what_is_kept_cannot_be_left_out() -> None:
    wrong = Abstraction(
        "wrong", "", {"created": Kept((0, 1))}, (), left_out={"create_token": LeftOut()}
    )
    reason = unsound(link(IMPROVED, plain=True), wrong)
    assert reason == "create_token is left out, which changes created"


FORWARD = "forward_token is left out: it was argued about the rule as it was"

#: Changes of a rule that a lane leaves out: a statement more, one run at other times only, and the
#: same statements that do something else, in four ways.
LEFT_OUT = (
    "    pred.marked = 0",
    "    if me.head:\n        return 0",
    "    for pred.marked in (0,):\n        pass",
    "    hurt(me)",
    "    if (0, 1)[me.head]:\n        hurt(me)",
    "    remove_oldest = hurt",
)


@pytest.mark.parametrize("line", LEFT_OUT)
def test_nothing_is_proved_of_rules_that_take_the_place_of_what_a_lane_leaves_out(
    line: str,
) -> None:
    own = inspect.getsource(source(identifier_comparison.forward_token))
    first = "    remove_oldest(me)\n"
    assert first in own
    body = own[own.index("def ") :].replace(first, f"{line}\n{first}")
    hurt = "def hurt(me):\n    me.created = 0\n\n\n" if "hurt" in line else ""
    text = f"from {identifier_comparison.__name__} import *\n\n\n{hurt}{body}"
    rules = Rules.parse(text, "mine", IMPROVED)
    reasons = [unsound(link(IMPROVED, rules, plain=True), one, rules) for one in every_lane()]
    assert reasons[SETUP] == FORWARD
    # The lane whose rule it is runs it, and sees what it does.
    assert reasons[TOKENS] == ""
    found = any_length.verify_any_length(rules=rules, time_limit=0.0)
    assert found[SETUP].stopped == FORWARD
    assert not found[SETUP].proved


DECLARES = """
from amoebot.algorithms.improved.activation import *

def hurt(me):
    me.created = 0

def declare(me):
    if {condition}:
        hurt(me)
    if me.candidacy.stage != OUTER or me.leader:
        return 0
    me.leader = 1
    return DECLARED
"""


@pytest.mark.parametrize("condition", ["me.candidacy.stage", "(0, 1, 2, 3)[me.candidacy.stage]"])
def test_what_functions_change_that_a_rule_calls_is_found_in_checked_rules_too(
    condition: str,
) -> None:
    """A rule with an index is checked when it runs, and was wrapped for that."""
    rules = Rules.parse(DECLARES.format(condition=condition), "mine", IMPROVED)
    lane_of_setup = every_lane()[SETUP]
    reason = unsound(link(IMPROVED, rules, plain=True), lane_of_setup, rules)
    assert reason == "declare is left out, which changes created"


def every_lane() -> tuple[Abstraction, ...]:
    return any_length.abstractions_of(link(IMPROVED, plain=True))


def test_rules_that_look_at_more_decide_nothing() -> None:
    rules = Rules.read(
        str(Path(__file__).parents[1] / "helpers" / "rules" / "three_tokens.py"), IMPROVED
    )
    steps, found = lane(TOKENS, rules)
    report = any_length.verify_lane(steps, found, 3, 1000, None, lambda windows: None)
    assert report.stopped == "the rules look at third, of which the abstraction says nothing"
    assert not report.proved


def test_elections_without_abstractions_say_so() -> None:
    with pytest.raises(ElectionError, match="erosion claims nothing about rings of any length"):
        verify_any_length("erosion")


def test_choices_go_through_every_combination() -> None:
    choices, found = Choices(), []
    for _ in choices.all():
        first = choices.choose((0, 1))
        found.append((first, choices.choose((5, 6, 7)) if first else None))
    assert found == [(0, None), (1, 5), (1, 6), (1, 7)]


def test_of_a_number_left_open_only_what_is_asked_is_chosen() -> None:
    choices, found = Choices(), []
    for _ in choices.all():
        number = Open(Source(choices, range(16)), same)
        beyond = (number >> 2) + 1
        found.append((bool(beyond & 4), number < 8, int(beyond)))
    assert found == [
        *((False, True, 1), (False, True, 2), (False, False, 3)),
        (True, False, 4),
    ]


def test_two_numbers_left_open_can_be_compared() -> None:
    choices, found = Choices(), set()
    for _ in choices.all():
        one, other = (Open(Source(choices, values), same) for values in ((0, 1), (0, 1, 2)))
        chosen = one_or_other(choose)(one, other, 7)
        found.add((one < other, int(chosen)))
    assert found == {(False, 0), (False, 1), (False, 7), (True, 2), (True, 7)}
