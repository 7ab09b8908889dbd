"""What a run is at a moment, for any election: everything that it can change."""

from __future__ import annotations

from amoebot import Simulation


def memories(simulation: Simulation) -> tuple[bytes, bytes, bytes]:
    """Return all memories, and how many coins have been flipped, as ``NaiveRun.contents`` does."""
    state = simulation._run.state
    return state.world.memory.tobytes(), state.world.particles.tobytes(), state.draws.tobytes()


def contents(simulation: Simulation) -> tuple[bytes, ...]:
    """Return all that particles remember, the observer has noted and counters say."""
    state = simulation._run.state
    counters = (simulation.rounds, simulation.position, simulation.activations, simulation.latest)
    noted = (state.watch.tobytes(), state.withdrawals.tobytes())
    return (*memories(simulation), *noted, repr(counters).encode())


def everything(simulation: Simulation) -> tuple[bytes, ...]:
    """Return all that a run can change, with what the scheduler keeps for itself."""
    arrays, _ = simulation._run.snapshot()
    return (*(array.tobytes() for array in arrays), simulation.particle_memory.tobytes())
