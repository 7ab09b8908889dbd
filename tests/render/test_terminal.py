"""Shapes drawn in the terminal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from amoebot import shapes
from amoebot.jit import INTERPRETED
from amoebot.shapes import GENERATORS, Shape, parse
from amoebot.terminal import draw


def lines(shape: Shape, **options: Any) -> list[str]:
    return draw(shape, **options).plain.split("\n")


def test_a_shape_is_drawn_as_its_text_file_shows_it(tmp_path: Path) -> None:
    for generator in GENERATORS.values():
        shape = parse(generator.example)
        shape.save(tmp_path / "shape.txt")
        saved = (tmp_path / "shape.txt").read_text()
        assert draw(shape, width=200, height=200).plain + "\n" == saved


def test_one_particle_is_one_character() -> None:
    assert lines(shapes.hexagon(0)) == ["o"]
    assert lines(shapes.hexagon(0), width=1, height=1) == ["o"]


def test_strokes_join_the_nodes_of_expanded_particles() -> None:
    pairs = [(0, 2), (1, 3), (4, 5)]
    shape = Shape([(0, 0), (2, 0), (0, 1), (1, 1), (-1, 2), (0, 2)], pairs)
    assert lines(shape) == [
        "o───o",
        "",
        "  o   o",
        " ╱     ╲",
        "o       o",
    ]


def test_nodes_become_the_stroke_where_there_is_no_room_for_one() -> None:
    pairs = [(0, 2), (1, 3), (4, 5)]
    shape = Shape([(0, 0), (2, 0), (0, 1), (1, 1), (-1, 2), (0, 2)], pairs)
    assert lines(shape, height=4) == ["o─o", " ╱ ╲", "╱   ╲"]


def test_marks_show_their_character_in_their_style() -> None:
    text = draw(shapes.hexagon(1), {0: ("L", "bold red"), 6: ("!", "green")})
    assert text.plain == " o !\no o o\n L o"
    assert {(text.plain[span.start : span.end], span.style) for span in text.spans} == {
        ("L", "bold red"),
        ("!", "green"),
    }


def test_a_shape_that_is_too_large_is_drawn_in_dots() -> None:
    assert lines(shapes.parallelogram(4, 8), width=20, height=7) == [
        "   ⠌⠌⠌⠌",
        "  ⠌⠌⠌⠌",
        " ⠌⠌⠌⠌",
        "⠌⠌⠌⠌",
        "Scaled down: 1 dot =",
    ]


def test_marks_stay_visible_among_the_dots() -> None:
    shape = shapes.hexagon(60)
    centre = len(shape) // 2
    text = draw(shape, {centre: ("L", "bold red")}, width=30, height=10)
    assert text.plain.count("L") == 1
    assert "bold red" in {span.style for span in text.spans}
    row = next(line for line in text.plain.split("\n") if "L" in line)
    assert abs(row.index("L") - len(row) / 2) <= 1


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 60), st.integers(2, 30), st.floats(0, 1))
def test_the_picture_fits(size: int, width: int, height: int, fraction: float) -> None:
    shape = shapes.tree(size).with_expanded(fraction)
    picture = lines(shape, marks={0: ("L", "red")}, width=width, height=height)
    assert len(picture) <= height
    assert max(map(len, picture)) <= width
    assert sum(line.count("L") for line in picture) == 1


def test_the_last_line_says_how_much_smaller_it_is() -> None:
    assert lines(shapes.hexagon(30))[-1] == "Scaled down: 1 dot = 1 particle"
    assert lines(shapes.line(3_000))[-1] == "Scaled down: 1 dot ≈ 361 particles"


def test_a_million_nodes_are_drawn() -> None:
    radius = 60 if INTERPRETED else 577
    *picture, _ = lines(shapes.hexagon(radius), width=60, height=24)
    assert len(picture) > 15
    assert max(map(len, picture)) > 30


def test_the_console_prints_it_as_it_is() -> None:
    told = io.StringIO()
    console = Console(file=told, width=20)
    console.print(draw(shapes.line(30), width=80))
    assert told.getvalue().split() == 30 * ["o"]
