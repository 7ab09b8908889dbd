"""All next moves: what each particle would do, every way of its coins; a click carries it out."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from amoebot import Simulation, runs, shapes
from amoebot.options import Options
from amoebot.viewer import moves as listing
from amoebot.viewer import session as viewer_session
from amoebot.viewer.session import Session
from helpers.browsing import Tab, chromium
from helpers.serving import Known, serving

SHAPE, SEED = "annulus:3,1", 3
RUN = runs.Run(shapes.parse(SHAPE), Options(SEED), shape_text=SHAPE)

#: Two particles that flip coins which their seed would not have let fall like this.
COUNTEREXAMPLE = {
    "shape": {"nodes": [[0, 0], [1, 0], [0, 1]]},
    "seed": None,
    "schedule": [0, 1, 2, 0],
    "coins": [[1], [1], [1], []],
    "options": {"almost_sure": False, "terminate": False, "radix": 2},
    "property": "exactly one leader",
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    found = Session(RUN)
    yield found
    found.close()


def answer(session: Session, what: str, **details: Any) -> Any:
    return session.answer({"do": what, **details})


def all_moves(session: Session) -> list[dict[str, Any]]:
    found, last = [], 0
    while last < session.simulation.system.particles:
        part = answer(session, "moves", first=last, milliseconds=2000)
        found += part["moves"]
        last = part["last"]
    return found


def memory_after(session: Session, move: dict[str, Any]) -> Known:
    """Return what the page would know if a move had been carried out."""
    known = Known(session.simulation)
    known.apply(answer(session, "look"))
    known.apply(base64.b64decode(move["frame"]))
    return known


@pytest.mark.parametrize("rounds", [0, 9])
def test_a_move_does_what_it_says(session: Session, rounds: int) -> None:
    answer(session, "open")
    answer(session, "goto", round=rounds)
    listed = all_moves(session)
    assert len({move["particle"] for move in listed}) > 10
    for move in listed[::7]:
        expected = memory_after(session, move)
        simulation = Simulation(SHAPE, SEED)
        simulation.goto(rounds)
        simulation.activate(move["particle"], move["coins"])
        assert expected.agrees_with(simulation)


def test_every_way_of_every_coin_is_listed_once(session: Session) -> None:
    answer(session, "open")
    listed, simulation = all_moves(session), session.simulation
    for particle in range(simulation.system.particles):
        coins = simulation.coins_ahead(particle)
        ways = [tuple(move["coins"]) for move in listed if move["particle"] == particle]
        assert len(ways) == len({*ways}) == 2 ** len(coins)
        drawn = [move["coins"] for move in listed if move["particle"] == particle and move["drawn"]]
        assert drawn == [[outcome for _, outcome in coins]]


def test_of_very_many_ways_one_coin_is_varied_at_a_time(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(session, "open")
    monkeypatch.setattr(listing, "MOST_WAYS", 3)
    ways = [tuple(move["coins"]) for move in all_moves(session) if move["particle"] == 0]
    drawn, *others = ways
    assert all(sum(a != b for a, b in zip(drawn, way, strict=True)) == 1 for way in others)
    assert len(others) == len(drawn)


def test_the_schedule_says_who_is_next(session: Session) -> None:
    answer(session, "open")
    for _ in range(5):
        scheduled = answer(session, "moves")["scheduled"]
        answer(session, "step", activations=1)
        assert session.simulation.latest == scheduled


def test_who_has_crashed_has_no_next_move(session: Session) -> None:
    answer(session, "open")
    answer(session, "goto", round=9)
    particle = all_moves(session)[-1]["particle"]
    answer(session, "fault", particle=particle, kind="crash")
    assert particle not in {move["particle"] for move in all_moves(session)}


def test_an_answer_has_a_limit(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(session, "open")
    monkeypatch.setattr(listing, "MOST", 3)
    part = answer(session, "moves")
    assert len({move["particle"] for move in part["moves"]}) <= 3
    assert part["last"] < 5
    monkeypatch.setattr(viewer_session, "LONGEST_LIST", 0)
    hasty = answer(session, "moves", first=7)
    assert hasty["last"] == 8, "it comes closer"
    assert {move["particle"] for move in hasty["moves"]} == {7}
    assert "'first'" in answer(session, "moves", first=31)["message"]


def test_coins_are_chosen_saved_and_opened_again(session: Session) -> None:
    answer(session, "open")
    coins = [[1 - outcome for _, outcome in session.simulation.coins_ahead(p)] for p in (4, 5)]
    for particle, chosen in zip((4, 5), coins, strict=True):
        answer(session, "activate", particle=particle, coins=chosen)
    answer(session, "activate", particle=6)
    here, saved = answer(session, "look"), answer(session, "save")
    assert saved["run"]["coins"] == [*coins, []]
    answer(session, "open", run={"shape": "line:3"})
    answer(session, "file", name="mine.json", content=saved["text"])
    answer(session, "goto", round=0, position=3)
    assert answer(session, "look") == here
    assert answer(session, "goto", round=2)
    answer(session, "goto", round=0, position=3)
    assert answer(session, "look") == here


@pytest.mark.parametrize("coins", [[0], [2, 0], ["1", 0], 7, [0, 0, 0]])
def test_coins_that_it_does_not_have_are_refused(session: Session, coins: Any) -> None:
    answer(session, "open")
    assert answer(session, "activate", particle=4, coins=coins)["kind"] == "error"
    assert session.simulation.activations == 0


def test_coins_of_a_counterexample_fall_as_its_file_says(session: Session) -> None:
    answer(session, "file", name="found.json", content=json.dumps(COUNTEREXAMPLE))
    answer(session, "goto", round=1)
    assert session.simulation.memory["head"].all()


# In the browser.


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with serving(RUN) as address, chromium() as browser:
        found = Tab(browser, f"http://{address}/")
        yield found
        found.close()


def listed(tab: Tab) -> None:
    tab.wait("app.explorer.isCurrent && !app.player.busy && document.querySelector('.move')")


def show_all(tab: Tab) -> int:
    """List all moves, however slow the machine is; return how often there were more."""
    clicks = 0
    listed(tab)
    while tab.page.is_visible("[data-test=more-moves]"):
        shown = tab.page.locator(".move").count()
        tab.click("more-moves")
        tab.wait("document.querySelectorAll('.move').length > given[0]", shown)
        clicks += 1
    return clicks


def test_a_server_in_haste_is_asked_until_something_is_listed(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_session, "LONGEST_LIST", 0)
    tab.page.keyboard.press("m")
    assert show_all(tab) >= 28
    assert tab.page.locator(".move").count() == 30
    tab.page.keyboard.press("m")


def test_a_click_carries_a_move_out_with_its_coins(tab: Tab) -> None:
    tab.page.keyboard.press("m")
    show_all(tab)
    assert "30 particles have something to do" in tab.text("moves")
    for coin, becomes in ((1, "heads, becomes a candidate"), (0, "tails and becomes")):
        move = tab.page.locator(f"[data-test=move-2-{coin}-0]")
        assert becomes in move.inner_text()
        move.click()
        tab.wait("app.moment.activations === 1 && app.moment.latest === 2")
        assert tab.field(int(Simulation(SHAPE, SEED).system.first_agent[2]), "head") == coin
        tab.press("ArrowLeft")
        listed(tab)


def test_a_counterexample_opens_with_its_next_move_marked(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    file.write_text(json.dumps(COUNTEREXAMPLE))
    if tab.page.evaluate("amoebot.app.explorer.open"):
        tab.click("moves-button")
    tab.page.set_input_files("[data-test=file]", file)
    tab.wait("app.stage.by_hand === 4 && app.explorer.open")
    for number, particle in enumerate((0, 1, 2, 0), start=1):
        listed(tab)
        marked = tab.page.locator(".way.scheduled")
        assert tab.page.locator(".move.scheduled").get_attribute("data-particle") == str(particle)
        if number <= 3:
            assert "flips heads" in marked.inner_text()
        marked.click()
        tab.wait("app.moment.activations === given[0]", number)
    assert tab.page.evaluate("amoebot.app.stage.by_hand") == 4, "it is still the same run"
