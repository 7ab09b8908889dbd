"""The benchmark works. How fast it finds things to be is nobody's business here."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest

from amoebot.algorithms import registry
from amoebot.bench import token_ring
from amoebot.bench.inner_loop import variants
from helpers.command import ask

PARTS = ("inner loop", "end to end", "set-up", "election", "throughput", "start-up")
RINGS = token_ring.rings()


@pytest.mark.slow
def test_the_short_form_measures_everything_once() -> None:
    answer = ask("bench", "--short", "--json")
    assert answer.status == 0
    figures = answer.json["figures"]
    assert {figure["part"] for figure in figures} == set(PARTS)
    for figure in figures:
        assert math.isfinite(figure["value"])
        assert figure["value"] > 0
        assert figure["limit"]
    for part in PARTS[:2]:
        units = [figure["unit"] for figure in figures if figure["part"] == part]
        assert units == [f"× {ring}" for ring in RINGS] * 3 * len(variants())
    assert {"amoebot", "python", "numba", "processor", "date"} <= set(answer.json["machine"])


@pytest.mark.slow
def test_the_table_states_limits_next_to_figures() -> None:
    answer = ask("bench", "--short")
    assert answer.status == 0
    for words in ("Inner loop", "End to end", "whp, hexagon:4", "default, line:10", "at most 5"):
        assert words in answer.out
    for words in ("at least 1.8", "under 2", *(f"× {ring}" for ring in RINGS)):
        assert words in answer.out


def test_variants_are_those_of_the_default_election() -> None:
    least, default = variants().values()
    assert least.variant == registry.presets_of(registry.DEFAULT)[0].name
    assert default == type(default)()


@pytest.mark.skipif("C ring" not in RINGS, reason="there is no C compiler")
def test_both_rings_run_the_same() -> None:
    runs = []
    for ring in RINGS.values():
        tokens, order = np.arange(50, dtype=np.uint8) % 3, np.empty(50, dtype=np.int32)
        ring(tokens, order, 40)
        runs.append((tokens.tolist(), order.tolist()))
    assert runs[0] == runs[1]
    assert sum(runs[0][0]) == sum(number % 3 for number in range(50))


def test_without_a_c_compiler_there_is_one_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    token_ring.ring_in_c.cache_clear()
    try:
        assert list(token_ring.rings()) == ["ring"]
    finally:
        token_ring.ring_in_c.cache_clear()
