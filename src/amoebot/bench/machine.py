"""The machine on which figures were measured."""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

import numba
import numpy as np

from amoebot import __version__
from amoebot.engine_runs import cores


def machine() -> dict[str, str]:
    """Return the versions that matter, the processor, and the date."""
    return {
        "amoebot": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "processor": f"{cores()} × {processor()}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def processor() -> str:
    """Return the name of the processor, as far as the system tells."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
