"""Before parallel workers start, compile once what they all need."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from amoebot.jit import INTERPRETED

WARM_UP = """
import amoebot
for scheduler in ("permutation", "uniform"):
    amoebot.elect(amoebot.shapes.hexagon(2), seed=1, scheduler=scheduler)
"""


def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    parallel = getattr(config.option, "numprocesses", None)
    if parallel and not in_worker and not INTERPRETED:
        subprocess.run([sys.executable, "-c", WARM_UP], env=os.environ, check=True)
