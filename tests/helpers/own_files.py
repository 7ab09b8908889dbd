"""Files of rules and properties around the body of one function."""

from __future__ import annotations

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
