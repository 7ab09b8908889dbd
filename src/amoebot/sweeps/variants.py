"""Elections with settings, as plans and ``amoebot compare`` name them: ``ELECTION:PRESET``.

A setting is the name of a variant, or an option with its value; several are joined by a plus sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from amoebot.algorithms import registry
from amoebot.algorithms.description import read_setting

#: A colon that is part of a path does not begin settings: dots and slashes follow it.
_NAMED = re.compile(r"(?P<algorithm>.+?)(?::(?P<settings>[\w=+-]+))?")


def split(text: str) -> tuple[str, str]:
    """Return the name or path of an election, and its settings as they are written."""
    found = _NAMED.fullmatch(text)
    return (found["algorithm"], found["settings"] or "") if found else (text, "")


def read(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name or path of an election, and the options that its settings stand for.

    Raises:
        ValueError: If a variant is unknown, or if two settings contradict each other.
    """
    algorithm, settings = split(text)
    own: dict[str, Any] = {}
    for setting in settings.split("+") if settings else []:
        preset = "=" not in setting
        values = registry.preset(algorithm, setting) if preset else dict([read_setting(setting)])
        for name, value in values.items():
            if own.setdefault(name, value) != value:
                raise ValueError(f"{text}: two settings contradict each other: {name}")
    return algorithm, own


def paths_of(texts: Iterable[str]) -> dict[str, str]:
    """Return where to find the elections that are named, by what they are called in tables."""
    return {registry.find(name).name: name for name, _ in map(split, texts)}
