"""The monitors: they hold on real runs, and notice when a claim does not."""

from __future__ import annotations

import pytest

from amoebot import Simulation, shapes
from amoebot.engine import SCHEDULERS
from amoebot.verify import monitors


@pytest.mark.paper("Lemmas 1 to 8", "Theorem 2")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("name", ["hexagon:12", "line:40", "annulus:8,4", "tree:60"])
def test_every_claim_holds_under_every_scheduler(name: str, scheduler: str) -> None:
    for seed in range(3):
        run = Simulation(shapes.parse(name, seed=seed), seed, scheduler)
        watching = monitors.all_monitors()
        result = monitors.watch(run, watching)
        findings = [monitor.finding(result) for monitor in watching]
        # What is claimed with high probability need not hold, or be told, on a small system.
        surely = [0, 3, 5, 7] if findings[2].holds else [0, 3]
        for finding in (findings[place] for place in surely):
            assert finding.holds is True, finding
        for finding in (findings[place] for place in (4, 6)):
            assert finding.holds is not False, finding


def test_every_claim_is_judged_on_a_large_run() -> None:
    run = Simulation(shapes.hexagon(20), 1)
    watching = monitors.all_monitors()
    result = monitors.watch(run, watching)
    assert [monitor.finding(result).holds for monitor in watching] == 8 * [True]


@pytest.mark.parametrize(("name", "seed"), [("triangle:8", 990), ("line:11", 848)])
def test_tokens_that_the_stop_token_halts_are_not_late(name: str, seed: int) -> None:
    """Once, digit tokens were held to their pace after the first algorithm had been stopped."""
    watching: list[monitors.Monitor] = [monitors.DigitTokenSteps()]
    result = monitors.watch(Simulation(shapes.parse(name), seed), watching)
    assert watching[0].finding(result).holds is not False


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
    watching: list[monitors.Monitor] = [broken()]
    result = monitors.watch(Simulation(shapes.hexagon(20), 1), watching)
    assert watching[0].finding(result).holds is False


@pytest.mark.parametrize("name", ["line:1", "line:2", "line:3", "triangle:2", "hexagon:1"])
def test_nothing_is_claimed_wrongly_on_tiny_systems(name: str) -> None:
    for seed in range(20):
        watching = monitors.all_monitors()
        result = monitors.watch(Simulation(shapes.parse(name), seed), watching)
        findings = [monitor.finding(result) for monitor in watching]
        for place in (0, 3, 4, 5, 6, 7):
            assert findings[place].holds is not False, (seed, findings[place])


def test_watching_changes_nothing() -> None:
    watched, alone = (Simulation(shapes.hexagon(6), 3) for _ in range(2))
    assert monitors.watch(watched, monitors.all_monitors()) == alone.run()


class Stalled(monitors.DigitTokenSteps):
    """Counts from a round that has not come yet, as if tokens had stood still before."""

    def look(self, simulation: Simulation) -> None:
        super().look(simulation)
        if self.began is not None and simulation.rounds == self.began:
            self.began -= 3


def test_a_token_that_falls_behind_is_noticed() -> None:
    run = Simulation(shapes.hexagon(6), 3, "with-cycle", almost_sure=False, terminate=False)
    watching: list[monitors.Monitor] = [Stalled()]
    assert watching[0].finding(monitors.watch(run, watching)).holds is False


def test_a_tie_is_noticed() -> None:
    for seed in range(50):
        run = Simulation(shapes.line(4), seed, radix=2)
        watching: list[monitors.Monitor] = [monitors.UniqueHighestIdentifier()]
        finding = watching[0].finding(monitors.watch(run, watching))
        if finding.holds is False:
            return
    pytest.fail("no tie in fifty runs")
