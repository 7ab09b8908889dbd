"""The options of a run: checked in one place, frozen, and the same words everywhere."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Rules, elect, shapes
from amoebot.algorithms import registry
from amoebot.options import Options, default_round_limit
from amoebot.sweeps.cluster import check_address
from amoebot.verify import verify
from helpers import naive


def test_what_is_not_given_has_its_default() -> None:
    options = Options()
    assert (options.seed, options.scheduler, options.algorithm) == (0, "permutation", "improved")
    assert (options.max_rounds, options.rules, options.rules_name) == (None, None, "paper")
    assert options.own == {"almost_sure": True, "radix": 16, "terminate": True}
    assert options.own == {one.name: one.default for one in registry.options_of("improved")}


def test_another_seed_alone_is_checked_and_changes_nothing_else() -> None:
    options = Options(3, "uniform", own={"radix": 3}, max_rounds=7)
    assert options.with_seed(5) == options.with_(seed=5)
    assert options.seed == 3
    with pytest.raises(ValueError, match="seed -1 is not a whole number"):
        options.with_seed(-1)


def test_options_of_the_election_are_attributes() -> None:
    options = Options(own={"radix": 3, "terminate": False})
    assert (options.radix, options.terminate, options.almost_sure) == (3, False, True)
    with pytest.raises(AttributeError, match="improved has no option 'colour'"):
        _ = options.colour


def test_truth_values_may_be_those_of_numpy() -> None:
    assert Options(own={"terminate": np.False_}) == Options(own={"terminate": False})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"seed": -1}, "seed -1 is not a whole number from 0 to 2^64 - 1"),
        ({"own": {"radix": "16"}}, "radix '16' is not a whole number from 2 to 256"),
        ({"seed": 2**64}, "seed 18446744073709551616 is not a whole number from 0 to 2^64 - 1"),
        ({"seed": 1.0}, "seed 1.0 is not a whole number from 0 to 2^64 - 1"),
        ({"seed": True}, "seed True is not a whole number from 0 to 2^64 - 1"),
        ({"scheduler": "fair"}, "there is no scheduler 'fair': choose from permutation, uniform,"),
        ({"algorithm": "other"}, "there is no election 'other': choose from improved"),
        ({"own": {"radix": 1}}, "radix 1 is not a whole number from 2 to 256"),
        ({"own": {"radix": 257}}, "radix 257 is not a whole number from 2 to 256"),
        ({"own": {"radix": 2.5}}, "radix 2.5 is not a whole number from 2 to 256"),
        ({"own": {"terminate": 1}}, "terminate 1 is neither true nor false"),
        ({"own": {"almost_sure": "no"}}, "almost_sure 'no' is neither true nor false"),
        (
            {"own": {"colour": 1}},
            "improved has no option 'colour': choose from almost_sure, radix, terminate",
        ),
        ({"max_rounds": 0}, "max_rounds 0 is not a whole number from 1 to "),
        ({"max_rounds": 1.5}, "max_rounds 1.5 is not a whole number from 1 to "),
    ],
)
def test_a_sentence_says_what_is_wrong(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        Options(**given)
    assert str(error.value).startswith(sentence)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        elect(shapes.line(2), **given.pop("own", {}), **given)
    assert str(error.value).startswith(sentence)


def test_numbers_of_numpy_are_numbers() -> None:
    seed: Any = np.int64(3)
    most: Any = np.int32(9)
    options = Options(seed, own={"radix": np.uint8(4)}, max_rounds=most)
    assert options == Options(3, own={"radix": 4}, max_rounds=9)
    assert {type(value) for value in (options.seed, options.radix, options.max_rounds)} == {int}


def test_extreme_options_are_accepted() -> None:
    assert elect(shapes.line(5), seed=2**64 - 1, radix=256).outcome == "leader"
    assert elect(shapes.line(5), seed=0, radix=2).outcome == "leader"


def test_options_are_values() -> None:
    one, same, other = Options(own={"radix": 3}), Options(own={"radix": 3}), Options()
    assert one == same != other
    assert hash(one) == hash(same)
    assert len({one, same, other}) == 2
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(FrozenInstanceError):
        one.seed = 4  # type: ignore[misc]


def test_given_options_are_copied() -> None:
    own = {"radix": 3}
    options = Options(own=own)
    own["radix"] = 999
    assert options.radix == 3


def test_with_changes_options_of_the_run_and_of_the_election_by_name() -> None:
    options = Options(4, own={"radix": 3})
    changed = options.with_(scheduler="uniform", terminate=False)
    assert changed == Options(4, "uniform", own={"radix": 3, "terminate": False})
    assert options == Options(4, own={"radix": 3})
    with pytest.raises(ValueError, match="radix 1 is not"):
        options.with_(radix=1)
    with pytest.raises(TypeError, match="colour"):
        options.with_(colour=1)


@pytest.mark.parametrize("preset", registry.presets_of("improved"), ids=lambda one: one.name)
def test_presets_are_known_by_their_options(preset: Any) -> None:
    options = Options(own=registry.preset("improved", preset.name))
    assert options.variant == preset.name
    assert options.with_(radix=5).variant == preset.name


def test_all_variants_have_a_name() -> None:
    names = {
        Options(own={"almost_sure": almost_sure, "terminate": terminate}).variant
        for almost_sure, terminate in naive.VARIANTS
    }
    assert len(names) == 4
    assert "" not in names


def test_a_dictionary_says_all_but_seed_and_rules() -> None:
    told = Options(9, "uniform", own={"radix": 3}, max_rounds=5).as_dict()
    assert told == {
        "algorithm": "improved",
        "scheduler": "uniform",
        "almost_sure": True,
        "radix": 3,
        "terminate": True,
    }


# Rules that elect nobody.


def declare(me):  # type: ignore[no-untyped-def]
    """Never tell the particle."""
    return 0


def withdraw(me):  # type: ignore[no-untyped-def]
    """Report a withdrawal whenever there might be one, and never withdraw."""
    return True


WRONG = Rules(declare, withdraw, name="wrong")


def test_the_round_limit_is_that_of_rules_that_may_elect_nobody() -> None:
    assert Options().round_limit(19, 12) is None
    assert Options(max_rounds=7).round_limit(19, 12) == 7
    changed = Options(rules=WRONG)
    assert changed.round_limit(19, 12) == default_round_limit(19, 12) == 100 * (19 + 12)
    assert changed.with_(max_rounds=7).round_limit(19, 12) == 7


def test_an_election_with_rules_that_elect_nobody_ends() -> None:
    shape = shapes.hexagon(2)
    result = elect(shape, rules=WRONG, almost_sure=False, seed=4)
    assert (result.outcome, result.leader, result.rules) == ("round-limit", None, "wrong")
    assert result.rounds == default_round_limit(19, 12) == 3_100
    # Far more withdrawals are reported than there can be: they are counted, and no more.
    assert result.candidates[-1][1] < 0
    assert elect(shape, almost_sure=False, seed=4).outcome == "leader"


untyped: Any = amoebot


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: untyped.elect("line:2", algorithm=5), "algorithm 5 is not the name or path"),
        (lambda: untyped.elect("line:2", rules="mine.py"), "rules 'mine.py' are not Rules"),
        (lambda: untyped.Simulation("line:2").activate(0, 5), "coins 5 are not in a list"),
        (lambda: untyped.Simulation("line:2").activate(0, [1.5]), "a coin's side 1.5 is not a"),
        (lambda: untyped.Simulation("line:2").what_if(0, "x"), "a coin's side 'x' is not a whole"),
        (lambda: untyped.measure(untyped.Simulation("line:2"), 5), "measurements are names or"),
        (lambda: untyped.verify.verify("line:2", properties=5), "properties are functions in a"),
        (lambda: untyped.verify.verify("line:2", corrupt=5), "'5' is not a field and its value"),
        (lambda: untyped.shapes.line(3).with_expanded("x"), "must be from 0 to 1, not x"),
        (lambda: untyped.shapes.parse("random:5", 1.5), "the shape seed must be .* a whole number"),
        (lambda: check_address("tcp://host:99999"), "is not the address of a scheduler"),
        (lambda: untyped.verify.watch("line:2"), "'line:2' is not a simulation"),
        (lambda: untyped.measure("line:3", ["coins"]), "'line:3' is not a simulation"),
        (lambda: untyped.load(5), "5 is not a path: a string or a Path is expected"),
        (lambda: untyped.sweeps.load(None), "None is not a path"),
        (lambda: untyped.sweeps.sweep(5), "5 is not a path"),
        (lambda: untyped.sweeps.sweep({"shapes": "line:2"}, ""), "the path is empty"),
        (lambda: untyped.sweeps.make_plan(3), "a plan is a dictionary of its keys, not 3"),
        (lambda: untyped.sweeps.make_plan({"shapes": "line:2"}, 3), "3 is not a path"),
        (lambda: untyped.shapes.parse("line:2", seed=-1), "the shape seed must be from 0 to"),
        (lambda: untyped.shapes.parse("line:2", seed="x"), "the shape seed must be from 0 to"),
        (lambda: untyped.shapes.Shape([(0, 0)], name=3), "the name of a shape is text, not 3"),
        (lambda: untyped.reports.report(b"results"), "b'results' is not a path"),
        (lambda: untyped.Simulation("line:2").save(5), "5 is not a path"),
        (lambda: untyped.shapes.line(2).save(5), "5 is not a path"),
        (lambda: Rules.read(5), "5 is not a path"),  # type: ignore[arg-type]
        (lambda: untyped.verify.verify("line:2", seed=-1, one_order=True), "seed -1 is not a"),
    ],
)
def test_wrong_arguments_are_told_at_once_and_in_our_words(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_an_election_may_be_given_as_a_path(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nothing\.py"):
        untyped.elect("line:2", algorithm=tmp_path / "nothing.py")


@pytest.mark.parametrize(
    ("given", "meant"), [("radx", "radix"), ("sed", "seed"), ("max_round", "max_rounds")]
)
def test_a_name_that_is_nearly_right_is_suggested(given: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"has no option '{given}': .*; did you mean {meant}\\?"):
        amoebot.Simulation("line:2", **{given: 3})  # type: ignore[arg-type]


def test_verify_suggests_its_own_parameters() -> None:
    with pytest.raises(ValueError, match=r"no option 'crash': .*; did you mean crashes\?"):
        verify("line:2", crash=1)
