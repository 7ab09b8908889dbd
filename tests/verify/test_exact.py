"""Expected numbers of activations, by hand and against simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from amoebot import Simulation, shapes
from amoebot.verify import expected_activations

pytestmark = pytest.mark.compiled


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm", "options"),
    [
        ("line:2", "improved", {"almost_sure": False, "radix": 2}),
        ("line:2", "improved", {"almost_sure": True, "radix": 2}),
        ("triangle:2", "improved", {"almost_sure": False, "radix": 2}),
        ("line:3", "improved", {"almost_sure": False, "radix": 2}),
        ("hexagon:1", "erosion", {}),
    ],
    ids=str,
)
def test_expected_activations_are_those_of_simulation(
    name: str, algorithm: str, options: dict[str, Any]
) -> None:
    shape, known = shapes.parse(name), {**options, "algorithm": algorithm, "terminate": False}
    exact = expected_activations(shape, **known)
    counts = []
    for seed in range(4_000):
        run = Simulation(shape, seed, "uniform", **known)
        run.run()
        counts.append(run.activations)
    assert abs(np.mean(counts) - exact) < 5 * np.std(counts) / len(counts) ** 0.5


def test_expected_activations_on_two_particles_are_a_known_number() -> None:
    """Once a tie counted from when its tokens had moved on, and not from the last digit on."""
    expected = expected_activations(shapes.line(2), almost_sure=False, terminate=False)
    assert expected == pytest.approx(21.1875)


def test_a_particle_alone_needs_one_activation_and_two_erode_in_a_few() -> None:
    assert expected_activations(shapes.line(1)) == 1
    # Both have to start: 1 + 2 activations. Then either erodes, and the other declares: 1 + 2.
    expected = expected_activations(shapes.line(2), algorithm="erosion", terminate=False)
    assert expected == pytest.approx(6)
