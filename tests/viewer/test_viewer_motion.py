"""Tokens on their way while it plays, and the tour: it plays, points, and asks before it shows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from amoebot.algorithms import registry
from amoebot.render.look import pictures_of
from helpers.browsing import Tab

#: Play on from a round, and note each time that something is on its way.
WATCH = """async ([round, speed, wanted]) => {
  const { app } = amoebot, seen = [];
  await app.player.seek(round);
  app.timebar.setSpeed(speed);
  const start = app.motion.start.bind(app.motion);
  app.motion.start = (before) => {
    start(before);
    seen.push(app.motion.flights.map(({ token, path }) => [token.look, path]));
  };
  app.player.play();
  const begin = app.moment.version;
  while (app.moment.version < begin + wanted) await new Promise((next) => setTimeout(next, 10));
  app.player.pause();
  delete app.motion.start;
  return seen;
}"""


def test_tokens_go_from_agent_to_agent_while_it_plays(tab: Tab) -> None:
    rounds = tab.page.evaluate(WATCH, [20, 8, 3])  # five rounds a second
    tokens = [token for flights in rounds for token in flights]
    assert len(tokens) > 20
    for look, path in tokens:
        assert look.startswith(("tokens", "setup", "verification", "identification", "stop"))
        steps = [abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(path)]
        assert max(steps) < 3, "from neighbour to neighbour"
    tab.wait("app.motion.flights.length === 0")


def test_an_arrow_stays_with_its_token(tab: Tab) -> None:
    """The arrow of a setup token went ways of its own, to where another one's was."""
    rounds = tab.page.evaluate(WATCH, [1, 8, 4])
    looks = [look for flights in rounds for look, _ in flights if look.startswith("setup")]
    assert len(looks) > 10
    assert all(" disc " in look and " arrow " in look for look in looks)


def test_one_activation_moves_the_tokens_of_one_particle(tab: Tab) -> None:
    for flights in tab.page.evaluate(WATCH, [20, 2, 4]):  # five activations a second
        assert len(flights) <= 4


def test_what_is_on_its_way_is_drawn_between_two_agents(tab: Tab) -> None:
    tab.page.evaluate(WATCH, [20, 6, 1])  # one round a second
    there, early = tab.page.evaluate(
        """async () => {
            const { app } = amoebot, before = app.moment.units.slice();
            await app.player.step("rounds");
            const there = app.canvas.toDataURL(app.paint());
            app.motion.start(before);
            [app.motion.began, app.motion.lasts] = [performance.now(), 1e9];
            return [there, app.canvas.toDataURL(app.paint())];
        }"""
    )
    assert there != early
    tab.page.evaluate("amoebot.app.motion.lasts = 1")
    tab.wait("app.motion.flights.length === 0")
    assert tab.picture() == there


@pytest.mark.parametrize(("speed", "motion"), [(10, "no-preference"), (8, "reduce")])
def test_nothing_moves_at_high_speed_or_for_who_wants_no_motion(
    browser: Any, address: str, speed: int, motion: str
) -> None:
    tab = Tab(browser, address, reduced_motion=motion)
    assert tab.page.evaluate(WATCH, [20, speed, 3]) == []
    tab.close()


# The tour.


def to_step(tab: Tab, title: str) -> None:
    tab.click("tour-start")
    tab.page.wait_for_selector("[data-test=tour-next]")
    while tab.page.inner_text(".tour h2") != title:
        before = tab.page.inner_text(".tour h2")
        tab.click("tour-next")
        tab.page.wait_for_function(
            "title => document.querySelector('.tour h2')?.textContent !== title", arg=before
        )


def test_the_tour_plays_the_rounds_before_its_moment(tab: Tab) -> None:
    to_step(tab, "3. Identifier setup")
    tab.wait("app.player.playing && app.moment.round < 6")
    tab.wait("!app.player.playing && app.moment.round === 6")


def test_the_light_is_on_what_the_tour_speaks_of(tab: Tab) -> None:
    to_step(tab, "One candidate is left")
    tab.wait("!app.player.playing && app.moment.round === app.survey.milestones.last_rival_gone")
    lit = "amoebot.app.spotlight(amoebot.app.moment.units)"
    assert len(tab.page.evaluate(lit)) == 1
    with_light = tab.picture()
    tab.page.evaluate("amoebot.app.spotlight = null")
    assert tab.picture() != with_light


