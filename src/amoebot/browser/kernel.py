"""The functions of the module that are called from outside, for the election that is linked.

They take addresses and numbers. Arrays are found behind an address by ``handles``: those of a run
behind the address of its state, where ``begin`` has put them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from amoebot import jit, rng
from amoebot.algorithms import description
from amoebot.browser.ground import generated
from amoebot.browser.handles import keep, loader
from amoebot.engine.state import State, changing
from amoebot.jit import compiled
from amoebot.render.changes import facing, write_changes, write_used
from amoebot.shapes.adjacency import components, neighbour_table
from amoebot.shapes.expansion import shuffled
from amoebot.system import WIRING, Ground
from amoebot.system.build import random_offsets, wire
from amoebot.system.model import neighbouring_particles, nodes_of_particles

from ..algorithms.interface import COURSE, LEADER
from ..engine import faults
from ..engine.layouts import SETTINGS, WATCH
from ..engine.schedulers import PERMUTATION
from ..engine.sequential import activate_by_hand, advance
from ..engine.start import empty_state
from ..engine.step import coins_ahead
from ..engine.termination import activated_so_far


class Given(NamedTuple):
    """What a run is made of; without port offsets, they come from its seed."""

    neighbours: Any
    expanded: Any
    offsets: Any
    options: Any


_TABLE, _NODES = np.zeros((1, 6), np.int32), np.zeros((1, 2), np.int32)
_NUMBERS, _BYTES = np.zeros(1, np.int32), np.zeros(1, np.uint8)
_OPTIONS = np.zeros(1, SETTINGS)

# What a state is made of can be seen from any; making this one compiles next to nothing.
_GROUND = Ground(
    neighbours=_TABLE,
    around=_TABLE,
    pairs=_NODES,
    nodes=_NODES,
    particle_of_node=_NUMBERS,
    node=_NUMBERS,
    wiring=np.zeros(1, WIRING),
    first_agent=_NUMBERS,
    lengths=np.zeros(1, np.int64),
)

_load_nodes = loader(_NODES)
_load_given = loader(Given(_TABLE, _NODES, _BYTES, _OPTIONS))
_load_state = loader(empty_state(_GROUND, _OPTIONS, np.uint64(0), PERMUTATION, False))
_load_bytes = loader(_BYTES)
_load_places = loader(np.zeros(1, np.int64))
_load_pairs = loader(np.zeros((1, 2), np.int64))

#: The course as numbers: see ``description``. The observer's notes are words of eight bytes.
_NOTED: Any = WATCH.fields
_PLACES = np.array([_NOTED[name][1] // 8 for name in COURSE.milestones])
_ENDS, _BEGINS = (np.array(numbers) for numbers in COURSE.numbers())
_phase_number = jit.compiled(description.phase_number)
_bands_of = jit.compiled(description.bands_of)


@compiled
def generate(
    shape: int, first: int, second: int, share: float, seed: np.uint64, result: int
) -> None:
    """Generate a shape: its nodes."""
    keep(generated(shape, first, second, share, seed), result)


@compiled
def survey(nodes: int, result: int) -> None:
    """Look at sorted nodes: the neighbours of each, and the connected part that it is in."""
    neighbours = neighbour_table(_load_nodes(nodes))
    keep((neighbours, components(neighbours)), result)


@compiled
def begin(given: int, seed: np.uint64, scheduler: int, state: int, result: int) -> None:
    """Begin a run: its state, and what never changes about its system."""
    neighbours, expanded, offsets, options = _load_given(given)
    if len(offsets) == 0:
        offsets = random_offsets(len(neighbours), seed)
    wires = wire(neighbours, expanded, offsets, seed)
    nodes = nodes_of_particles(wires.particle_of_node, expanded)
    ground = Ground(
        neighbours,
        neighbouring_particles(neighbours, wires.particle_of_node),
        wires.pairs,
        nodes,
        wires.particle_of_node,
        wires.node,
        wires.wiring,
        wires.first_agent,
        wires.cycles[:, 1].copy(),
    )
    keep(empty_state(ground, options, seed, scheduler, False), state)
    directions = facing(neighbours, wires.node, wires.wiring)
    keep((wires, nodes, offsets, directions), result)


@compiled
def go_on(state: int, last_round: float, activations: float) -> None:
    """Run until a round is over, or N activations later, or until an outcome appears."""
    advance(_load_state(state), int(last_round), int(activations))


@compiled
def activate(state: int, particle: int, ends_round: int, chosen: int) -> None:
    """Activate a particle, whoever would be next; its coins fall as chosen."""
    activate_by_hand(_load_state(state), particle, ends_round != 0, _load_places(chosen))


@compiled
def coins(state: int, particle: int, result: int) -> None:
    """Say which coins a particle's activation would draw: sides and outcome of each."""
    keep(coins_ahead(_load_state(state), particle), result)


@compiled
def activated(state: int, result: int) -> None:
    """Say of each particle whether it has been activated in the round under way."""
    keep(activated_so_far(_load_state(state)), result)


