"""Pictures as SVG: one group for each layer."""

from __future__ import annotations

from xml.sax.saxutils import escape

from amoebot.render.primitives import Circle, Label, Mark, Path, Picture

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def document(picture: Picture, scale: float | None = None, most: float = 900.0) -> str:
    """Return a whole SVG file; without a scale, one of at most the given pixels."""
    per_unit = scale or min(60.0, most / max(picture.width, picture.height))
    width, height = picture.width * per_unit, picture.height * per_unit
    box = f"{picture.left:.3f} {picture.top:.3f} {picture.width:.3f} {picture.height:.3f}"
    title = f"<title>{escape(picture.title)}</title>\n" if picture.title else ""
    groups = "".join(
        f'<g id="{name}">\n{"".join(map(element, marks))}</g>\n'
        for name, marks in picture.layers.items()
        if marks
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{box}" font-family="{FONT}" text-anchor="middle" '
        f'stroke-linecap="round" stroke-linejoin="round" fill="none">\n{title}'
        f'<rect x="{picture.left:.3f}" y="{picture.top:.3f}" width="{picture.width:.3f}" '
        f'height="{picture.height:.3f}" fill="{picture.paper}"/>\n{groups}</svg>\n'
    )


def element(mark: Mark) -> str:
    """Return the element of one mark."""
    if isinstance(mark, Circle):
        (x, y), style = mark.centre, paint(mark.fill, mark.stroke, mark.width)
        return f'<circle cx="{x:.3f}" cy="{y:.3f}" r="{mark.radius:.3f}"{style}/>\n'
    if isinstance(mark, Path):
        line = "L".join(f"{x:.3f} {y:.3f}" for x, y in mark.points) + ("z" if mark.closed else "")
        ends = ' stroke-linecap="butt"' if mark.flat else ""
        return f'<path d="M{line}"{paint(mark.fill, mark.stroke, mark.width)}{ends}/>\n'
    return label(mark)


def label(mark: Label) -> str:
    """Return a few characters; they are moved down by hand, as not all programs centre them."""
    (x, y), weight = mark.centre, ' font-weight="bold"' if mark.bold else ""
    return (
        f'<text x="{x:.3f}" y="{y + 0.36 * mark.size:.3f}" font-size="{mark.size:.3f}"'
        f'{weight} fill="{mark.fill}">{escape(mark.text)}</text>\n'
    )


def paint(fill: str | None, stroke: str | None, width: float) -> str:
    """Return the attributes for filling and stroking; colours may end in their opacity."""
    style = ""
    if fill:
        style += f' fill="{fill[:7]}"' + opacity("fill", fill)
    if stroke:
        style += f' stroke="{stroke[:7]}" stroke-width="{width:.3f}"' + opacity("stroke", stroke)
    return style


def opacity(what: str, colour: str) -> str:
    """Return the opacity of a colour such as ``#56b4e94d``, if it has one."""
    return f' {what}-opacity="{int(colour[7:], 16) / 255:.2f}"' if len(colour) > 7 else ""
