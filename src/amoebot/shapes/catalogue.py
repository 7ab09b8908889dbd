"""The shapes that have a name: what a generator is, and the table of all of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

import numpy as np

from amoebot.shapes.adjacency import Integers
from amoebot.shapes.errors import ShapeError, blaming, brief
from amoebot.shapes.shape import Shape

_Parameters = ParamSpec("_Parameters")
_Build = Callable[_Parameters, Integers]


@dataclass(frozen=True)
class Generator:
    """A named family of shapes, and how its shape strings are written."""

    function: Callable[..., Shape]
    signature: str
    description: str
    example: str

    @property
    def parameters(self) -> list[str]:
        """The names of all parameters in the signature."""
        return re.findall("[A-Z]+", self.signature)

    @property
    def required(self) -> int:
        """The number of parameters that must be given."""
        return len(re.findall("[A-Z]+", self.signature.partition("[")[0]))

    @property
    def random(self) -> bool:
        """Whether the shape depends on a seed."""
        return "seed" in inspect.signature(self.function).parameters


#: The generators by name, in the order in which they are shown.
GENERATORS: dict[str, Generator] = {}


def generator(
    signature: str, example: str
) -> Callable[[_Build[_Parameters]], Callable[_Parameters, Shape]]:
    """Turn a function that returns nodes into one that returns a named shape, and list it."""

    def decorate(build: _Build[_Parameters]) -> Callable[_Parameters, Shape]:
        @wraps(build)
        def make(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Shape:
            given = inspect.signature(build).bind(*args, **kwargs).arguments
            values = (brief(value) for key, value in given.items() if key != "seed")
            name = f"{build.__name__}:{','.join(values)}"
            with blaming(name):
                return Shape(build(*args, **kwargs), name=name)

        description = (build.__doc__ or "").partition("\n")[0]
        GENERATORS[build.__name__] = Generator(make, signature, description, example)
        return make

    return decorate


def whole(name: str, value: object, least: int) -> int:
    """Return a parameter, if it is a whole number of at least ``least``."""
    # In Python, True and False are integers too.
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
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
