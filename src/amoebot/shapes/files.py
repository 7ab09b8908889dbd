"""Shapes in files: which kinds there are, and what all of them have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from amoebot.files import as_path
from amoebot.shapes import image_file, json_file, text_file
from amoebot.shapes.errors import ShapeError, blaming
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
    with blaming(path):
        content = _content(path)
        reader = READERS.get(path.suffix.lower())
        if reader is None:
            raise ShapeError(f"a shape file must end in {_either(READERS)}")
        return reader(content, str(path))


def write(shape: Shape, path: str | os.PathLike[str]) -> None:
    """Write a shape to a file of the kind that its name ends in."""
    target = as_path(path, ShapeError)
    with blaming(target):
        writer = _WRITERS.get(target.suffix.lower())
        if writer is None:
            raise ShapeError(f"a shape is saved in a file that ends in {_either(_WRITERS)}")
        target.write_text(writer(shape), encoding="utf-8", newline="\n")


def _content(path: Path) -> bytes:
    """Return all bytes of a regular file of sensible size."""
    try:
        size = path.stat().st_size
    except ValueError:  # a null character, or one that the system cannot encode
        raise ShapeError("no file can have this name") from None
    if path.is_dir():
        raise ShapeError("this is a folder, not a shape file")
    if not path.is_file():
        raise ShapeError("this is not a regular file")
    if size > MOST_BYTES:
        raise ShapeError(f"the file has {size:,} bytes; at most {MOST_BYTES:,} are read")
    if size == 0:
        raise ShapeError("the file is empty")
    return path.read_bytes()


def _either(endings: Iterable[str]) -> str:
    """Return file endings as an English list."""
    *first, last = endings
    return f"{', '.join(first)} or {last}"
