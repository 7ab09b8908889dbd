"""Films, two elections side by side, and the view in a notebook."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import runs, shapes
from amoebot.options import Options
from amoebot.viewer import film_page
from amoebot.viewer.bundle import Look, bundle, style
from amoebot.viewer.session import Session
from helpers.browsing import SEED, SHAPE, Tab

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


@pytest.mark.compiled
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


@pytest.mark.compiled
def test_a_film_of_two_elections_is_in_step(browser: Any, tmp_path: Path) -> None:
    one = amoebot.Simulation(shapes.hexagon(2), seed=1)
    other = amoebot.Simulation(shapes.hexagon(2), seed=1, algorithm="erosion")
    last = one.run().rounds_terminated or 0
    file = tmp_path / "both.html"
    file.write_text(film_page.document(one, last, beside=other), encoding="utf-8")
    film = Tab(browser, file.as_uri())
    check_in_step(film)
    film.close()


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
