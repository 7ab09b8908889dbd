"""Measure the browser edition: against the native engine in Node, and on pages in Chromium.

Run it as ``python benchmarks/browser.py``; it needs Node, Chromium and the extra ``browser``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import amoebot
from amoebot import runs, shapes
from amoebot.browser import live
from amoebot.options import Options
from amoebot.viewer.bundle import style

#: Below 256 agents, the native engine takes one activation after another, as this one does.
SEQUENTIAL = "hexagon:40"

TIMES = 7

IN_NODE = """
import { load } from "./amoebot.mjs";
const amoebot = await load(), times = [];
for (let i = 0; i < %d; i++) {
  const simulation = new amoebot.Simulation("%s", { seed: i, terminate: false });
  const begin = process.cpuUsage();
  simulation.run();
  times.push(process.cpuUsage(begin).user / simulation.activations);
}
console.log(JSON.stringify(times));
"""

ON_A_PAGE = """async () => {
  const { load } = await import("./amoebot.mjs");
  const amoebot = await load(), begin = performance.now();
  amoebot.elect("hexagon:100", { seed: 7 });
  return performance.now() - begin;
}"""

FRAMES = """async () => {
  const { app } = document.querySelector("[data-live]").amoebot;
  const paint = app.paint.bind(app);
  let painted = 0;
  app.paint = () => { painted++; paint(); };
  app.timebar.setSpeed(12);
  app.player.play();
  await new Promise((next) => setTimeout(next, 400));
  const [first, begin] = [painted, performance.now()];
  await new Promise((next) => setTimeout(next, 1000));
  if (!app.player.playing) throw new Error("it ended before the second was over");
  return (1000 * (painted - first)) / (performance.now() - begin);
}"""

FIRST_PICTURE = """() => new Promise((tell) => {
  const look = () => {
    if (document.querySelector("canvas.picture")?.dataset.painted) tell(performance.now());
    else requestAnimationFrame(look);
  };
  look();
})"""


def native(seeds: int) -> float:
    """Return the microseconds of one activation here, the best of several runs."""
    shape, found = shapes.parse(SEQUENTIAL), []
    for seed in range(seeds):
        simulation = amoebot.Simulation(shape, seed=seed, terminate=False)
        begin = time.process_time()
        simulation.run()
        found.append(1e6 * (time.process_time() - begin) / simulation.activations)
    return min(found)


def in_node(folder: Path) -> float:
    """Return the microseconds of one activation in Node, the best of several runs."""
    (folder / "main.mjs").write_text(IN_NODE % (TIMES, SEQUENTIAL))
    done = subprocess.run(
        ["node", "main.mjs"], cwd=folder, capture_output=True, text=True, check=True
    )
    return float(min(json.loads(done.stdout)))


def fresh(browser: Browser, address: str, script: str, ready: str = "body") -> float:
    """Open a page in a fresh profile, and return what a script measures there."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(ready, state="attached")
    found = float(page.evaluate(script))
    context.close()
    return found


def write(folder: Path) -> None:
    """Write the pages to measure: the viewer, one with the module, and one with a figure."""
    packed, run = live.packed(), runs.Run(shapes.hexagon(10), Options(7), shape_text="hexagon:10")
    (folder / "amoebot.mjs").write_text(live.module(packed), encoding="utf-8")
    (folder / "live.html").write_text(live.page(packed, run), encoding="utf-8")
    (folder / "empty.html").write_text("<!doctype html><body>", encoding="utf-8")
    told = {"run": live.as_told(run), "round": 0, "position": 0, "show": [], "hide": []}
    (folder / "figure.html").write_text(
        f"<!doctype html><style>{style()}</style><body>"
        f"<div data-live='{json.dumps(told)}'></div><script>{live.figures(packed)}</script>",
        encoding="utf-8",
    )


def main() -> None:
    """Print a table."""
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write(folder)
        native(1)
        ours, theirs = native(TIMES), in_node(folder)
        print(f"activation: native {ours:.4f} µs, Node {theirs:.4f} µs, {theirs / ours:.2f} ×")
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--allow-file-access-from-files"]
        )

        def several(measure: Callable[[], float]) -> str:
            found = sorted(measure() for _ in range(TIMES))
            return f"{found[0]:.0f} to {found[-1]:.0f}, median {median(found):.0f}"

        def page(file: str, *script: Any) -> Callable[[], float]:
            return lambda: fresh(browser, (folder / file).as_uri(), *script)

        print("hexagon:100 elected, fresh page, ms:", several(page("empty.html", ON_A_PAGE)))
        print("first picture of hexagon:10, ms:", several(page("live.html", FIRST_PICTURE)))
        ready = "[data-live][data-ready=true]"
        print("frames a second, hexagon:10:", several(page("figure.html", FRAMES, ready)))
        browser.close()


if __name__ == "__main__":
    main()
