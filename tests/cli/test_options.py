"""The options of elections on the command line: made from what the elections declare."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import typer

import amoebot
from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag
from amoebot.cli import options as cli_options
from amoebot.cli.options import Options, flag_of, takes_options
from amoebot.engine.names import SCHEDULERS
from helpers.command import ask, check_refusal, finish, start

#: The commands that run elections, or look into them.
ELECTING = ("elect", "view", "draw", "film", "verify", "memory")

#: An election from elsewhere, as far as its options go.
TOY = """
from typing import Annotated

from amoebot.algorithms.description import Flag, Preset, Range
from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import rule

TITLE = "Toy"
OPTIONS = (Flag("calm", True, "wait"), Range("delay", 3, 1, 9, "activations to wait"))
PRESETS = (Preset("hasty", {"calm": False, "delay": 1}, "do not wait"),)
EXPLORED = {"delay": 2}


class Memory(Record):
    leader: Annotated[int, BYTE, "is the leader"]
    waited: Annotated[int, BYTE, "activations that have been waited for"]


NEEDS = {"waited": "calm"}


@rule
def activate(me, pred, succ, view, coins, options):
    return me.frob
"""

CONTRADICTIONS = (
    "--whp --full",
    "--whp --terminate",
    "--whp --variant full",
    "--whp --almost-sure",
    "--no-terminate -O terminate=true",
    "--radix 3 -O radix=4",
    "-O radix=3 -O radix=4",
)

WRONG = (
    "--algorithm frob",
    "--algorithm frob.py",
    "--algorithm erosion --whp",
    "--algorithm erosion --radix 3",
    "--algorithm erosion --variant full",
    "--setup",
    "--variant frob",
    "-O frob=1",
    "-O radix",
    "-O =3",
    "-O radix=3.0",
    "-O radix=x",
    "-O radix=true",
    "-O almost_sure=1",
    "-O almost_sure=yes",
    "--radix 1",
    "--radix 257",
    "--radix two",
)


def read(*arguments: str, **how: bool) -> Any:
    """Return the options that a command gets for some arguments."""
    seen = []

    @takes_options(**how)
    def command(options: Options) -> None:
        seen.append(options)

    app = typer.Typer()
    app.command()(command)
    app(list(arguments), standalone_mode=False)
    return seen[0]


def listed(command: str) -> str:
    return " ".join(ask(command, "--help").out.split())


@pytest.fixture
def toy(tmp_path: Path) -> str:
    file = tmp_path / "toy.py"
    file.write_text(TOY)
    return str(file)


@pytest.mark.parametrize("command", ELECTING)
def test_every_option_of_every_election_has_a_flag(command: str) -> None:
    shown = listed(command)
    for election in registry.built_in():
        for option in registry.options_of(election):
            assert flag_of(option.name) in shown
            assert not isinstance(option, Flag) or flag_of(option.name, False) in shown
            assert option.help[1:].replace("\n", " ") in shown
        for preset in registry.presets_of(election):
            assert f"--{preset.name}" in shown


def test_the_schedulers_told_are_those_there_are() -> None:
    assert ", ".join(SCHEDULERS) in listed("elect")
    assert read("--scheduler", "uniform", "--seed", "5").scheduler == "uniform"


def test_without_options_all_have_the_defaults_of_the_election() -> None:
    assert read() == amoebot.options.Options()
    erosion = read("--algorithm", "erosion")
    assert erosion.own == {o.name: o.default for o in registry.options_of("erosion")}


def test_flags_set_options_by_name() -> None:
    options = read("--radix", "3", "--no-terminate")
    assert options.own == {"almost_sure": True, "radix": 3, "terminate": False}


def test_a_variant_has_a_flag_and_a_name() -> None:
    for preset in registry.presets_of(registry.DEFAULT):
        assert read("--variant", preset.name).variant == preset.name
    assert read("--whp") == read("--variant", "whp")
    assert read("--whp").own == {"almost_sure": False, "radix": 16, "terminate": False}


def test_what_agrees_may_be_said_twice() -> None:
    assert read("--whp", "--no-terminate", "-O", "almost-sure=false") == read("--whp")


def test_exploration_has_defaults_of_its_own() -> None:
    how = {"schedule": False, "explored": True}
    explored = registry.find(registry.DEFAULT).provides("options", "EXPLORED")
    assert read(**how).own == amoebot.options.Options().own | explored
    assert read("--radix", "3", **how).radix == 3
    assert "2 to 256; by default, 2." in listed("verify")
    assert "2 to 256; by default, 16." in listed("elect")


def test_an_election_from_elsewhere_has_its_options_too(toy: str) -> None:
    assert read("--algorithm", toy).own == {"calm": True, "delay": 3, "terminate": True}
    options = read("--algorithm", toy, "-O", "calm=false", "-O", "delay=7", "--no-terminate")
    assert options.own == {"calm": False, "delay": 7, "terminate": False}
    assert read("--algorithm", toy, "--variant", "hasty").delay == 1
    assert read("--algorithm", toy, schedule=False, explored=True).delay == 2


def test_its_memory_is_shown_with_the_options_that_need_it(toy: str) -> None:
    memory = ask("memory", "--algorithm", toy, "--json").json
    assert memory["bits"] == 16
    assert memory["fields"]["waited"]["option"] == "calm"
    assert memory["fields"]["waited"]["meaning"] == "activations that have been waited for"
    told = ask("memory", "--algorithm", toy, "--variant", "hasty").out
    assert "8 of 16 bits are for --calm: waited. --no-calm leaves them empty." in told


@pytest.mark.slow
def test_a_counterexample_to_it_is_replayed(tmp_path: Path) -> None:
    # Interpreted, because nothing here is worth a minute of compiling.
    how: dict[str, Any] = {"cwd": tmp_path, "env": os.environ | {"NUMBA_DISABLE_JIT": "1"}}
    (tmp_path / "toy.py").write_text(TOY.replace("return me.frob", "me.leader = 1; return 1"))
    own = ("--algorithm", "toy.py")
    answer = finish(start("verify", "line:2", *own, **how))
    assert (answer.status, answer.err) == (1, "")
    assert "in 2 activations of particles" in answer.out
    again = ("draw", "counterexample.json", "-o", "end.svg")
    refused = finish(start(*again, **how))
    check_refusal(refused)
    assert "give it too (--algorithm FILE)" in refused.err
    assert finish(start(*again, *own, **how)).status == 0
    assert (tmp_path / "end.svg").exists()
    checked = finish(start("elect", "hexagon:1", *own, "--check", **how))
    assert (checked.status, checked.out.count("✗")) == (1, 1)


@pytest.mark.slow
def test_its_mistakes_get_one_line(toy: str, tmp_path: Path) -> None:
    for words in (["-O", "radix=3"], ["-O", "delay=10"], ["--variant", "whp"], ["--radix", "3"]):
        check_refusal(ask("memory", "--algorithm", toy, *words))
    broken = ("def", "import frob", "1 / 0", "", TOY.replace("leader:", "boss:"))
    for number, text in enumerate(broken):
        file = tmp_path / f"broken{number}.py"
        file.write_text(text)
        check_refusal(ask("memory", "--algorithm", str(file)))
    answer = ask("elect", "line:2", "--algorithm", toy)
    check_refusal(answer)
    assert "toy.py does not run: " in answer.err
    assert "frob" in answer.err


def test_a_flag_of_the_command_is_not_taken_by_an_election(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_the_way = (Flag("seed", True, "in the way"),)
    monkeypatch.setattr(registry, "options_of", lambda _: in_the_way)
    assert "seed" in cli_options._words(set(), explored=False)
    assert "seed" not in cli_options._words({"seed"}, explored=False)


@pytest.mark.parametrize("words", CONTRADICTIONS)
def test_options_that_contradict_each_other_get_one_line(words: str) -> None:
    answer = ask("elect", "hexagon:2", *words.split())
    check_refusal(answer)
    assert "contradict each other" in answer.err
    check_refusal(ask("verify", "line:2", *words.split()))


@pytest.mark.parametrize("words", WRONG)
def test_options_that_an_election_does_not_have_get_one_line(words: str) -> None:
    check_refusal(ask("elect", "hexagon:2", *words.split()))
    check_refusal(ask("memory", *words.split()))


def test_rules_belong_to_the_election(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text("def judge(me, longer, match, difference):\n    return 0\n")
    assert read("--rules", str(file)).rules_name == "rules"
    check_refusal(ask("memory", "--rules", str(file), "--algorithm", "erosion"))
