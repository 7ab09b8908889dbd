"""Make the screenshots of the viewer in the README and the documentation.

Run it as ``python docs/pictures/screenshots.py [NAME ...]``; it needs Chromium.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from amoebot import runs, shapes
from amoebot.viewer.listening import configuration, listen

FOLDER = Path(__file__).parent
SMALL, LARGE = (1280, 800), (1920, 1080)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def rest(page: Page) -> None:
    """Wait until the whole run is known and the picture stands still."""
    still = "!amoebot.app.player.busy && !amoebot.app.player.playing"
    page.wait_for_function(f"() => amoebot.app.survey?.done && {still}")
    page.wait_for_timeout(400)


def inspect(particle: int) -> Callable[[Page], None]:
    """Return what selects a particle."""

    def do(page: Page) -> None:
        rest(page)
        page.evaluate(f"amoebot.app.select({particle})")
        page.wait_for_timeout(300)

    return do


def tour(steps: int) -> Callable[[Page], None]:
    """Return what goes so many steps on in the tour."""

    def do(page: Page) -> None:
        page.click("[data-test=tour-start]")
        for _ in range(steps):
            page.click("[data-test=tour-next]")
            page.wait_for_function("() => !amoebot.app.player.busy")
        rest(page)

    return do


def draw_shape(page: Page) -> None:
    """Open the editor and leave a part that hangs together with nothing."""
    page.click("[data-test=draw]")
    page.wait_for_timeout(300)
    box = page.locator("[data-test=picture]").bounding_box() or {"x": 0, "y": 0}
    page.mouse.move(box["x"] + 120, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 230, box["y"] + 210, steps=6)
    page.mouse.up()
    page.wait_for_timeout(300)


def new_run(page: Page) -> None:
    """Open the dialog for a new run."""
    rest(page)
    page.click("[data-test=new]")
    page.wait_for_timeout(300)


@dataclass(frozen=True)
class Shot:
    """One screenshot: where the page is, what is done there, and how it looks."""

    address: str
    do: Callable[[Page], None] = rest
    size: tuple[int, int] = SMALL
    dark: bool = False


SHOTS = {
    "viewer-comparison": Shot("#shape=annulus:4,2&seed=3&round=12&position=7", inspect(3)),
    "viewer-setup": Shot("#shape=comb:4,4&seed=2&round=5", inspect(6), dark=True),
    "viewer-verification": Shot("#shape=annulus:5,2&seed=3&round=52", dark=True, size=LARGE),
    "viewer-leader": Shot("#shape=random:250,4&shape_seed=5&seed=2&round=100000", size=LARGE),
    "viewer-large": Shot("#shape=hexagon:100&seed=3&round=1822", size=LARGE, dark=True),
    "viewer-tour": Shot("", tour(4)),
    "viewer-tour-end": Shot("", tour(7), dark=True),
    "viewer-drawing": Shot("#shape=triangle:7&seed=1", draw_shape),
    "viewer-new": Shot("#shape=spiral:60&seed=1&round=9", new_run),
}


def take(browser: Browser, address: str, name: str, shot: Shot) -> None:
    """Take one screenshot."""
    width, height = shot.size
    scheme: Any = "dark" if shot.dark else "light"
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address + shot.address)
    page.wait_for_selector("body[data-ready=true]")
    shot.do(page)
    with Image.open(BytesIO(page.screenshot())) as image:
        image.convert("RGB").save(FOLDER / f"{name}.png", optimize=True)
    page.close()


def main() -> None:
    """Take all screenshots, or those that are named."""
    listening = listen("127.0.0.1", 0, or_any=False)
    server = uvicorn.Server(configuration(runs.Run(shapes.hexagon(3)), "127.0.0.1"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    while not server.started:
        time.sleep(0.02)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for name in sys.argv[1:] or SHOTS:
            take(browser, address, name, SHOTS[name])
            print(name)
        browser.close()
    server.should_exit = True


if __name__ == "__main__":
    main()
