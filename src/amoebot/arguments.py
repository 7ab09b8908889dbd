"""Checks of arguments that users give."""

from __future__ import annotations

import sys
from numbers import Integral, Real
from typing import Any

_LONGEST = 200


def is_whole(value: object) -> bool:
    """Whether this is an integer, of Python or of NumPy, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def spelled(value: object) -> str:
    """Return a value for a message; what is too long loses its middle."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)  # "9" is no number, and 9 is
    except ValueError:  # Python does not write out the longest numbers
        return "(a number too long to write out)"
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text without its middle if it is long."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"


def whole(value: Any, name: str, least: int, most: int, why: str = "") -> int:
    """Return a whole number within limits, or raise an error that states them."""
    if not (is_whole(value) and least <= value <= most):
        limits = f"{least} to {most if most < 2**63 else f'2^{most.bit_length()} - 1'}"
        raise ValueError(f"{name} {spelled(value)} is not a whole number from {limits}{why}")
    return int(value)


def check_seconds(value: Any, name: str = "time_limit") -> None:
    """Refuse what is not a number of seconds, nor None for no limit."""
    if value is None:
        return
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and value >= 0):
        raise ValueError(f"{name} {spelled(value)} is not a number of seconds, 0 or more")
    try:
        float(value)
    except OverflowError:
        limit = f"more than {sys.float_info.max:.1e} seconds, the most that can be given"
        raise ValueError(f"{name} {spelled(value)} is {limit}") from None


def check_truth(value: object, name: str) -> None:
    """Refuse what is neither true nor false; Python and files spell these differently."""
    if type(value).__name__ != "bool":  # Python's or NumPy's
        raise ValueError(f"{name} {value!r} is neither true nor false")


def check_function(value: object, name: str = "progress") -> None:
    """Refuse what is neither a function, nor None for none."""
    if value is not None and not callable(value):
        raise ValueError(f"{name} {value!r} is not a function")
