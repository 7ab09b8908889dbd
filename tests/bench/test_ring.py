"""General graphs: elections on rings without geometry, which fail on long ones."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from amoebot import ring
from amoebot.jit import INTERPRETED
from amoebot.system import build
from helpers.command import ask

RUNS = 400 if INTERPRETED else 20_000
FEW = 4 if INTERPRETED else 30

LEADER = -1


@cache
def failure(candidates: tuple[int, ...], memory: int) -> Fraction:
    """Return the probability of failure from a moment on, over all coins, by the definition.

    Each candidate is given by how many equal coins in a row it has heard.
    """
    if all(equal == LEADER for equal in candidates):
        return Fraction(len(candidates) != 1)
    total = Fraction(0)
    for coins in itertools.product((0, 1), repeat=len(candidates)):
        left = []
        for me, equal in enumerate(candidates):
            if equal == LEADER:
                left.append(LEADER)
            elif candidates[me - 1] == LEADER or coins[me - 1] > coins[me]:
                continue  # it withdraws
            elif coins[me - 1] < coins[me]:
                left.append(0)
            else:
                left.append(LEADER if equal + 1 == memory else equal + 1)
        total += failure(tuple(left), memory)
    return Fraction(total / 2 ** len(candidates))


@pytest.mark.parametrize("memory", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_small_rings_fail_with_their_exact_probability(size: int, memory: int) -> None:
    exact = float(failure((0,) * size, memory))
    found = ring.fail_on_ring(size, memory, RUNS, seed=5)
    assert abs(found.share - exact) < 5 * (exact * (1 - exact) / RUNS) ** 0.5 + 1e-9


def test_two_automata_fail_when_they_flip_the_same_coins() -> None:
    for memory in range(1, 6):
        assert failure((0, 0), memory) == Fraction(1, 2**memory)
        assert failure((0, 0, 0), memory) == Fraction(1, 4**memory)


@pytest.mark.paper("Appendix A.4")
@pytest.mark.compiled
def test_failure_climbs_towards_certainty_and_memory_only_delays_it() -> None:
    sizes = [2**power for power in range(2, 13)]
    shares = {
        memory: [ring.fail_on_ring(size, memory, 1_000, 1).share for size in sizes]
        for memory in (3, 5, 7)
    }
    for climb in shares.values():
        assert all(later >= earlier - 0.05 for earlier, later in itertools.pairwise(climb))
        assert climb[0] < 0.2
        assert climb[-1] > 0.95
    for less, more in ((3, 5), (5, 7)):
        assert all(b <= a + 0.05 for a, b in zip(shares[less], shares[more], strict=True))


@pytest.mark.paper("Appendix A.4")
def test_the_geometric_algorithm_never_fails() -> None:
    for row in ring.sweep(16, [2], FEW, seed=3):
        automata, geometric = row
        assert (automata.algorithm, geometric.algorithm) == ("automata", "geometric")
        assert (geometric.failures, geometric.runs) == (0, FEW)


def test_there_is_always_a_leader() -> None:
    for seed in range(50):
        assert ring.leaders_on_ring(np.uint64(seed), 9, 2) >= 1
        assert ring.leaders_on_ring(np.uint64(seed), 1, 2) == 1


@pytest.mark.parametrize("length", [*range(2, 40), 64, 101])
def test_ring_shapes_have_the_outer_boundary_they_should(length: int) -> None:
    shape = ring.ring_shape(length)
    system = build(shape)
    assert system.outer_boundary_length == len(shape) == length
    if length >= 6 and length != 7:  # the grid has no ring of seven nodes
        assert [boundary.length for boundary in system.boundaries] == [length, length]
        assert ((shape.neighbours >= 0).sum(axis=1) == 2).all()


def test_sizes_double_up_to_the_one_asked_for() -> None:
    assert ring.sizes(2) == [2]
    assert ring.sizes(3) == [2, 3]
    assert ring.sizes(16) == [2, 4, 8, 16]
    assert ring.sizes(100) == [2, 4, 8, 16, 32, 64, 100]


@pytest.mark.parametrize(
    ("failures", "runs", "low", "high"),
    # computed by hand from the formula
    [(0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1)],
)
def test_intervals_are_wilsons(failures: int, runs: int, low: float, high: float) -> None:
    found = ring.Failures("automata", 4, 2, runs, failures).interval
    assert found == pytest.approx((low, high), abs=1e-4)


def test_the_command_is_reproducible_by_its_seed() -> None:
    arguments = ("ring", "8", "--runs", str(FEW), "--memory", "1", "--json")
    one, again, other = (ask(*arguments, "--seed", seed) for seed in ("4", "4", "5"))
    assert one.status == 0
    assert one.json == again.json
    assert one.json["rings"] != other.json["rings"]
    rings = one.json["rings"]
    assert [cell["size"] for cell in rings] == [2] * 4 + [4] * 4 + [8] * 4
    assert [cell["memory"] for cell in rings[:4]] == [1, 3, 5, None]
    for cell in rings:
        assert cell["share"] == cell["failures"] / cell["runs"]
        assert cell["interval"][0] <= cell["share"] <= cell["interval"][1]


def test_the_command_shows_a_line_for_each_size() -> None:
    answer = ask("ring", "8", "--runs", "3")
    assert answer.status == 0
    assert [line.split()[0] for line in answer.out.splitlines() if "0 of 3" in line] == [
        "2",
        "4",
        "8",
    ]
