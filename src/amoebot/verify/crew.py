"""The threads that explore together, batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from amoebot.engine_runs import cores
from amoebot.jit import INTERPRETED, compiled
from amoebot.linking import watchdog
from amoebot.verify.arrays import Batch, Model
from amoebot.verify.growable import Files
from amoebot.verify.report import NotExploredError
from amoebot.verify.space import (
    Space,
    bits_of,
    new_space,
    number_memory,
    put,
    with_room_for_memories,
    with_room_for_states,
)
from amoebot.verify.table import mark_of

from .entering import enter, look_up, number_states
from .explore import OFFENDER, STEP, WHEN, new_batch, try_states
from .model import another
from .properties import EMPTY_NODES

#: States that each thread expands between two looks at the clock and the keyboard.
BATCH = 20 if INTERPRETED else 4_000

#: Fewer states than this are left to one thread.
WORTH_SHARING = 200

#: Steps from a state that a thread has room for at the beginning, on average.
FIRST_ROOM = 16

#: More outcomes than one state's coins may have.
MOST_BRANCHES = 1 << 24


class Found(NamedTuple):
    """A property that is violated, the state that shows it, and the one before it or -1."""

    problem: int
    state: int
    before: int


class Crew:
    """Some threads, each with a world of its own to put into states, and the space they share."""

    def __init__(self, model: Model, threads: int = 0) -> None:
        """Begin with an empty space; by default there is a thread for each core."""
        threads = 1 if INTERPRETED else threads or cores()
        self._models = [model, *(another(model) for _ in range(threads - 1))]
        self._particles = len(model.world.particles)
        self.space = new_space(model.words, self._particles, threads)
        self._files: Files = {}
        self._batch = new_batch(threads, FIRST_ROOM * BATCH, self.space.states.shape[1])
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        #: What the latest batch found, in order.
        self.found: list[Found] = []

    def close(self) -> None:
        """End the threads, and let files go as soon as nobody has their arrays any more."""
        for file in self._files.values():
            file.close()
        if self._pool is not None:
            self._pool.shutdown()

    def start(self) -> None:
        """Enter the state that the world is in."""
        write_first(self._models[0], self.space, self._batch)
        self.enter_rows(1)

    def enter_rows(self, count: int) -> None:
        """Enter states that nothing leads to: the first rows of the batch."""
        self._batch.tried[0], self._batch.done[0] = count, 0
        self._batch.problems[0] = 0
        self._take_in(1)

    def expand(self, most: int = 2**31) -> None:
        """Expand the next states, at most a batch of them, and enter what they lead to."""
        done = self.space.progress[0]
        first = int(done.expanded)
        count = min(most, int(done.states) - first, BATCH * len(self._models))
        sharing = len(self._models) if count >= WORTH_SHARING else 1
        ends = [first + count * share // sharing for share in range(sharing + 1)]

        def try_share(thread: int) -> int:
            begin, end = ends[thread], ends[thread + 1]
            model = self._models[thread]
            return try_states(model, self.space, self._batch, thread, begin, end)

        self._batch.needs[:] = 0
        with watchdog.calling():
            lacking = self._together(sharing, try_share)
        # Behind a thread that stopped early nothing counts.
        used = next((n for n in range(sharing) if lacking[n]), sharing - 1) + 1
        self.space.progress[0].transitions += int(self._batch.tried[:used].sum())
        self._take_in(used)
        if lacking[used - 1] > MOST_BRANCHES:
            raise NotExploredError(
                f"the coins of one state have {lacking[used - 1]:,} outcomes: too many to try"
            )
        if lacking[used - 1]:
            units = len(self._models[0].words)
            self.room_for(max(lacking[used - 1], int(self._batch.needs.max()) // units), units)

    def _together(self, threads: int, work: Callable[[int], Any]) -> list[Any]:
        if threads == 1 or self._pool is None:
            return [work(thread) for thread in range(threads)]
        return [*self._pool.map(work, range(threads))]

    def _take_in(self, threads: int) -> None:
        """Enter the states that the steps of some threads lead to."""
        parts, batch = len(self._models), self._batch
        steps = int(batch.tried[:threads].sum())
        self.space = space = with_room_for_states(self.space, steps, parts, self._files)
        known = int(space.progress[0].states)
        together = parts if steps >= WORTH_SHARING else 1
        if together == 1:
            for part in range(parts):
                look_up(space, batch, part, threads)
        else:
            self._together(parts, lambda part: look_up(space, batch, part, threads))
        number_states(space, batch, threads)
        self._together(threads, lambda n: enter(self._models[n], space, batch, n, known))
        self.found = self._problems(threads)

    def _problems(self, threads: int) -> list[Found]:
        """Return what was found against properties, the first of each, in order."""
        noted = self._batch.problems[:threads]
        order = np.argwhere(noted[:, :, WHEN])
        told: dict[int, Found] = {}
        for thread, place in sorted(order.tolist(), key=lambda at: int(noted[at[0], at[1], WHEN])):
            state = int(self._batch.found[noted[thread, place, STEP]])
            problem = place + EMPTY_NODES
            told.setdefault(problem, Found(problem, state, int(noted[thread, place, OFFENDER])))
        return [*told.values()]

    def room_for(self, branches: int, changed: int) -> Batch:
        """Return the batch, with room for ``branches`` steps, each to ``changed`` memories."""
        parts = len(self._models)
        more = parts * branches * changed
        self.space = with_room_for_memories(self.space, more, self._particles, parts)
        size = self.space.states.shape[1]
        room = max(branches, len(self._batch.marks) // parts)
        if size != self._batch.rows.shape[1] or room * parts > len(self._batch.marks):
            self._batch = new_batch(parts, room, size)
        return self._batch


@compiled
def write_first(model: Model, space: Space, batch: Batch) -> None:
    """Write the row of the state that the world is in; the empty memory is number 0 in any case."""
    memories, table, lock = space.memories, space.memory_table, space.lock
    progress, words, particles = space.progress[0], model.words, model.world.particles
    number_memory(memories, table, lock, progress, np.zeros_like(words), 0)
    batch.rows[0] = 0
    batch.parents[0] = -1
    for unit in range(len(words)):
        number = number_memory(memories, table, lock, progress, words, unit)
        put(batch.rows, space.places, 0, unit, number)
    if len(particles) > 0:
        put(batch.rows, space.places, 0, len(words), bits_of(particles))
    batch.marks[0] = mark_of(batch.rows, 0)
