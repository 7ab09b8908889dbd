"""Both algorithms of the almost sure variant, each explored by itself (Appendix A.3)."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

from amoebot import Rules, shapes
from amoebot.linking import link
from amoebot.system import build
from amoebot.verify import HOLDS, NOT_EXHAUSTED, verify
from helpers.broken_rules import DEFAULT, MUTANTS, SECOND, Check
from helpers.mutants import break_one, copy_of_package, try_mutants
from helpers.naive import FULL

#: The number of states of the first algorithm, then those of the second, without a leader of the
#: first one and with each agent in turn.
STATES = {
    "line:2": [1_881, 101, 374, 374],
    "triangle:2": [128_805, 2_367, 14_027, 14_027, 14_027],
    "line:3": [5_583_237, 11_981, 59_569, 71_711, 59_569, 71_711],
}

BROKEN = [broken for broken in MUTANTS if broken.section in ("A.2", "A.3")]


class Watched:
    """A memory that notes which of its fields are read and written, and passes it on."""

    def __init__(self, record: Any, touched: set[tuple[str, str]], path: str = "") -> None:
        vars(self).update(_record=record, _touched=touched, _path=path)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._record, name)
        if isinstance(value, np.void):
            return Watched(value, self._touched, f"{self._path}{name}.")
        self._touched.add(("read", f"{self._path}{name}"))
        return int(value)

    def __setattr__(self, name: str, value: int) -> None:
        self._touched.add(("written", f"{self._path}{name}"))
        setattr(self._record, name, value)


def fields_touched(seeds: range) -> tuple[set[tuple[str, str]], set[tuple[str, str]], int]:
    """Return what rules of the first and of the second algorithm touch, and how many were elected.

    Agents are activated at random, by the election's own functions, until one is elected.
    """
    linked = link("improved", plain=True)
    rules: Any = linked.part("activation")
    first: set[tuple[str, str]] = set()
    second: set[tuple[str, str]] = set()
    elected = 0
    for seed, name in product(seeds, ("line:2", "line:3", "triangle:2")):
        chance = random.Random(seed)
        system = build(shapes.parse(name))
        options = {"almost_sure": True, "radix": 2, "terminate": False}
        world = linked.module("engine.start").new_world(system, options)
        memory = world.memory.view(np.recarray)
        for _ in range(5_000):
            wires = world.wiring[chance.randrange(len(memory))]
            unit = int(world.wiring[wires["succ"]]["pred"])
            records = [memory[unit], memory[wires["pred"]], memory[wires["succ"]]]
            sides = rules.sides_of_coins(records[0], world.options[0])
            coins = [chance.randrange(number) if number > 1 else -1 for number in sides]
            if coins != [-1, -1]:
                rules.use_coins(records[0], wires["sight"], *coins, True)
            rules.act(*(Watched(record, first) for record in records))
            rules.act_second(*(Watched(record, second) for record in records))
            if memory["leader"].any():
                elected += 1
                break
    return first, second, elected


@pytest.mark.paper("Appendix A.3")
def test_the_two_algorithms_share_two_fields() -> None:
    """What the parts leave to chance is all that one algorithm sees of the other."""
    first, second, elected = fields_touched(range(40 if FULL else 6))
    assert elected
    assert {("read", "frozen"), ("read", "leader"), ("written", "leader")} <= first
    assert not [path for _, path in first if path.startswith("second.")]
    assert ("written", "frozen") not in first
    shared = {(how, path) for how, path in second if not path.startswith("second.")}
    assert shared <= {("written", "frozen"), ("read", "leader"), ("written", "leader")}
    assert {("written", "frozen"), ("read", "leader")} <= shared


@pytest.mark.compiled
def test_parts_show_what_the_whole_shows() -> None:
    whole, parts = verify("line:2"), verify("line:2", by_parts=True)
    assert parts.verdicts == whole.verdicts
    assert {*parts.verdicts.values()} == {HOLDS}
    assert [part.states for part in parts.parts] == STATES["line:2"]
    assert parts.states == sum(STATES["line:2"])
    assert parts.holds
    assert parts.agents == whole.agents == 2


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.paper("Theorem 3")
@pytest.mark.parametrize("shape", ["triangle:2", "line:3"])
def test_the_default_variant_holds_on_three_particles(shape: str) -> None:
    report = verify(shape, by_parts=True)
    assert [part.states for part in report.parts] == STATES[shape]
    assert report.exhausted
    assert {*report.verdicts.values()} == {HOLDS}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(not FULL, reason="compiles both parts with all broken rules")
def test_every_broken_rule_of_the_second_algorithm_is_noticed() -> None:
    """The termination message hides some, so they are looked for without it, too."""
    small: list[Check] = [
        (name, [], {**options, "by_parts": True})
        for options in (DEFAULT, SECOND)
        for name in ("line:2", "triangle:2")
    ]
    checks = {"": small} | {one.name: small for one in BROKEN}
    told = [*try_mutants(BROKEN, checks)]
    assert [one.name for one, caught in zip(BROKEN, told, strict=True) if not caught] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["the stop token freezes nobody", "coins are not relayed"])
def test_a_broken_rule_is_noticed_on_two_particles(name: str) -> None:
    """Interpreted: that is quicker than compiling."""
    (broken,) = (one for one in BROKEN if one.name == name)
    with copy_of_package() as (copy, environment):
        break_one(copy, broken)
        program = "from amoebot.verify import verify; print(verify('line:2', by_parts=True).holds)"
        told = subprocess.run(
            [sys.executable, "-c", program],
            env=environment | {"NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
    assert told.stdout == "False\n"


@pytest.mark.compiled
def test_a_limit_is_never_a_pass() -> None:
    report = verify("line:2", by_parts=True, max_states=50)
    assert not report.exhausted
    assert not report.holds
    assert NOT_EXHAUSTED in report.verdicts.values()


def test_progress_counts_all_parts() -> None:
    seen: list[int] = []
    total = verify("line:2", by_parts=True, progress=lambda now: seen.append(now.states)).states
    assert seen == sorted(seen)
    assert seen[-1] == total


def test_what_has_no_parts_is_refused() -> None:
    def refused(**arguments: Any) -> str:
        with pytest.raises(ValueError, match="by_parts") as error:
            verify("line:2", by_parts=True, **arguments)
        return str(error.value)

    assert "erosion does not say which parts it has" in refused(algorithm="erosion")
    assert "without --almost-sure" in refused(almost_sure=False)
    own = Rules.parse("def sign(heading):\n    return 0\n", "own")
    for whole in ({"rules": own}, {"crashes": 1}, {"corrupt": "leader=1"}, {"after": 3}):
        assert "the election's own rules" in refused(**whole)