@compiled
def arrays(state: int, result: int) -> None:
    """Say where the arrays are that change during a run, and then the particles' memories."""
    found = _load_state(state)
    keep((changing(found), found.world.particles), result)


@compiled
def phase(state: int) -> int:
    """Return the number of the phase that a run is in, unless it is over."""
    found = _load_state(state)
    passed = reached(found.watch)
    passed[description.ACTIVATION] = found.cursor[0].activations
    passed[description.ROUND] = found.cursor[0].current_round - 1
    return _phase_number(_ENDS, _BEGINS, passed)


@compiled
def bands(state: int, rounds: int, result: int) -> None:
    """Find the phases that a run has been in, each with its first and last round."""
    passed = reached(_load_state(state).watch)
    passed[description.ROUND] = 1
    found = _bands_of(_ENDS, passed, int(rounds))
    made = np.empty((len(found), 3), np.int32)
    for number in range(len(found)):
        made[number, 0], made[number, 1], made[number, 2] = found[number]
    keep(made, result)


@compiled
def reached(watch: NDArray[Any]) -> NDArray[np.int64]:
    """Return the round of each milestone, after what comes before the milestones by number."""
    noted = watch.view(np.int64)
    found = np.zeros(len(_PLACES) + description.FIRST_MILESTONE, np.int64)
    for number in range(len(_PLACES)):
        found[description.FIRST_MILESTONE + number] = noted[_PLACES[number]]
    return found


@compiled
def leader(state: int) -> int:
    """Return the particle that declared itself the leader first, or -1."""
    found = _load_state(state)
    if found.watch[0].outcome != LEADER:
        return -1
    of_unit = found.world.particle
    return int(of_unit[found.watch[0].leader]) if len(of_unit) > 0 else 0


@compiled
def pack(records: int, size: int, used: int, target: int) -> None:
    """Pack records for the page: those of their bytes that are used."""
    write_used(_load_bytes(records), size, _load_places(used), _load_bytes(target))


@compiled
def compare(before: int, now: int, rows: int, columns: int, target: int, counts: int) -> None:
    """Write down what has changed in packed records, and count rows, columns and bytes."""
    found = write_changes(_load_bytes(before), _load_bytes(now), rows, columns, _load_bytes(target))
    keep(found, counts)


@compiled
def shuffle(count: int, seed: np.uint64, block: int, result: int) -> None:
    """Shuffle the numbers below ``count``: the order of a block of a fair schedule by hand."""
    keep(shuffled(count, rng.key(seed, rng.FAIR, block)), result)


@compiled
def rest(state: int, scheduler: int, waiting: int, first: int, result: int) -> None:
    """Say who is to be activated in the round under way, in the order of a scheduler."""
    keep(faults.rest_of_round(_load_state(state), scheduler, _load_bytes(waiting), first), result)


@compiled
def victims(particles: int, seed: np.uint64, result: int) -> None:
    """Say to whom faults happen, one after another, if nobody is named."""
    keep(faults.victims(particles, seed), result)


@compiled
def units(state: int, particle: int, result: int) -> None:
    """Say which units a particle has."""
    keep(faults.units_of(_load_state(state), particle), result)


@compiled
def corrupt(state: int, whose: int, fields: int, seed: np.uint64) -> None:
    """Give each field of some units' memories the value that a random unit has there."""
    memory = known_memory(_load_state(state))
    size = memory.itemsize
    faults.corrupt(memory.view(np.uint8), size, _load_places(whose), _load_pairs(fields), seed)


@compiled
def put(state: int, whose: int, start: int, length: int, value: int) -> None:
    """Put a value into one field of some units' memories."""
    memory = known_memory(_load_state(state))
    size = memory.itemsize
    faults.put(memory.view(np.uint8), size, _load_places(whose), start, length, value)


@compiled
def known_memory(state: State) -> NDArray[Any]:
    """Return the memories of all units there are."""
    return state.world.memory[: len(state.world.wiring)]


_A, _N, _SEED, _REAL = types.int32, types.int32, types.uint64, types.float64
_LONG = types.int64

#: What is called from outside, and by what kinds of numbers.
EXPORTS: dict[Callable[..., Any], Any] = {
    generate: types.void(_N, _N, _N, _REAL, _SEED, _A),
    survey: types.void(_A, _A),
    begin: types.void(_A, _SEED, _N, _A, _A),
    go_on: types.void(_A, _REAL, _REAL),
    activate: types.void(_A, _N, _N, _A),
    coins: types.void(_A, _N, _A),
    activated: types.void(_A, _A),
    arrays: types.void(_A, _A),
    phase: _N(_A),
    bands: types.void(_A, _N, _A),
    leader: _N(_A),
    pack: types.void(_A, _N, _A, _A),
    compare: types.void(_A, _A, _N, _N, _A, _A),
    shuffle: types.void(_N, _SEED, _N, _A),
    rest: types.void(_A, _N, _A, _N, _A),
    victims: types.void(_N, _SEED, _A),
    units: types.void(_A, _N, _A),
    corrupt: types.void(_A, _A, _A, _SEED),
    put: types.void(_A, _A, _N, _N, _LONG),
}
