"""The shapes that have a name: the table of all of them, and how their strings are written."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

from amoebot.shapes.growth import random, swiss, tree
from amoebot.shapes.regular import annulus, comb, hexagon, line, parallelogram, triangle
from amoebot.shapes.shape import Shape
from amoebot.shapes.winding import labyrinth, spiral


@dataclass(frozen=True)
class Generator:
    """A named family of shapes."""

    function: Callable[..., Shape]
    signature: str
    example: str
    least: tuple[int | None, ...]  #: of each parameter, None for a share from 0 to less than 1

    @property
    def name(self) -> str:
        """What its shape strings begin with."""
        return self.signature.partition(":")[0]

    @property
    def description(self) -> str:
        """What the shapes are, in one line."""
        return (self.function.__doc__ or "").partition("\n")[0]

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


_ALL = (
    Generator(hexagon, "hexagon:R", "hexagon:20", (0,)),
    Generator(line, "line:N", "line:30", (1,)),
    Generator(triangle, "triangle:N", "triangle:20", (1,)),
    Generator(parallelogram, "parallelogram:W,H", "parallelogram:30,10", (1, 1)),
    Generator(annulus, "annulus:R,HOLE", "annulus:20,12", (1, 0)),
    Generator(spiral, "spiral:N", "spiral:200", (1,)),
    Generator(comb, "comb:TEETH,LENGTH", "comb:12,15", (1, 1)),
    Generator(labyrinth, "labyrinth:R", "labyrinth:12", (2,)),
    Generator(tree, "tree:N", "tree:150", (1,)),
    Generator(random, "random:N[,HOLES]", "random:300,8", (1, 0)),
    Generator(swiss, "swiss:R,FRACTION", "swiss:12,0.3", (0, None)),
)

#: The generators by name, in the order in which they are shown.
GENERATORS: dict[str, Generator] = {generator.name: generator for generator in _ALL}
