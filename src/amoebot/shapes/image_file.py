"""Shapes as images: each dark pixel is an occupied node."""

from __future__ import annotations

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from amoebot.shapes.errors import DisconnectedError, ShapeError, count
from amoebot.shapes.shape import Shape

_MOST_PIXELS = 100_000_000
_DARK = 128


def read(content: bytes, name: str) -> Shape:
    """Return the shape of the dark pixels; odd rows are half a node to the left of the others."""
    row, column = np.nonzero(_luminance(content, name) < _DARK)
    if len(row) == 0:
        raise ShapeError(f"{name}: no dark pixel, so no particle")
    # From the bottom row up, and in each from left to right: the order of a shape's nodes.
    order = np.argsort(-row, kind="stable")
    row, column = row[order], column[order]
    y = -row
    try:
        return Shape(np.stack([column - y // 2, y], axis=1), name=name)
    except DisconnectedError as error:
        where = f"row {row[error.node] + 1}, column {column[error.node] + 1}"
        raise ShapeError(
            f"{name}: the dark pixels form {error.parts:,} separate parts; the smallest, of "
            f"{count(error.size, 'pixel')}, contains {where}"
        ) from None


def _luminance(content: bytes, name: str) -> NDArray[np.uint8]:
    """Return how light each pixel of an image is on white paper, from 0 to 255."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of large images; ours are refused below, before they are unpacked.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content)) as image:
                _refuse_too_large(image, name)
                return np.asarray(_on_white(image))
    except ShapeError:
        raise
    except Image.DecompressionBombError:
        raise _too_large(name) from None
    except Exception as error:  # a broken file makes Pillow raise almost anything
        raise ShapeError(f"{name}: not a readable image") from error


def _on_white(image: Image.Image) -> Image.Image:
    """Return an image in shades of grey, with white behind what is transparent."""
    if image.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off rather than scale
        return Image.fromarray((np.asarray(image) // 256).astype(np.uint8))
    if not image.has_transparency_data:
        return image.convert("L")
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image.convert("RGBA")).convert("L")


def _refuse_too_large(image: Image.Image, name: str) -> None:
    if image.width * image.height > _MOST_PIXELS:
        raise _too_large(name)


def _too_large(name: str) -> ShapeError:
    return ShapeError(f"{name}: the image has more than {_MOST_PIXELS:,} pixels")
