"""What is lost if one field of one memory is corrupted, at any moment of any schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import Simulation, shapes
from amoebot.faults import Change, FaultError
from amoebot.verify import HOLDS, VIOLATED, Report, verify
from helpers.command import ask, check_refusal

TWO, REVOKED = "never two leaders", "a leader is never revoked"


def corrupted(change: str) -> Report:
    return verify("line:2", corrupt=change, almost_sure=False, terminate=False)


State = tuple[Any, ...]  # everyone's memory, without the gaps between fields


def reachable(simulation: Simulation, starts: set[State]) -> set[State]:
    """Return all memories that follow, found by trying every activation again and again."""
    memory = simulation.engine_run.memory
    found, waiting = set(starts), [*starts]
    while waiting:
        here = waiting.pop()
        for particle in range(simulation.system.particles):
            memory[:] = [*here]
            after = tuple(simulation.what_if(particle)[0].tolist())
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def test_the_states_after_a_fault_are_those_that_follow_from_a_changed_one() -> None:
    shape, change = shapes.line(3), Change("state", 1)
    options: dict[str, Any] = {"algorithm": "erosion", "terminate": False, "setup": True}
    simulation = Simulation(shape, **options)
    memory = simulation.engine_run.memory
    clean = reachable(simulation, {tuple(memory.tolist())})
    starts = set()
    for state in clean:
        for unit in range(len(memory)):
            memory[:] = [*state]
            memory[change.field][unit] = change.value
            starts |= {tuple(memory.tolist())} - {state}
    assert verify(shape, **options).states == len(clean)
    report = verify(shape, corrupt="state=1", **options)
    assert report.exhausted
    assert report.states == len(clean) + len(reachable(simulation, starts))


def test_a_change_that_changes_nothing_loses_nothing() -> None:
    report = corrupted("frozen=0")
    assert set(report.verdicts.values()) == {HOLDS}
    assert report.states == verify("line:2", almost_sure=False, terminate=False).states


def test_the_schedule_of_a_lost_promise_can_be_replayed(tmp_path: Path) -> None:
    report = corrupted("leader=1")
    assert report.exhausted
    assert report.verdicts[TWO] == VIOLATED
    example = report.counterexample
    assert example is not None
    assert example.property == TWO
    example.save(tmp_path / "run.json")
    simulation = amoebot.load(tmp_path / "run.json")
    for _ in example.schedule:
        assert simulation.memory["leader"].sum() < 2
        simulation.step()
    assert simulation.memory["leader"].sum() == 2


def test_what_holds_all_the_same_is_said() -> None:
    report = corrupted("head=1")
    assert report.verdicts[TWO] == report.verdicts[REVOKED] == HOLDS
    assert "not decided" in report.verdicts.values()  # hidden by what is violated in its states


def test_a_property_of_ones_own_is_decided() -> None:
    def few_heads(world):  # type: ignore[no-untyped-def]
        """At most one agent is a head."""
        return world.memory["head"].sum() <= 1

    report = verify("line:2", corrupt="head=1", properties=[few_heads], terminate=False)
    assert report.verdicts["At most one agent is a head"] == VIOLATED


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("head", "'head' is not a field and its value: write leader=1"),
        ("haed=1", "haed=1: there is no field haed; a memory has oldest, "),
        ("head=256", "head=256: head can be 0 to 255"),
        ("candidacy=1", "candidacy=1: candidacy has fields: "),
        ("head=" + "9" * 40, "is not a field and its value"),
    ],
)
def test_what_is_no_change_is_refused(change: str, words: str) -> None:
    with pytest.raises(FaultError, match=words):
        corrupted(change)


def test_the_command_says_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = ask("verify", "line:2", "--whp", "--corrupt", "leader=1")
    assert answer.status == 1
    assert "never two leaders" in answer.out
    assert "leader=1" in answer.out.replace("\n", " ")
    assert "Not decided: where one property" in answer.out
    assert (tmp_path / "counterexample.json").exists()
    check_refusal(ask("verify", "line:2", "--whp", "--corrupt", "no=1"))
    check_refusal(ask("verify", "line:2", "--worst", "--corrupt", "leader=1"))
