"""Runs under monitors, of any election."""

from __future__ import annotations

import re
from typing import Any

import pytest

from amoebot import Rules, Simulation, shapes
from amoebot.algorithms.candidacy import OUTER
from amoebot.verify import watch
from amoebot.verify.watching import OneLeader, monitors_of
from helpers import interpreted, looking


@pytest.mark.parametrize(
    "options",
    [{}, {"almost_sure": False, "terminate": False}, {"algorithm": "erosion"}],
    ids=["default", "whp", "erosion"],
)
def test_watching_changes_nothing(options: dict[str, Any]) -> None:
    watched, alone = (Simulation(shapes.hexagon(3), 3, **options) for _ in range(2))
    result, findings = watch(watched)
    assert result == alone.run()
    if watched.terminate:  # otherwise its last round is completed
        assert looking.contents(watched) == looking.contents(alone)
    assert len(findings) == len(monitors_of(watched))
    assert findings[0].holds is True


def test_a_second_leader_is_noticed_after_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some declare themselves long after the run has its leader, and on inner boundaries too."""
    run = Simulation(shapes.annulus(3, 1), 1, almost_sure=False, terminate=False)
    declared = run.run().rounds
    later = max(declared + 1, 3 * declared // 2)
    assert later < 2 * declared
    goto = Simulation.goto

    def go_and_declare(simulation: Simulation, rounds: int, position: int = 0) -> None:
        goto(simulation, min(rounds, later), position)
        inner = simulation.system.boundaries[1].first
        simulation._run.state.world.memory[inner]["candidacy"]["stage"] = OUTER
        goto(simulation, rounds, position)

    monkeypatch.setattr(Simulation, "goto", go_and_declare)
    result, findings = watch(run, [OneLeader()])
    assert (result.leaders, result.rounds) == (2, declared)
    assert findings[0].holds is False


@pytest.mark.slow
@pytest.mark.parametrize("terminate", [False, True])
def test_a_leader_at_a_hole_is_noticed(terminate: bool) -> None:
    """A short inner boundary ends long before the outer one, whose leader comes much later."""
    rules = interpreted.RULES / "second_skips.py"
    run = Simulation("annulus:6,0", 1, rules=Rules.read(rules), terminate=terminate)
    result, findings = watch(run)
    told = {finding.claim: finding.holds for finding in findings}
    assert told["Section 2.6: a leader is on the outer boundary"] is False
    assert (result.rounds, result.leaders) == (31, 1 if terminate else 2)


class WithoutFinding:
    """A monitor that has nothing to say at the end."""

    def look(self, simulation: Simulation) -> None:
        """Look away."""


class WithoutLook(WithoutFinding):
    """A monitor whose method is a number."""

    look = 5  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("monitors", "words"),
    [
        (5, "monitors 5 is not a list of monitors"),
        ([5], "monitors: int has no method look()"),
        ([OneLeader], "monitors: OneLeader is a class; write OneLeader()"),
        ([OneLeader(), WithoutFinding()], "monitors: WithoutFinding has no method finding()"),
        ([WithoutLook()], "monitors: WithoutLook has no method look()"),
    ],
)
def test_what_is_no_monitor_is_refused_before_the_first_round(monitors: Any, words: str) -> None:
    run = Simulation(shapes.line(2))
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        watch(run, monitors)
    assert run.rounds == 0


def test_an_election_without_a_leader_is_not_judged() -> None:
    run = Simulation(shapes.annulus(1, 0), algorithm="erosion")
    result, findings = watch(run, {"one": OneLeader()}.values())
    assert result.outcome == "stuck"
    assert findings[0].holds is None


def test_a_round_limit_is_kept() -> None:
    run = Simulation(shapes.hexagon(4), 1, max_rounds=5)
    result, findings = watch(run)
    assert (result.outcome, result.rounds, run.rounds) == ("round-limit", 5, 5)
    assert findings[0].holds is None


def test_a_schedule_by_hand_ends_where_it_ends() -> None:
    run = Simulation(shapes.line(3), 1, [0, 1, 2] * 4)
    result, _ = watch(run)
    assert (result.outcome, run.activations) == ("round-limit", 12)


def test_a_run_can_be_stopped_by_its_progress_and_keeps_what_was_found() -> None:
    def stop(simulation: Simulation) -> None:
        if simulation.rounds == 3:
            raise TimeoutError

    result, findings = watch(Simulation(shapes.hexagon(3), 3), progress=stop)
    assert (result.outcome, result.rounds) == ("round-limit", 3)
    assert len(findings) == len(monitors_of(Simulation(shapes.hexagon(3), 3)))
