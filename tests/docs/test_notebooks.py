"""The example notebooks run from top to bottom, with the outputs that are kept with them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_with_their_outputs(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert all(cell.execution_count == number for number, cell in enumerate(cells, start=1))
    assert figures_of(outputs)
    assert not [output for output in outputs if output.output_type == "error"]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_give_the_outputs_that_are_kept(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    try:
        client.execute(cwd=str(tmp_path), env=os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    finally:
        asyncio.set_event_loop(None)
    assert figures_of([output for cell in notebook.cells for output in cell.get("outputs", [])])
    for cell, kept in zip(notebook.cells, nbformat.read(path, as_version=4).cells, strict=True):
        assert texts_of(cell) == texts_of(kept), cell.source


def figures_of(outputs: list[Any]) -> list[Any]:
    """Return the outputs that are pictures."""
    return [output for output in outputs if "image/svg+xml" in output.get("data", {})]


def texts_of(cell: Any) -> list[str]:
    """Return what a cell shows, as text."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [data["text/plain"] for data in shown if "text/plain" in data]


def test_there_are_two_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["growth", "schedulers"]
