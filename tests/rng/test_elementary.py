"""Elementary functions by plain arithmetic: as good as those of the machine's library."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from amoebot import elementary


def numbers() -> list[float]:
    chance = random.Random(1)
    return [*(chance.random() for _ in range(2000)), 2.0**-53, 1.0 - 2.0**-53, 0.5, 1.0, 3.0, 1e9]


def test_logarithms_differ_from_the_librarys_in_the_last_bit_at_most() -> None:
    for number in numbers():
        ours, theirs = elementary.log(np.float64(number)), math.log(number)
        assert abs(ours - theirs) <= 2 * math.ulp(theirs), number


def test_powers_of_e_differ_in_the_last_bits_at_most() -> None:
    for number in numbers():
        theirs = math.exp(-number * 30)
        assert elementary.exp(np.float64(-number * 30)) == pytest.approx(theirs, rel=1e-13)
    assert elementary.exp(np.float64(-1e300)) == 0.0
    assert elementary.exp(np.float64(0.0)) == 1.0


def test_whole_roots_are_exact() -> None:
    for number in (*range(200), 2**40 - 1, 2**40, 10**12 + 1):
        assert elementary.isqrt(number) == math.isqrt(number)
