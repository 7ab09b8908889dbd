"""The viewer on screens of all sizes, by keyboard, and for who does not see it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from helpers.browsing import SHAPE, Tab

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
DESK = {"viewport": {"width": 1920, "height": 1080}}


@pytest.fixture(params=["light", "dark"])
def screen(
    request: pytest.FixtureRequest, browser: Any, address: str, device: dict[str, Any]
) -> Iterator[Tab]:
    """The viewer on a device, in each theme."""
    tab = Tab(browser, address, **device, color_scheme=request.param)
    yield tab
    tab.close()


def check_is_whole(tab: Tab, *seen: str) -> None:
    """Check that these can be seen, and that nothing is cut off."""
    for selector in seen:
        tab.page.wait_for_selector(selector, state="visible")
    tab.page.evaluate("new Promise(requestAnimationFrame)")
    assert tab.cut_off() == []


# Sheets.


@pytest.mark.slow
@pytest.mark.parametrize("device", [PHONE, TABLET], ids=["phone", "tablet"])
def test_every_panel_is_a_sheet_and_nothing_is_cut_off(screen: Tab) -> None:
    tab, check = screen, partial(check_is_whole, screen)
    tab.seek(9)
    check("[data-test=readout]", ".speed-name")
    tab.click("layers")
    check("[data-layer=agents]", ".mark")
    tab.click("layers")
    assert not tab.page.is_visible("[data-layer=agents]")
    for _ in range(10):  # the picture moves for a moment when a sheet has closed
        tab.page.mouse.click(*tab.place(0))
        tab.page.wait_for_timeout(500)
        if tab.page.is_visible("[data-test=inspect] h2"):
            break
    check("[data-test=inspect] h2", "[data-test=activate]")
    tab.page.click("[data-test=inspect] .close")
    tab.click("menu")
    check("[data-test=link]", "[data-test=help]")
    tab.click("tour-start")
    check("[data-test=tour] p", "[data-test=tour-next]")
    assert not tab.page.is_visible("[data-test=link]")
    tab.click("tour-next")
    tab.page.wait_for_selector("text=1. Boundary setup")
    tab.click("tour-end")
    assert not tab.page.is_visible("[data-test=tour]")
    tab.click("menu")
    tab.click("new")
    check("[data-test=run-new]")
    tab.page.keyboard.press("Escape")
    tab.click("menu")
    tab.click("draw")
    check("[data-test=run-shape]", "[data-test=cancel]")


@pytest.mark.slow
@pytest.mark.parametrize("device", [LAPTOP, DESK], ids=["laptop", "desk"])
def test_panels_are_beside_the_picture_and_nothing_is_covered_or_cut_off(screen: Tab) -> None:
    tab, width = screen, screen.page.viewport_size["width"]

    def check(*seen: str) -> None:
        check_is_whole(tab, *seen)
        assert tab.overlapping() == []
        assert tab.page.locator("[data-test=picture]").bounding_box()["width"] > 0.25 * width

    tab.seek(9)
    check("[data-test=readout]", ".speed-name", "[data-layer=agents]", "[data-test=help]")
    left, right = tab.spot(-3, 0)[0], tab.spot(3, 0)[0]
    assert right - left > 0.2 * width, "the picture uses its room"
    tab.page.mouse.click(*tab.place(0))
    check("[data-test=inspect] h2", "[data-test=activate]")
    tab.click("moves-button")
    check("[data-test=moves] .move", "[data-test=inspect] h2")
    tab.click("space-time")
    check(".space-time canvas")
    tab.click("tour-start")
    check("[data-test=tour] p", "[data-test=tour-next]")


def test_the_picture_keeps_its_room_when_a_sheet_opens(browser: Any, address: str) -> None:
    tab = Tab(browser, address, **PHONE)
    for _ in range(2):
        tab.click("layers")
        tab.page.evaluate("new Promise(requestAnimationFrame)")
        left, top = tab.spot(-3, 3)
        box = tab.page.locator("[data-test=picture]").bounding_box()
        assert box["x"] < left
        assert box["y"] < top
        assert tab.spot(3, -3)[1] < box["y"] + box["height"]
    tab.close()


# Keys.


def test_controls_keep_their_own_keys(tab: Tab) -> None:
    tab.page.focus("[data-layer=bonds]")
    tab.page.keyboard.press(" ")
    assert not tab.page.is_checked("[data-layer=bonds]")
    assert not tab.page.evaluate("amoebot.app.player.playing")
    focused = "document.activeElement.dataset.layer"
    assert tab.page.evaluate(f"new Promise(requestAnimationFrame).then(() => {focused})") == "bonds"
    tab.page.focus("[data-test=speed]")
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.input_value("[data-test=speed]") == "9"
    assert tab.moment() == (0, 0)
    tab.page.focus("[data-test=roundForward]")
    tab.page.keyboard.press(" ")
    tab.wait_for(1)


def test_particles_are_chosen_by_arrow_keys(tab: Tab) -> None:
    tab.page.focus("[data-test=picture]")
    tab.page.keyboard.press("Enter")
    first = tab.page.evaluate("amoebot.app.selected")
    assert first >= 0
    for key, back in (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown")):
        for pressed in (key, back):
            before = tab.page.evaluate("amoebot.app.selected")
            tab.page.keyboard.press(pressed)
            after = tab.page.evaluate("amoebot.app.selected")
            if after == before:  # nobody is there
                break
            assert f"Particle {after} at" in tab.page.text_content("[data-test=spoken]")
        else:
            assert tab.page.evaluate("amoebot.app.selected") == first
    assert tab.moment() == (0, 0)
    tab.page.keyboard.press("Escape")
    assert tab.page.evaluate("amoebot.app.selected") == -1
    tab.press("ArrowRight")
    assert tab.moment() == (0, 1)


def test_where_the_run_stands_is_spoken(tab: Tab) -> None:
    tab.seek(9)
    tab.page.wait_for_function(
        "() => document.querySelector('[data-test=spoken]').textContent.startsWith('Round 9. ')"
    )
    assert tab.page.get_attribute("[data-test=spoken]", "aria-live") == "polite"


def test_the_editor_undoes_and_escapes(tab: Tab) -> None:
    tab.click("draw")
    before = tab.text("editor-status")
    tab.click("clear")
    tab.stroke((0, 0), (2, 0))
    assert "3 particles" in tab.text("editor-status")
    tab.page.keyboard.press("Control+z")
    assert "at least one" in tab.text("editor-status")
    tab.click("undo")
    assert tab.text("editor-status") == before
    tab.page.keyboard.press("Escape")
    assert not tab.page.is_visible(".editor")
    assert tab.page.evaluate("amoebot.app.stage.name") == SHAPE
