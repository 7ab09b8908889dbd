"""How tests drive a real browser: the system's Chromium, without any network of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import amoebot

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

#: Milliseconds to wait for what must happen; only a failing test waits that long.
PATIENCE = 30_000

#: The run that the tab of a test shows, unless it says otherwise.
SHAPE, SEED = "annulus:3,1", 3


def simulation_at(rounds: int, position: int = 0) -> amoebot.Simulation:
    """Return that run, at a moment."""
    simulation = amoebot.Simulation(SHAPE, seed=SEED)
    simulation.goto(rounds, position)
    return simulation


@contextmanager
def chromium() -> Iterator[Any]:
    """Provide a browser. In CI a missing one is a failure; elsewhere the test is skipped."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed")
        pytest.skip("chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Tab:
    """A page of the viewer, and what tests do with it."""

    def __init__(self, browser: Any, address: str = "", **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        if address:
            self.open(address)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("body[data-ready=true]")

    def close(self) -> None:
        self.context.close()
        assert self.errors == []

    def click(self, name: str) -> None:
        self.page.click(f"[data-test={name}]")

    def text(self, name: str) -> str:
        found: str = self.page.inner_text(f"[data-test={name}]")
        return found

    def moment(self) -> tuple[int, int]:
        data = self.page.evaluate(
            "() => ({...document.querySelector('[data-test=readout]').dataset})"
        )
        return int(data["round"]), int(data["position"])

    def wait(self, condition: str, *arguments: Any) -> None:
        """Wait until a JavaScript expression of ``app`` and the given arguments holds."""
        self.page.wait_for_function(
            f"given => {{ const app = amoebot.app; return {condition}; }}", arg=list(arguments)
        )

    def wait_for(self, rounds: int, position: int = 0) -> None:
        self.wait(
            "app.moment.round === given[0] && app.moment.position === given[1]", rounds, position
        )

    def seek(self, rounds: int) -> None:
        self.page.evaluate(
            """rounds => {
                const slider = document.querySelector('[data-test=slider]');
                slider.max = Math.max(slider.max, rounds);
                slider.value = rounds;
                slider.dispatchEvent(new Event('input', { bubbles: true }));
            }""",
            rounds,
        )
        self.wait_for(rounds)

    def press(self, key: str) -> None:
        """Press a key and wait until the moment has changed."""
        version = self.page.evaluate("amoebot.app.moment.version")
        self.page.keyboard.press(key)
        self.wait("app.moment.version > given[0] && !app.player.busy", version)

    def field(self, unit: int, path: str) -> int:
        """Return a field of a unit's memory as the page knows it."""
        found: int = self.page.evaluate(
            """([unit, path]) => {
                const { moment, stage } = amoebot.app, { bytes, at } = moment.record(unit);
                return stage.formats.unit.reader(path)(bytes, at);
            }""",
            [unit, path],
        )
        return found

    def picture(self) -> str:
        """Return the canvas as it is once everything has been painted."""
        found: str = self.page.evaluate(
            """async () => {
                const { app } = amoebot;
                app.paint();
                return app.canvas.toDataURL();
            }"""
        )
        return found

    def zoom(self, delta: int) -> None:
        """Turn the wheel where the mouse is, and wait until the page has heard of it."""
        scale = self.page.evaluate("amoebot.app.camera.scale")
        self.page.mouse.wheel(0, delta)
        self.wait("app.camera.scale !== given[0]", scale)

    def place(self, particle: int) -> tuple[float, float]:
        """Return where a particle is on the screen."""
        x, y = self.page.evaluate(
            """particle => {
                const { app } = amoebot, { stage } = app;
                const node = stage.particle_of_node.indexOf(particle);
                const box = app.canvas.getBoundingClientRect();
                const [x, y] = app.camera.screen(stage.px[node], stage.py[node]);
                return [box.left + x, box.top + y];
            }""",
            particle,
        )
        return x, y

    def spot(self, x: int, y: int) -> tuple[float, float]:
        """Return where a node of the lattice is on the screen."""
        px, py = self.page.evaluate(
            """([x, y]) => {
                const { app } = amoebot;
                const box = app.canvas.getBoundingClientRect();
                const [sx, sy] = app.camera.screen(x + y / 2, -y * Math.sqrt(0.75));
                return [box.left + sx, box.top + sy];
            }""",
            [x, y],
        )
        return px, py

    def stroke(self, *nodes: tuple[int, int]) -> None:
        """Draw with the mouse from node to node."""
        self.page.mouse.move(*self.spot(*nodes[0]))
        self.page.mouse.down()
        for node in nodes:
            self.page.mouse.move(*self.spot(*node), steps=3)
        self.page.mouse.up()

    def cut_off(self) -> list[str]:
        """Return what is shown and reaches beyond the window, or beyond what scrolls it."""
        found: list[str] = self.page.evaluate(
            """() => {
                const style = (element) => getComputedStyle(element);
                const scrolls = (element) =>
                    element.tagName === 'DIALOG' || /auto|scroll/.test(style(element).overflowY);
                const room = (element) => {
                    let at = element.parentElement;
                    while (at && !scrolls(at)) at = at.parentElement;
                    return at;
                };
                const top = document.querySelector('dialog[open]') ?? document.body;
                const kinds = 'button:not(.tick), input, select, label, p, h2, output, .readout *';
                return [...top.querySelectorAll(kinds)].filter((element) => {
                    const box = element.getBoundingClientRect(), at = room(element);
                    if (!box.width || !box.height) return false;
                    const frame = (at ?? document.documentElement).getBoundingClientRect();
                    const right = Math.min(frame.right, innerWidth);
                    const wide = box.left < frame.left - 1 || box.right > right + 1;
                    const high = !at && (box.top < -1 || box.bottom > innerHeight + 1);
                    const short = style(element).overflowX === 'hidden' &&
                        element.scrollWidth > element.clientWidth + 1;
                    return wide || high || short;
                }).map((element) => element.outerHTML.slice(0, 120));
            }"""
        )
        return found

    def overlapping(self) -> list[str]:
        """Return pairs of controls and texts that cover each other."""
        found: list[str] = self.page.evaluate(
            """() => {
                const scrolls = (element) =>
                    /auto|scroll/.test(getComputedStyle(element).overflowY);
                const kinds = 'button:not(.tick), input:not(.slider), select, output, p, h2, h3, ' +
                    '.readout, .picture, .space-time, .charts';
                const shown = [...document.querySelectorAll(kinds)].map((element) => {
                    const { left, top, right, bottom } = element.getBoundingClientRect();
                    const box = { element, left, top, right, bottom };
                    for (let at = element.parentElement; at; at = at.parentElement) {
                        if (!scrolls(at)) continue; // what is scrolled away covers nothing
                        const frame = at.getBoundingClientRect();
                        box.top = Math.max(box.top, frame.top);
                        box.bottom = Math.min(box.bottom, frame.bottom);
                    }
                    return box;
                }).filter((box) => box.right - box.left > 1 && box.bottom - box.top > 1);
                const apart = (a, b) => a.element.contains(b.element) ||
                    b.element.contains(a.element) ||
                    a.right < b.left + 1 || b.right < a.left + 1 ||
                    a.bottom < b.top + 1 || b.bottom < a.top + 1;
                const name = ({ element }) => element.outerHTML.slice(0, 60);
                return shown.flatMap((a, i) => shown.slice(i + 1)
                    .filter((b) => !apart(a, b)).map((b) => `${name(a)} | ${name(b)}`));
            }"""
        )
        return found
