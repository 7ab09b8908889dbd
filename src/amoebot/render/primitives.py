"""What pictures are made of: a few kinds of marks, in units of the lattice, y downwards."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Circle:
    """A disc, a ring, or both."""

    centre: Point
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0


@dataclass(frozen=True)
class Path:
    """Lines with round or flat ends: open, or closed and perhaps filled."""

    points: tuple[Point, ...]
    stroke: str | None = None
    width: float = 0.0
    fill: str | None = None
    closed: bool = False
    flat: bool = False


@dataclass(frozen=True)
class Label:
    """A few characters, centred."""

    centre: Point
    text: str
    size: float
    fill: str
    bold: bool = False


Mark = Circle | Path | Label


@dataclass(frozen=True)
class Picture:
    """Marks in layers, from the bottom up, and the part of the plane that they take up."""

    layers: dict[str, list[Mark]]
    left: float
    top: float
    width: float
    height: float
    paper: str
    title: str = ""

    @property
    def marks(self) -> list[Mark]:
        """All marks, from the bottom up."""
        return [mark for marks in self.layers.values() for mark in marks]
