"""Connected sets of occupied nodes: generators, files, random growth."""

from amoebot.shapes.catalogue import GENERATORS, Generator
from amoebot.shapes.errors import ShapeError
from amoebot.shapes.growth import random, swiss, tree
from amoebot.shapes.parsing import ShapeLike, as_shape, parse
from amoebot.shapes.regular import annulus, comb, hexagon, line, parallelogram, triangle
from amoebot.shapes.shape import Shape
from amoebot.shapes.winding import labyrinth, spiral

__all__ = [
    "GENERATORS",
    "Generator",
    "Shape",
    "ShapeError",
    "ShapeLike",
    "annulus",
    "as_shape",
    "comb",
    "hexagon",
    "labyrinth",
    "line",
    "parallelogram",
    "parse",
    "random",
    "spiral",
    "swiss",
    "tree",
    "triangle",
]
