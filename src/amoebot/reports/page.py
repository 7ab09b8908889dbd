"""A report as one self-contained HTML page, with its figures and numbers as files beside it."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from amoebot.reports.sections import Section
from amoebot.reports.style import write_pdf

_STYLE = """
:root { color-scheme: light; --ink: #1d2733; --soft: #5a6875; --line: #dfe4e8; }
body { font: 16px/1.55 "Helvetica Neue", Helvetica, Arial, sans-serif; color: var(--ink);
  max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; background: #fff; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .3rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
p { margin: .4rem 0; } .soft, figcaption { color: var(--soft); font-size: .92rem; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; max-width: 56rem; }
table { border-collapse: collapse; font-size: .85rem; margin: .8rem 0; }
.wide { overflow-x: auto; }
th, td { padding: .28rem .7rem .28rem 0; text-align: left; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; }
th { font-weight: 600; color: var(--soft); } td.number, th.number { text-align: right; }
td.words { white-space: normal; min-width: 14rem; }
code { font: .85em ui-monospace, Menlo, Consolas, monospace; background: #f3f5f7;
  padding: .1em .35em; border-radius: 3px; } a { color: #0b5d99; }
.verdict { font-weight: 600; } .verdict::before { margin-right: .35em; }
.holds::before { content: "✓"; } .fails::before { content: "✗"; } .open::before { content: "–"; }
@media print { h2 { break-after: avoid; } figure { break-inside: avoid; } }
"""


def write_files(folder: Path, sections: Iterable[Section]) -> None:
    """Write the figures of all sections as SVG and PDF, and their numbers as CSV."""
    for part in ("figures", "numbers"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for section in sections:
        (folder / "figures" / f"{section.name}.svg").write_text(section.svg)
        write_pdf(section.figure, folder / "figures" / f"{section.name}.pdf")
        for name, table in section.numbers.items():
            table.write_csv(folder / "numbers" / f"{name}.csv")


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{html.escape(title)}</h1>\n{lead}\n" + "\n".join(body) + "\n</html>\n"
    )


def show(section: Section, before: str = "") -> str:
    """Return a section: what comes before, the figure, its caption and its table."""
    parts = [
        f'<section id="{section.name}">',
        f"<h2>{html.escape(section.title)}</h2>",
        before,
        f"<figure>{drawing(section)}<figcaption>{html.escape(section.caption)}</figcaption></figure>",
    ]
    if section.shown is not None:
        parts.append(table_of(section.shown))
    parts.append(f'<p class="soft">{_links(section)}</p></section>')
    return "\n".join(part for part in parts if part)


def drawing(section: Section) -> str:
    """Return the figure to go into the page itself."""
    svg = section.svg[section.svg.index("<svg") :]
    label = html.escape(section.title, quote=True)
    # The width and height in points would keep the figure from filling the page.
    return re.sub(
        r'<svg ([^>]*?)width="[^"]*"([^>]*?)height="[^"]*"',
        rf'<svg role="img" aria-label="{label}" \1\2',
        svg,
        count=1,
    )


def table_of(table: pl.DataFrame) -> str:
    """Return a table for reading: few digits, empty where there is nothing."""
    kinds = ['class="number"' if kind.is_numeric() else "" for kind in table.dtypes]
    head = "".join(
        f"<th {kind}>{html.escape(name.replace('_', ' '))}</th>"
        for name, kind in zip(table.columns, kinds, strict=True)
    )
    rows = [
        "<tr>"
        + "".join(f"<td {k}>{html.escape(spell(v))}</td>" for k, v in zip(kinds, row, strict=True))
        + "</tr>"
        for row in table.iter_rows()
    ]
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


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


def _links(section: Section) -> str:
    files = [(kind.upper(), f"figures/{section.name}.{kind}") for kind in ("svg", "pdf")]
    files += [(f"{name}.csv", f"numbers/{name}.csv") for name in section.numbers]
    return " · ".join(f'<a href="{path}">{html.escape(text)}</a>' for text, path in files)
