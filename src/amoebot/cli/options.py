"""What several commands share: their options, and how bad input is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

ShapeSeed = Annotated[int, typer.Option(metavar="N", help="Seed of a random shape.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of coins and schedule.")]
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
        raise BadInput(str(error)) from None


def print_json(content: dict[str, Any]) -> None:
    """Print what a program is to read."""
    import json

    typer.echo(json.dumps(content, allow_nan=False))
