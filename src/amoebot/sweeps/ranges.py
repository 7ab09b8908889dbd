"""Ranges in shape strings: ``hexagon:10..40+10`` stands for four hexagons."""

from __future__ import annotations

import itertools
import math
import re

#: The most values that one range may stand for.
MOST_VALUES = 10_000

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:([+*])({_NUMBER}))?")

#: What a range looks like, for error messages.
FORMS = "A..B, A..B+STEP or A..B*FACTOR, such as 10..40+10"


def expand(text: str) -> list[str]:
    """Return the shape strings that a string with ranges stands for, in ascending order."""
    name, colon, rest = text.partition(":")
    if not colon or ".." not in rest or "/" in text:
        return [text]
    values = [_values(part.strip(), text) for part in rest.split(",")]
    if math.prod(len(choices) for choices in values) > MOST_VALUES:
        raise ValueError(f"{text} stands for more than {MOST_VALUES:,} shapes")
    return [f"{name}:{','.join(choice)}" for choice in itertools.product(*values)]


def _values(part: str, text: str) -> list[str]:
    if ".." not in part:
        return [part]
    found = _RANGE.fullmatch(part)
    if not found:
        raise ValueError(f"{text}: {part} is not a range; write {FORMS}")
    first, last = float(found[1]), float(found[2])
    step = float(found[4]) if found[4] else 1.0
    whole = all("." not in number for number in (found[1], found[2], found[4] or ""))
    if last < first:
        raise ValueError(f"{text}: the range {part} is empty, because {found[2]} < {found[1]}")
    if found[3] == "*":
        if step <= 1 or first <= 0:
            raise ValueError(f"{text}: {part} needs a start above 0 and a factor above 1")
        return _geometric(first, last, step, part, text)
    if step <= 0:
        raise ValueError(f"{text}: the range {part} needs a step above 0")
    count = int((last - first) / step + 1e-9) + 1
    _refuse_too_many(count, part, text)
    return [_written(first + step * number, whole) for number in range(count)]


def _geometric(first: float, last: float, factor: float, part: str, text: str) -> list[str]:
    """Return a geometric progression, rounded to whole numbers."""
    values: list[str] = []
    value = first
    while round(value) <= last:
        if not values or str(round(value)) != values[-1]:
            values.append(str(round(value)))
            _refuse_too_many(len(values), part, text)
        value *= factor
    return values


def _refuse_too_many(count: int, part: str, text: str) -> None:
    if count > MOST_VALUES:
        raise ValueError(f"{text}: the range {part} has more than {MOST_VALUES:,} values")


def _written(value: float, whole: bool) -> str:
    return str(round(value)) if whole else f"{value:.10g}"
