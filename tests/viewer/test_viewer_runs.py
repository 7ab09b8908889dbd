"""How a page comes to a run: the dialog, the editor, addresses, the tour."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.browsing import SHAPE, Tab


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
