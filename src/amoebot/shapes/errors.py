"""What is wrong with a shape, in one sentence for the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from amoebot.arguments import shortened, spelled
from amoebot.errors import ExplainedError


class ShapeError(ExplainedError, ValueError):
    """Invalid shape: what was given, what was expected, and where."""

    topic = "shapes"

    def __init__(self, sentence: str, place: str = "") -> None:
        """Keep the place in a file, such as ``line 3``, apart until the file's name is known."""
        super().__init__(sentence)
        self.place = place


class DisconnectedError(ShapeError):
    """Nodes in several parts; ``node`` is the index of one in the smallest, which has ``size``."""

    def __init__(self, parts: int, size: int, node: int, coordinates: tuple[int, int]) -> None:
        """Describe the smallest of the parts by its size and one of its nodes."""
        super().__init__(
            f"the nodes form {parts:,} separate parts; the smallest, of {count(size, 'node')}, "
            f"contains {coordinates}"
        )
        self.parts, self.size, self.node = parts, size, node


@contextmanager
def blaming(given: object) -> Iterator[None]:
    """Begin the sentence of an error with what the user gave."""
    try:
        yield
    except ShapeError as error:
        place = f", {error.place}" if error.place else ""
        raise ShapeError(f"{brief(given)}{place}: {error}") from None
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise ShapeError(f"{brief(given)}: {reason[0].lower()}{reason[1:]}") from None


def count(number: int, noun: str) -> str:
    """Return a number with its noun, as in ``1 node`` or ``2,000 nodes``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def brief(given: object) -> str:
    """Return what the user gave, on one line; what is too long loses its middle.

    A shape string begins with its name, and a path ends with the name of the file.
    """
    text = given if isinstance(given, str) else spelled(given)
    return shortened(text if text.isprintable() else repr(text))
