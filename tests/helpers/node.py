"""How tests run JavaScript without a page."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def run_node(folder: Path, script: str) -> str:
    """Run a script in Node. In CI a missing one is a failure; elsewhere the test is skipped."""
    if shutil.which("node") is None:
        pytest.fail("node is not installed") if os.environ.get("CI") else pytest.skip("no node")
    done = subprocess.run(["node", script], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout
