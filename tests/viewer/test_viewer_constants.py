"""Numbers that Python and JavaScript both need are the same in both."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

from amoebot import render, shapes, viewer
from amoebot.viewer.bundle import STATIC

#: Constants of a module of the page, and where Python has them. JavaScript counts milliseconds
#: where Python counts seconds: the last number is what Python's is multiplied by.
PAIRS: dict[tuple[str, str], tuple[str, str, int]] = {
    ("session", "LONGEST"): ("viewer.session", "LONGEST", 1),
    ("session", "MOST"): ("viewer.session", "MOST", 1),
    ("session", "LONGEST_LIST"): ("viewer.session", "LONGEST_LIST", 1),
    ("session", "LONGEST_SEEK"): ("viewer.session", "LONGEST_SEEK", 1000),
    ("session", "LONGEST_OPENING"): ("viewer.opening", "LONGEST", 1000),
    ("session", "TRIAL"): ("viewer.opening", "TRIAL", 1000),
    ("session", "HOPELESS"): ("viewer.opening", "HOPELESS", 1),
    ("session", "AHEAD"): ("viewer.session", "AHEAD", 1),
    ("session", "MOST_BY_HAND"): ("viewer.session", "MOST_BY_HAND", 1),
    ("session", "CHUNK"): ("viewer.session", "CHUNK", 1),
    ("survey", "POINTS"): ("viewer.survey", "POINTS", 1),
    ("survey", "SNAPSHOTS"): ("viewer.survey", "SNAPSHOTS", 1),
    ("diagram", "COLUMNS"): ("viewer.diagram", "COLUMNS", 1),
    ("diagram", "ROWS"): ("viewer.diagram", "ROWS", 1),
    ("moves", "MOST"): ("viewer.moves", "MOST", 1),
    ("moves", "MOST_WAYS"): ("viewer.moves", "MOST_WAYS", 1),
    ("film", "KEY"): ("viewer.film_page", "KEY", 1),
    ("source", "PACKED"): ("viewer.server", "PACKED", 1),
    ("simulation", "APART"): ("snapshots", "APART", 1),
    ("simulation", "MOST_SNAPSHOTS"): ("snapshots", "MOST_SNAPSHOTS", 1),
    ("simulation", "MOST_PER_ROUND"): ("scheduler", "MOST_PER_ROUND", 1),
    ("simulation", "NO_END"): ("engine.names", "NO_END", 1),
    ("simulation", "BY_HAND"): ("engine.names", "BY_HAND", 1),
    ("simulation", "NO_COIN"): ("algorithms.interface", "NO_COIN", 1),
    ("shapes", "FARTHEST"): ("shapes.shape", "FARTHEST", 1),
    ("shapes", "DARK"): ("shapes.image_file", "_DARK", 1),
    ("editor", "STEPS"): ("lattice", "STEPS", 1),
    ("afar", "PIECE"): ("render.afar", "PIECE", 1),
    ("afar", "RIBBON"): ("render.afar", "RIBBON", 1),
    ("afar", "DOT"): ("render.afar", "DOT", 1),
    ("marks", "BAND"): ("render.marks", "BAND", 1),
    ("marks", "NARROWER"): ("render.marks", "NARROWER", 1),
    ("stage", "ROW"): ("render.scene", "ROW", 1),
    ("space_time_pixels", "MARK"): ("render.space_time_figure", "MARK", 1),
    ("space_time_pixels", "THINNEST"): ("render.space_time_figure", "THINNEST", 1),
}

#: Those that have a name in common with one of Python's and mean another thing, or the same on
#: another machine: the page has its own memory, and a screen is not paper.
OTHERS = {
    ("camera", "MOST"),
    ("editor", "MOST"),
    ("expressions", "MEMORIES"),
    ("images", "MOST_PIXELS"),
    ("marks", "DOT"),
    ("marks", "LETTERS"),
    ("marks", "MANY"),
    ("motion", "LONGEST"),
    ("motion", "MOST"),
    ("opened", "LONGEST"),
    ("simulation", "CHUNK"),
    ("sketch", "MANY"),
    ("space_time", "STRIP"),
    ("survey", "MOST_BYTES"),
}

_LINE = re.compile(r"^(?:export )?const ([A-Z_]+ = .*);", re.MULTILINE)
_CONSTANT = re.compile(r"([A-Z_]+) = (.+?)(?=, [A-Z_]+ = |$)")


def constants() -> dict[tuple[str, str], str]:
    """Return the constants of the page as they are written, by module and name."""
    return {
        (file.stem, name): value
        for file in sorted(STATIC.glob("*.js"))
        for line in _LINE.findall(file.read_text(encoding="utf-8"))
        for name, value in _CONSTANT.findall(line)
    }


def read(written: str) -> Any:
    """Return the value of a constant: text, a list, or a number."""
    if written[0] in '["':
        return json.loads(written)
    found = re.fullmatch(r"(Math.sqrt\()?([\d_.e-]+)(?:\)| (\*\*|/) (\d+))?", written)
    assert found, written
    root, first, operator, second = found.groups()
    number = Fraction(first)
    if operator:
        return number ** int(second) if operator == "**" else number / int(second)
    return Fraction(float(number) ** 0.5) if root else number


@pytest.mark.parametrize("of_page", PAIRS, ids=".".join)
def test_both_have_the_same_number(of_page: tuple[str, str]) -> None:
    module, name, factor = PAIRS[of_page]
    value, given = getattr(import_module(f"amoebot.{module}"), name), read(constants()[of_page])
    if isinstance(given, Fraction):
        assert float(given) == pytest.approx(value * factor, rel=1e-12)
    else:
        assert np.array_equal(given, value)


def test_no_pair_is_left_out() -> None:
    modules = {"snapshots", "scheduler", "lattice", "engine.names", "algorithms.interface"} | {
        f"{room.__name__.removeprefix('amoebot.')}.{module.name}"
        for room in (render, shapes, viewer)
        for module in iter_modules(room.__path__)
        if module.name != "widget"  # which needs what notebooks do
    }
    of_python = {name for one in modules for name in vars(import_module(f"amoebot.{one}"))}
    shared = {found for found in constants() if found[1] in of_python}
    assert shared - {*PAIRS} == OTHERS
