"""Solitude verification alone: what tokens of different signs have to do with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from amoebot.algorithms.candidacy import NON_CANDIDATE, Candidacy
from amoebot.algorithms.records import layout
from amoebot.algorithms.solitude_verification import verify_solitude
from amoebot.jit import compiled


@compiled
def activate_second(memory: NDArray[Any]) -> None:
    """Activate the second of three consecutive agents."""
    verify_solitude(memory[1], memory[0], memory[2])


@pytest.mark.paper("Section 2.5")
@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize(("moves", "waits"), [("positive", "negative"), ("negative", "positive")])
def test_the_two_signs_move_independently(axis: str, moves: str, waits: str) -> None:
    """Where there is no room for a token of one sign, one of the other goes on."""
    memory = np.zeros(3, dtype=layout(Candidacy))
    memory["role"] = NON_CANDIDATE
    tokens = memory[axis]
    tokens[moves]["held"] = 0, 1, 0
    tokens[waits]["held"] = 2, 1, 0
    activate_second(memory)
    assert tokens[moves]["held"].tolist() == [1, 0, 0]
    assert tokens[waits]["held"].tolist() == [2, 1, 0]
