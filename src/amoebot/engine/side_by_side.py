"""Many seeds on one shape, in waves: several small elections side by side, as one large one.

A wave needs some hundred agents to be fast. So runs of equal length share one, each with its own
seed and in its own round. As soon as one of them has a leader, it goes back to the beginning of the
stretch of rounds and is brought to its end by itself; the next seed takes its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import Common, Ends, State, Wave
from amoebot.jit import compiled, takes_long

from ..algorithms.interface import observe
from .log import in_order
from .neighbour_order import ROUND_SHIFT
from .one_seed import begin, finish
from .team import LOGGED
from .wave import NEVER_BEHIND, copy_columns, new_wave, ranks, save
from .wavefront import advance_to_lanes, enter_lanes, leave_lanes, run_rounds

#: How many agents share a wave, about.
AGENTS = 1_000

#: Rounds in a stretch: when a run ends, up to as many are run once more, one agent at a time.
ROUNDS = 16


def room_for_runs(state: State, length: int) -> tuple[State, Wave]:
    """Return room for several runs that begin like this one, each with a number of agents."""
    count = max(2, AGENTS // length)
    every = np.tile(np.arange(length), count)
    world = state.world
    world = world._replace(
        memory=np.zeros(len(every), dtype=world.memory.dtype),
        wiring=world.wiring[every],
        particle=world.particle[every],
        first_unit=world.first_unit[:0],  # siblings are looked for in their own runs
    )
    together = state._replace(
        watch=np.repeat(state.watch, count),
        withdrawals=np.tile(state.withdrawals, count),
        world=world,
        draws=state.draws[every],
    )
    boundaries = np.stack((np.arange(count) * length, np.full(count, length)), axis=1)
    return together, new_wave(together, boundaries, side_by_side=True)


@compiled
@takes_long("small elections side by side", 60)
def run_side_by_side(
    common: Common, seeds: NDArray[np.uint64], together: State, wave: Wave, ends: Ends
) -> bool:
    """Run elections to their ends; return whether nobody said stop."""
    state, number, following = next_with_lanes(common, seeds, ends, 0)
    states, numbers = [state], [number]
    for run in range(len(wave.seeds)):
        if run > 0:
            state, number, following = next_with_lanes(common, seeds, ends, following)
            states.append(state)
            numbers.append(number)
        enter(states[run], numbers[run], run, together, wave)
    while max(numbers) >= 0 and not common.stopped[0]:
        save(together, wave, int(np.int64(0)))
        wave.ended[:] = False
        # Not the constants themselves, for which everything would be compiled once more.
        if run_rounds(together, wave, int(np.int64(ROUNDS)), int(np.int64(0))):  # the log is full
            wave.ended[:] = True
        take_note(together, wave)
        for run in range(len(states)):
            state, number = states[run], numbers[run]
            if number < 0:
                continue
            if not wave.ended[run]:
                state.cursor[0].current_round += ROUNDS
                state.cursor[0].activations += ROUNDS * len(state.actors)
                wave.rounds[run] += ROUNDS
            if wave.ended[run] or has_too_few_rounds(state, common):
                leave(state, run, together, wave)
                finish(state, common, ends, number)
                state, number, following = next_with_lanes(common, seeds, ends, following)
                states[run], numbers[run] = state, number
                enter(state, number, run, together, wave)
    return not common.stopped[0]


@compiled
def next_with_lanes(
    common: Common, seeds: NDArray[np.uint64], ends: Ends, following: int
) -> tuple[State, int, int]:
    """Run elections from a seed on until one can use lanes.

    Return it, and its number, -1 for none; and the number of the seed after it.
    """
    boundary = np.array([[0, common.ground.lengths[0]]])
    state = begin(common, seeds[min(following, len(seeds) - 1)])
    while following < len(seeds):
        number, following = following, following + 1
        least = int(np.int64(ROUNDS))
        if not common.stopped[0] and advance_to_lanes(state, boundary, common.last_round, least):
            return state, number, following
        finish(state, common, ends, number)
        state = begin(common, seeds[min(following, len(seeds) - 1)])
    return state, -1, following


@compiled
def has_too_few_rounds(state: State, common: Common) -> bool:
    """Whether a run ends before a stretch of rounds would, or someone said stop."""
    return bool(state.cursor[0].current_round + ROUNDS > common.last_round or common.stopped[0])


@compiled
def enter(state: State, number: int, run: int, together: State, wave: Wave) -> None:
    """Let a run take its place; one without a number leaves it empty."""
    width, length = wave.width, len(wave.places) // len(wave.seeds)
    row, first, start = len(wave.own) // 2, run * width, run * length
    if number < 0:
        for begins in (first, row + first):
            wave.own[begins : begins + width] = 0
            wave.at_first[begins : begins + width] = NEVER_BEHIND
        return
    world = together.world
    world.memory[start : start + length] = state.world.memory[:length]
    together.draws[start : start + length] = state.draws[:length]
    together.watch[run] = state.watch[0]
    together.withdrawals[start : start + length] = state.withdrawals
    rank = ranks(state.world.particle, state.world.first_unit, siblings(state.world.wiring))
    for unit in range(length):
        wires = world.wiring[start + unit]
        wires.pred = start + state.world.wiring[unit].pred
        wires.succ = start + state.world.wiring[unit].succ
        wires.sight = state.world.wiring[unit].sight
        wave.rank[start + unit] = rank[unit]
    for column in range(first, first + width):
        for here, succ in ((column, row + column), (row + column, column + 1)):
            mine = max(0, wave.units[here] - start)  # some places are nobody's
            wave.particles[here] = state.world.particle[mine]
            wave.earlier[here] = rank[mine] < wave.rank[wave.units[succ]]
    wave.seeds[run] = state.cursor[0].seed
    wave.rounds[run] = state.cursor[0].current_round
    enter_lanes(together, wave, first, first + width)


@compiled
def siblings(wiring: NDArray[Any]) -> NDArray[np.int32]:
    """Return the sibling of each unit."""
    found = np.empty(len(wiring), dtype=np.int32)
    for unit in range(len(wiring)):
        found[unit] = wiring[unit].sibling
    return found


@compiled
def leave(state: State, run: int, together: State, wave: Wave) -> None:
    """Let a run go on by itself, from the beginning of the stretch if it has a leader there."""
    width, length = wave.width, len(wave.places) // len(wave.seeds)
    first, start = run * width, run * length
    world = together.world
    if wave.ended[run]:
        arrays = wave.lanes, wave.own, world.memory, together.draws
        copy_columns(arrays, wave.saved, first, first + width, start, start + length)
    leave_lanes(together, wave, first, first + width)
    state.world.memory[:length] = world.memory[start : start + length]
    state.draws[:length] = together.draws[start : start + length]
    state.watch[0] = together.watch[run]
    state.withdrawals[:] = together.withdrawals[start : start + length]


@compiled
def take_note(together: State, wave: Wave) -> None:
    """Tell the observers of all runs that go on what has happened, in the order of time."""
    log, length = wave.log[0], len(wave.places) // len(wave.seeds)
    for entry in in_order(log, wave.standing[0, LOGGED]):
        moment, unit, events = log[entry, 0], log[entry, 2], log[entry, 3]
        run = unit // length
        if not wave.ended[run]:
            start, end = run * length, (run + 1) * length
            observe(
                together.watch[run],
                together.withdrawals[start:end],
                together.world.memory[start:end],
                unit - start,
                events,
                wave.rounds[run] + (moment >> ROUND_SHIFT),
                together.world.options[0],
            )
