"""The viewer in a real browser: what a reader does, and what strangers try."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import jit, runs, shapes
from amoebot.options import Options
from amoebot.viewer import film_page
from amoebot.viewer.bundle import Look, bundle, style
from amoebot.viewer.session import Session
from helpers.browsing import SEED, SHAPE, Tab

compiled = pytest.mark.skipif(jit.INTERPRETED, reason="too slow without the compiler")


def simulation_at(rounds: int, position: int = 0) -> amoebot.Simulation:
    simulation = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED)
    simulation.goto(rounds, position)
    return simulation


# Loading, and time.


def test_the_page_loads_and_asks_nobody_else(tab: Tab, address: str) -> None:
    assert SHAPE in tab.page.inner_text(".title")
    assert tab.moment() == (0, 0)
    assert tab.page.locator("[data-layer]").count() == 16
    assert all(url.startswith((address, "data:")) for url in tab.asked)


def test_whoever_waits_for_the_first_answer_is_told(browser: Any, address: str) -> None:
    """A server that has just been started takes its time: the page was empty meanwhile."""
    tab, held = Tab(browser), list[Any]()

    def hold(here: Any) -> None:
        here.connect_to_server().on_message(lambda answer: held.append((here, answer)))

    tab.page.route_web_socket("**/live", hold)
    tab.page.goto(address)
    tab.page.wait_for_selector("[data-test=notice]:not([hidden])")
    assert "Opening the run" in tab.text("notice")
    while tab.page.get_attribute("body", "data-ready") is None:
        while held:
            here, answer = held.pop(0)
            here.send(answer)
        tab.page.wait_for_timeout(20)
    assert tab.page.is_hidden("[data-test=notice]")
    tab.close()


def test_play_goes_on_and_pause_stops(tab: Tab) -> None:
    tab.page.fill("[data-test=speed]", "12")
    tab.click("play")
    tab.wait("app.moment.round > 5")
    tab.click("play")
    tab.wait("!app.player.playing && !app.player.busy")
    where = tab.moment()
    tab.page.wait_for_timeout(100)
    assert tab.moment() == where


#: Play fast while each answer comes late; note what is asked, and which moments are shown.
PLAY_LATE = """async (milliseconds) => {
  const { app, source } = amoebot, { player } = app, ask = source.ask.bind(source), shown = [];
  const late = () => new Promise((next) => setTimeout(next, milliseconds));
  let underWay = 0, most = 0, asked = 0;
  source.ask = async (request) => {
    if (!["step", "goto"].includes(request.do)) return ask(request);
    most = Math.max(most, ++underWay);
    asked++;
    const answer = await ask(request);
    await late();
    underWay--;
    return answer;
  };
  app.onmoment = () => shown.push(app.moment.round);
  app.timebar.setSpeed(12);
  player.play();
  while (app.moment.round < 30) await late();
  player.pause();
  const before = asked;
  await player.seek(3);
  delete source.ask;
  app.onmoment = () => {};
  return { shown, most, after: asked - before, left: underWay };
}"""


@pytest.mark.parametrize("late", [1, 150])
def test_a_late_answer_is_waited_for_and_the_last_jump_wins(tab: Tab, late: int) -> None:
    found = tab.page.evaluate(PLAY_LATE, late)
    assert found["most"] == 1
    *played, last = found["shown"]
    assert played == sorted(played), "in the order of the rounds"
    assert last == 3, "whoever jumps gets there, whatever else was under way"
    assert (found["after"], found["left"]) == (1, 0), "after a pause nothing more is asked for"
    assert tab.moment() == (3, 0)
    here = tab.picture()
    tab.seek(9)
    tab.seek(3)
    assert tab.picture() == here


@pytest.mark.parametrize("speed", ["5", "14"])
def test_the_slowest_and_the_fastest_run_reach_the_end(tab: Tab, speed: str) -> None:
    last = (amoebot.elect(shapes.parse(SHAPE), seed=SEED).rounds_terminated or 0) - 1
    tab.seek(last)
    tab.page.fill("[data-test=speed]", speed)
    tab.page.keyboard.press(" ")
    tab.wait("app.moment.finished && !app.player.playing")
    assert "leader elected" in tab.text("readout")


def test_a_step_back_leads_to_the_same_picture(tab: Tab) -> None:
    tab.seek(12)
    for forward, back in (
        ("ArrowRight", "ArrowLeft"),
        ("Shift+ArrowRight", "Shift+ArrowLeft"),
    ):
        here = tab.picture()
        tab.press(forward)
        assert tab.picture() != here
        tab.press(back)
        assert tab.moment() == (12, 0)
        assert tab.picture() == here


def test_the_slider_and_its_milestones_lead_to_their_rounds(tab: Tab) -> None:
    result = amoebot.elect(shapes.parse(SHAPE), seed=SEED)
    tab.wait("app.survey && app.survey.done")
    tab.seek(30)
    assert tab.page.evaluate("amoebot.app.moment.candidates") == simulation_at(30).candidates
    assert tab.page.get_attribute("[data-test=slider]", "max") == str(result.rounds_terminated)
    for name in ("last_rival_gone", "leader_declared"):
        tab.page.evaluate(f"document.querySelector('[data-milestone={name}]').click()")
        tab.wait_for(result.milestones[name] or 0)


def test_a_run_goes_to_the_next_phase_and_to_the_leader(tab: Tab) -> None:
    tab.click("phase")
    tab.wait("app.moment.phase === 2 && app.player.until === null")
    tab.click("phase")
    tab.wait("app.moment.phase === 3 && app.player.until === null")
    tab.click("leader")
    tab.wait("app.moment.outcome === 'leader' && app.player.until === null")
    assert tab.moment()[0] == amoebot.elect(shapes.parse(SHAPE), seed=SEED).rounds


def test_keys_fit_hide_and_help(tab: Tab) -> None:
    tab.page.keyboard.press("?")
    assert "one activation back" in tab.page.inner_text("dialog.help")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("h")
    assert not tab.page.is_visible(".left")
    tab.page.keyboard.press("h")
    tab.page.evaluate(
        "new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))"
    )
    scale = tab.page.evaluate("amoebot.app.camera.scale")
    tab.page.keyboard.press("+")
    assert tab.page.evaluate("amoebot.app.camera.scale") > scale
    tab.page.keyboard.press("f")
    assert tab.page.evaluate("amoebot.app.camera.scale") == pytest.approx(scale, rel=0.1)


# Sight.


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


@compiled
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
    for layer in ("particles", "bonds", "boundaries"):
        tab.page.uncheck(f"[data-layer={layer}]")
        look()
    tab.click("theme")
    look()
    tab.page.mouse.move(500, 300)
    for delta in (-300, -600, 400):
        tab.page.mouse.wheel(0, delta)
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


# Inspect, and by hand.


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


# Making.


def test_a_new_run_is_chosen_from_the_catalogue(tab: Tab) -> None:
    tab.click("new")
    tab.page.fill("[data-test=shape-text]", "hexagon:nonsense")
    tab.click("run-new")
    tab.page.wait_for_selector("dialog .wrong")
    tab.page.fill("[data-test=shape-text]", "comb:3,2")
    tab.page.fill("[data-test=seed]", "12")
    tab.page.select_option("[name=variant]", "whp")
    tab.page.select_option("[name=scheduler]", "with-cycle")
    tab.click("run-new")
    tab.wait("app.stage.name === 'comb:3,2'")
    assert tab.page.evaluate("amoebot.app.stage.options") == {
        "algorithm": "improved",
        "scheduler": "with-cycle",
        "almost_sure": False,
        "terminate": False,
        "radix": 16,
    }
    tab.wait("location.hash.includes('seed=12')")
    assert "scheduler=with-cycle&almost_sure=false&terminate=false" in tab.page.url


def test_the_dialog_has_the_options_of_each_election(tab: Tab) -> None:
    tab.click("new")
    assert tab.page.input_value("[name=variant]") == "full"
    tab.page.uncheck("[name=terminate]")
    assert tab.page.input_value("[name=variant]") == "almost-sure"
    tab.page.select_option("[name=variant]", "whp")
    assert not tab.page.is_checked("[name=almost_sure]")
    tab.page.select_option("[name=algorithm]", "erosion")
    assert tab.page.locator("[name=radix]").count() == 0
    tab.page.uncheck("[name=setup]")
    tab.page.fill("[data-test=shape-text]", "hexagon:2")
    tab.click("run-new")
    tab.wait("app.stage.title === 'Erosion'")
    options: dict[str, Any] = {"algorithm": "erosion", "scheduler": "permutation"}
    options |= {"setup": False, "terminate": True}
    assert tab.page.evaluate("amoebot.app.stage.options") == options
    tab.wait("location.hash.includes('algorithm=erosion&setup=false')")


# Elections on nodes.


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
    assert "stand around a hole" in tab.text("readout")
    tab.close()


@compiled
def test_thirty_thousand_nodes_are_drawn_from_afar_and_from_near(
    browser: Any, address: str
) -> None:
    tab = Tab(browser, f"{address}#shape=hexagon:100&algorithm=erosion&round=3")
    pictures = {tab.picture()}
    tab.page.mouse.move(600, 300)
    for _ in range(7):
        tab.page.mouse.wheel(0, -300)
        pictures.add(tab.picture())
    tab.wait("app.camera.scale > 30")
    assert len(pictures) == 8
    tab.close()


def test_a_shape_is_drawn_and_run_once_it_is_connected(tab: Tab) -> None:
    tab.click("draw")
    tab.click("clear")
    assert not tab.page.is_enabled("[data-test=run-shape]")
    tab.stroke((0, 0), (2, 0))
    assert "3 particles, connected" in tab.text("editor-status")
    tab.stroke((0, 2), (1, 2))
    assert "2 separate parts" in tab.text("editor-status")
    assert not tab.page.is_enabled("[data-test=run-shape]")
    tab.stroke((0, 1))
    assert tab.page.is_enabled("[data-test=run-shape]")
    tab.page.click("[data-tool=expand]")
    tab.stroke((2, 0), (3, 0))
    tab.stroke((1, 0), (1, 0))  # contracted already: nothing happens
    assert "6 particles, connected" in tab.text("editor-status")
    tab.page.click("[data-tool=erase]")
    tab.stroke((1, 2))
    tab.click("run-shape")
    tab.wait("app.stage.name === 'drawing' && app.stage.particles === 5")
    assert tab.page.evaluate("[...amoebot.app.stage.expanded].length") == 2
    tab.click("leader")
    tab.wait("app.moment.outcome === 'leader'")
    tab.wait("location.hash.startsWith('#run=') && location.hash.includes('&round=')")
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready=true]")
    tab.wait("app.stage.particles === 5 && app.moment.outcome === 'leader'")


def test_an_address_leads_to_the_same_moment(tab: Tab, browser: Any) -> None:
    tab.page.evaluate(
        "amoebot.maker.follow('#shape=tree:30&shape_seed=2&seed=18446744073709551615&radix=5')"
    )
    tab.wait("app.stage.name === 'tree:30'")
    tab.seek(7)
    tab.press("ArrowRight")
    tab.wait("location.hash.includes('round=7') && location.hash.includes('position=1')")
    other = Tab(browser, tab.page.url)
    other.wait_for(7, 1)
    assert other.picture() == tab.picture()
    assert "18446744073709551615" in tab.page.url
    other.close()


def test_the_title_says_which_run_it_is(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}#shape=line:4&seed=5&scheduler=uniform&radix=7&terminate=false")
    for words in (tab.page.inner_text(".title"), tab.page.title()):
        assert "seed 5 · Improved leader election · uniform · radix 7 · --no-terminate" in words
    tab.close()


def test_back_and_forward_go_through_runs(tab: Tab) -> None:
    tab.seek(4)
    tab.wait("location.hash.includes('round=4')")
    for shape in ("line:4", "line:5"):
        tab.page.evaluate(f"amoebot.maker.open({{do: 'open', run: {{shape: '{shape}'}}}})")
        tab.wait("app.stage.name === given[0] && location.hash.includes(given[0])", shape)
    tab.seek(2)
    tab.wait("location.hash.includes('round=2')")
    tab.page.go_back()
    tab.wait("app.stage.name === 'line:4'")
    tab.page.go_back()
    tab.wait("app.stage.name === 'annulus:3,1' && app.moment.round === 4")
    tab.page.go_forward()
    tab.page.go_forward()
    tab.wait("app.stage.name === 'line:5' && app.moment.round === 2")


def test_a_run_too_large_for_an_address_has_none(tab: Tab) -> None:
    tab.page.evaluate(
        """() => {
            const nodes = Array.from({ length: 20_000 }, (_, i) => [i, 0]);
            return amoebot.maker.open({ do: 'open', run: { shape: { nodes }, seed: 1 } });
        }"""
    )
    tab.wait("app.stage.particles === 20_000")
    tab.click("link")
    tab.page.wait_for_selector("text=too large for an address")
    assert tab.page.evaluate("location.hash") == ""


def test_buttons_pressed_while_a_run_is_opened_do_no_harm(tab: Tab) -> None:
    tab.page.evaluate(
        """() => {
            const { app, maker } = amoebot;
            const opening = maker.open({ do: 'open', run: { shape: 'hexagon:20', seed: 1 } });
            app.player.play();
            app.player.step('rounds');
            maker.open({ do: 'open', run: { shape: 'line:3' } });
            return opening;
        }"""
    )
    assert tab.page.evaluate("amoebot.app.stage.name") == "hexagon:20"
    tab.press("Shift+ArrowRight")
    assert tab.moment() == (1, 0)


def test_an_address_that_makes_no_sense_is_answered_with_a_reason(
    browser: Any, address: str
) -> None:
    tab = Tab(browser, f"{address}#shape=/etc/passwd")
    assert "not a known shape" in tab.text("notice")
    assert tab.page.evaluate("amoebot.app.stage.name") == SHAPE
    tab.close()


@pytest.mark.parametrize(
    ("algorithm", "phases"), [("improved", "123456"), ("erosion", "12"), ("segments-2015", "1234")]
)
def test_the_tour_leads_through_all_phases(tab: Tab, algorithm: str, phases: str) -> None:
    tab.page.evaluate(f"amoebot.maker.follow('#shape=line:3&algorithm={algorithm}')")
    tab.wait("app.stage.name === 'line:3'")
    tab.click("tour-start")
    titles: list[str] = []
    while tab.page.is_visible("[data-test=tour]") or not titles:
        tab.page.wait_for_selector("[data-test=tour-next]")
        tab.wait("!app.player.busy")
        titles.append(tab.page.inner_text(".tour h2"))
        tab.click("tour-next")
        tab.page.wait_for_function(
            "title => document.querySelector('.tour h2')?.textContent !== title", arg=titles[-1]
        )
    numbers = [title[0] for title in titles if title[0].isdigit()]
    assert numbers == list(phases)
    tab.wait("app.stage.name === 'line:3'")  # the reader's own run is there again


# Two elections side by side.

WHERE = "[amoebot.app, beside.app].map(({ moment }) => [moment.round, moment.finished])"


def check_in_step(tab: Tab) -> None:
    """Move either election in time, and see the other one follow."""
    last = amoebot.elect(shapes.hexagon(2), seed=1, algorithm="erosion").rounds_terminated
    tab.page.evaluate("amoebot.app.player.seek(3)")
    tab.page.wait_for_function(f"() => {WHERE}.every(([round]) => round === 3)")
    tab.page.evaluate("beside.app.player.seek(5)")
    tab.page.wait_for_function(f"() => {WHERE}.every(([round]) => round === 5)")
    tab.page.evaluate(  # the one that follows is moved on before it has arrived
        """async () => {
            await beside.app.player.ask({ do: "goto", round: 2, position: 0 });
            amoebot.app.player.seek(4);
        }"""
    )
    tab.page.wait_for_function(f"() => {WHERE}.every(([round]) => round === 4)")
    tab.page.evaluate("amoebot.app.player.seek(40)")  # where erosion has ended long ago
    tab.page.wait_for_function(f"() => {WHERE}[0][0] === 40 && {WHERE}[1][1]")
    assert last is not None
    assert last - 1 <= tab.page.evaluate(WHERE)[1][0] <= last


@compiled
def test_two_elections_beside_each_other_are_in_step(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}#shape=hexagon:2&seed=1&beside=erosion")
    tab.page.wait_for_function("() => globalThis.beside?.app.moment")
    assert [text.partition(" ")[0] for text in tab.page.locator(".title").all_inner_texts()] == [
        *("hexagon:2", "hexagon:2")
    ]
    check_in_step(tab)
    tab.wait("location.hash.endsWith('beside=erosion')")
    tab.page.locator("[data-test=menu]").first.click()
    tab.page.select_option("[data-test=beside]", "")
    tab.page.wait_for_function("() => document.querySelectorAll('.amoebot').length === 1")
    tab.close()


@compiled
def test_a_film_of_two_elections_is_in_step(browser: Any, tmp_path: Path) -> None:
    one = amoebot.Simulation(shapes.hexagon(2), seed=1)
    other = amoebot.Simulation(shapes.hexagon(2), seed=1, algorithm="erosion")
    last = one.run().rounds_terminated or 0
    file = tmp_path / "both.html"
    file.write_text(film_page.document(one, last, beside=other), encoding="utf-8")
    film = Tab(browser, file.as_uri())
    check_in_step(film)
    film.close()


# The film, and the notebook.


def test_a_film_from_the_disk_replays_the_run(browser: Any, tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED)
    last = simulation.run().rounds_terminated or 0
    file = tmp_path / "film.html"
    file.write_text(film_page.document(simulation, last), encoding="utf-8")
    film = Tab(browser, file.as_uri())
    film.seek(20)
    here = film.picture()
    film.press("ArrowRight")
    assert film.moment() == (20, 1)
    film.press("ArrowLeft")
    assert film.picture() == here
    film.press("Shift+ArrowRight")
    film.press("Shift+ArrowLeft")
    assert film.picture() == here
    film.page.mouse.click(*film.place(0))
    assert "Particle 0" in film.text("inspect")
    film.click("leader")
    film.wait("app.moment.outcome === 'leader'")
    film.page.fill("[data-test=speed]", "14")
    film.click("play")
    film.wait("app.moment.finished && !app.player.playing")
    assert film.asked == [file.as_uri()]
    film.close()


def test_a_film_looks_as_it_was_asked_to(browser: Any, tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.hexagon(1), seed=1)
    file = tmp_path / "film.html"
    look = Look(dark=True, show=("reversed",), hide=("bonds",))
    file.write_text(film_page.document(simulation, 5, look=look), encoding="utf-8")
    film = Tab(browser, file.as_uri())
    assert film.page.get_attribute(".amoebot", "data-theme") == "dark"
    assert film.page.is_checked("[data-layer=reversed]")
    assert not film.page.is_checked("[data-layer=bonds]")
    film.close()


def test_a_film_shows_what_the_live_page_shows(browser: Any, tab: Tab, tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED)
    file = tmp_path / "film.html"
    file.write_text(film_page.document(simulation, 15, every=5), encoding="utf-8")
    film = Tab(browser, file.as_uri())
    tab.seek(10)
    film.seek(10)
    assert film.picture() == tab.picture()
    film.close()


#: What JupyterLab says of lists in the output of a cell.
JUPYTERLAB = """
.jp-OutputArea-output :is(dl, dt, dd) { display: block; padding: 0; margin: 0; }
.jp-OutputArea-output dt { font-weight: bold; float: left; width: 20%; }
.jp-OutputArea-output dd { float: left; width: 80%; }
"""


def test_the_notebook_s_view_plays(browser: Any, tmp_path: Path) -> None:
    session = Session(runs.Run(shapes.parse(SHAPE), Options(SEED)))
    tab = Tab(browser)
    tab.page.expose_function("askPython", lambda request: _for_javascript(session.answer(request)))
    script = bundle("widget").replace("export default { render };", "globalThis.view = { render };")
    # The tab's helpers look for the viewer where the page keeps it.
    script = script.replace("const app = new App(el,", "const app = globalThis.app = new App(el,")
    file = tmp_path / "notebook.html"
    file.write_text(
        f"<style>{style()}{JUPYTERLAB}</style><body data-jp-theme-light=false>"
        "<div class=jp-OutputArea-output style='width: 1050px'><div id=cell></div></div>"
        f"<script type=module>{script}</script>"
    )
    tab.page.goto(file.as_uri())
    tab.page.evaluate(
        """async () => {
            let hear;
            const model = {
                on: (name, listener) => { hear = listener; },
                send: async ({ to, number, request }) => {
                    const { text, bytes } = await askPython(request);
                    const view = bytes && Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));
                    const buffers = bytes ? [new DataView(view.buffer)] : [];
                    hear({ to, number, answer: text && JSON.parse(text) }, buffers);
                },
            };
            await view.render({ model, el: document.getElementById('cell') });
            globalThis.amoebot = { app: globalThis.app };
        }"""
    )
    assert tab.page.is_visible(".layers .mark")
    tab.seek(9)
    assert tab.moment() == (9, 0)
    tab.page.evaluate("app.select(3)")
    tab.page.wait_for_selector(".inspect dt", state="attached")
    weight = "getComputedStyle(document.querySelector('.inspect dt')).fontWeight"
    assert tab.page.evaluate(weight) == "400"
    assert tab.cut_off() == []
    tab.wait("app.dark")
    tab.page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    tab.wait("!app.dark")
    tab.page.fill("[data-test=speed]", "14")
    tab.click("play")
    tab.wait("app.moment.finished")
    session.close()
    tab.close()


def _for_javascript(answer: bytes | dict[str, Any]) -> dict[str, str]:
    if isinstance(answer, bytes):
        return {"bytes": base64.b64encode(answer).decode()}
    return {"text": json.dumps(answer)}


# Scale.


#: How many pixels of the picture have each colour.
COLOURS = """() => {
    const { app } = amoebot, { canvas } = app, counts = {};
    app.paint();
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
        const value = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
        const colour = `#${value.toString(16).padStart(6, '0')}`;
        counts[colour] = (counts[colour] ?? 0) + 1;
    }
    return counts;
}"""


@compiled
def test_thirty_thousand_particles_are_drawn_and_played(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}#shape=hexagon:100")
    assert tab.page.evaluate("amoebot.app.stage.particles") == 30_301
    tab.seek(12)
    colours = tab.page.evaluate(COLOURS)
    for name in ("candidate", "setup"):  # dots of these are seen, and most of the picture is grey
        wanted = tab.page.evaluate("name => amoebot.app.colours[name]", name)
        assert colours.get(wanted, 0) > 200, name
    tab.page.uncheck("[data-layer=agents]")
    tab.picture()
    wanted = tab.page.evaluate("amoebot.app.colours.candidate")
    assert tab.page.evaluate(COLOURS).get(wanted, 0) < 20
    tab.page.check("[data-layer=agents]")
    tab.page.fill("[data-test=speed]", "14")
    tab.click("play")
    tab.wait("app.moment.round > 20")
    for _ in range(5):
        tab.page.mouse.move(600, 300)
        tab.page.mouse.wheel(0, -300)
    tab.wait("app.camera.scale > 9")
    tab.click("play")
    tab.wait("!app.player.playing")
    tab.close()


# Strangers.


def test_a_flood_of_nonsense_does_not_stop_the_viewer(tab: Tab) -> None:
    answers = tab.page.evaluate(
        """async () => {
            const socket = new WebSocket(`ws://${location.host}/live`);
            await new Promise((open) => { socket.onopen = open; });
            let answers = 0;
            const done = new Promise((all) => {
                socket.onmessage = ({ data }) => {
                    if (JSON.parse(data).kind === 'error' && ++answers === 3000) all();
                };
            });
            for (let i = 0; i < 3000; i++) socket.send(i % 2 ? 'nonsense' : '{"do": "nonsense"}');
            await done;
            socket.close();
            return answers;
        }"""
    )
    assert answers == 3000
    tab.seek(5)


def test_a_page_from_elsewhere_cannot_connect(browser: Any, address: str, tmp_path: Path) -> None:
    file = tmp_path / "evil.html"
    file.write_text("<p>evil")
    tab = Tab(browser)
    tab.page.goto(file.as_uri())
    outcome = tab.page.evaluate(
        """address => new Promise((tell) => {
            const socket = new WebSocket(address);
            socket.onopen = () => tell('let in');
            socket.onerror = () => tell('refused');
        })""",
        f"{address.replace('http', 'ws')}live",
    )
    assert outcome == "refused"
    tab.close()


def test_two_tabs_do_not_disturb_each_other(tab: Tab, browser: Any, address: str) -> None:
    tab.seek(8)
    here = tab.picture()
    other = Tab(browser, f"{address}#shape=line:6&seed=1")
    other.seek(20)
    assert tab.picture() == here
    other.close()
    tab.press("Shift+ArrowRight")
    assert tab.moment() == (9, 0)
