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
from amoebot.algorithms.improved.memory import WON
from amoebot.algorithms.improved.parts import PARTS
from amoebot.algorithms.interface import NO_COIN
from amoebot.linking import link
from amoebot.linking.link import Link
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify import HOLDS, NOT_EXHAUSTED, verify
from helpers.broken_rules import DEFAULT, MUTANTS, SECOND, Check
from helpers.full import FULL
from helpers.mutants import break_one, copy_of_package, try_mutants

#: The number of states of the first algorithm, then those of the second, without a leader of the
#: first one and with each agent in turn.
STATES = {
    "line:2": [1_881, 101, 374, 374],
    "triangle:2": [128_805, 2_367, 14_027, 14_027, 14_027],
    "line:3": [5_583_237, 11_981, 59_569, 71_711, 59_569, 71_711],
}

BROKEN = [broken for broken in MUTANTS if broken.section in ("A.2", "A.3")]


SHAPES = ["line:2", "line:3", "triangle:2", "annulus:1,0"]

OPTIONS = {"almost_sure": True, "radix": 2, "terminate": False}


class Watched:
    """A memory that notes which of its fields are read and written, and passes it on."""

    def __init__(self, record: Any, touched: set[str], path: str) -> None:
        vars(self).update(_record=record, _touched=touched, _path=path)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._record, name)
        if isinstance(value, np.void):
            return Watched(value, self._touched, f"{self._path}{name}.")
        self._touched.add(f"reads {self._path}{name}")
        return int(value)

    def __setattr__(self, name: str, value: int) -> None:
        self._touched.add(f"writes {self._path}{name}")
        setattr(self._record, name, value)


def new_memory(linked: Link, shape: str, options: dict[str, Any]) -> tuple[Any, Any]:
    world = linked.module("engine.start").new_world(build(shapes.parse(shape)), options)
    return world, world.memory.view(np.recarray)


def around(world: Any, memory: Any, agent: int) -> list[Any]:
    wires = world.wiring[agent]
    return [memory[agent], memory[wires["pred"]], memory[wires["succ"]]]


def flip(chance: random.Random, sides: tuple[int, int]) -> tuple[int, ...]:
    return tuple(chance.randrange(number) if number > 1 else NO_COIN for number in sides)


def fields_touched(seeds: range) -> tuple[set[str], set[str]]:
    """Return what rules of the first and of the second algorithm touch.

    Agents are activated at random, by the election's own functions, also after the election.
    """
    linked = link("improved", plain=True)
    rules: Any = linked.part("activation")
    first: set[str] = set()
    second: set[str] = set()
    for seed, shape in product(seeds, SHAPES[:3]):
        chance = random.Random(seed)
        world, memory = new_memory(linked, shape, OPTIONS)
        left = 200
        while left:
            agent = chance.randrange(len(memory))
            records, view = around(world, memory, agent), world.wiring[agent]["sight"]
            coins = flip(chance, rules.sides_of_coins(records[0], world.options[0]))
            for touched, own in ((first, (coins[0], NO_COIN)), (second, (NO_COIN, coins[1]))):
                me = Watched(records[0], touched, "me.")
                if own != (NO_COIN, NO_COIN) and records[0].candidacy.role:
                    rules.use_coins(me, view, *own, True)
            if not records[0].candidacy.role:  # both begin at once
                rules.use_coins(records[0], view, *coins, True)
            names = ("me.", "pred.", "succ.")
            pairs = [*zip(records, names, strict=True)]
            rules.act(*(Watched(record, first, name) for record, name in pairs))
            rules.act_second(*(Watched(record, second, name) for record, name in pairs))
            left -= bool(memory["leader"].any())
    return first, second


@pytest.mark.paper("Appendix A.3")
def test_the_two_algorithms_share_two_fields() -> None:
    """What the parts leave to chance is all that one algorithm sees of the other."""
    first, second = fields_touched(range(40 if FULL else 4))
    assert not [path for path in first if ".second." in path]
    shared = {path for path in first if path.endswith((".frozen", ".leader"))}
    assert shared == {"reads me.frozen", "reads me.leader", "writes me.leader"}
    seen = {path for path in second if ".second." not in path}
    freezes = {"writes me.frozen", "writes succ.frozen", "reads me.leader", "reads succ.leader"}
    assert freezes <= seen <= freezes | {"writes me.leader", "reads me.candidacy.role"}


