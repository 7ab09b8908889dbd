"""Many activations in one call, of particles that the user chooses: by a list, or by a function.

Calls end at a moment that was given, when an outcome appears, when everybody has terminated, and
in a round that is never going to end. ``waiting`` says of each particle whether it has neither
acted in the round under way nor crashed, and is kept up to date.
"""

from __future__ import annotations

from functools import lru_cache
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.by_address import NUMBER, called_at, is_whole, new_table, put, result_of, type_of
from amoebot.engine.state import State
from amoebot.jit import INTERPRETED, compiled, guarded, takes_long

from .sequential import activate_by_hand

#: Stands for no refused particle.
NO_CHOICE = -(1 << 62)


if INTERPRETED:

    def table_of(choose: Any, seen: tuple[World, NDArray[np.uint8]]) -> Any:
        """Return the function itself."""
        return choose

    def call_choose(choose: Any, world: World, waiting: NDArray[np.uint8]) -> int:
        """Return the particle that a function of the user's chooses."""
        return index(choose(world, waiting))

else:

    def table_of(choose: Any, seen: tuple[World, NDArray[np.uint8]]) -> Any:
        """Return a table with a compiled function: the loop is the same for all of them.

        Raises:
            TypeError: If it returns no whole number.
        """
        kinds = tuple(map(type_of, seen))
        if not is_whole(found := result_of(choose, kinds)):
            words = str(found).replace("OptionalType(int64)", "None in some cases")
            raise TypeError(f"it returns {words}, and not the number of a particle")
        table = new_table(1)
        put(table, 0, _widened(choose), NUMBER, kinds)
        return table

    @lru_cache(maxsize=64)
    def _widened(choose: Any) -> Any:
        """Return a function whose numbers are as wide as the loop takes them to be."""

        def widened(world: World, waiting: NDArray[np.uint8]) -> Any:
            return np.int64(choose(world, waiting))

        return guarded(widened)

    call_choose = called_at(0, NUMBER)


@compiled
@takes_long("schedules by hand", 10)
def activate_listed(
    state: State,
    order: NDArray[np.int32],
    waiting: NDArray[np.uint8],
    crashed: NDArray[np.uint8],
    moment: tuple[int, int],
    most: int,
    as_drawn: NDArray[np.int64],
) -> int:
    """Activate the particles of a list; return how many were."""
    outcome, everyone = state.watch[0].outcome, terminated_in_the_end(state, crashed)
    left = int(waiting.sum())
    for number in range(len(order)):
        if is_time_to_look(state, outcome, everyone, moment, most):
            return number
        left = activate_one(state, order[number], waiting, crashed, left, as_drawn)
    return len(order)


@compiled
@takes_long("schedules by a function", 10)
def activate_chosen(
    state: State,
    seen: tuple[World, NDArray[np.uint8]],
    choose: Any,
    chosen: NDArray[np.int32],
    waiting: NDArray[np.uint8],
    crashed: NDArray[np.uint8],
    moment: tuple[int, int],
    most: int,
    as_drawn: NDArray[np.int64],
) -> tuple[int, int]:
    """Activate whom a function chooses; return how many, and the number that was refused.

    It is handed over as ``table_of`` returns it. What is refused is the number of no
    particle or of one that has crashed, and ``NO_CHOICE`` if there was none. The function can read
    memories, not change them.
    """
    outcome, everyone = state.watch[0].outcome, terminated_in_the_end(state, crashed)
    left = int(waiting.sum())
    for number in range(len(chosen)):
        if is_time_to_look(state, outcome, everyone, moment, most):
            return number, NO_CHOICE
        particle = call_choose(choose, seen[0], seen[1])
        if particle < 0 or particle >= len(waiting) or crashed[particle]:
            return number, particle
        chosen[number] = particle
        left = activate_one(state, particle, waiting, crashed, left, as_drawn)
    return len(chosen), NO_CHOICE


@compiled
def terminated_in_the_end(state: State, crashed: NDArray[np.uint8]) -> int:
    """Return how many particles will have terminated when the last one does; -1 if all have."""
    particles = state.world.particles
    left = 0
    for particle in range(len(particles)):
        if not crashed[particle] and not particles[particle].terminated:
            left += 1
    return int(state.watch[0].terminated) + left if left else -1


@compiled
def is_time_to_look(
    state: State, outcome: int, everyone: int, moment: tuple[int, int], most: int
) -> bool:
    """Whether a call is over."""
    cursor, watch = state.cursor[0], state.watch[0]
    rounds, position = cursor.current_round - 1, cursor.place + cursor.interior_activations
    if rounds > moment[0] or (rounds == moment[0] and position >= moment[1]):
        return True
    return bool(watch.outcome != outcome or position >= most or watch.terminated == everyone)


@compiled
def activate_one(
    state: State,
    particle: int,
    waiting: NDArray[np.uint8],
    crashed: NDArray[np.uint8],
    left: int,
    as_drawn: NDArray[np.int64],
) -> int:
    """Activate a particle; return how many are waiting after it. ``left`` were before."""
    left -= int(waiting[particle])
    waiting[particle] = 0
    # Numbers come in all sizes, and for each one everything would be compiled again.
    activate_by_hand(state, np.int64(particle), left == 0, as_drawn)  # type: ignore[arg-type]
    if left == 0:
        for other in range(len(waiting)):
            waiting[other] = 1 - crashed[other]
            left += int(waiting[other])
    return left
