"""The page without a server, in a real browser: from the disk, and from a static host."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import amoebot
from amoebot import runs, shapes
from amoebot.browser import live
from amoebot.options import Options
from amoebot.viewer.bundle import Look
from helpers.browsing import Tab, chromium
from helpers.hosting import hosting
from helpers.serving import serving

pytestmark = pytest.mark.slow

SHAPE, SEED = "annulus:3,1", 3
PLACES = ("disk", "host")
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a folder below another one, with the page and the module."""
    made = tmp_path_factory.mktemp("host") / "below"
    made.mkdir()
    packed = live.packed()
    run = runs.Run(shapes.parse(SHAPE), Options(SEED), shape_text=SHAPE)
    (made / "live.html").write_text(live.page(packed, run), encoding="utf-8")
    (made / "amoebot.mjs").write_text(live.module(packed), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[str]:
    """Provide the address of a server that has files and nothing else."""
    with hosting(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def address_of(place: str, folder: Path, host: str) -> str:
    return folder.as_uri() if place == "disk" else host


@pytest.fixture(params=PLACES)
def tab(request: pytest.FixtureRequest, browser: Any, folder: Path, host: str) -> Iterator[Tab]:
    address = address_of(request.param, folder, host)
    found = Tab(browser, f"{address}/live.html")
    yield found
    found.close()
    foreign = [url for url in found.asked if not url.startswith((address, "data:", "blob:"))]
    assert [url for url in foreign if not url.endswith("favicon.ico")] == []


def result() -> amoebot.Result:
    return amoebot.elect(shapes.parse(SHAPE), seed=SEED)


def test_the_file_is_small(folder: Path) -> None:
    assert (folder / "live.html").stat().st_size < 500_000


def test_play_rewind_and_run_to_the_leader(tab: Tab) -> None:
    assert SHAPE in tab.page.inner_text(".title")
    tab.page.fill("[data-test=speed]", "12")
    tab.click("play")
    tab.wait("app.moment.round > 5")
    tab.click("play")
    tab.wait("!app.player.playing && !app.player.busy")
    tab.seek(12)
    here = tab.picture()
    tab.press("ArrowRight")
    tab.press("ArrowLeft")
    assert (tab.moment(), tab.picture()) == ((12, 0), here)
    tab.wait("app.survey && app.survey.done")
    tab.click("leader")
    tab.wait("app.moment.outcome === 'leader' && app.player.until === null")
    assert tab.moment()[0] == result().rounds


def test_memories_are_those_of_python(tab: Tab) -> None:
    simulation = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED)
    for rounds in (5, 30):
        simulation.goto(rounds)
        tab.seek(rounds)
        for unit in (0, 7):
            assert tab.field(unit, "candidacy.role") == simulation.memory["candidacy"]["role"][unit]


def test_a_particle_is_inspected_and_activated_by_hand(tab: Tab) -> None:
    tab.seek(2)
    tab.page.mouse.click(*tab.place(0))
    tab.wait("document.querySelector('[data-test=what-if]')?.textContent.length > 1")
    tab.click("activate")
    tab.wait("app.moment.byHand")


def test_a_drawing_runs(tab: Tab) -> None:
    tab.click("draw")
    tab.click("clear")
    tab.stroke((0, 0), (3, 0), (3, 2))
    tab.click("run-shape")
    tab.wait("app.stage.name === 'drawing'")
    assert tab.page.evaluate("amoebot.app.stage.particles") == 6
    tab.click("leader")
    tab.wait("app.moment.outcome !== null")


def test_an_image_is_the_same_shape_as_in_python(tab: Tab, tmp_path: Path) -> None:
    chance, file = random.Random(3), tmp_path / "ring.png"
    image = Image.new("RGBA", (9, 7), "white")
    for x, y in itertools.product(range(1, 8), range(1, 6)):
        if (x, y) != (4, 3):  # a hole; and dark pixels of any colour, some of them half transparent
            red, green, blue = (chance.randrange(100) for _ in range(3))
            image.putpixel((x, y), (red, green, blue, chance.choice((255, 200))))
    image.putpixel((0, 0), (0, 0, 0, 100))  # light, on white paper
    image.save(file)
    tab.page.set_input_files("[data-test=file]", str(file))
    tab.wait("app.stage.name === 'ring.png'")
    ours = shapes.parse(str(file))
    assert len(ours) == 34
    assert tab.page.evaluate("[...amoebot.app.stage.nodes]") == ours.nodes.ravel().tolist()
    file.write_bytes(b"not an image")
    tab.page.set_input_files("[data-test=file]", str(file))
    tab.page.wait_for_selector("text=ring.png: this is not a readable image")


def test_another_run_is_chosen(tab: Tab) -> None:
    tab.click("new")
    tab.page.fill("[data-test=shape-text]", "hexagon:4")
    tab.page.select_option("select[name=algorithm]", "erosion")
    tab.click("run-new")
    tab.wait("app.stage.name === 'hexagon:4' && app.stage.options.algorithm === 'erosion'")
    tab.click("new")
    tab.page.fill("[data-test=shape-text]", "annulus:2,2")
    tab.click("run-new")
    assert "HOLE must be less than R" in tab.page.inner_text("dialog .wrong")


@pytest.fixture(scope="module")
def counterexample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide what the model checker found: a crash keeps everyone from electing."""
    found = amoebot.verify.verify("line:2", corrupt="leader=1", almost_sure=False, terminate=False)
    assert found.counterexample is not None
    path = tmp_path_factory.mktemp("found") / "counterexample.json"
    found.counterexample.save(path)
    return path


def test_a_counterexample_is_replayed_from_its_file(tab: Tab, counterexample: Path) -> None:
    found = runs.read(counterexample)
    tab.page.set_input_files("[data-test=file]", str(counterexample))
    tab.wait("app.stage.by_hand === given[0]", len(found.schedule))
    assert "Counterexample to: " in tab.text("notice")
    last = len(found.schedule)
    for done in range(1, last + 1):
        tab.press("ArrowRight")
        tab.wait("app.moment.activations === given[0]", done)
    replayed = found.simulation()
    while replayed.activations < last:
        replayed.step()
    for unit in range(len(replayed.memory)):
        assert tab.field(unit, "leader") == replayed.memory["leader"][unit]
    assert replayed.memory["leader"].sum() > 1
    with tab.page.expect_download() as saved:
        tab.click("save-run")
    assert runs.read(saved.value.path()).schedule == found.schedule


def test_a_particle_crashes_and_a_memory_is_corrupted(tab: Tab) -> None:
    simulation = amoebot.Simulation(shapes.parse(SHAPE), seed=SEED)
    tab.seek(4)
    simulation.goto(4)
    for particle, kind in ((3, "corrupt"), (0, "crash")):
        tab.page.evaluate("particle => amoebot.app.select(particle)", particle)
        tab.click(kind)
        tab.wait("app.moment.faults.some(([kind]) => kind === given[0])", kind)
        getattr(simulation, kind)(particle)
    for unit in range(len(simulation.memory)):
        assert tab.field(unit, "head") == simulation.memory["head"][unit]
    assert "It has crashed." in tab.page.inner_text("body")
    tab.wait("location.hash.includes('run=')")
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready=true]")
    tab.wait("app.moment.round === 4 && app.moment.faults.length === 2")


@pytest.mark.parametrize("place", PLACES)
def test_links_lead_from_the_viewer_to_the_file_and_back(
    browser: Any, folder: Path, host: str, place: str
) -> None:
    run = runs.Run(shapes.parse("hexagon:3"), Options(5), shape_text="hexagon:3")
    with serving(run) as server:
        viewer = Tab(browser, f"http://{server}/")
        viewer.seek(9)
        viewer.wait("location.hash.includes('round=9')")
        link = viewer.page.evaluate("location.hash")
        alone = Tab(browser, f"{address_of(place, folder, host)}/live.html{link}")
        alone.wait_for(9)
        assert alone.picture() == viewer.picture()
        alone.seek(20)
        alone.wait("location.hash.includes('round=20')")
        back = alone.page.evaluate("location.hash")
        viewer.page.evaluate("hash => { location.hash = hash; }", back)
        viewer.wait_for(20)
        alone.close()
        viewer.close()


@pytest.mark.parametrize("place", PLACES)
def test_links_of_a_drawing_run_by_hand_lead_there_and_back(
    browser: Any, folder: Path, host: str, place: str
) -> None:
    drawn = {"nodes": [[0, 0], [1, 0], [2, 0], [1, 1]], "expanded": [[[3, 0], [4, 0]]]}
    run = runs.from_dict(
        {"shape": drawn, "seed": 2, "schedule": [1, 4, 0, 0], "by_hand_from": [2, 1]}
    )
    with serving(run) as server:
        viewer = Tab(browser, f"http://{server}/")
        viewer.page.evaluate("amoebot.app.player.seek(2, 4)")
        viewer.wait("location.hash.includes('run=') && location.hash.includes('position=4')")
        link = viewer.page.evaluate("location.hash")
        alone = Tab(browser, f"{address_of(place, folder, host)}/live.html{link}")
        alone.wait_for(2, 4)
        assert alone.page.evaluate("amoebot.app.moment.byHand")
        assert alone.picture() == viewer.picture()
        alone.page.mouse.click(*alone.place(2))
        alone.click("activate")
        alone.wait("app.moment.position === 5 && location.hash.includes('position=5')")
        here = alone.page.evaluate("location.hash")
        viewer.page.evaluate("hash => { location.hash = hash; }", here)
        viewer.wait_for(2, 5)
        assert viewer.page.evaluate("amoebot.app.stage.by_hand") == 4
        alone.close()
        viewer.close()


def test_two_elections_run_side_by_side_each_in_a_worker_of_its_own(tab: Tab) -> None:
    tab.page.select_option("[data-test=beside]", "erosion")
    tab.page.wait_for_function("() => globalThis.beside?.app.moment")
    tab.seek(3)
    tab.page.wait_for_function("() => beside.app.moment.round === 3")
    assert len(tab.page.workers) == 2
    tab.click("menu")
    tab.page.select_option("[data-test=beside]", "")
    tab.page.wait_for_function("() => document.querySelectorAll('.amoebot').length === 1")
    while len(tab.page.workers) > 1:
        tab.page.wait_for_timeout(10)


def test_a_browser_that_cannot_run_it_says_so(browser: Any, folder: Path) -> None:
    address = (folder / "live.html").as_uri()
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert "needs JavaScript" in page.inner_text("body")
    page = browser.new_page()
    page.add_init_script("delete globalThis.Worker")
    page.goto(address)
    page.wait_for_selector("text=which must be able to start a worker")


@pytest.mark.parametrize("place", PLACES)
def test_it_fits_a_phone(browser: Any, folder: Path, host: str, place: str) -> None:
    tab = Tab(browser, f"{address_of(place, folder, host)}/live.html", **PHONE)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.click("menu")
    tab.click("tour-start")
    tab.page.wait_for_selector("[data-test=tour] p", state="visible")
    assert tab.cut_off() == []
    tab.click("tour-end")
    tab.click("leader")
    tab.wait("app.moment.outcome === 'leader'")
    tab.click("menu")
    tab.click("draw")
    tab.click("clear")
    tab.stroke((0, 0), (3, 0), (3, 2))
    assert tab.cut_off() == []
    tab.click("run-shape")
    tab.wait("app.stage.name === 'drawing' && app.stage.particles === 6")
    tab.close()


def test_a_film_of_two_elections_opens_with_both(browser: Any, tmp_path: Path) -> None:
    simulation = amoebot.Simulation("hexagon:2", seed=1, faults="crash 9@3")
    look = Look(beside="erosion")
    (tmp_path / "film.html").write_text(live.smaller("long " * 200_000, simulation, look))
    tab = Tab(browser, (tmp_path / "film.html").as_uri())
    tab.page.wait_for_function("() => globalThis.beside?.app.moment")
    assert tab.page.evaluate("beside.app.stage.options.algorithm") == "erosion"
    tab.seek(5)
    tab.page.wait_for_function("() => beside.app.moment.round === 5")
    assert tab.page.evaluate("amoebot.app.moment.faults") == [["crash", 9, 3, 0]]
    tab.close()
