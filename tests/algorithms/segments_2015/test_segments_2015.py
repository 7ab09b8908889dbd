"""The election by segments: what it does, where it fails, and by which schedules."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import Rules, Simulation, runs, shapes
from amoebot.algorithms.candidacy import CANDIDATE
from amoebot.algorithms.segments_2015.memory import NOT_COVERED
from amoebot.verify import HOLDS, VIOLATED, all_shapes, verify
from helpers import naive
from helpers.full import FULL
from helpers.interpreted import RULES
from helpers.naive import SCHEDULERS
from helpers.pages import blocks_of

SEGMENTS = "segments-2015"

LOST = "somebody on the outer boundary is a candidate, or has not started"
FAIR = "every fair schedule elects with probability one"


def check_that_nobody_is_lost(report: Any) -> None:
    """All holds but that a fair schedule may keep two candidates that are opposite each other."""
    assert report.exhausted
    failing = {sentence for sentence, verdict in report.verdicts.items() if verdict != HOLDS}
    assert failing == ({FAIR} if report.agents == 4 else set())


def spared() -> Rules:
    """Whoever has been announced to is spared in its next comparison, too."""
    return Rules.read(RULES / "spared.py", SEGMENTS)


def marked() -> Rules:
    """Whoever hands its candidacy on leaves a mark, as one that demotes itself does."""
    return Rules.read(RULES / "marked.py", SEGMENTS)


def explore(shape: Any, **options: Any) -> Any:
    return verify(shape, algorithm=SEGMENTS, terminate=False, **options)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_it_elects_one_leader_on_any_shape(scheduler: str) -> None:
    draw = random.Random(scheduler)
    for _ in range(400 if FULL else 40):
        seed = draw.randrange(2**64)
        shape = naive.some_shape(draw.randrange(2**32), 2, 14, expanded=draw.random() < 0.4)
        simulation = Simulation(shape, seed, scheduler, algorithm=SEGMENTS)
        result = simulation.run(5_000)
        story = f"{shape.nodes.tolist()}, {shape.expanded.tolist()}, seed={seed}"
        assert result.outcome in ("leader", "no-candidate-left"), story
        assert result.leaders == (result.outcome == "leader"), story
        if result.leader:
            units = simulation.system.boundaries[0].agents
            assert any(simulation.memory["leader"][unit] for unit in units), story
            assert result.rounds_terminated is not None, story


@pytest.mark.compiled
def test_two_particles_always_elect() -> None:
    for repaired in (True, False):
        report = explore(shapes.line(2), repaired=repaired)
        assert (report.states, report.transitions) == (76, 162)
        assert set(report.verdicts.values()) == {HOLDS}


#: States found until somebody is lost, and the activations that it takes: by shape and repair.
LOSSES = {
    ("triangle:2", False): (2_460, 32),
    ("triangle:2", True): (2_712, 32),
    ("line:3", False): (19_194, 34),
    ("line:3", True): (22_218, 34),
}


@pytest.mark.compiled
@pytest.mark.parametrize(("case", "found"), LOSSES.items(), ids=str)
def test_three_particles_can_lose_all_candidates(
    case: tuple[str, bool], found: tuple[int, int], tmp_path: Path
) -> None:
    """Repaired or not: one hands its candidacy on, the other one demotes itself."""
    name, repaired = case
    report = explore(shapes.parse(name), repaired=repaired)
    assert report.verdicts[LOST] == VIOLATED
    assert report.counterexample is not None
    assert (report.states, len(report.counterexample.schedule)) == found
    report.counterexample.save(tmp_path / "run.json")
    simulation = runs.read(tmp_path / "run.json").simulation()
    for _ in report.counterexample.schedule:
        assert simulation.outcome is None
        simulation.step()
    assert (simulation.outcome, simulation.candidates) == ("no-candidate-left", 0)


@pytest.mark.slow
@pytest.mark.compiled
def test_as_published_the_last_two_can_demote_themselves(tmp_path: Path) -> None:
    """The failure that its authors know: it shows once those that hand on leave a mark."""
    report = explore(shapes.triangle(2), repaired=False, rules=marked())
    assert report.verdicts[LOST] == VIOLATED
    assert report.counterexample is not None
    assert (report.states, len(report.counterexample.schedule)) == (2_847, 36)
    report.counterexample.save(tmp_path / "run.json")
    simulation = runs.read(tmp_path / "run.json", marked()).simulation()
    words = []
    for _ in report.counterexample.schedule:
        before = simulation.memory.copy()
        simulation.step()
        demoted = before["candidacy"]["role"] > simulation.memory["candidacy"]["role"]
        words += before["returning"][demoted & (before["candidacy"]["role"] == CANDIDATE)].tolist()
    assert words == [0, NOT_COVERED, NOT_COVERED]  # one has handed on, two demoted themselves


@pytest.mark.slow
@pytest.mark.compiled
def test_a_mark_of_those_that_hand_on_is_enough_for_three_particles() -> None:
    found = set()
    for shape in all_shapes(3) if FULL else [shapes.triangle(2)]:
        report = explore(shape, rules=marked())
        check_that_nobody_is_lost(report)
        found.add((report.states, report.transitions))
    lines = {(49_641, 213_430), (50_256, 215_932)} if FULL else set()
    assert found == {(4_259, 13_317)} | lines


@pytest.mark.skipif(not FULL, reason="some minutes")
@pytest.mark.compiled
@pytest.mark.slow
def test_a_mark_of_those_that_hand_on_is_not_enough_for_four() -> None:
    kite = shapes.Shape([(0, 0), (1, 0), (0, 1), (0, 2)], name="kite")
    report = explore(kite, rules=marked())
    assert report.verdicts[LOST] == VIOLATED
    assert report.counterexample is not None
    assert len(report.counterexample.schedule) == 47


#: If announcements are remembered: states and transitions on two and three particles.
KEPT = {(54, 118), (1_652, 5_325), (14_211, 64_836), (14_266, 65_062)}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("repaired", [True, False] if FULL else [True])
def test_three_particles_lose_nobody_if_announcements_are_remembered(repaired: bool) -> None:
    found = set()
    for shape in (*all_shapes(2), *all_shapes(3)):
        report = explore(shape, repaired=repaired, rules=spared())
        check_that_nobody_is_lost(report)
        found.add((report.states, report.transitions))
    assert found == KEPT


#: The same on each shape of four particles.
FOUR_KEPT = (
    *((2_878_028, 20_070_674), (328_732, 1_841_112), (330_030, 1_847_889)),
    *((2_878_255, 20_071_844), (30_012, 128_816), (2_876_788, 20_062_658)),
    *((2_883_356, 20_106_134), (2_876_871, 20_063_200), (2_853_151, 19_905_348)),
    (3_051_836, 34_192_812),
)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="some minutes")
@pytest.mark.parametrize(
    ("shape", "counts"), list(zip(all_shapes(4), FOUR_KEPT, strict=True)), ids=str
)
def test_four_particles_lose_nobody_if_announcements_are_remembered(
    shape: shapes.Shape, counts: tuple[int, int]
) -> None:
    report = explore(shape, rules=spared())
    assert report.exhausted
    assert report.verdicts[LOST] == HOLDS
    assert (report.states, report.transitions) == counts


def test_the_page_shows_the_rules_that_are_tested_here() -> None:
    shown = {block.title: block.text for block in blocks_of("docs/algorithm/segments-2015.md")}
    for name in ("marked.py", "spared.py"):
        assert shown[name] == (RULES / name).read_text()


@pytest.mark.compiled
@pytest.mark.slow
def test_as_published_some_elections_of_a_sweep_fail() -> None:
    shape = shapes.hexagon(10 if FULL else 3)
    lost = {
        repaired: sum(
            result.outcome == "no-candidate-left"
            for result in amoebot.elect_many(
                shape, range(300), algorithm=SEGMENTS, repaired=repaired
            )
        )
        for repaired in (True, False)
    }
    assert lost == {True: 0, False: lost[False]}
    assert 5 < lost[False] < 45


@pytest.mark.parametrize("repaired", [True, False])
def test_compiled_and_interpreted_runs_are_the_same(repaired: bool) -> None:
    from helpers import digests, interpreted

    program = (
        f"import sys; sys.path.insert(0, {str(RULES.parents[1])!r})\n"
        "from amoebot import Simulation, shapes\n"
        "from helpers import digests\n"
        f"run = Simulation(shapes.line(3), 7, algorithm={SEGMENTS!r}, repaired={repaired})\n"
        "print(digests.digest(run))"
    )
    told = interpreted.python("-c", program)
    simulation = Simulation(shapes.line(3), 7, algorithm=SEGMENTS, repaired=repaired)
    assert told.stdout.split() == [digests.digest(simulation)], told.stderr
