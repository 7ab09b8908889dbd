"""Shapes in files: which kinds there are, and what all of them have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from amoebot.shapes import image_file, json_file, text_file
from amoebot.shapes.errors import ShapeError, brief
from amoebot.shapes.shape import Shape

#: Files beyond this size are refused before they are read.
MOST_BYTES = 1_000_000_000

#: How to read each kind of file, by the ending of its name.
READERS: dict[str, Callable[[bytes, str], Shape]] = {
    ".txt": text_file.read,
    ".json": json_file.read,
    ".png": image_file.read,
    ".gif": image_file.read,
    ".bmp": image_file.read,
    ".jpg": image_file.read,
    ".jpeg": image_file.read,
}

_WRITERS: dict[str, Callable[[Shape], str]] = {
    ".txt": text_file.picture,
    ".json": json_file.document,
}


def read(path: Path) -> Shape:
    """Return the shape that a file describes."""
    name = brief(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ShapeError(f"{name}: a shape file must end in {_listed(READERS)}")
    try:
        return reader(_content(path), name)
    except OSError as error:
        raise ShapeError(f"{name}: {_reason(error)}") from None


def write(shape: Shape, path: str | os.PathLike[str]) -> None:
    """Write a shape to a file of the kind that its name ends in."""
    target = Path(path)
    writer = _WRITERS.get(target.suffix.lower())
    if writer is None:
        raise ShapeError(f"{brief(target)}: a shape is saved as {_listed(_WRITERS)}")
    try:
        target.write_text(writer(shape), encoding="utf-8", newline="\n")
    except ShapeError as error:
        raise ShapeError(f"{brief(target)}: {error}") from None
    except OSError as error:
        raise ShapeError(f"{brief(target)}: {_reason(error)}") from None


def _content(path: Path) -> bytes:
    """Return all bytes of a regular file of sensible size."""
    size = path.stat().st_size
    if path.is_dir():
        raise ShapeError(f"{brief(path)}: a folder, not a shape file")
    if not path.is_file():
        raise ShapeError(f"{brief(path)}: not a regular file")
    if size > MOST_BYTES:
        raise ShapeError(f"{brief(path)}: {size:,} bytes; at most {MOST_BYTES:,} can be read")
    if size == 0:
        raise ShapeError(f"{brief(path)}: the file is empty")
    return path.read_bytes()


def _reason(error: OSError) -> str:
    """Return why the system refused a file, in its own words."""
    return (error.strerror or "unreadable").lower()


def _listed(kinds: Iterable[str]) -> str:
    """Return file endings as an English list."""
    *first, last = kinds
    return f"{', '.join(first)} or {last}"
