"""From what the user typed to a shape: a shape string such as ``hexagon:20``, or a file."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from amoebot.shapes.catalogue import GENERATORS, Generator
from amoebot.shapes.errors import ShapeError, brief
from amoebot.shapes.files import READERS, read
from amoebot.shapes.shape import Shape
from amoebot.shapes.streams import check_seed

#: A shape, or what ``parse`` makes one of.
ShapeLike = Shape | str | os.PathLike[str]


def as_shape(given: ShapeLike) -> Shape:
    """Return a shape, or the one that a string or the path of a file stands for."""
    if isinstance(given, Shape):
        return given
    return parse(given)


def parse(text: str | os.PathLike[str], seed: int = 0) -> Shape:
    """Return the shape that a string or the path of a file stands for.

    Args:
        text: A generator and its parameters, such as "hexagon:20" (``GENERATORS`` has them all), or
            the path of a .txt, .json or image file.
        seed: The seed of a random shape, from 0 to 2^64 - 1; other shapes ignore it.

    Raises:
        ShapeError: If there is no such shape or file, or if it is invalid.
    """
    if not isinstance(text, str | os.PathLike) or isinstance(os.fspath(text), bytes):
        raise ShapeError(f"expected a shape, a string or a path, not {brief(repr(text))}")
    check_seed(seed)
    given = os.fspath(text)
    name, _, rest = given.strip().partition(":")
    if name in GENERATORS:
        return _generate(GENERATORS[name], given, rest, seed)
    if Path(given).suffix.lower() not in READERS and not os.path.lexists(given):
        near = get_close_matches(name, GENERATORS, n=1)
        known = f"did you mean {near[0]}?" if near else ", ".join(GENERATORS)
        raise ShapeError(
            f"{brief(given) or 'the empty string'} is neither a known shape ({known}) "
            "nor a readable file"
        )
    return read(Path(given))


def _generate(generator: Generator, given: str, rest: str, seed: int) -> Shape:
    """Call a generator with the parameters in a shape string."""
    values = [_value(value.strip()) for value in rest.split(",")] if rest.strip() else []
    most = len(generator.parameters)
    if not generator.required <= len(values) <= most:
        few = "too few" if len(values) < generator.required else "too many"
        raise ShapeError(
            f"{brief(given)}: {few} parameters; expected {generator.signature}, "
            f"for example {generator.example}"
        )
    return generator.function(*values, **({"seed": seed} if generator.random else {}))


def _value(text: str) -> int | float | str:
    """Return a parameter as the number it looks like; the generator judges what it is given."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