@pytest.mark.paper("Appendix A.3")
@pytest.mark.parametrize("shape", SHAPES)
def test_both_parts_follow_every_run_of_the_whole(shape: str) -> None:
    """Up to three agents at a time, as those of a particle, flip their coins before they act."""
    whole = link("improved", plain=True)
    parts = [
        link("improved", Rules(*one.rules, name=one.title, memory=one.memory), plain=True)
        for one in PARTS
    ]
    for seed in range(60 if FULL else 3):
        chance = random.Random(seed)
        world, memory = new_memory(whole, shape, OPTIONS)
        activate = whole.module("algorithms.interface")
        steps, elected = [], None
        left = 100
        while left:
            agents = chance.sample(range(len(memory)), chance.randint(1, min(3, len(memory))))
            sides = [activate.sides_of_coins(memory[one], world.options[0]) for one in agents]
            told = []
            for agent, coins in zip(agents, [flip(chance, one) for one in sides], strict=True):
                records, view = around(world, memory, agent), world.wiring[agent]["sight"]
                frozen, led = bool(records[0].frozen), bool(records[0].leader)
                activate.activate(*records, view, coins, world.options[0])
                wins = records[0].leader and not led and records[0].second.candidacy.stage != WON
                elected = agent if wins else elected
                told.append((agent, coins, frozen, bool(wins)))
            steps.append((told, memory.copy()))
            left -= bool(memory["leader"].any())
        follow_first(parts[0], shape, steps)
        follow_second(parts[1], shape, steps, elected)


def follow_first(part: Link, shape: str, steps: list[Any]) -> None:
    """Let the first algorithm do what it does in a run of the whole."""
    world, memory = new_memory(part, shape, {**OPTIONS, **PARTS[0].options})
    rules = part.module("algorithms.interface")
    own = {*memory.dtype.names} - {"second", "frozen", "leader"}
    for told, after in steps:
        sides = [rules.sides_of_coins(memory[agent], world.options[0]) for agent, *_ in told]
        for (agent, coins, frozen, _), (first, second) in zip(told, sides, strict=True):
            # One that was frozen before flips no coin in the whole: here any will do.
            mine = coins[0] if coins[0] != NO_COIN or first == 1 else 0
            assert (mine != NO_COIN) == (first > 1)
            stops = int(frozen) if second > 1 else NO_COIN
            assert not frozen or memory[agent].frozen or memory[agent].leader or stops == 1
            view = world.wiring[agent]["sight"]
            records = around(world, memory, agent)
            rules.activate(*records, view, (mine, stops), world.options[0])
        for name in own:
            assert (memory[name] == after[name]).all(), name


def follow_second(part: Link, shape: str, steps: list[Any], elected: int | None) -> None:
    """Let the second algorithm do what it does in a run of the whole."""
    world, memory = new_memory(part, shape, OPTIONS)
    rules = part.module("algorithms.interface")
    if elected is not None:
        assert world.boundary[elected] == 0
        memory[PARTS[1].chosen][elected] = 1
    for told, after in steps:
        sides = [rules.sides_of_coins(memory[agent], world.options[0]) for agent, *_ in told]
        for (agent, coins, _, wins), (first, second) in zip(told, sides, strict=True):
            assert (coins[1] != NO_COIN) == (second > 1)
            assert not wins or first > 1
            mine = (int(wins) if first > 1 else NO_COIN), coins[1]
            view = world.wiring[agent]["sight"]
            rules.activate(*around(world, memory, agent), view, mine, world.options[0])
        for name in ("second", "frozen", "leader"):
            assert (memory[name] == after[name]).all(), name


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
@pytest.mark.skipif(not FULL, reason="half a minute each")
@pytest.mark.parametrize(
    ("nodes", "states"),
    [
        ([(0, 0), (0, 1), (1, 1)], 5_776_921),
        ([(0, 0), (1, 0), (0, 1), (1, 1)], 13_741_204),
    ],
    ids=["angle", "parallelogram"],
)
def test_the_default_variant_holds_on_an_angle_and_on_four_particles(
    nodes: list[tuple[int, int]], states: int
) -> None:
    report = verify(Shape(nodes), by_parts=True)
    assert report.states == states
    assert report.holds


#: Broken rules that two particles and the triangle do not show part by part: they need a message
#: that is passed on, an inner boundary, or two agents of a particle; or they look from the second
#: algorithm into the first, which parts are not for.
BEYOND_PARTS = [
    "whoever gets the termination message passes it on no more",
    "the second algorithm's last candidate skips boundary identification",
    "only a particle's first agent starts as a candidate of the second algorithm",
    "the stop token spares whoever identifies its boundary",
    "the stop token waits where solitude is verified",
]


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
    missed = [one.name for one, caught in zip(BROKEN, told, strict=True) if not caught]
    assert missed == BEYOND_PARTS


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
        assert "it takes no rules" in refused(**whole)
    for part in ({"one_order": True}, {"boundary": 0}):
        assert "it takes no rules" in refused(**part)
