"""Measure the viewer in Chromium: frames while playing, jumps, large shapes, one activation back.

Run it as ``python benchmarks/viewer.py [PART ...]`` with any of ``play``, ``large`` and ``back``;
it needs Chromium and the extra ``browser``. Each line has what was measured and what is aimed at.
Chromium runs here without a GPU: it draws every frame on the processor, and on the cores that the
server needs too. What the page itself does in a frame is therefore printed beside the frame rate.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

VIEW = {"width": 1280, "height": 800}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

#: Frames a second that are aimed at while playing, by shape; and milliseconds for a jump.
FRAMES = {"hexagon:10": 60, "hexagon:100": 60, "line:1000": 60, "comb:60,60": 40}
JUMP = 150

#: The largest shape, and the seconds until it can be used; and where one activation back is taken.
LARGE, USABLE = "hexagon:1825", 20
BACK, STEP = "hexagon:400", 300

#: Speeds on the page: 100 rounds a second, each of which is drawn; and 5.
FAST, SLOW = 12, 8

#: Seconds of playing, and how often jumps and steps are repeated.
PLAYED, TIMES = 4, 12

READY = "body[data-ready=true]"

PLAY = """async ([seconds, speed]) => {
  const { app, source } = amoebot, spent = { paint: 0, show: 0, answer: 0 };
  const timed = (owner, name, key) => {
    const original = owner[name].bind(owner);
    owner[name] = (...given) => {
      const begin = performance.now(), done = () => { spent[key] += performance.now() - begin; };
      const result = original(...given);
      if (result?.then) result.then(done, done); else done();
      return result;
    };
  };
  let painted = 0;
  const paint = app.paint.bind(app);
  app.paint = () => { painted++; paint(); };
  timed(app, "paint", "paint");
  timed(app.player, "show", "show");
  timed(source, "ask", "answer");
  await app.player.seek(app.survey.rounds > 1000 ? Math.floor(app.survey.rounds / 4) : 0);
  app.timebar.setSpeed(speed);
  app.player.play();
  await new Promise((next) => setTimeout(next, 600));
  Object.assign(spent, { paint: 0, show: 0, answer: 0 });
  const first = painted, begin = performance.now(), round = app.moment.round;
  const isOver = () => !app.player.playing || performance.now() - begin > 1000 * seconds;
  while (!isOver()) await new Promise(requestAnimationFrame);
  const past = performance.now() - begin, frames = painted - first;
  const rounds = (1000 * (app.moment.round - round)) / past;
  app.player.pause();
  const each = (key) => spent[key] / frames;
  const [draws, reads, waits] = ["paint", "show", "answer"].map(each);
  return { rate: (1000 * frames) / past, rounds, draws, reads, waits };
}"""

JUMPS = """async (times) => {
  const { app } = amoebot, found = [];
  for (let i = 0; i < times; i++) {
    const round = Math.floor((app.survey.rounds * ((7 * i + 3) % times)) / times);
    const begin = performance.now();
    await app.player.seek(round);
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    found.push(performance.now() - begin);
  }
  return found;
}"""

STEPS_BACK = """async (times) => {
  const { app } = amoebot, found = [];
  await app.player.seek(app.survey.rounds - 2);
  await app.player.step("activations");
  for (let i = 0; i < times; i++) {
    const begin = performance.now();
    await app.player.back("activations");
    found.push(performance.now() - begin);
  }
  return found;
}"""


@dataclass
class Viewer:
    """A viewer that runs in a process of its own."""

    address: str
    began: float  #: when its command was given


@contextmanager
def viewing(shape: str) -> Iterator[Viewer]:
    """Run ``amoebot view``."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "amoebot", "view", shape, "--seed", "7", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        told = iter(process.stdout or ())
        address = next(word for line in told for word in line.split() if word.startswith("http"))
        yield Viewer(address.rstrip("."), began)
    finally:
        process.kill()
        process.wait()


@contextmanager
def page(browser: Browser, viewer: Viewer) -> Iterator[Page]:
    """Open the page and wait until its run can be used."""
    context = browser.new_context(viewport=VIEW)
    opened = context.new_page()
    opened.set_default_timeout(180_000)
    opened.goto(viewer.address)
    opened.wait_for_selector(READY)
    yield opened
    context.close()


def know(opened: Page) -> None:
    """Wait until the whole run has been looked through."""
    opened.wait_for_function("() => amoebot.app.survey?.done", timeout=600_000)


def rate(found: dict[str, float]) -> float:
    """Return frames a second."""
    return found["rate"]


def play(browser: Browser) -> None:
    """Print frames a second, the page's work in a frame, and the time of jumps, for each shape."""
    for shape, aim in FRAMES.items():
        with viewing(shape) as viewer, page(browser, viewer) as opened:
            know(opened)
            opened.wait_for_timeout(500)
            found = max((opened.evaluate(PLAY, [PLAYED, FAST]) for _ in range(3)), key=rate)
            print(
                f"{shape:12} {found['rate']:5.1f} frames a second (aim {aim}): in each, the page "
                f"draws {found['draws']:.1f} ms and reads {found['reads']:.1f} ms, and waits "
                f"{found['waits']:.1f} ms for the answer; {found['rounds']:.0f} rounds a second"
            )
            slow = max((opened.evaluate(PLAY, [PLAYED, SLOW]) for _ in range(2)), key=rate)
            print(
                f"{shape:12} {slow['rate']:5.1f} at 5 rounds a second; tokens move if not too small"
            )
            jumps = opened.evaluate(JUMPS, TIMES)
            print(
                f"{shape:12} {median(jumps):5.0f} ms for a jump, at most {max(jumps):.0f} ms "
                f"(aim {JUMP})",
                flush=True,
            )


def large(browser: Browser) -> None:
    """Print how long it takes from the command until the largest shape can be used."""
    with viewing(LARGE) as viewer, page(browser, viewer) as opened:
        opened.evaluate("() => { amoebot.app.player.step('rounds'); }")  # its answer is large
        opened.wait_for_function("() => amoebot.app.moment.round === 1")
        usable = time.perf_counter() - viewer.began
        print(f"{LARGE:12} {usable:5.1f} s until it can be used (aim {USABLE})", flush=True)


def back(browser: Browser) -> None:
    """Print how long one activation back takes near the end of a run."""
    with viewing(BACK) as viewer, page(browser, viewer) as opened:
        know(opened)
        steps = opened.evaluate(STEPS_BACK, TIMES)
        print(
            f"{BACK:12} {median(steps):5.0f} ms for one activation back near the end, at most "
            f"{max(steps):.0f} ms (aim {STEP})",
            flush=True,
        )


PARTS = {"play": play, "large": large, "back": back}


def main() -> None:
    """Print what is measured, line by line."""
    wanted = sys.argv[1:] or [*PARTS]
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        print(f"Chromium {browser.version}, {VIEW['width']} × {VIEW['height']}, without a GPU")
        for name in wanted:
            PARTS[name](browser)
        browser.close()


if __name__ == "__main__":
    main()
