"""Checked values of a request."""

from __future__ import annotations

from typing import Any

from amoebot.arguments import is_whole


class RequestError(ValueError):
    """Invalid request."""


def number(request: dict[str, Any], name: str, least: int, most: int) -> int:
    """Return a whole number within bounds; one that is missing is the least."""
    value = request.get(name, least)
    if not (is_whole(value) and least <= value <= most):
        raise RequestError(f"'{name}' must be a whole number from {least:,} to {most:,}")
    return int(value)


def text(request: dict[str, Any], name: str) -> str:
    """Return some text."""
    value = request.get(name)
    if not isinstance(value, str):
        raise RequestError(f"'{name}' must be text")
    return value
