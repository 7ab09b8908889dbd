"""Numbers that users give: what is one, and within which limits."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any


def is_whole(value: object) -> bool:
    """Whether this is an integer, of Python or of NumPy, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(value: Any, name: str, least: int, most: int, why: str = "") -> int:
    """Return a whole number within limits, or raise an error that states them."""
    if not (is_whole(value) and least <= value <= most):
        limits = f"{least} to {most if most < 2**63 else f'2^{most.bit_length()} - 1'}"
        given = repr(value) if isinstance(value, str) else value  # "9" is none, and 9 is
        raise ValueError(f"{name} {given} is not a whole number from {limits}{why}")
    return int(value)


def check_seconds(value: Any, name: str = "time_limit") -> None:
    """Refuse what is not a number of seconds, nor None for no limit."""
    is_one = value is None or (isinstance(value, Real) and float(value) >= 0)
    if isinstance(value, bool) or not is_one:
        raise ValueError(f"{name} {value!r} is not a number of seconds, 0 or more")
