"""How states are kept, found and numbered, and which of them need not be looked at for cycles."""

from __future__ import annotations

import errno
from functools import partial
from importlib import import_module
from threading import Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from amoebot import jit, shapes
from amoebot.linking import explorer
from amoebot.system import build
from amoebot.verify import Report, verify
from amoebot.verify.report import NotExploredError
from amoebot.verify.space import (
    new_space,
    number_memory,
    places_in,
    put,
    read,
    with_room_for_memories,
)
from amoebot.verify.verifying import check_input, fixed_offsets


def explored(name: str, threads: int) -> Any:
    shape = fixed_offsets(shapes.parse(name))
    own = dict(check_input(shape, almost_sure=False, terminate=False).own)
    checker = explorer("improved").module("verify.checker")
    report = Report(shape.name, shape.particles, "improved", own)
    model = checker.new_model(build(shape), own)
    return checker.explore_all(model, report, 10**6, None, None, threads=threads)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("room", [1 << 14, 4])
def test_any_number_of_threads_finds_the_same_states_in_the_same_order(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = explored("triangle:2", 1)
    states, edges = one.progress["states"][0], one.progress["edges"][0]
    monkeypatch.setattr(import_module("amoebot.verify.space"), "FIRST_MEMORIES", room)
    for threads in (2, 3, 8):
        other = explored("triangle:2", threads)
        assert (other.progress == one.progress).all()
        for name in ("parent", "depth", "flags", "leaders", "edge_start"):
            assert (getattr(other, name)[:states] == getattr(one, name)[:states]).all(), name
        assert (other.edges[:edges] == one.edges[:edges]).all()
        assert (other.labels[:edges] == one.labels[:edges]).all()


def with_small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with room for a few states, and put arrays into files soon, in small blocks."""
    growable, crew = (
        import_module("amoebot.verify.growable"),
        explorer("improved").module("verify.crew"),
    )
    monkeypatch.setattr(crew, "new_space", partial(crew.new_space, capacity=256))
    monkeypatch.setattr(growable, "LARGE", 1 << 13)
    monkeypatch.setattr(growable, "_BLOCK", 1000)


@pytest.mark.compiled
def test_what_is_kept_in_files_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one = explored("triangle:2", 2)
    with_small_memory(monkeypatch)
    other = explored("triangle:2", 2)
    states, edges = one.progress["states"][0], one.progress["edges"][0]
    for name in ("parent", "depth", "edge_start", "edges", "labels"):
        count = edges if name in ("edges", "labels") else states
        assert isinstance(getattr(other, name).base, np.memmap), name
        assert (getattr(other, name)[:count] == getattr(one, name)[:count]).all(), name
    report = verify("triangle:2", almost_sure=False, terminate=False)
    assert (report.states, report.exhausted) == (states, True)
    assert 0 < report.disk < report.memory


@pytest.mark.compiled
def test_a_full_disk_ends_an_exploration_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with_small_memory(monkeypatch)
    monkeypatch.setattr(import_module("amoebot.verify.growable"), "TemporaryFile", full)
    with pytest.raises(NotExploredError, match=r"no room on the disk .*: .*No space left"):
        explored("triangle:2", 2)


@jit.compiled
def number_all(
    space: Any, words: NDArray[np.uint64], places: NDArray[np.int64], numbers: NDArray[np.int64]
) -> None:
    for place in places:
        numbers[place] = number_memory(
            space.memories, space.memory_table, space.lock, space.progress[0], words, place
        )


@pytest.mark.compiled
def test_threads_that_number_memories_at_once_agree() -> None:
    # Many memories that differ little, so that slots are taken while others look at them.
    words = np.arange(16_000, dtype=np.uint64).repeat(2).reshape(-1, 2) // np.uint64(64)
    words[:, 1] = np.arange(len(words)) % 64 << 56
    there = np.arange(len(words))
    orders = [there, there ^ 8, there, there ^ 8]
    for _ in range(20):
        space = new_space(words[:1], particles=0)
        space = space._replace(memory_table=np.full(1 << 15, -1, dtype=np.int32))
        numbers = [np.full(len(words), -1) for _ in orders]
        threads = [
            Thread(target=number_all, args=(space, words, order, own))
            for order, own in zip(orders, numbers, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert space.progress["memories"] == len(words)
        for own in numbers:
            assert (space.memories[own] == words).all()


def test_rows_have_as_many_bits_for_a_memory_as_fit() -> None:
    for units, particles in ((2, 0), (4, 0), (6, 4), (13, 12)):
        for size in range(1, 8):
            places = places_in(size, units, particles)
            taken = np.zeros(size, dtype=np.uint64)
            for word, shift, mask in places:
                assert taken[word] & (mask << shift) == 0, "two numbers in one place"
                taken[word] |= mask << shift
            assert len(places) in (0, units + (particles > 0))
    assert len(places_in(1, 5, 0)) == 0, "five memories of fourteen bits do not fit into a word"


def test_rows_get_wider_when_there_are_more_memories_than_their_bits_can_number() -> None:
    space = new_space(np.zeros((4, 1), dtype=np.uint64), particles=0)
    assert space.states.shape[1] == 1
    numbers = np.random.default_rng(1).integers(1 << 14, size=(50, 4))
    for state, row in enumerate(numbers.tolist()):
        for unit, number in enumerate(row):
            put(space.states, space.places, state, unit, number)
    space.progress["states"] = len(numbers)
    wider = with_room_for_memories(space, 1 << 17, particles=0, parts=1)
    assert wider.states.shape[1] == 2
    kept = [
        [read(wider.states, wider.places, state, unit) for unit in range(4)] for state in range(50)
    ]
    assert kept == numbers.tolist()
    assert np.count_nonzero(wider.table) == len(numbers)


def random_graph(generator: np.random.Generator) -> Any:
    """Make a graph of a few states in which two particles have one or two coins' outcomes."""
    states = 12
    edges, labels, start = [], [], [0]
    for state in range(states):
        for particle in range(2):
            outcomes = int(generator.integers(1, 3))
            ahead = generator.integers(state, states, size=outcomes)
            back = generator.integers(0, states, size=outcomes)
            edges += np.where(generator.random(outcomes) < 0.8, ahead, back).tolist()
            labels += [particle | (1 << 7 if outcome else 0) for outcome in range(outcomes)]
        start.append(len(edges))
    return SimpleNamespace(
        edge_start=np.array(start, dtype=np.int64),
        edges=np.array(edges, dtype=np.int32),
        labels=np.array(labels, dtype=np.uint8),
    )


def test_leaving_out_states_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in no end component can be left out before components are looked for."""
    liveness = explorer("improved").module("verify.liveness")
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        graph = random_graph(generator)
        for crashes in (0, 1):
            within = generator.random(12) < 0.6
            told = liveness.fair_component(graph, within.copy(), crashes)
            with monkeypatch.context() as patch:
                patch.setattr(liveness, "leave", lambda *_: None)
                expected = liveness.fair_component(graph, within.copy(), crashes)
            assert (told is None) == (expected is None)
            assert told is None or (told == expected).all()
            found += told is not None
    assert 50 < found < 550
