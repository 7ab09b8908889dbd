"""Diameters, against searches from every node."""

from __future__ import annotations

import pytest

from amoebot.shapes import Shape, parse
from amoebot.sweeps.diameter import diameter


def naive_diameter(shape: Shape) -> int:
    longest = 0
    for start in range(len(shape)):
        steps, waiting = {start: 0}, [start]
        for node in waiting:
            for other in shape.neighbours[node].tolist():
                if other >= 0 and other not in steps:
                    steps[other] = steps[node] + 1
                    waiting.append(other)
        longest = max(longest, *steps.values())
    return longest


@pytest.mark.parametrize(
    "text",
    [
        "line:1",
        "line:8",
        "hexagon:4",
        "annulus:3,1",
        "annulus:5,4",
        "comb:3,4",
        "labyrinth:4",
        "tree:40",
        "random:60",
        "random:90,3",
        "swiss:4,0.3",
        "spiral:30",
    ],
)
def test_diameters(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = parse(text)
    assert diameter(shape) == (naive_diameter(shape), True)
    monkeypatch.setattr("amoebot.sweeps.diameter.EXHAUSTIVE", 0)
    found, exact = diameter(shape)
    assert found <= naive_diameter(shape)
    assert not exact or found == naive_diameter(shape)