@pytest.mark.parametrize("right", [True, False])
def test_the_tour_asks_before_it_shows(browser: Any, address: str, right: bool) -> None:
    tab = Tab(browser, address, reduced_motion="reduce")
    to_step(tab, "4. Identifier comparison")
    tab.page.wait_for_selector("text=withdraws next?")
    before = tab.page.evaluate("amoebot.app.moment.candidates")
    if right:
        tab.page.mouse.click(*tab.place(28))
    else:
        tab.click("answer-4")
    tab.page.wait_for_selector(".verdict")
    assert ("Right." in tab.text("question")) == right
    assert right or "particle 28" in tab.text("question")
    assert tab.page.evaluate("amoebot.app.moment.candidates") == before - 1
    tab.click("tour-end")
    tab.wait("app.stage.seed === '3' && app.survey?.done && !app.player.busy")
    assert tab.page.evaluate("[amoebot.app.spotlight, amoebot.app.onpick]") == [None, None]
    tab.page.mouse.click(*tab.place(28))
    tab.wait("app.selected === 28")
    tab.close()


@pytest.mark.parametrize("algorithm", registry.built_in())
def test_every_question_has_an_answer(browser: Any, address: str, algorithm: str) -> None:
    tour = pictures_of(algorithm).tour
    assert tour is not None
    asked = [step for step in tour.steps if step.question]
    assert asked
    tab = Tab(browser, address, reduced_motion="reduce")
    tab.page.evaluate(f"amoebot.maker.follow('#shape=line:3&algorithm={algorithm}')")
    tab.wait("app.stage.name === 'line:3'")
    for step in asked:
        to_step(tab, step.title)
        tab.page.wait_for_selector(".question")
        if step.question and step.question.choices:
            tab.click(f"answer-{step.question.right}")
            tab.page.wait_for_selector(".verdict.correct")
        else:
            tab.page.evaluate("amoebot.app.onpick(-7)")
            tab.page.wait_for_selector(".verdict")
            assert "No: particle " in tab.text("question")
            assert any(character.isdigit() for character in tab.text("question"))
        tab.click("tour-end")
        tab.wait("app.stage.name === 'line:3'")
    tab.close()


#: Answers to some kind of request come late: only once ``release()`` was called.
LATE = """kind => {
  const { source } = amoebot, ask = source.ask.bind(source);
  const released = new Promise((done) => {
    globalThis.release = () => { delete source.ask; done(); };
  });
  source.ask = async (request) => {
    const answer = await ask(request);
    if (request.do === kind) await released;
    return answer;
  };
}"""


def test_of_the_last_tour_nothing_is_left_that_could_be_clicked(browser: Any, address: str) -> None:
    """On a busy machine a click on the old step's "Next" was undone by the new tour's start."""
    tab = Tab(browser, address, reduced_motion="reduce")
    to_step(tab, "4. Identifier comparison")
    tab.page.wait_for_selector(".question")
    tab.click("tour-end")
    tab.wait("app.stage.seed === '3' && app.survey?.done && !app.player.busy")
    tab.page.evaluate(LATE, "survey")
    tab.click("tour-start")
    tab.page.wait_for_selector("text=Looking through the run")
    shown = tab.page.locator("[data-test=tour] button, .question").all_inner_texts()
    assert shown == ["End"]
    tab.page.evaluate("release()")
    tab.page.wait_for_selector("[data-test=tour-next]")
    assert tab.page.inner_text(".tour .count").startswith("1 of ")
    tab.close()


def test_a_tour_that_was_ended_before_it_began_does_not_begin(tab: Tab) -> None:
    tab.wait("app.survey?.done")
    tab.page.evaluate(LATE, "survey")
    tab.click("tour-start")
    tab.click("tour-end")
    tab.page.evaluate("release()")
    tab.wait("app.stage.seed === '3' && app.survey?.done && !app.player.busy")
    assert not tab.page.is_visible("[data-test=tour]")


def test_a_question_waits_for_its_moment(browser: Any, address: str) -> None:
    """While a jump was under way, the next one was taken for done before it had begun."""
    tab = Tab(browser, address, reduced_motion="reduce")
    to_step(tab, "2. Segment setup")
    tab.wait("!app.player.busy")
    tab.page.evaluate(LATE, "goto")
    for title in ("3. Identifier setup", "4. Identifier comparison"):
        tab.click("tour-next")
        tab.page.wait_for_selector(f".tour h2:text-is('{title}')")
    tab.page.evaluate("new Promise((next) => setTimeout(next, 50))")  # whatever was to be asked
    assert tab.page.locator(".question").count() == 0
    tab.page.evaluate("release()")
    tab.page.wait_for_selector("text=withdraws next?")
    tab.page.mouse.click(*tab.place(28))
    tab.page.wait_for_selector(".verdict.correct")
    tab.close()


def test_whoever_pauses_before_the_answer_can_go_on_to_it(tab: Tab) -> None:
    to_step(tab, "4. Identifier comparison")
    tab.page.wait_for_selector("text=withdraws next?")
    tab.page.evaluate("amoebot.app.onpick(28); amoebot.app.player.pause()")
    tab.page.wait_for_selector("[data-test=tour-on]")
    assert tab.page.locator(".verdict").count() == 0
    tab.click("tour-on")
    tab.page.wait_for_selector(".verdict.correct")
