"""The monitors: they hold on real runs, and notice when a claim does not."""

from __future__ import annotations

import pytest

from amoebot import Simulation, shapes
from amoebot.engine import SCHEDULERS
from amoebot.verify import monitors


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("name", ["hexagon:12", "line:40", "annulus:8,4", "tree:60"])
def test_every_claim_holds_under_every_scheduler(name: str, scheduler: str) -> None:
    for seed in range(3):
        run = Simulation(shapes.parse(name, seed=seed), seed, scheduler)
        watching = monitors.all_monitors()
        result = monitors.watch(run, watching)
        findings = [monitor.finding(result) for monitor in watching]
        unique = findings[2].holds
        for finding in findings:
            assert finding.holds in ((True, None) if unique else (True, None, False)), finding
        assert findings[0].holds
        assert findings[3].holds


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
