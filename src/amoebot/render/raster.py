"""Pictures as pixels, drawn by Pillow: fast enough for the many frames of a film."""

from __future__ import annotations

from functools import cache
from pathlib import Path as File

from PIL import Image, ImageDraw, ImageFont

from amoebot.render.primitives import Circle, Label, Mark, Path, Picture, Point

#: Frames are drawn larger by this factor, then made smaller: that smooths all edges.
FINER = 2

#: Layers that are the same at every moment.
FIXED = ("bonds", "particles")

#: Pixels of the strip below a picture with a few words about it, and of each further line there.
STRIP, LINE = 34, 18

#: The size of these words, and the least one where there is too little room for them.
CAPTION, LEAST_CAPTION = 14, 6


@cache
def font(size: int, bold: bool = True) -> ImageFont.FreeTypeFont:
    """Return the font that comes with Matplotlib, which everybody has."""
    from matplotlib import get_data_path

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(File(get_data_path()) / "fonts" / "ttf" / name, max(1, size))


class Rasterizer:
    """Turns the pictures of one run into images of the same size."""

    def __init__(self, picture: Picture, pixels: int, lines: int = 1) -> None:
        """Choose a scale at which the longer side has ``pixels`` pixels.

        Below the picture there is room for ``lines`` lines of words.
        """
        self._unit = FINER * pixels / max(picture.width, picture.height)
        # Films want even numbers of pixels.
        self.width = 2 * max(40, round(picture.width * self._unit / FINER / 2))
        self._strip = STRIP + LINE * (lines - 1)
        self.height = 2 * max(20, round(picture.height * self._unit / FINER / 2)) + self._strip
        self._left, self._top = picture.left, picture.top
        self._left -= (self.width * FINER / self._unit - picture.width) / 2
        self._fixed: Image.Image | None = None

    def image(self, picture: Picture, caption: str, ink: str) -> Image.Image:
        """Return one image."""
        if self._fixed is None:
            size = (self.width * FINER, self.height * FINER)
            self._fixed = Image.new("RGB", size, picture.paper)
            for name in FIXED:
                self._fixed = self._layer(self._fixed, picture.layers.get(name, []))
        image = self._fixed.copy()
        for name, marks in picture.layers.items():
            if name not in FIXED:
                image = self._layer(image, marks)
        image = image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        pen, middle = ImageDraw.Draw(image), (self.width / 2, self.height - self._strip / 2)
        style = self._caption_font(pen, caption)
        pen.text(middle, caption, fill=ink, font=style, anchor="mm", align="center")
        return image

    def _caption_font(self, pen: ImageDraw.ImageDraw, caption: str) -> ImageFont.FreeTypeFont:
        """Return the largest font in which no line of the words is cut off."""
        for size in range(CAPTION, LEAST_CAPTION, -1):
            style = font(size, False)
            if max(pen.textlength(line, style) for line in caption.split("\n")) < self.width - 8:
                return style
        return font(LEAST_CAPTION, False)

    def _layer(self, image: Image.Image, marks: list[Mark]) -> Image.Image:
        """Draw a layer; what can be seen through goes onto a sheet of its own first."""
        if not any(len(colour) > 7 for mark in marks for colour in _colours(mark)):
            pen = ImageDraw.Draw(image)
            for mark in marks:
                self._mark(pen, mark)
            return image
        sheet = Image.new("RGBA", image.size)
        pen = ImageDraw.Draw(sheet)
        for mark in marks:
            self._mark(pen, mark)
        return Image.alpha_composite(image.convert("RGBA"), sheet).convert("RGB")

    def _mark(self, pen: ImageDraw.ImageDraw, mark: Mark) -> None:
        if isinstance(mark, Label):
            style = font(round(mark.size * self._unit), mark.bold)
            pen.text(self._at(mark.centre), mark.text, fill=mark.fill, font=style, anchor="mm")
        elif isinstance(mark, Circle):
            self._disc(pen, mark.centre, mark.radius, mark.fill, mark.stroke, mark.width)
        else:
            self._path(pen, mark)

    def _disc(
        self,
        pen: ImageDraw.ImageDraw,
        centre: Point,
        radius: float,
        fill: str | None,
        stroke: str | None = None,
        width: float = 0.0,
    ) -> None:
        (x, y), reach = self._at(centre), (radius + width / 2) * self._unit
        box = (x - reach, y - reach, x + reach, y + reach)
        pen.ellipse(box, fill, stroke, max(1, round(width * self._unit)) if stroke else 0)

    def _path(self, pen: ImageDraw.ImageDraw, mark: Path) -> None:
        points = [self._at(point) for point in mark.points]
        if mark.closed:
            points.append(points[0])
        if mark.fill:
            pen.polygon(points, mark.fill)
        if mark.stroke and mark.width:
            pen.line(points, mark.stroke, max(1, round(mark.width * self._unit)), joint="curve")
            for point in () if mark.closed or mark.flat else (mark.points[0], mark.points[-1]):
                self._disc(pen, point, mark.width / 2, mark.stroke)

    def _at(self, point: Point) -> Point:
        return (point[0] - self._left) * self._unit, (point[1] - self._top) * self._unit


def _colours(mark: Mark) -> list[str]:
    if isinstance(mark, Label):
        return [mark.fill]
    return [colour for colour in (mark.fill, mark.stroke) if colour]
