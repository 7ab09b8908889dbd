"""Rules of one's own: an object that replaces rules, wherever they are called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Rules, Simulation, jit, runs, shapes, sweeps
from amoebot.algorithms.candidacy import is_candidate
from amoebot.algorithms.improved import identifier_comparison
from amoebot.algorithms.improved.identifier_comparison import judge as papers_judge
from amoebot.algorithms.improved.memory import Agent
from amoebot.algorithms.improved.monitors import digit_tokens
from amoebot.algorithms.records import layout
from amoebot.linking import RulesError, link
from amoebot.runs import RunError
from amoebot.sweeps.plan import PlanError
from amoebot.verify import HOLDS, verify
from helpers import digests, interpreted
from helpers.command import ask, check_refusal
from helpers.pages import blocks_of

HERE = Path(__file__).parents[1] / "helpers" / "rules"

LIMIT = 3


def judge(me: Any, longer: Any, match: Any, difference: Any) -> Any:
    """Stand in for the paper's rule: call it, and something of one's own."""
    return papers_judge(me, longer, match, difference) if helper(me) else 0


def helper(me: Any) -> bool:
    return is_candidate(me) and LIMIT > 2


def test_a_replacement_is_in_force_wherever_the_rule_is_called() -> None:
    linked = link("improved", Rules(judge))
    copy = linked.module("algorithms.improved.identifier_comparison")
    assert jit.source(copy.judge).__code__ is judge.__code__
    assert copy.receive_token is not identifier_comparison.receive_token
    assert jit.source(copy.receive_token).__globals__["judge"] is copy.judge
    rule = linked.module("algorithms.improved.activation").activate
    assert jit.source(rule).__globals__["forward_token"] is copy.forward_token
    called = linked.module("engine.calls").activate_unit
    assert jit.source(called).__globals__["activate"] is rule
    once = linked.module("engine.activation").activate_particle
    for module in ("engine.sequential", "engine.step", "verify.explore"):
        assert linked.module(module).activate_particle is once


def test_a_rule_that_calls_a_replaced_one_gets_the_replacement() -> None:
    def withdraw(me: Any) -> Any:
        return 0

    linked = link("improved", Rules(judge, withdraw))
    copy = linked.module("algorithms.improved.identifier_comparison")
    inner = jit.source(jit.source(copy.judge).__globals__["papers_judge"])
    assert inner.__code__.co_filename.endswith("identifier_comparison.py")  # what it replaces
    assert inner.__globals__["withdraw"] is copy.withdraw
    assert jit.source(copy.withdraw).__code__ is withdraw.__code__
    second = linked.module("algorithms.solitude_verification")
    assert copy.withdraw is second.withdraw


def test_functions_of_ones_own_are_linked_too() -> None:
    copy = link("improved", Rules(judge)).module("algorithms.candidacy")
    comparison = link("improved", Rules(judge)).module("algorithms.improved.identifier_comparison")
    made = jit.source(comparison.judge)
    called = jit.source(made.__globals__["helper"])
    assert isinstance(called, FunctionType)
    assert called.__code__ is helper.__code__
    assert called.__globals__["is_candidate"] is copy.is_candidate


def test_the_papers_rules_are_left_alone() -> None:
    before = amoebot.elect(shapes.hexagon(2), seed=5)
    link("improved", Rules(judge)).module("engine.run")
    assert amoebot.elect(shapes.hexagon(2), seed=5) == before
    copy = link("improved").module("algorithms.improved.identifier_comparison")
    assert jit.source(copy.judge).__code__ == jit.source(papers_judge).__code__
    assert jit.source(identifier_comparison.judge) is jit.source(papers_judge)


def test_the_digest_tells_sources_and_constants_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    same = Rules(judge, name="another name")
    assert same.digest == Rules(judge).digest
    assert Rules(judge, memory={"more": np.uint8}).digest != same.digest
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert Rules(judge).digest != same.digest
    texts = [f"def sign(heading):\n    return {value}\n" for value in (0, 1)]
    assert Rules.parse(texts[0], "a").digest != Rules.parse(texts[1], "a").digest


WRAPPED = """
from amoebot.algorithms.improved.identifier_comparison import judge as original
def helper(me, longer, match, difference):
    return original(me, longer, match, difference)
