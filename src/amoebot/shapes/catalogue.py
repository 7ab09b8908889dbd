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
    Generator(hexagon, "hexagon:R", example="hexagon:20"),
    Generator(line, "line:N", example="line:30"),
    Generator(triangle, "triangle:N", example="triangle:20"),
    Generator(parallelogram, "parallelogram:W,H", example="parallelogram:30,10"),
    Generator(annulus, "annulus:R,HOLE", example="annulus:20,12"),
    Generator(spiral, "spiral:N", example="spiral:200"),
    Generator(comb, "comb:TEETH,LENGTH", example="comb:12,15"),
    Generator(labyrinth, "labyrinth:R", example="labyrinth:12"),
    Generator(tree, "tree:N", example="tree:150"),
    Generator(random, "random:N[,HOLES]", example="random:300,8"),
    Generator(swiss, "swiss:R,FRACTION", example="swiss:12,0.3"),
)

#: The generators by name, in the order in which they are shown.
GENERATORS: dict[str, Generator] = {generator.name: generator for generator in _ALL}
