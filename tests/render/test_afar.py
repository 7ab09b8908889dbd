"""Large shapes from afar: bands, candidates and the density of tokens stay visible."""

from __future__ import annotations

import numpy as np
import pytest

import amoebot
from amoebot import shapes
from amoebot.render import scene
from amoebot.render.geometry import geometry
from amoebot.render.look import chosen_layers, theme
from amoebot.render.primitives import Circle, Path
from helpers.looking import candidates


@pytest.fixture(scope="module")
def simulation() -> amoebot.Simulation:
    found = amoebot.Simulation(shapes.line(500), seed=7)
    found.goto(30)
    return found


def test_every_candidate_is_a_dot_that_can_be_seen(simulation: amoebot.Simulation) -> None:
    picture = scene.picture(simulation, chosen_layers(simulation))
    colour = theme("improved")["candidate"]
    dots = [mark for mark in picture.layers["afar"] if isinstance(mark, Circle)]
    shown = np.array([dot.centre for dot in dots if dot.fill == colour])
    radius = dots[0].radius
    assert radius * 900 / max(picture.width, picture.height) > 3
    place = geometry(simulation).agents[candidates(simulation.memory)]
    assert len(place) > 20
    for x, y in place:
        assert np.hypot(*(shown - (x, y)).T).min() < 3 * radius


def test_ribbons_are_the_darker_the_more_tokens_there_are(simulation: amoebot.Simulation) -> None:
    picture = scene.picture(simulation, chosen_layers(simulation))
    tints = {m.stroke for m in picture.layers["tokens"] if isinstance(m, Path) and m.stroke}
    assert len(tints) > 3
    assert {tint[:7] for tint in tints} == {theme("improved")["token"]}


def test_layers_that_are_hidden_are_hidden_from_afar(simulation: amoebot.Simulation) -> None:
    hidden = {"agents", "tokens"}
    layers = chosen_layers(simulation, (), hidden)
    picture = scene.picture(simulation, layers)
    assert not hidden & {*picture.layers}
    colours = {mark.fill for mark in picture.layers["afar"] if isinstance(mark, Circle)}
    assert theme("improved")["candidate"] not in colours