def judge(me, longer, match, difference):
    return helper(me, longer, match, difference)
"""


@pytest.mark.compiled
def test_a_rule_can_call_the_one_that_it_replaces(tmp_path: Path) -> None:
    """It called itself."""
    (tmp_path / "wrapped.py").write_text(WRAPPED)
    rules = Rules.read(tmp_path / "wrapped.py")
    plain, changed = (amoebot.elect("line:5", 3, rules=one) for one in (None, rules))
    assert (plain.leader, plain.rounds) == (changed.leader, changed.rounds)
    told = interpreted.python(
        *("-m", "amoebot", "elect", "line:2", "--quiet", "--rules", "wrapped.py"), folder=tmp_path
    )
    assert told.returncode == 0, told.stderr


def test_functions_that_only_fill_a_table_are_no_rules() -> None:
    """They were taken for misspelt rules."""
    text = "def step(k):\n    return k % 2\ndef f(k):\n    return step(k)\n"
    rest = "T = tuple(f(k) for k in range(6))\ndef sign(heading):\n    return T[heading]\n"
    assert Rules.parse(text + rest, "mine").replaced == ("sign",)
    rest = "def g(k, T=f(3)):\n    return T * k\ndef sign(heading):\n    return g(heading)\n"
    assert Rules.parse(text + rest, "mine").replaced == ("sign",)


TABLE = np.array([1, 1, 0, -1, -1, 0])


def sign(heading: Any) -> Any:
    return TABLE[heading]


def test_the_digest_has_everything_that_is_built_into_the_machine_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once it had plain numbers alone, and a changed array went on with the old machine code."""
    before = Rules(sign)
    values = (-TABLE, np.int64(3), (1, 2), 2.0, np.float32(2), tuple(TABLE.tolist()), True)
    digests = {before.digest}
    for value in values:
        monkeypatch.setitem(globals(), "TABLE", value)
        digests.add(Rules(sign).digest)
    assert len(digests) == 1 + len(values)
    texts = [f"K = {k}\ndef sign(heading, k=K):\n    return k\n" for k in (1, 2)]
    found = []
    for text in texts:
        helper = text.replace("sign(heading, k=K)", "helper(k=K)")
        rest = "\ndef sign(heading):\n    return helper()\n"
        found.append(Rules.parse(helper + rest, "mine").digest)
    assert found[0] != found[1]


@pytest.mark.parametrize("value", [amoebot, amoebot.shapes, {1: 2}, [3], object()], ids=range(5))
def test_what_may_change_behind_the_machine_code_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: object
) -> None:
    monkeypatch.setitem(globals(), "TABLE", value)
    with pytest.raises(RulesError, match=r"sign (refers to|uses the module) TABLE"):
        Rules(sign)


def test_variables_of_a_function_around_a_rule_are_refused() -> None:
    def make(table: Any) -> Any:
        def sign(heading: Any) -> Any:
            return table[heading]

        return sign

    with pytest.raises(RulesError, match="function around it: table"):
        Rules(make(TABLE))


def test_a_link_that_failed_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the next try found copies in which the paper's rules were still in force."""

    def sign(heading: Any) -> Any:
        return 7

    rules = Rules(sign)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("amoebot.linking.rules._rebind", interrupted)
        with pytest.raises(KeyboardInterrupt):
            link("improved", rules)
    assert not [name for name in sys.modules if rules.digest in name]
    copy = link("improved", rules).module("algorithms.solitude_verification")
    assert jit.source(copy.sign)(0) == 7


