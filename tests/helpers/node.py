"""How tests run JavaScript without a page, and check its types."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

#: The compiler's version is fixed: a new one may find more, and is for us to try.
TYPESCRIPT = "typescript@5.9"


def run_node(folder: Path, script: str) -> str:
    """Run a script in Node."""
    done = run_or_skip("node", script, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def typescript(*arguments: str) -> str:
    """Run the compiler of TypeScript, and return what it finds wrong."""
    compiler = ["tsc"]
    if shutil.which("tsc") is None:
        compiler = ["npx", "--yes", f"--package={TYPESCRIPT}", "tsc"]
        if run_or_skip(*compiler, "--version").returncode:
            _missing(f"{TYPESCRIPT} cannot be fetched by npx")
    return run_or_skip(*compiler, *arguments).stdout


def run_or_skip(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program. In CI a missing one is a failure; elsewhere the test is skipped."""
    if shutil.which(command[0]) is None:
        _missing(f"{command[0]} is not installed")
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


def _missing(reason: str) -> None:
    pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
