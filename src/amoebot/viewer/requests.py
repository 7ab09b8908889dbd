"""The values in a request, if they are what they have to be."""

from __future__ import annotations

from typing import Any


class RequestError(ValueError):
    """A request that makes no sense: a sentence that says why."""


def number(request: dict[str, Any], name: str, least: int, most: int) -> int:
    """Return a whole number within bounds; one that is missing is the least."""
    value = request.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RequestError(f"'{name}' must be a whole number from {least:,} to {most:,}")
    return value


def text(request: dict[str, Any], name: str) -> str:
    """Return some text."""
    value = request.get(name)
    if not isinstance(value, str):
        raise RequestError(f"'{name}' must be text")
    return value
