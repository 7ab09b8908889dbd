"""Shapes as images: each dark pixel is an occupied node."""

from __future__ import annotations

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from amoebot.shapes.errors import DisconnectedError, ShapeError, count
from amoebot.shapes.shape import Shape

_FORMATS = ("PNG", "GIF", "BMP", "JPEG")
_MOST_PIXELS = 100_000_000
_DARK = 128


def read(content: bytes, name: str) -> Shape:
    """Return the shape of the dark pixels: row r has y = −r, odd rows lie half a node right."""
    light = _luminance(content)
    # From the bottom row up, and in each from left to right: the order of a shape's nodes.
    upwards, column = np.nonzero(light[::-1] < _DARK)
    y = upwards - (len(light) - 1)
    if len(y) == 0:
        raise ShapeError("no pixel is dark, so there is no particle")
    try:
        return Shape(np.stack([column - y // 2, y], axis=1), name=name)
    except DisconnectedError as error:
        raise ShapeError(
            f"the dark pixels form {error.parts:,} separate parts; the smallest, of "
            f"{count(error.size, 'pixel')}, has one in row {1 - y[error.node]}, "
            f"column {column[error.node] + 1}"
        ) from None


def _luminance(content: bytes) -> NDArray[np.uint8]:
    """Return how light each pixel of an image is on white paper, from 0 to 255."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of large images; they are refused here before they are unpacked.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS:
                    raise Image.DecompressionBombError
                return np.asarray(_on_white(image))
    except Image.DecompressionBombError:
        raise ShapeError(f"the image has more than {_MOST_PIXELS:,} pixels") from None
    except Exception as error:  # a broken file makes Pillow raise almost anything
        raise ShapeError("this is not a readable image") from error


def _on_white(image: Image.Image) -> Image.Image:
    """Return an image in shades of grey, with white behind what is transparent."""
    if image.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off rather than scale
        return Image.fromarray((np.asarray(image) // 256).astype(np.uint8))
    if not image.has_transparency_data:
        return image.convert("L")
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image.convert("RGBA")).convert("L")
