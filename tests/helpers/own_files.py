"""Files of rules and properties around the body of one function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from amoebot import Simulation
from amoebot.linking import Rules, RulesError, link
from amoebot.verify.user_properties import PropertyError, as_properties

#: The module that has the rule.
SIGN = "algorithms.solitude_verification"

HEAD = """import math, time
import numpy as np
from random import random
from time import perf_counter
from datetime import datetime
from numpy import zeros

TABLE = np.array([0, 1, 2])
COUNT = 0

"""


def rules_with(body: str) -> str:
    return f"{HEAD}def sign(heading):\n    {body}\n"


def as_property(body: str) -> str:
    """Return the file of a property that does what a rule does, from the same line on."""
    body = body.replace("heading", "len(world.wiring)")
    return f"{HEAD}def sign(world):\n    {body}\n"


def check_refused(body: str, words: str, tmp_path: Path) -> None:
    """Check what is said of a rule, and of a property that does the same."""
    with pytest.raises(RulesError, match=r"mine\.py: ") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)
    (tmp_path / "mine.py").write_text(as_property(body))
    with pytest.raises(PropertyError, match=r"mine\.py: ") as refused:
        as_properties(tmp_path / "mine.py")
    assert words.partition(", and what")[0].replace("a rule", "a property") in str(refused.value)


def check_accepted(body: str, tmp_path: Path) -> None:
    assert Rules.parse(rules_with(body), "mine").parts()
    check_holds(as_property(body), tmp_path)


def check_holds(text: str, tmp_path: Path) -> None:
    """Check that the properties in the text of a file run, and hold of a line of three."""
    (tmp_path / "mine.py").write_text(text)
    world = Simulation("line:3").engine_run.world
    assert all(one.holds(world) for one in as_properties(tmp_path / "mine.py"))


def compiled_sign(text: str) -> Callable[[int], int]:
    """Return the compiled rule ``sign`` of the text of a file."""
    return link("improved", Rules.parse(text, "mine")).module(SIGN).sign