@pytest.mark.compiled
def test_all_rules_have_the_same_explorer_with_a_memory_of_the_same_type() -> None:
    program = (
        "from amoebot.fingerprint import fingerprint\n"
        "from amoebot.linking import Rules, explorer, link\n"
        f"mine = [Rules.read(f'{HERE}/{{name}}.py') for name in ('axes', 'three_tokens')]\n"
        "links = [explorer('improved', rules) for rules in (None, *mine)]\n"
        "links += [explorer('erosion'), link('improved')]\n"
        "modules = [linked.module('verify.explore') for linked in links]\n"
        "found = [fingerprint(module.try_states) for module in modules]\n"
        "memories = [linked.module('engine.layouts').STORED for linked in links]\n"
        "print([found.index(one) for one in found], [memories.index(one) for one in memories])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout == "[0, 0, 0, 0, 4] [0, 0, 0, 3, 4]\n", told.stderr


def test_fields_are_added_behind_those_of_the_paper() -> None:
    rules = Rules.read(HERE / "three_tokens.py")
    papers, agent = layout(Agent), link("improved", rules).module("engine.layouts").MEMORY
    assert papers.names is not None
    assert papers.fields is not None
    assert agent.names == (*papers.names, "third")
    assert all(agent.fields[name] == papers.fields[name] for name in papers.names)
    assert agent.itemsize % 8 == 0
    assert Simulation(shapes.line(2), rules=rules).memory.dtype == agent
    assert "third" not in link("improved").module("engine.layouts").MEMORY.names


@pytest.mark.parametrize("name", ["math", "numpy"])
def test_a_rule_may_use_a_library_that_the_election_uses(name: str) -> None:
    """Once it was looked for in modules that no link has a copy of."""
    rules = Rules.parse(f"import {name}\ndef sign(heading):\n    return {name}.sqrt(4)\n", "root")
    copy = link("improved", rules).module("algorithms.solitude_verification")
    assert jit.source(copy.sign)(0) == 2


def test_rules_cannot_pass_for_the_papers() -> None:
    with pytest.raises(RulesError, match="cannot be called 'paper'"):
        Rules(judge, name="paper")


REFUSED = {
    "def judge(me):\n    pass\n": "the rule judge takes (me, longer, match, difference), not (me)",
    "def juge(me):\n    pass\n": "juge is not a rule (did you mean judge?)",
    "x = 1\n": "no function has the name of a rule",
    "def sign(heading)\n": "line 1",
    "import no_such_module\n": "no_such_module",
    "MEMORY = 3\ndef sign(heading):\n    return 0\n": "MEMORY is a dictionary",
    "MEMORY = {'digit': 'u1'}\ndef sign(heading):\n    return 0\n": "cannot be called 'digit'",
    "MEMORY = {'at': 'u1'}\ndef sign(heading):\n    return 0\n": "cannot be called 'at'",
    "MEMORY = {'join': 'u1'}\ndef sign(heading):\n    return 0\n": "cannot be called 'join'",
    "MEMORY = {'ctypes': 'u1'}\ndef sign(heading):\n    return 0\n": "cannot be called 'ctypes'",
    "MEMORY = {'__x': 'u1'}\ndef sign(heading):\n    return 0\n": "cannot be called '__x'",
    "MEMORY = {'list': object}\ndef sign(heading):\n    return 0\n": "not an integer",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items())
def test_what_cannot_be_rules_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(RulesError, match=r"mine\.py") as error:
        Rules.read(tmp_path / "mine.py")
    assert words in str(error.value)
    answer = ask("memory", "--rules", str(tmp_path / "mine.py"))
    check_refusal(answer)
    assert words in answer.err


def test_a_function_without_a_source_is_refused() -> None:
    found: dict[str, Any] = {}
    exec("def sign(heading):\n    return 0\n", found)
    with pytest.raises(RulesError, match="source of sign"):
        Rules(found["sign"])


def test_a_run_file_names_its_rules_and_never_brings_them(tmp_path: Path) -> None:
    rules, others = Rules.read(HERE / "axes.py"), Rules.read(HERE / "three_tokens.py")
    Simulation(shapes.line(3), seed=4, rules=rules).save(tmp_path / "run.json")
    with pytest.raises(RunError, match="changed rules, axes"):
        amoebot.load(tmp_path / "run.json")
    with pytest.raises(RunError, match="other rules, axes"):
        amoebot.load(tmp_path / "run.json", rules=others)
    again = amoebot.load(tmp_path / "run.json", rules=rules)
    assert again.rules is rules
    assert runs.of(again).text() == (tmp_path / "run.json").read_text()


@pytest.mark.slow
@pytest.mark.compiled
def test_one_walk_elects_the_same_leaders_sooner() -> None:
    """The variant that the tutorial ends with, on the coins of the original."""
    rules = Rules.read(HERE / "one_walk.py")
    for name in ("hexagon:6", "annulus:5,2", "line:20"):
        shape = shapes.parse(name)
        mine = list(amoebot.elect_many(shape, range(20), rules=rules))
        papers = list(amoebot.elect_many(shape, range(20)))
        assert {result.rules for result in mine} == {"one_walk"}
        assert [result.leader for result in mine] == [result.leader for result in papers]
        saved = [theirs.rounds - ours.rounds for theirs, ours in zip(papers, mine, strict=True)]
        assert min(saved) > papers[0].outer_boundary_length / 4
    # Compiled and interpreted alike, and in another process.
    program = (
        f"import sys; sys.path.insert(0, {str(HERE.parents[1])!r})\n"
        "from amoebot import Rules, Simulation, shapes\n"
        "from helpers import digests\n"
        f"rules = Rules.read({str(HERE / 'one_walk.py')!r})\n"
        "print(rules.digest, digests.digest(Simulation(shapes.line(3), 7, rules=rules, radix=3)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    simulation = Simulation(shapes.line(3), 7, rules=rules, radix=3)
    assert told == [rules.digest, digests.digest(simulation)]


@pytest.mark.slow
@pytest.mark.compiled
def test_one_walk_is_verified() -> None:
    rules = Rules.read(HERE / "one_walk.py")
    for name, states in {"line:2": 425, "triangle:2": 14_393, "line:3": 200_627}.items():
        report = verify(shapes.parse(name), almost_sure=False, terminate=False, rules=rules)
        assert report.exhausted
        assert set(report.verdicts.values()) == {HOLDS}
        assert (report.rules, report.states) == ("one_walk", states)


@pytest.mark.slow
def test_three_tokens_are_an_extra_field_and_four_small_rules() -> None:
    rules = Rules.read(HERE / "three_tokens.py")
    simulation = Simulation(shapes.hexagon(1), seed=4, rules=rules)
    most = 0
    while not simulation.finished:
        simulation.round()
        most = max(most, int(np.count_nonzero(simulation.memory["third"])))
    assert simulation.outcome == "leader"
    assert most > 0
    assert digit_tokens(simulation).shape == (simulation.system.agents, 3)


@pytest.mark.slow
def test_three_tokens_are_watched_like_two(tmp_path: Path) -> None:
    """Once the monitor of Lemma 6 looked for tokens in two places, and never ended."""
    rules = str(HERE / "three_tokens.py")
    answer = ask("elect", "line:14", "--seed", "1", "--whp", "--rules", rules, "--check", "--json")
    assert answer.status == 0
    lemma = next(check for check in answer.json["checks"] if "Lemma 6" in check["claim"])
    assert lemma["holds"] is True


@pytest.mark.parametrize("name", ["one_walk", "first_try", "three_tokens"])
def test_the_tutorial_shows_the_rules_that_are_tested_here(name: str) -> None:
    shown = {block.title: block.text for block in blocks_of("docs/own-rule.md")}
    assert shown[f"{name}.py"] == (HERE / f"{name}.py").read_text()


@pytest.mark.slow
def test_a_rule_that_is_wrong_gets_a_counterexample_to_replay(tmp_path: Path) -> None:
    """The tutorial's first try: the token turns round before it has seen the candidate's turn."""
    wrong = str(HERE / "first_try.py")
    told = interpreted.python(
        "-m", "amoebot", "verify", "line:2", "--whp", "--rules", wrong, folder=tmp_path
    )
    assert told.returncode == 1, told.stderr
    assert "Rules: first_try" in told.stdout
    rules = Rules.read(wrong)
    run = runs.read(tmp_path / "counterexample.json", rules)
    simulation = run.simulation()
    for _ in run.schedule:
        simulation.step()
    assert (simulation.candidates, simulation.outcome) == (0, None)
    # The run goes on for ever after that, but pictures of it end with the last of its activations.
    for command, name in (("draw", "end.svg"), ("film", "end.html")):
        example = "counterexample.json"
        told = interpreted.python(
            "-m", "amoebot", command, example, "--rules", wrong, "-o", name, folder=tmp_path
        )
        assert told.returncode == 0, told.stderr
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["axes", "three_tokens"])
def test_right_rules_hold_on_every_schedule_and_coin(tmp_path: Path, name: str) -> None:
    rules = str(HERE / f"{name}.py")
    told = interpreted.python(
        "-m", "amoebot", "verify", "line:2", "--whp", "--rules", rules, folder=tmp_path
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("✓") == 28


@pytest.mark.slow
def test_a_sweep_compares_rules_on_the_same_coins(tmp_path: Path) -> None:
    plan = {
        "shapes": ["hexagon:1"],
        "rules": ["paper", str(HERE / "axes.py")],
        "variants": "whp",
        "seeds": 8,
    }
    frame = sweeps.sweep(plan, tmp_path / "results").collect()
    assert frame["rules"].to_list() == ["paper"] * 8 + ["axes"] * 8
    digest = Rules.read(HERE / "axes.py").digest
    assert frame["rules_digest"].to_list() == [None] * 8 + [digest] * 8
    paper, axes = frame.partition_by("rules")
    assert paper["candidates_at_start"].to_list() == axes["candidates_at_start"].to_list()
    assert sweeps.sweep(plan, tmp_path / "results").collect().equals(frame)


@pytest.mark.slow
def test_rules_that_elect_nobody_are_given_up(tmp_path: Path) -> None:
    wrong = str(HERE / "first_try.py")
    options = ("line:2", "--seed", "1", "--whp", "--rules", wrong)
    told = interpreted.python("-m", "amoebot", "elect", *options, folder=tmp_path)
    assert told.returncode == 1
    assert "No leader yet: the run was stopped after round 400" in " ".join(told.stdout.split())
    told = interpreted.python("-m", "amoebot", "draw", *options, "-o", "a.svg", folder=tmp_path)
    assert told.returncode == 0, told.stderr


SENTENCES = {
    "return withdraw(me)": "NameError: name 'withdraw' is not defined",
    "return me.digit": "digit",
}


@pytest.mark.slow
@pytest.mark.compiled
def test_what_does_not_compile_gets_one_line(tmp_path: Path) -> None:
    for body, words in SENTENCES.items():
        (tmp_path / "mine.py").write_text(f"def sign(heading):\n    me = heading\n    {body}\n")
        answer = ask("verify", "line:2", "--whp", "--rules", str(tmp_path / "mine.py"))
        check_refusal(answer)
        assert "mine does not run: " in answer.err
        assert words in answer.err
        assert "Failed in" not in answer.err


def test_two_sets_of_rules_have_two_names(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        text = (HERE / "axes.py").read_text() + f"# {folder}\n"
        (tmp_path / folder / "axes.py").write_text(text)
    plan = {"shapes": "line:2", "rules": ["a/axes.py", "b/axes.py"]}
    with pytest.raises(PlanError, match="2 different sets of rules are called axes"):
        sweeps.make_plan(plan, tmp_path)
    (tmp_path / "paper.py").write_text((HERE / "axes.py").read_text())
    with pytest.raises(PlanError, match="cannot be called 'paper'"):
        sweeps.make_plan(plan | {"rules": ["paper.py"]}, tmp_path)


def test_a_sweep_is_not_mixed_with_one_of_changed_rules(tmp_path: Path) -> None:
    mine = tmp_path / "axes.py"
    mine.write_text((HERE / "axes.py").read_text())
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "line:2"\nrules = "axes.py"\nvariants = "whp"\nseeds = 2\n')
    sweeps.sweep(plan, tmp_path / "results")
    mine.write_text((HERE / "axes.py").read_text().replace("(1, 0", "(-1, 0"))
    with pytest.raises(PlanError, match="rules axes"):
        sweeps.sweep(plan, tmp_path / "results")


WRONG: dict[str, Callable[[], Any]] = {
    "memory is a dictionary": lambda: Rules(judge, memory=5),  # type: ignore[arg-type]
    "an election is given by its name": lambda: Rules(judge, algorithm=5),  # type: ignore[arg-type]
    "the text of rules is a string": lambda: Rules.parse(5, "mine"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_arguments_are_told_in_our_words(words: str) -> None:
    with pytest.raises(RulesError, match=words):
        WRONG[words]()
