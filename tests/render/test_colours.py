"""Colours that everybody can tell apart: contrast, and lightness where there is no colour."""

from __future__ import annotations

import pytest

from amoebot.algorithms import registry
from amoebot.algorithms.expressions import as_json
from amoebot.render.look import pictures_of, theme

BOTH = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
ELECTIONS = pytest.mark.parametrize("algorithm", registry.built_in())


def on_paper(colour: str, paper: str) -> list[float]:
    """Return a colour, which may end in its opacity, on paper."""
    red, below = ([int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in (colour, paper))
    alpha = int(colour[7:] or "ff", 16) / 255
    return [alpha * one + (1 - alpha) * other for one, other in zip(red, below, strict=True)]


def contrast(one: str, other: str, paper: str) -> float:
    """Return the contrast of two colours, as the guidelines for web pages define it."""
    lights = []
    for colour in (one, other):
        parts = on_paper(colour, paper)
        linear = (c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        lights.append(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@BOTH
@ELECTIONS
def test_digits_on_candidates_can_be_read(algorithm: str, dark: bool) -> None:
    colour = theme(algorithm, dark)
    assert contrast(colour["on_colour"], colour["candidate"], colour["paper"]) >= 4.5


@BOTH
@ELECTIONS
def test_marks_stand_out_from_the_paper(algorithm: str, dark: bool) -> None:
    colour = theme(algorithm, dark)
    marks = {trace.colour for trace in pictures_of(algorithm).traces} | {"outer", "inner"}
    used = str(as_json(pictures_of(algorithm)))
    marks |= {name for name in ("waiting", "second", "coin", "null") if f"'{name}'" in used}
    for name in marks - {"leader"}:
        assert contrast(colour[name], colour["paper"], colour["paper"]) >= 3, name
    assert contrast(colour["on_leader"], colour["leader"], colour["paper"]) >= 3


@BOTH
@ELECTIONS
def test_neighbouring_bands_differ_in_grey(algorithm: str, dark: bool) -> None:
    colour = theme(algorithm, dark)
    for layer in pictures_of(algorithm).layers:
        for band in layer.bands:
            one, other = (colour[name] for name in band.colours)
            assert contrast(one, other, colour["paper"]) >= 1.25, layer.id


def test_digits_above_nine_are_letters() -> None:
    (layer,) = (one for one in pictures_of("improved").layers if one.id == "digits")
    assert "'9', 'A', 'B'" in str(as_json(layer.marks))
