"""What is wrong with a shape, in one sentence for the user."""

from __future__ import annotations

_LONGEST = 60


class ShapeError(ValueError):
    """A shape that cannot be: the message says what was given, what was expected and where."""


class DisconnectedError(ShapeError):
    """Nodes in several parts; ``node`` is the row number of one in the smallest part."""

    def __init__(self, parts: int, size: int, node: int, coordinates: tuple[int, int]) -> None:
        """Describe the smallest of the parts by its size and one of its nodes."""
        self.parts, self.size, self.node = parts, size, node
        super().__init__(
            f"the nodes form {parts:,} separate parts; the smallest, of {count(size, 'node')}, "
            f"contains {coordinates}"
        )


def count(number: int, noun: str) -> str:
    """Return a number with its noun, as in ``1 node`` or ``2,000 nodes``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def brief(given: object) -> str:
    """Return what the user gave, on one line and cut short if it is long."""
    text = str(given)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
