"""What every page of a report has."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl


def check_page(page: Path, figures: int) -> str:
    """Check that a page needs nothing from elsewhere, and that its figures and numbers exist."""
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == figures
    assert not re.search(r'(src|href)="https?:', text)
    assert "<script" not in text
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
    for link in re.findall(r'href="((?:figures|numbers)/[^"]+)"', text):
        assert (page.parent / link).stat().st_size > 0
    for drawing in (page.parent / "figures").glob("*.svg"):
        ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    for table in (page.parent / "numbers").glob("*.csv"):
        assert pl.read_csv(table, infer_schema_length=None).height > 0
    return text
