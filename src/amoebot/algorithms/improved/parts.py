"""The two algorithms that run in parallel in the almost sure variant, each by itself (A.3).

Their memories are apart but for two fields. ``frozen`` is written by the second and read by the
first; ``leader`` is written by the first and read by the second, which writes it when it has won.
"""

from __future__ import annotations

import numpy as np

from amoebot.algorithms.part import Part

from . import first_part, second_part

PARTS = (
    Part(
        "the first algorithm",
        (first_part.sides_of_coins, first_part.activate),
        "at any time, any agent can be frozen",
        options={"almost_sure": False, "terminate": False},
    ),
    Part(
        "the second algorithm",
        (second_part.sides_of_coins, second_part.activate),
        "at any time, one agent of the outer boundary or none becomes the first one's leader",
        needs="almost_sure",
        memory={"can_be_elected": np.uint8},
        chosen="can_be_elected",
        elects=True,
    ),
)
