"""Rules are checked against the fields of memory: a field that is misspelled is found by mypy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RULE = """
from amoebot.algorithms.improved.memory import Agent


def rule(me: Agent) -> int:
    return me.{field}
"""


@pytest.mark.slow
def test_a_misspelled_field_is_found(tmp_path: Path) -> None:
    fields = {"right": "digit", "within": "candidacy.x.heading"}
    typos = {"wrong": "digitt", "deeper": "candidacy.x.headin"}
    for name, field in (fields | typos).items():
        (tmp_path / f"{name}.py").write_text(RULE.format(field=field))
    told = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")),
            *("--follow-imports=silent", "--no-error-summary"),
            *(f"{name}.py" for name in fields | typos),
        ],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert told.returncode == 1, told.stdout + told.stderr
    lines = told.stdout.splitlines()
    assert {line.partition(".py:")[0] for line in lines} == {*typos}, told.stdout
    found = sorted(line for line in lines if "[attr-defined]" in line)
    assert found[0].startswith('deeper.py:6: error: "Axis" has no attribute "headin"')
    assert found[1].startswith('wrong.py:6: error: "Agent" has no attribute "digitt"')
    assert len(found) == len(typos)
