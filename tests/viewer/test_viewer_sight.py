"""What the page shows: layers, colours, a particle's memory, elections on nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import amoebot
from helpers.browsing import Tab, simulation_at


def test_layers_suit_the_phase_until_they_are_switched_by_hand(tab: Tab) -> None:
    def on(layer: str) -> bool:
        return bool(tab.page.is_checked(f"[data-layer={layer}]"))

    tab.seek(2)
    tab.wait("app.moment.phase === 2")
    tab.picture()
    assert (on("setup"), on("extended")) == (True, False)
    with_bonds = tab.picture()
    tab.page.uncheck("[data-layer=bonds]")
    assert tab.picture() != with_bonds
    tab.page.click("text=suit the phase")
    assert tab.picture() == with_bonds


def test_dark_and_light_differ_and_are_remembered(tab: Tab) -> None:
    light = tab.picture()
    tab.click("theme")
    assert tab.picture() != light
    tab.page.reload()
    tab.page.wait_for_selector("[data-theme=dark]")


#: Paint as a frame does, and once more with nothing kept: the two pictures.
KEPT_AND_ANEW = """() => {
  const { app } = amoebot, pictures = [];
  for (const anew of [false, true]) {
    if (anew) app.backdrop.key = app.charts.backdrop.key = [];
    if (anew) app.marks.afar.view = "";
    app.paint();
    pictures.push([app.canvas, app.charts.canvas].map((canvas) => canvas.toDataURL()).join());
  }
  return pictures;
}"""


def rounds_with_withdrawals(run: str) -> list[int]:
    shape, _, algorithm = run.partition("&algorithm=")
    simulation, found = amoebot.Simulation(shape, seed=2, algorithm=algorithm or "improved"), []
    while not simulation.finished:
        before = simulation.candidates
        simulation.round()
        if simulation.candidates < before:
            found.append(simulation.rounds)
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("run", ["hexagon:4", "comb:30,30", "hexagon:3&algorithm=erosion"])
def test_what_is_kept_from_frame_to_frame_is_never_out_of_date(
    browser: Any, address: str, run: str
) -> None:
    tab = Tab(browser, f"{address}#shape={run}&seed=2")
    tab.wait("app.survey")
    last = int(tab.page.evaluate("amoebot.app.survey.rounds"))
    seen = set()

    def look() -> None:
        kept, anew = tab.page.evaluate(KEPT_AND_ANEW)
        assert kept == anew
        seen.add(kept)

    for _ in range(12):  # of which only what changes is sent
        tab.page.evaluate("() => amoebot.app.player.step('rounds')")
        look()
    for rounds in (0, last // 3, last // 2, last - 1, last):
        tab.page.evaluate("rounds => amoebot.app.player.seek(rounds)", rounds)
        look()
    if "algorithm" not in run:  # or the layer whose bands end at candidates comes when few are left
        tab.page.check("[data-layer=extended]")
    for rounds in rounds_with_withdrawals(run)[-3:]:
        tab.page.evaluate("rounds => amoebot.app.player.seek(rounds)", rounds - 1)
        look()
        tab.page.evaluate("() => amoebot.app.player.step('rounds')")
        look()
    for layer in ("particles", "bonds", "boundaries"):
        tab.page.uncheck(f"[data-layer={layer}]")
        look()
    tab.click("theme")
    look()
    tab.page.mouse.move(500, 300)
    for delta in (-300, -600, 400):
        tab.zoom(delta)
        look()
    tab.page.evaluate("() => { amoebot.app.camera.x += 1.3; }")
    look()
    tab.page.set_viewport_size({"width": 900, "height": 700})
    tab.wait("innerWidth === 900 && app.camera.width === app.canvas.clientWidth")
    look()
    tab.seek(last // 2)
    look()
    assert len(seen) > 12
    tab.close()


def test_a_click_shows_a_particle_s_memory(tab: Tab) -> None:
    tab.seek(25)
    simulation = simulation_at(25)
    agent = 4
    particle = int(simulation.system.particle[agent])
    tab.page.mouse.click(*tab.place(particle))
    shown = tab.text("inspect")
    assert f"Particle {particle}" in shown
    assert f"agent {agent}" in shown
    pairs = tab.page.evaluate(
        "[...document.querySelectorAll('[data-test=inspect] article:first-of-type dt')]"
        ".map(dt => [dt.textContent, dt.nextSibling.textContent])"
    )
    lanes = dict(reversed(pairs))
    memory = simulation.memory[agent]
    assert lanes["digit"] == str(memory["digit"])
    assert lanes["digit of reversed copy"] == str(memory["reversed_digit"])
    assert lanes["agent"].startswith("inactive" if memory["inactive"] else "active")
    held = str(memory["oldest"] & 255) if memory["oldest"] else "none"
    assert lanes["oldest digit token"].split(",")[0] == held


def test_what_it_would_do_is_what_it_does_when_activated(tab: Tab) -> None:
    simulation = simulation_at(0)
    tab.page.mouse.click(*tab.place(2))
    tab.page.wait_for_selector("[data-test=what-if] >> text=/heads|tails/")
    promised = tab.text("what-if")
    tab.click("activate")
    tab.wait("app.moment.activations === 1 && app.moment.byHand")
    simulation.activate(2)
    agent = int(simulation.system.first_agent[2])
    heads = bool(simulation.memory["head"][agent])
    assert ("It flips heads" in promised) == heads
    assert tab.field(agent, "head") == heads
    assert "by hand" in tab.text("readout")


def test_a_run_by_hand_is_saved_and_opened_again(tab: Tab, tmp_path: Path) -> None:
    tab.seek(3)
    tab.page.mouse.click(*tab.place(5))
    for count in (1, 2, 3):
        tab.click("activate")
        tab.wait("app.moment.byHand && app.moment.position === given[0]", count)
    tab.page.keyboard.press("Escape")
    here = tab.picture()
    with tab.page.expect_download() as download:
        tab.click("save-run")
    file = tmp_path / "mine.json"
    download.value.save_as(file)
    saved = json.loads(file.read_text())
    assert (saved["by_hand_from"], saved["schedule"]) == ([3, 0], [5, 5, 5])
    tab.page.evaluate("amoebot.maker.follow('#shape=line:4')")
    tab.wait("app.stage.name === 'line:4'")
    tab.page.set_input_files("[data-test=file]", file)
    tab.wait("app.stage.by_hand === 3 && app.moment.round === 0")
    tab.seek(3)
    for _ in range(3):
        tab.press("ArrowRight")
    assert tab.picture() == here


def test_a_counterexample_is_replayed(tab: Tab, tmp_path: Path) -> None:
    schedule = [0, 1, 2, 0, 1, 2, 2, 1]
    content = {"shape": {"nodes": [[0, 0], [1, 0], [0, 1]]}, "seed": 2, "schedule": schedule}
    content |= {"options": {"almost_sure": False, "terminate": False, "radix": 2}}
    content |= {"coins": [[0], [1]], "property": "exactly one leader"}
    file = tmp_path / "counterexample.json"
    file.write_text(json.dumps(content))
    tab.page.set_input_files("[data-test=file]", file)
    tab.wait("app.stage.by_hand === given[0] && !app.notice.hidden", len(schedule))
    assert "exactly one leader" in tab.text("notice")
    for number, particle in enumerate(schedule, start=1):
        tab.press("ArrowRight")
        assert tab.page.evaluate("amoebot.app.moment.activations") == number
        assert tab.page.evaluate("amoebot.app.moment.latest") == particle


def test_an_election_on_nodes_is_watched_read_and_activated(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}#shape=hexagon:2&seed=1&algorithm=erosion")
    shown = [box.get_attribute("data-layer") for box in tab.page.locator("[data-layer]").all()]
    assert shown == ["bonds", "particles", "termination", "boundaries", "states", "leader"]
    tab.seek(1)
    first = tab.picture()
    inside = 9  # the middle of the hexagon, which is on no boundary
    tab.page.mouse.click(*tab.place(inside))
    assert "candidate" in tab.text("inspect")
    tab.page.wait_for_selector("[data-test=what-if] >> text=Nothing")
    tab.page.mouse.click(*tab.place(0))
    tab.page.wait_for_selector("[data-test=what-if] >> text=It erodes")
    tab.click("activate")
    tab.wait("app.moment.byHand && app.moment.position === 1")
    assert tab.field(0, "state") == 2
    tab.page.keyboard.press("Escape")
    assert tab.picture() != first
    tab.click("leader")
    tab.wait("app.moment.outcome === 'leader'")
    tab.close()


def test_a_run_that_ends_without_a_leader_says_why(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}#shape=annulus:2,0&seed=1&algorithm=erosion")
    tab.click("leader")
    tab.wait("app.moment.outcome === 'stuck' && app.player.until === null")
    assert "none of the candidates that are left can erode" in tab.text("readout")
    tab.close()


#: The picture, the one shown while the window changes its size, and an empty one.
BEFORE_AND_AFTER_ANOTHER_SIZE = """() => {
  const { app } = amoebot, pictures = [];
  const paint = () => { app.paint(); pictures.push(app.canvas.toDataURL()); };
  app.resized(); // what the page has last added may have changed it already
  app.sketch.moving = false;
  paint();
  app.resized();
  paint();
  app.canvas.width = app.canvas.width;
  return [...pictures, app.canvas.toDataURL()];
}"""


@pytest.mark.compiled
def test_thirty_thousand_nodes_are_drawn_from_afar_and_from_near(
    browser: Any, address: str
) -> None:
    tab = Tab(browser, f"{address}#shape=hexagon:100&algorithm=erosion&round=3")
    drawn, resized, blank = tab.page.evaluate(BEFORE_AND_AFTER_ANOTHER_SIZE)
    assert drawn == resized != blank
    pictures = {tab.picture()}
    tab.page.mouse.move(600, 300)
    for _ in range(7):
        tab.zoom(-300)
        pictures.add(tab.picture())
    tab.wait("app.camera.scale > 30")
    assert len(pictures) == 8
    tab.close()
