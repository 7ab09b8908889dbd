"""The monitors: they hold on real runs, and notice when a claim does not."""

from __future__ import annotations

import pytest

from amoebot import Simulation, shapes
from amoebot.algorithms.description import Finding, Monitor
from amoebot.algorithms.improved import monitors
from amoebot.engine.names import SCHEDULERS
from amoebot.verify import watch


def found(run: Simulation, *watching: Monitor) -> list[Finding]:
    """Run to the end; return what these monitors found, or all of the election."""
    chosen = watching or [monitor() for monitor in monitors.MONITORS]
    return watch(run, chosen)[1]


@pytest.mark.paper("Lemmas 1 to 8", "Theorem 2")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("name", ["hexagon:12", "line:40", "annulus:8,4", "tree:60"])
def test_every_claim_holds_under_every_scheduler(name: str, scheduler: str) -> None:
    for seed in range(3):
        findings = found(Simulation(shapes.parse(name, seed=seed), seed, scheduler))
        # What is claimed with high probability need not hold, or be told, on a small system.
        surely = [0, 3, 5, 7, 8] if findings[2].holds else [0, 3]
        for finding in (findings[place] for place in surely):
            assert finding.holds is True, finding
        for finding in (findings[place] for place in (4, 6)):
            assert finding.holds is not False, finding


def test_every_claim_is_judged_on_a_large_run() -> None:
    findings = found(Simulation(shapes.hexagon(20), 1))
    assert [finding.holds for finding in findings] == 9 * [True]


@pytest.mark.parametrize(("name", "seed"), [("triangle:8", 990), ("line:11", 848)])
def test_tokens_that_the_stop_token_halts_are_not_late(name: str, seed: int) -> None:
    """Once, digit tokens were held to their pace after the first algorithm had been stopped."""
    (finding,) = found(Simulation(shapes.parse(name), seed), monitors.DigitTokenSteps())
    assert finding.holds is not False


@pytest.mark.parametrize(
    ("broken", "constant"),
    [
        (monitors.IdentifierSetupTime, "FACTOR"),
        (monitors.SolitudeVerificationTime, "FACTOR"),
        (monitors.LeaderTime, "FACTOR"),
        (monitors.LongestSegment, "FACTOR"),
    ],
)
def test_a_bound_that_is_too_tight_is_noticed(
    broken: type, constant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, constant, 0.01)
    monkeypatch.setattr(monitors.LeaderTime, "CONSTANT", 0)
    (finding,) = found(Simulation(shapes.hexagon(20), 1), broken())
    assert finding.holds is False


@pytest.mark.parametrize("name", ["line:1", "line:2", "line:3", "triangle:2", "hexagon:1"])
def test_nothing_is_claimed_wrongly_on_tiny_systems(name: str) -> None:
    for seed in range(20):
        findings = found(Simulation(shapes.parse(name), seed))
        for place in (0, 3, 4, 5, 6, 7):
            assert findings[place].holds is not False, (seed, findings[place])


class Stalled(monitors.DigitTokenSteps):
    """Counts from a round that has not come yet, as if tokens had stood still before."""

    def look(self, simulation: Simulation) -> None:
        super().look(simulation)
        if self.began is not None and simulation.rounds == self.began:
            self.began -= 3


def test_a_token_that_falls_behind_is_noticed() -> None:
    run = Simulation(shapes.hexagon(6), 3, "with-cycle", almost_sure=False, terminate=False)
    (finding,) = found(run, Stalled())
    assert finding.holds is False


def test_a_tie_is_noticed() -> None:
    for seed in range(50):
        run = Simulation(shapes.line(4), seed, radix=2)
        (finding,) = found(run, monitors.UniqueHighestIdentifier())
        if finding.holds is False:
            return
    pytest.fail("no tie in fifty runs")
