"""The figures of the documentation are what their commands draw."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).parents[2] / "docs"

algorithm = SimpleNamespace(**runpy.run_path(str(DOCS / "pictures" / "algorithm.py")))


@pytest.mark.parametrize(
    "page", sorted((DOCS / "algorithm").glob("*.md")), ids=lambda page: page.stem
)
def test_a_page_shows_what_its_commands_draw(page: Path) -> None:
    assert algorithm.commands(page)
    assert algorithm.check(page) == []


def test_every_figure_is_on_a_page() -> None:
    pages = (DOCS / "algorithm").glob("*.md")
    drawn = {name for page in pages for name in algorithm.commands(page)}
    assert {file.name for file in algorithm.FIGURES.iterdir()} == drawn


@pytest.mark.slow
def test_the_comparison_is_drawn_from_its_table() -> None:
    script = DOCS / "pictures" / "which_election.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
