"""Faults: particles that crash, and memories that are corrupted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import Simulation, elect, elect_many, jit, shapes
from amoebot.algorithms.improved.course import highest_is_unique
from amoebot.faults import FaultError
from amoebot.files import at_most
from helpers import moments
from helpers.command import ask, check_refusal
from helpers.naive import SCHEDULERS

SHAPE = shapes.hexagon(2)


@pytest.mark.parametrize("scheduler", [name for name in SCHEDULERS if name != "uniform"])
def test_a_fault_that_is_still_to_come_changes_nothing(scheduler: str) -> None:
    plain = elect(SHAPE, 3, scheduler)
    faulty = elect(SHAPE, 3, scheduler, faults="crash 0@100000")
    assert (plain.leader, plain.rounds, plain.rounds_terminated, plain.milestones) == (
        faulty.leader,
        faulty.rounds,
        faulty.rounds_terminated,
        faulty.milestones,
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_crashed_particle_is_never_activated_again(scheduler: str) -> None:
    simulation = Simulation(SHAPE, 3, scheduler, faults="crash 0@5")
    simulation.goto(5)
    agents = simulation.system.agents_of(0)
    assert agents
    simulation.step()
    assert simulation.crashed == {0}
    assert 0 not in simulation.waiting
    while simulation.rounds < 8:  # rounds end without it
        simulation.step()
        assert simulation.latest != 0


def test_an_interior_crash_does_not_keep_others_from_electing() -> None:
    inside = next(p for p in range(19) if not Simulation(SHAPE).system.agents_of(p))
    result = elect(SHAPE, 3, faults=f"crash {inside}@0")
    assert result.leader == elect(SHAPE, 3).leader
    assert result.rounds_terminated is None  # one never terminates


def test_a_crash_on_the_outer_boundary_keeps_everyone_from_electing() -> None:
    outcomes = {one.outcome for one in elect_many("line:3", range(5), faults="crash ?@1")}
    assert outcomes == {"round-limit"}


def test_a_corrupted_memory_differs_in_its_particle_alone() -> None:
    plain = Simulation(SHAPE, 3)
    faulty = Simulation(SHAPE, 3)
    plain.goto(12)
    faulty.goto(12)
    faulty.corrupt(0)
    differs = plain.memory != faulty.memory
    assert differs.any()
    assert set(faulty.system.particle[differs].tolist()) == {0}


def test_a_run_with_faults_can_be_rewound_and_saved(tmp_path: Path) -> None:
    simulation = Simulation(SHAPE, 3, "uniform")
    simulation.goto(7)
    simulation.step()
    simulation.corrupt(2)
    simulation.crash(3)
    simulation.goto(12)
    then = moments.contents(simulation)
    simulation.goto(3)
    assert simulation.crashed == set()
    simulation.goto(12)
    assert simulation.crashed == {3}
    assert moments.contents(simulation) == then
    simulation.save(tmp_path / "run.json")
    again = amoebot.load(tmp_path / "run.json")
    assert again.options.faults == simulation.options.faults
    again.goto(12)
    assert moments.contents(again) == then


def test_a_seed_chooses_another_particle_for_each_fault() -> None:
    simulation = Simulation("line:4", 1, faults="crash 0@0, crash ?@0, crash ?@0, crash ?@0")
    result = simulation.run()
    assert simulation.crashed == {0, 1, 2, 3}
    assert (result.outcome, simulation.activations) == ("round-limit", 0)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_run_in_which_everyone_crashes_ends_and_rounds_end_without_those_left(
    scheduler: str,
) -> None:
    """It once looked for somebody to activate for ever."""
    faults = "crash 0@5, crash 1@5+1, crash 2@5+1"
    simulation = Simulation("line:3", 1, scheduler, faults=faults, max_rounds=30)
    assert simulation.run().outcome == "round-limit"
    assert simulation.crashed == {0, 1, 2}
    for go_on in simulation.step, simulation.round:
        with pytest.raises(StopIteration, match="all particles have crashed"):
            go_on()
    left = Simulation("line:3", 1, scheduler, faults="crash 0@5+1, crash 1@5+1", max_rounds=30)
    left.run()
    assert left.rounds == 30


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ("crash", "'crash' is not a fault"),
        ("crash 3", "'crash 3' is not a fault"),
        ("crash ?@1,,", r"'crash \?@1,,' has a comma too many"),
        (", crash 3@1", "has a comma too many"),
        ("melt 3@10", "'melt 3@10' is not a fault"),
        ("crash -1@10", "is not a fault"),
        ("crash 3@1e3", "is not a fault"),
        ("crash 19@10", "crash 19@10: the particles are numbered 0 to 18"),
        ("crash 1@" + "9" * 30, "there is no such moment"),
        ([7], "7 is not a fault"),
        (5, "5 is not a fault"),
    ],
)
def test_what_is_no_fault_is_refused_with_one_sentence(faults: str, words: str) -> None:
    with pytest.raises(FaultError, match=words):
        elect(SHAPE, faults=faults)


@pytest.mark.parametrize(
    ("shape", "faults", "words"),
    [
        ("line:1", "crash 3@1", "crash 3@1: the only particle is number 0"),
        ("line:2", "crash 2@1", "crash 2@1: the particles are numbered 0 to 1"),
        ("line:2", "crash ?@1, crash ?@2, crash ?@3", "crash ?@3: each ? is a different particle"),
        (
            "line:2",
            "crash 0@1, crash ?@2, corrupt ?@3",
            "corrupt ?@3: each ? is a different particle",
        ),
    ],
)
def test_a_fault_of_no_particle_is_refused(shape: str, faults: str, words: str) -> None:
    with pytest.raises(FaultError, match=f"^{re.escape(words)}"):
        elect(shape, faults=faults)


def test_commands_take_faults() -> None:
    answer = ask("elect", "line:3", "--faults", "crash 1@1", "--json", "--max-rounds", "50")
    assert answer.status == 1
    assert answer.json["outcome"] == "round-limit"
    assert answer.json["faults"] == "crash 1@1"
    check_refusal(ask("elect", "line:3", "--faults", "crash 9@1"))


def test_one_field_of_a_memory_is_corrupted_by_name() -> None:
    simulation = Simulation("line:3")
    simulation.corrupt(0, leader=1)
    assert simulation.options.faults_written == "corrupt 0@0 leader=1"
    assert simulation.memory["leader"].any()


@pytest.mark.parametrize(("name", "value"), [("nothing", 3), ("leader", 256), ("leader", "x")])
def test_a_field_that_cannot_be_is_refused_and_changes_nothing(name: str, value: Any) -> None:
    simulation = Simulation("line:3")
    with pytest.raises(FaultError, match=name):
        simulation.corrupt(0, **{name: value})
    assert not simulation.is_by_hand


def test_faults_in_a_list_may_be_written() -> None:
    assert Simulation("line:3", faults=["crash 0@1", "corrupt 1@2, crash 2@3"]).options == (
        Simulation("line:3", faults="crash 0@1, corrupt 1@2, crash 2@3").options
    )


def test_fields_that_rules_add_can_be_corrupted() -> None:
    """They were told not to be there."""
    text = 'MEMORY = {"mine": "u2"}\ndef terminate(me):\n    me.terminated = 1\n'
    rules = amoebot.Rules.parse(text, "wider")
    simulation = Simulation("line:3", rules=rules, faults="corrupt 1@2 mine=7")
    simulation.goto(2)
    assert (simulation.memory["mine"] == 7).sum() == 2
    simulation.corrupt(0, mine=3)
    assert simulation.memory["mine"].max() == 7
    assert 3 in simulation.memory["mine"]
    report = amoebot.verify.verify("line:2", rules=rules, corrupt="mine=7", almost_sure=False)
    assert report.verdicts["a leader is never revoked"] == "holds"
    with pytest.raises(FaultError, match="mine can be 0 to 65535"):
        Simulation("line:3", rules=rules, faults="corrupt 1@2 mine=70000")


def test_a_run_goes_on_where_no_agent_is_head_any_more() -> None:
    """Who counted the highest identifiers then looked for a head for ever."""
    for rounds in range(1, 4):
        faults = ", ".join(f"corrupt {particle}@{rounds} head=0" for particle in range(3))
        for seed in range(8):
            run = Simulation("line:3", seed, faults=faults, almost_sure=False, radix=8)
            run.run(20)
            if not run.memory["head"].any():
                with at_most(10):  # interpreted, since nothing interrupts compiled code
                    assert jit.source(highest_is_unique)(run.memory, len(run.memory))
                return
    pytest.fail("no run has lost all heads")
