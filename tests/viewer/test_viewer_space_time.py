"""The boundary unrolled in a real browser: the whole run beside the lattice, and linked with it."""

from __future__ import annotations

import pytest

import amoebot
from amoebot import shapes
from amoebot.render.space_time import SpaceTime
from amoebot.viewer.diagram import COLUMNS, ROWS
from helpers.browsing import SEED, SHAPE, Tab


@pytest.fixture
def tab(tab: Tab) -> Tab:
    tab.click("space-time")
    tab.wait("app.spaceTime.done")
    return tab


def spot(tab: Tab, agent: int, rounds: int) -> tuple[float, float]:
    """Return where an agent and a round are on the screen."""
    x, y = tab.page.evaluate(
        """([agent, round]) => {
            const { spaceTime, stage } = amoebot.app;
            const { left, top, width, height } = spaceTime.box();
            const box = spaceTime.canvas.getBoundingClientRect();
            return [box.left + left + (width * (agent + 0.5)) / stage.agents,
                box.top + top + (height * round) / spaceTime.last];
        }""",
        [agent, rounds],
    )
    return x, y


def test_the_page_knows_what_python_records(tab: Tab) -> None:
    recorded = SpaceTime(amoebot.Simulation(shapes.parse(SHAPE), seed=SEED), COLUMNS, ROWS)
    recorded.run()
    assert tab.page.evaluate("amoebot.app.spaceTime.rounds") == recorded.rounds
    theirs = tab.page.evaluate("amoebot.app.spaceTime.rows.map((row) => [...row])")
    assert theirs == [row.ravel().tolist() for row in recorded.rows]


def test_the_present_moment_is_a_row_of_the_diagram(tab: Tab) -> None:
    for rounds in (2, 20):
        tab.seek(rounds)
        assert tab.page.evaluate(
            """round => {
                const { spaceTime: { present, rows, columns }, moment } = amoebot.app;
                const row = present.row(moment, columns);
                return rows[round].every((share, i) => share === row[i]);
            }""",
            rounds,
        )


def test_what_is_pointed_at_in_one_is_shown_in_the_other(tab: Tab) -> None:
    system = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED).system
    nothing = tab.picture()
    tab.page.mouse.move(*spot(tab, 7, 30))
    tab.wait(
        "app.pointed.agent === 7 && app.pointed.particle === given[0]", int(system.particle[7])
    )
    assert tab.picture() != nothing
    before = tab.page.evaluate("amoebot.app.spaceTime.canvas.toDataURL()")
    tab.page.mouse.move(*tab.place(4))
    tab.wait("app.pointed.particle === 4")
    tab.picture()
    assert tab.page.evaluate("amoebot.app.spaceTime.canvas.toDataURL()") != before


def test_a_click_goes_to_the_round_and_selects_the_particle(tab: Tab) -> None:
    system = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED).system
    tab.page.mouse.click(*spot(tab, 5, 33))
    tab.wait_for(33)
    assert f"Particle {int(system.particle[5])}" in tab.text("inspect")


def test_another_run_has_another_diagram(tab: Tab) -> None:
    tab.page.evaluate("amoebot.maker.follow('#shape=hexagon:2&algorithm=erosion')")
    tab.wait("app.stage.name === 'hexagon:2' && app.spaceTime.done")
    last = amoebot.elect(shapes.hexagon(2), algorithm="erosion").rounds_terminated
    assert tab.page.evaluate("amoebot.app.spaceTime.rounds.at(-1)") == last
    tab.click("space-time")
    assert not tab.page.is_visible("[data-test=diagram]")
