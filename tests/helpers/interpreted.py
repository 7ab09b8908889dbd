"""Other processes without the compiler, which is quicker for very small systems."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RULES = Path(__file__).parent / "rules"

VERIFY = """
import json, sys
from amoebot import Rules, shapes
from amoebot.verify import verify
rules, algorithm, shape, options = sys.argv[1:]
rules = Rules.read(rules, algorithm) if rules else None
report = verify(shapes.parse(shape), algorithm=algorithm, rules=rules, **json.loads(options))
print(json.dumps(report.as_dict()))
"""


def python(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python, such as ``-m amoebot elect line:2``."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


def verify(
    shape: str, rules: str = "", algorithm: str = "improved", **options: Any
) -> dict[str, Any]:
    """Verify rules that are in a file of ``rules``; return the report."""
    file = str(RULES / f"{rules}.py") if rules else ""
    told = python("-c", VERIFY, file, algorithm, shape, json.dumps(options))
    assert told.returncode == 0, told.stderr
    report: dict[str, Any] = json.loads(told.stdout)
    return report
