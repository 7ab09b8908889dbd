"""What makes a function a generator of shapes: a name for the shape, and checked parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from amoebot.arguments import is_whole
from amoebot.shapes.adjacency import Integers
from amoebot.shapes.errors import ShapeError, blaming, brief
from amoebot.shapes.shape import Shape

_Parameters = ParamSpec("_Parameters")


def generator(build: Callable[_Parameters, Integers]) -> Callable[_Parameters, Shape]:
    """Turn a function that returns nodes into one that returns a shape, named as it was called."""

    @wraps(build)
    def make(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Shape:
        given = inspect.signature(build).bind(*args, **kwargs).arguments
        values = (brief(value) for key, value in given.items() if key != "seed")
        name = f"{build.__name__}:{','.join(values)}"
        with blaming(name):
            return Shape(build(*args, **kwargs), name=name)

    return make


def at_least(name: str, value: Any, least: int) -> int:
    """Return a parameter, if it is a whole number of at least ``least``."""
    if not (is_whole(value) and value >= least):
        raise ShapeError(f"{name} must be a whole number, {least} or more")
    return int(value)


def share(name: str, value: object) -> float:
    """Return a parameter, if it is a number from 0 to less than 1."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not 0 <= value < 1
    ):
        raise ShapeError(f"{name} must be a number from 0 to less than 1")
    return float(value)
