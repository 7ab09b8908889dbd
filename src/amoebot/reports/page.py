"""Pages made of templates, with their figures and numbers as files beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from amoebot.reports.sections import Section
from amoebot.reports.style import write_pdf


def render(template: str, *packages: str, **content: Any) -> str:
    """Return a page from a template of this package, or of one of the packages given."""
    loaders = [PackageLoader(package) for package in (*packages, "amoebot.reports")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(spell=spell, drawing=drawing)
    return made.get_template(template).render(**content)


def write_files(folder: Path, sections: Iterable[Section]) -> None:
    """Write the figures of all sections as SVG and PDF, and their numbers as CSV."""
    for part in ("figures", "numbers"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for section in sections:
        (folder / "figures" / f"{section.name}.svg").write_text(section.svg, encoding="utf-8")
        write_pdf(section.figure, folder / "figures" / f"{section.name}.pdf")
        for name, table in section.numbers.items():
            table.write_csv(folder / "numbers" / f"{name}.csv")


def drawing(section: Section) -> Markup:
    """Return the figure as an element of the page."""
    svg = section.svg[section.svg.index("<svg") :]
    # The width and height in points would keep the figure from filling the page.
    sized = r'<svg ([^>]*?)width="[^"]*"([^>]*?)height="[^"]*"'
    unsized = rf'<svg role="img" aria-label="{escape(section.title)}" \1\2'
    return Markup(re.sub(sized, unsized, svg, count=1))


def spell(value: object) -> str:
    """Return a value with as many digits as a reader needs."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.2g}"
    return str(value)
