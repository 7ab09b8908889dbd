"""Rules that are called by their addresses do what they do where they are compiled into loops."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amoebot import Rules, Simulation, elect, shapes
from amoebot.by_address import DIGEST
from amoebot.linking import RulesError, link
from amoebot.options import Options
from amoebot.system import build
from amoebot.verify import verify
from helpers import naive
from helpers.interpreted import python

pytestmark = pytest.mark.compiled

ROUNDS = 60


def standing(run: Any) -> tuple[Any, ...]:
    """Return all that an election knows: every field of everyone, coins, and what was seen."""
    names = run.memory.dtype.names
    memory = [run.memory[name].tolist() for name in names]
    return memory, run.particle_memory.tolist(), run.snapshot()[0][1].tolist(), run.seen()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["improved", "erosion"])
@pytest.mark.parametrize("scheduler", naive.SCHEDULERS)
def test_runs_are_the_same(algorithm: str, scheduler: str) -> None:
    names = ("hexagon:2", "line:5", "tree:20" if algorithm == "erosion" else "annulus:3,1")
    for seed, name in enumerate(names):
        shape = shapes.parse(name)
        shape = shape if algorithm == "erosion" else shape.with_expanded(0.4, seed)
        own = Options(algorithm=algorithm).own
        runs = [
            link(algorithm, by_address=way)
            .module("engine.run")
            .EngineRun(build(shape, seed), seed, scheduler, own)
            for way in (False, True)
        ]
        while not runs[0].is_finished(terminate=True):
            last = runs[0].rounds + 1
            for run in runs:
                run.advance(last)
            assert standing(runs[0]) == standing(runs[1])
        assert runs[0].outcome == "leader"


def test_code_for_other_arguments_is_never_run() -> None:
    engine = link("improved", by_address=True).module("engine.run")
    system, own = build(shapes.line(2), 0), Options().own
    run = engine.EngineRun(system, 0, "permutation", own)
    run.state = run.state._replace(addresses=run.state.addresses.copy())
    run.state.addresses[:, DIGEST] ^= 1
    with pytest.raises(TypeError, match="was not compiled for these arguments"):
        run.advance(1)
    empty = np.zeros_like(run.state.addresses)
    run.state = run.state._replace(addresses=empty)
    with pytest.raises(TypeError, match="was not compiled for these arguments"):
        run.advance(1)


RAISING = """
def sign(heading):
    if heading > 2:
        raise ValueError("no such heading")
    return (0, 1, 1, 0, -1, -1)[heading]
"""


SUBTRACTING = """
def sign(heading):
    ahead = heading - 2
    if ahead < 0:
        return 1
    return 0 if ahead == 0 or ahead == 3 else -1
"""


@pytest.mark.slow
def test_numbers_are_as_wide_in_rules_that_are_interpreted(tmp_path: Path) -> None:
    """A field of eight bits wrapped around there: a rule that is right was told to be wrong."""
    (tmp_path / "subtracting.py").write_text(SUBTRACTING)
    options = "line:2", "--whp", "--rules", str(tmp_path / "subtracting.py"), "--json"
    interpreted = python("-m", "amoebot", "verify", *options)
    assert (interpreted.returncode, interpreted.stderr) == (0, "")
    (found,) = json.loads(interpreted.stdout)["reports"]
    rules = Rules.parse(SUBTRACTING, "subtracting")
    report = verify("line:2", rules=rules, almost_sure=False, terminate=False)
    assert set(report.verdicts.values()) == {"holds"}
    for name in ("states", "transitions", "verdicts"):
        assert found[name] == getattr(report, name)


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ValueError", "StopIteration"])
def test_what_a_rule_raises_comes_through_the_loop(error: str) -> None:
    """StopIteration was taken for the end of the schedule."""
    rules = Rules.parse(RAISING.replace("ValueError", error), "raising")
    words = rf"raising does not run: raising\.py, line 4: {error}: no such heading"
    with pytest.raises(RulesError, match=words):
        elect("hexagon:2", rules=rules)
    with pytest.raises(RulesError, match=words):
        verify("line:2", rules=rules)


def noting(field: str, value: int) -> Rules:
    """Return rules that note in a field of their own who has passed a digit token on."""
    text = f"""
MEMORY = {{"{field}": "u1"}}

def remove_oldest(me):
    me.oldest = me.newest
    me.newest = 0
    me.{field} = {value}
"""
    return Rules.parse(text, field)


@pytest.mark.slow
def test_fields_that_rules_add_are_their_own() -> None:
    """Loops take memories of the same size for the same: what is in them, rules know."""
    runs = {
        field: Simulation("hexagon:2", 3, rules=noting(field, value))
        for field, value in (("once", 1), ("twice", 2))
    }
    for last in range(1, ROUNDS):
        for run in runs.values():
            run.goto(last)
    plain = Simulation("hexagon:2", 3)
    plain.goto(ROUNDS - 1)
    for number, (field, run) in enumerate(runs.items(), start=1):
        assert {*run.memory[field].tolist()} == {number}
        for name in plain.memory.dtype.names or ():
            assert run.memory[name].tolist() == plain.memory[name].tolist()


@pytest.mark.slow
def test_schedulers_and_properties_see_fields_that_rules_add(tmp_path: Path) -> None:
    rules = noting("sent", 1)
    (tmp_path / "waiting.py").write_text("""
def scheduler(world, waiting):
    found = 0
    for particle in range(len(waiting)):
        if waiting[particle]:
            found = particle
            if world.memory[world.first_unit[particle]].sent == 0:
                return particle
    return found
""")
    run = Simulation("hexagon:2", 1, str(tmp_path / "waiting.py"), rules=rules)
    own = run.system.first_agent
    late = 0
    for _ in range(600):
        sent, waiting = run.memory["sent"].copy(), set(run.waiting)
        run.step()
        first = [particle for particle in sorted(waiting) if not sent[own[particle]]]
        if first:
            assert run.latest == first[0]
            late += run.latest != min(waiting)
    assert late

    def nobody_passes_a_token_on(world: Any) -> Any:
        return not (world.memory["sent"] != 0).any()

    def it_is_noted_once(world: Any) -> Any:
        return not (world.memory["sent"] > 1).any()

    for one, verdict in ((nobody_passes_a_token_on, "violated"), (it_is_noted_once, "holds")):
        report = verify("line:2", rules=rules, properties=[one], almost_sure=False, terminate=False)
        assert report.verdicts[one.__name__.replace("_", " ")] == verdict


GOES_ON = """
import gc
import sys
from amoebot import Rules, Simulation
from amoebot.linking import RulesError, link
MOST = sys.modules["amoebot.linking.link"].MOST_LINKS

def rules(number):
    return Rules.parse(f"def sign(heading):\\n    return ({number}, 1, 1, 0, -1, -1)[heading]", "r")

mine = rules(0)
run, whole = (Simulation("hexagon:2", 4, rules=mine) for _ in range(2))
whole = whole.run()
run.goto(20)
for number in range(1, MOST + 2):
    link("improved", rules(number), plain=True)
gc.collect()
assert not any(mine.digest in name for name in sys.modules)
assert run.run() == whole
"""


@pytest.mark.slow
def test_a_run_goes_on_when_its_link_has_been_dropped() -> None:
    told = subprocess.run([sys.executable, "-c", GOES_ON], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
