"""The example notebooks run from top to bottom, and are kept without their outputs."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from amoebot import jit

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.skipif(jit.INTERPRETED, reason="for compiled rules")
@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    try:
        client.execute(cwd=str(tmp_path), env=os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    finally:
        asyncio.set_event_loop(None)
    figures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert figures


def test_there_are_two_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["growth", "schedulers"]
