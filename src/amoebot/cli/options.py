"""What several commands share: their options, and how bad input is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.errors import ExplainedError

if TYPE_CHECKING:
    from amoebot.linking import Rules
    from amoebot.shapes import Shape

ShapeSeed = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, max=2**64 - 1, help="Seed of a random shape, and of --expanded."
    ),
]
Expanded = Annotated[
    float | None,
    typer.Option(
        metavar="FRACTION", help="Pair nodes at random to expanded particles, 0 to 1 of them."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of coins and schedule.")]
RulesFile = Annotated[
    Path | None,
    typer.Option("--rules", metavar="FILE", help="A Python file with rules of your own."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")]


class BadInput(typer.TyperException):
    """Something that the user gave and cannot be: one line, no traceback."""

    exit_code = 2


@contextmanager
def refusing() -> Iterator[None]:
    """Turn the refusal of a shape or an option into one line for the user."""
    try:
        yield
    except ValueError as error:
        raise BadInput(in_one_line(error)) from None


def in_one_line(error: Exception) -> str:
    """Return what an error says and, if there is a page about it, how to read that."""
    page = f" (amoebot help {error.topic})" if isinstance(error, ExplainedError) else ""
    return f"{error}{page}"


def read_shape(text: str, seed: int, expanded: float | None) -> Shape:
    """Return the shape that a command was given; its own expanded particles stay if none are."""
    from amoebot.shapes import parse

    with refusing():
        shape = parse(text, seed)
        return shape if expanded is None else shape.with_expanded(expanded, seed)


def read_rules(file: Path | None) -> Rules | None:
    """Return the rules in a file, or None for those of the paper."""
    from amoebot.linking import Rules

    with refusing():
        return None if file is None else Rules.read(file)


def compiled_rules(file: Path | None) -> Rules | None:
    """Return the same, with everything compiled that an election needs."""
    from amoebot.batch import warm_up

    rules = read_rules(file)
    with refusing():
        warm_up(rules)
    return rules


def print_json(content: dict[str, Any]) -> None:
    """Print what a program is to read."""
    import json

    typer.echo(json.dumps(content, allow_nan=False))
