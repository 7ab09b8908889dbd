"""Where results come from: the code, the rules, the machine and the day."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version

import amoebot
from amoebot.cache import digest_of_sources
from amoebot.linking import PAPER
from amoebot.sweeps.plan import Cell

#: The packages whose versions are recorded.
PACKAGES = ("numpy", "numba", "scipy", "polars")


def provenance(cells: Iterable[Cell]) -> dict[str, str]:
    """Return what made the elections of some cells, as the metadata of a file."""
    made = {cell.rules: cell for cell in cells}
    rules = [
        name if name == PAPER else f"{name} (sha256 {_digest(cell)})"
        for name, cell in sorted(made.items())
    ]
    return {
        "amoebot": amoebot.__version__,
        "amoebot-sources-sha256": digest_of_sources(),
        "rules": ", ".join(rules),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "processors": str(os.cpu_count()),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def _digest(cell: Cell) -> str:
    rules = cell.options().rules
    return "" if rules is None else rules.digest
