"""The viewer in a browser: time, keys, scale, strangers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import shapes
from helpers.browsing import SEED, SHAPE, Tab, simulation_at


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


@pytest.mark.compiled
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
