"""The explorer. Its counts are pinned: any change of a rule that changes them is noticed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Simulation, jit, shapes
from amoebot.linking import explorer
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify import HOLDS, NOT_EXHAUSTED, VIOLATED, Report, all_shapes, orders, verify
from amoebot.verify.verifying import among_others, check_input, fixed_offsets, memories_after
from helpers import interpreted, mutants
from helpers.broken_rules import MUTANTS
from helpers.full import FULL

#: States and transitions: shape, almost sure, terminate.
COUNTS = {
    ("line:1", False, False): (2, 1),
    ("line:2", False, False): (505, 1_038),
    ("line:2", False, True): (625, 1_278),
    ("line:2", True, False): (19_867, 45_332),
    ("line:2", True, True): (23_143, 51_284),
    ("triangle:2", False, False): (16_688, 50_466),
    ("triangle:2", False, True): (20_972, 63_318),
    ("line:3", False, False): (226_107, 907_488),
    ("line:3", False, True): (258_315, 1_036_320),
    ("parallelogram:2,2", False, False): (757_665, 3_036_308),
}


@pytest.mark.paper("Theorem 1", "Theorem 3")
@pytest.mark.parametrize(("case", "counts"), COUNTS.items(), ids=str)
def test_every_property_holds_on_every_schedule_and_coin(
    case: tuple[str, bool, bool], counts: tuple[int, int]
) -> None:
    if jit.INTERPRETED and counts[0] > 1_000:
        pytest.skip("hours, interpreted")
    shape, almost_sure, terminate = case
    report = verify(shapes.parse(shape), almost_sure=almost_sure, terminate=terminate)
    assert report.exhausted
    assert set(report.verdicts.values()) == {HOLDS}
    assert (report.states, report.transitions) == counts


@pytest.mark.slow
@pytest.mark.compiled
def test_all_shapes_of_three_particles_and_other_offsets_hold_too() -> None:
    counts = []
    for shape in all_shapes(3):
        report = verify(shape, almost_sure=False, terminate=False)
        assert set(report.verdicts.values()) == {HOLDS}
        counts.append(report.states)
    assert sorted(counts) == [16_688, 221_732, 226_107]
    turned = Shape(shapes.line(3).nodes, offsets=np.array([1, 4, 2], dtype=np.uint8))
    report = verify(turned, almost_sure=False, terminate=False)
    assert set(report.verdicts.values()) == {HOLDS}


@pytest.mark.compiled
def test_expanded_particles_and_higher_radices_hold_too() -> None:
    pair = shapes.line(3).with_expanded(0.6, seed=1)
    assert pair.particles == 2
    for shape, radix in ((pair, 2), (shapes.line(2), 5)):
        report = verify(shape, almost_sure=False, terminate=True, radix=radix)
        assert report.exhausted
        assert set(report.verdicts.values()) == {HOLDS}


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="two minutes and a gigabyte each")
@pytest.mark.parametrize(("terminate", "states"), [(False, 10_691_647), (True, 12_918_865)])
def test_the_default_combination_holds_on_a_triangle(terminate: bool, states: int) -> None:
    report = verify(shapes.triangle(2), almost_sure=True, terminate=terminate)
    assert report.states == states
    assert set(report.verdicts.values()) == {HOLDS}


#: Shapes of four particles: states, transitions, and the gigabytes that these take.
FOUR = {
    ((0, 0), (1, 0), (0, 1), (0, 2)): (11_841_720, 59_253_747, 2),
    ((0, 0), (1, 0), (2, 0), (3, 0)): (136_179_683, 817_397_718, 12),
    ((0, 0), (0, 1), (0, 2), (1, 2)): (150_197_071, 901_502_019, 14),
    ((0, 0), (0, 1), (1, 1), (1, 2)): (149_961_043, 900_085_878, 14),
    ((0, 0), (1, 0), (-1, 1), (0, -1)): (179_735_778, 1_618_190_538, 20),
    ((1, 0), (0, 1), (-1, 1), (-1, 0)): (161_994_704, 972_287_817, 14),
}


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="up to ten minutes, 19 gigabytes")
@pytest.mark.parametrize(("nodes", "counts"), FOUR.items(), ids=str)
def test_section_2_holds_on_shapes_of_four_particles(
    nodes: tuple[tuple[int, int], ...], counts: tuple[int, int, int]
) -> None:
    states, transitions, gigabytes = counts
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < (gigabytes + 2) << 30:
        pytest.skip(f"needs {gigabytes} GB of memory")
    report = verify(Shape(nodes), almost_sure=False, terminate=False, max_states=2 * states)
    assert report.exhausted
    assert (report.states, report.transitions) == (states, transitions)
    assert set(report.verdicts.values()) == {HOLDS}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.paper("Appendix A.1")
@pytest.mark.parametrize(
    ("one_order", "counts"),
    [
        (True, (4_131_849, 8_296_626)),
        pytest.param(
            False,
            (46_591_873, 372_929_768),
            marks=pytest.mark.skipif(not FULL, reason="three minutes"),
        ),
    ],
    ids=["one order", "every order"],
)
def test_section_2_holds_on_a_line_of_four_as_two_expanded_particles(
    one_order: bool, counts: tuple[int, int]
) -> None:
    # More tokens of a sign meet than on three particles, so that they settle behind each other.
    pairs = shapes.line(4).with_expanded(1)
    assert pairs.particles == 2
    variant: dict[str, Any] = {"almost_sure": False, "terminate": False}
    report = verify(pairs, one_order=one_order, seed=1, **variant)
    assert report.exhausted
    assert set(report.verdicts.values()) == {HOLDS}
    assert (report.states, report.transitions) == counts


@pytest.mark.compiled
def test_one_order_of_agents_is_that_of_a_run() -> None:
    """Orders differ from seed to seed, and every one of them is among all orders."""
    pair = shapes.line(3).with_expanded(1)
    variant: dict[str, Any] = {"almost_sure": False, "terminate": False}
    every = verify(pair, **variant)
    kept = [verify(pair, one_order=True, seed=seed, **variant) for seed in range(8)]
    assert len({report.states for report in kept}) > 1
    assert all(report.holds and report.states < every.states for report in kept)
    # What is found is a run with this order.
    shape = fixed_offsets(pair)
    report = Report(shape.name, 2, "improved", kept[3].options, one_order=True, seed=3)
    checker = explorer("improved").module("verify.checker")
    model = checker.begin(shape, report, None)
    space = checker.explore_all(model, report, 500, None, None)
    path = [(space, step) for step in checker.shortest_path(space, 400)]
    example = checker.explain(shape, model, report, "", path)
    assert any(example.coins)
    orders = [build(shape, seed).wiring["sibling"].tolist() for seed in (3, example.seed)]
    assert orders[0] == orders[1]


#: The inner boundary of the smallest ring: how a seed's election goes on after some rounds.
INNER = {(3, 8): (351_212, 2_107_272), (1, 8): (351_563, 2_109_378)}


@pytest.mark.compiled
@pytest.mark.paper("Section 2.6")
@pytest.mark.parametrize(("case", "counts"), INNER.items(), ids=str)
def test_every_property_holds_on_an_inner_boundary(
    case: tuple[int, int], counts: tuple[int, int]
) -> None:
    seed, after = case
    part: dict[str, Any] = {"boundary": 1, "after": after, "seed": seed}
    report = verify("annulus:1,0", almost_sure=False, terminate=False, **part)
    assert report.exhausted
    assert set(report.verdicts.values()) == {HOLDS}
    assert (report.agents, report.states, report.transitions) == (6, *counts)


def same_memory(of_run: Any, of_model: Any) -> bool:
    """Whether all fields are the same; the explorer has room for more behind them."""
    names = of_run.dtype.names
    return all(of_run[name].tobytes() == of_model[name].tobytes() for name in names)


@pytest.mark.compiled
def test_the_way_to_a_state_of_one_boundary_is_a_run_of_the_whole_system(tmp_path: Path) -> None:
    """Boundaries do not influence each other: that is why one can be explored alone."""
    shape = fixed_offsets(shapes.annulus(1, 0))
    options = Options(3, own={"almost_sure": False, "terminate": False, "radix": 2})
    report = Report(shape.name, 6, "improved", dict(options.own), boundary=1, after=1, seed=3)
    checker = explorer("improved").module("verify.checker")
    model = checker.begin(shape, report, memories_after(shape, options, 1))
    space = checker.explore_all(model, report, 5_000, None, None)
    for state in (report.states // 2, report.states - 1):
        path = [(space, step) for step in checker.shortest_path(space, state)]
        example = checker.explain(shape, model, report, "", path)
        example = among_others(example, shape, options, 1)
        example.save(tmp_path / "run.json")
        run = amoebot.load(tmp_path / "run.json")
        run.goto(1)
        run.step(len(example.schedule))
        explorer("improved").module("verify.explore").look_ahead(model, space, state)
        inner = run.system.boundaries[1].agents
        assert same_memory(run.memory[inner.start : inner.stop], model.world.memory)
        assert any(example.coins)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"boundary": 2}, "boundary 2 is not a whole number from 0 to 1"),
        ({"boundary": 1, "terminate": True}, "the termination message goes from one to another"),
        ({"boundary": 1, "algorithm": "erosion"}, "in erosion, boundaries are not independent"),
        ({"after": 2, "corrupt": "head=1"}, "it takes no 'after'"),
    ],
)
def test_what_cannot_be_explored_in_part_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        verify("annulus:1,0", **({"terminate": False} | given))


def test_there_are_as_many_shapes_as_one_sided_polyhexes() -> None:
    assert [len(list(all_shapes(size))) for size in range(1, 6)] == [1, 1, 3, 10, 33]


def test_a_limit_is_never_a_pass() -> None:
    report = verify(shapes.line(3), almost_sure=False, terminate=False, max_states=300)
    assert not report.exhausted
    assert not report.violated
    assert set(report.verdicts.values()) == {NOT_EXHAUSTED}


def test_too_many_particles_are_refused() -> None:
    with pytest.raises(ValueError, match=r"line:13 has 13 particles: at most 12"):
        verify(shapes.line(13))


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("improved", {"almost_sure": False}),
        pytest.param("improved", {"almost_sure": True}, marks=pytest.mark.compiled),
        ("erosion", {}),
    ],
    ids=str,
)
def test_the_way_to_a_state_is_a_run_that_a_simulation_replays(
    algorithm: str, options: dict[str, Any]
) -> None:
    shape = fixed_offsets(shapes.line(2))
    own = dict(check_input(shape, algorithm, **options).own)
    linked = explorer(algorithm)
    checker = linked.module("verify.checker")
    model = checker.new_model(build(shape), own)
    report = Report(shape.name, shape.particles, algorithm, own)
    space = checker.explore_all(model, report, checker.NEVER_ENDING, None, None)
    for state in (1, report.states // 2, report.states - 1):
        path = [(space, step) for step in checker.shortest_path(space, state)]
        example = checker.explain(shape, model, report, "", path)
        assert len(example.schedule) == space.depth[state]
        assert example.seed is not None
        run = Simulation(shape, example.seed, example.schedule, algorithm=algorithm, **own)
        for _ in example.schedule:
            run.step()
        linked.module("verify.explore").look_ahead(model, space, state)
        assert same_memory(run.memory, model.world.memory[: len(run.memory)])
        assert run.particle_memory.tobytes() == model.world.particles.tobytes()


def test_options_are_those_of_a_run_with_fewer_digits() -> None:
    report = verify(shapes.line(1))
    assert report.options == {"almost_sure": True, "radix": 2, "terminate": True}
    assert report.as_dict()["radix"] == 2
    assert (report.algorithm, report.rules) == ("improved", "paper")
    for wrong in ({"radix": 1}, {"terminate": 1}, {"setup": True}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            verify(shapes.line(2), **wrong)


def test_coins_with_too_many_outcomes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer("improved").module("verify.crew"), "MOST_BRANCHES", 100)
    with pytest.raises(ValueError, match=r"have 2\d\d outcomes: too many to try"):
        verify(shapes.line(2), radix=256, almost_sure=False)


def test_a_leader_that_hands_its_office_on_is_noticed() -> None:
    """Once it was enough that there was some leader in the next state."""
    report = interpreted.verify("line:2", "passed_on", "erosion", terminate=False)
    assert report["verdicts"]["a leader is never revoked"] == VIOLATED
    assert report["counterexample"]["schedule"] == [0, 0]


def test_a_fair_schedule_without_an_election_is_noticed_though_others_elect() -> None:
    """Tokens move only to whoever had an odd number of turns: 0 0 1 1 is fair, and moves none."""
    report = interpreted.verify("line:2", "odd_turns", almost_sure=False, terminate=False)
    violated = [told for told, verdict in report["verdicts"].items() if verdict == VIOLATED]
    sentence = "every fair schedule elects if and only if the highest identifier is unique"
    assert violated == [sentence]
    example = report["counterexample"]
    assert {*example["schedule"][example["cycle"] :]} == {0, 1}
    rules = ("--rules", str(interpreted.RULES / "odd_turns.py"))
    told = interpreted.python("-m", "amoebot", "elect", "line:2", "--whp", "--seed", "1", *rules)
    assert "is the leader" in told.stdout


#: A run, and after how many rounds of it every order of agents is tried.
LATE = {"line:5": 18, "tree:5": 16}


@pytest.mark.compiled
@pytest.mark.parametrize("name", LATE)
def test_orders_of_agents_that_make_no_difference_can_be_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = fixed_offsets(shapes.parse(name))
    options = Options(1, own={"almost_sure": False, "terminate": False, "radix": 2})
    start = memories_after(shape, options, LATE[name])
    checker = explorer("improved").module("verify.checker")
    found = []
    for every in (False, True):
        if every:  # as if all agents read each other's memories
            monkeypatch.setattr(orders, "around", lambda system, _: {*range(system.agents)})
        report = Report(shape.name, shape.particles, "improved", dict(options.own))
        checker.check(shape, report, 1_000_000, None, None, start=start)
        found.append(report)
    fewer, more = found
    assert fewer.exhausted
    assert (fewer.states, fewer.verdicts) == (more.states, more.verdicts)
    assert fewer.transitions < more.transitions


def test_a_note_at_an_empty_node_is_noticed() -> None:
    report = interpreted.verify("line:2", "into_the_void", "erosion", terminate=False)
    assert report["verdicts"]["nobody writes to an empty node"] == VIOLATED
    assert len(report["counterexample"]["schedule"]) == 1


def test_a_message_that_is_not_passed_on_is_noticed() -> None:
    """The rules of termination belong to no election, and can be replaced as well."""
    report = interpreted.verify("line:2", "silent", almost_sure=False, terminate=True)
    assert (
        report["verdicts"]["after an election every fair schedule terminates everyone"] == VIOLATED
    )
    assert report["rules"] == "silent"


#: States of erosion: shape, setup, terminate.
EROSIONS = {
    ("line:1", True, True): (4, 4),
    ("line:3", True, True): (28, 84),
    ("hexagon:1", True, True): (652, 4_564),
    ("annulus:1,0", True, True): (64, 384),
}


@pytest.mark.parametrize(("case", "counts"), EROSIONS.items(), ids=str)
def test_erosion_elects_exactly_where_there_is_no_hole(
    case: tuple[str, bool, bool], counts: tuple[int, int]
) -> None:
    name, setup, terminate = case
    report = verify(shapes.parse(name), algorithm="erosion", setup=setup, terminate=terminate)
    assert set(report.verdicts.values()) == {HOLDS}
    assert (report.states, report.transitions) == counts


def test_a_violation_exits_with_1_and_leaves_a_run_to_replay(tmp_path: Path) -> None:
    mutant = next(m for m in MUTANTS if m.name.startswith("tokens arrive before"))
    with mutants.copy_of_package() as (copy, environment):
        mutants.break_one(copy, mutant)
        told = subprocess.run(
            [sys.executable, "-m", "amoebot", "verify", "line:2", "--whp", "-o", "example.json"],
            cwd=tmp_path,
            env=environment | {"NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
        )
    assert told.returncode == 1, told.stderr
    assert "an agent holds digit tokens only once it has created its own" in told.stdout
    run = json.loads((tmp_path / "example.json").read_text())
    # Both have to start, and one of them to set up its identifier while the other has not.
    assert len(run["schedule"]) == 3
    assert set(run["schedule"]) == {0, 1}
    assert run["seed"] is not None
    # With sound rules the same schedule is a run like any other.
    replay = amoebot.load(tmp_path / "example.json")
    assert replay.seed == run["seed"]
    for _ in run["schedule"]:
        replay.step()
    assert replay.activations == len(run["schedule"])
    assert run["options"] == {
        "algorithm": "improved",
        "scheduler": "by hand",
        "radix": 2,
        "almost_sure": False,
        "terminate": False,
    }


def test_safety_survives_a_crash_and_progress_does_not() -> None:
    report = verify(shapes.line(2), crashes=1, almost_sure=False, terminate=False)
    assert report.exhausted
    violated = [sentence for sentence, verdict in report.verdicts.items() if verdict == VIOLATED]
    assert violated == [
        "every fair schedule elects if and only if the highest identifier is unique"
    ]
    example = report.counterexample
    assert example is not None
    assert example.cycle is not None
    assert len(example.crashed) == 1
    assert not {*example.crashed} & {*example.schedule[example.cycle :]}


ELECTS = "every fair schedule elects with probability one"


def test_a_crash_that_nobody_elects_after_is_certain_whatever_is_unexplored() -> None:
    report = verify("line:3", crashes=1, max_states=3_000)
    assert report.limited
    assert report.verdicts.pop(ELECTS) == VIOLATED
    assert set(report.verdicts.values()) == {NOT_EXHAUSTED}


@pytest.mark.parametrize("crashes", [0, 1, 2])
def test_what_a_limit_lets_be_violated_is_violated(crashes: int) -> None:
    options: dict[str, Any] = {"crashes": crashes, "almost_sure": False, "terminate": True}
    whole = verify("line:2", **options, max_states=10**6)
    assert whole.exhausted
    assert not whole.limited
    told = [verify("line:2", **options, max_states=one) for one in range(1, whole.states, 50)]
    for report in told:
        for sentence, verdict in report.verdicts.items():
            assert verdict in (NOT_EXHAUSTED, whole.verdicts[sentence])
    assert any(report.limited and report.violated for report in told) == (crashes > 0)


def test_an_exploration_with_crashes_ends_soon_once_it_is_certain_that_nobody_elects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checker: Any = explorer("improved").module("verify.checker")
    monkeypatch.setattr(checker, "ENOUGH", 50)
    options: dict[str, Any] = {"almost_sure": False, "terminate": False}
    report = verify("line:2", crashes=1, **options)
    assert report.limited
    assert report.violated
    assert report.states < 505
    assert verify("line:2", crashes=1, max_states=10**6, **options).exhausted
    assert verify("line:2", **options).holds


CRASHES: list[tuple[str, dict[str, Any]]] = [
    ("line:3", {"max_states": 3_000}),
    ("line:2", {"almost_sure": False, "terminate": False}),
    ("line:2", {"almost_sure": False, "after": 5, "seed": 1}),
    ("line:2", {"almost_sure": False, "after": 12, "seed": 1}),
    ("line:3", {"algorithm": "erosion", "terminate": False}),
    ("line:2", {"algorithm": "segments-2015", "terminate": False}),
    ("line:2", {"almost_sure": False, "terminate": False, "corrupt": "frozen=1"}),
]


@pytest.mark.parametrize(("shape", "options"), CRASHES, ids=str)
def test_a_run_file_has_the_crash_that_keeps_the_others_from_electing(
    shape: str, options: dict[str, Any], tmp_path: Path
) -> None:
    example = verify(shape, crashes=1, **options).counterexample
    assert example is not None
    assert example.cycle is not None
    assert len(example.crashed) == 1
    example.save(tmp_path / "run.json")
    run = amoebot.load(tmp_path / "run.json")
    run.goto(example.after)
    for _ in example.schedule[: example.cycle]:
        assert not run.crashed
        run.step()
    assert run.crashed == {*example.crashed}
    before = run.memory.tolist(), run.particle_memory.tolist()
    cycle = [*zip(example.schedule, example.coins, strict=True)][example.cycle :]
    assert {particle for particle, _ in cycle} == {*range(len(run.shape))} - run.crashed
    for _ in cycle:
        run.step()
    assert (run.memory.tolist(), run.particle_memory.tolist()) == before
    for particle, coins in cycle:
        run.activate(particle, coins)
    assert (run.memory.tolist(), run.particle_memory.tolist()) == before


def test_a_run_file_has_the_crashes_of_all() -> None:
    """There is nothing to repeat then, and the file had no fault."""
    example = verify("line:2", crashes=2, almost_sure=False, terminate=False).counterexample
    assert example is not None
    assert example.cycle is None
    assert (example.crashed, example.schedule) == ([0, 1], [])
    assert example.faults == "crash 0@0, crash 1@0"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_states": "x"}, "max_states 'x' is not a whole number from 1"),
        ({"time_limit": "x"}, "time_limit 'x' is not a number of seconds"),
        (
            {"max_states": 10**5000},
            r"max_states \(a number too long to write out\) is not a whole number",
        ),
        ({"time_limit": 10**400}, r"^time_limit 10+…0+ is more than 1.8e\+308 seconds"),
        ({"time_limit": Fraction(10**5000)}, "is more than 1.8e"),
        ({"time_limit": Fraction(-(10**5000))}, "is not a number of seconds"),
        ({"by_parts": 5}, "by_parts 5 is neither true nor false"),
        ({"one_order": "no"}, "one_order 'no' is neither true nor false"),
        ({"progress": 5}, "progress 5 is not a function"),
        ({"crashes": 1.5}, "the number of crashes 1.5 is not a whole number from 0 to 2"),
    ],
)
def test_limits_that_are_none_are_refused(limits: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        verify("line:2", **limits)
