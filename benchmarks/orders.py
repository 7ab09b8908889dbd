"""What the order of activations costs: nanoseconds per agent activation, best of several."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import amoebot
from amoebot import rng
from amoebot.bench import warm_up
from amoebot.bench.token_ring import time_ring
from amoebot.engine.schedulers import sort_by_time
from amoebot.jit import compiled

SHAPE = amoebot.shapes.hexagon(100)
SCHEDULERS = ("permutation", "round-robin", "with-cycle", "against-cycle")
VARIANTS = {"Section 2": (False, False), "+ A.3": (True, False), "+ A.3 + A.2": (True, True)}
ROUNDS = 5_000


@compiled
def lay_out(keys: np.ndarray, starts: np.ndarray, order: np.ndarray, rounds: int) -> None:
    """Do nothing but draw orders."""
    for now in range(rounds):
        stream = rng.key(np.uint64(0), rng.SCHEDULE, now)
        for place in range(len(keys)):
            time = np.uint64(rng.activation_time(stream, place))
            keys[place] = (time << np.uint64(32)) | np.uint64(place)
        sort_by_time(keys, len(keys), starts, order)


def processor_time(job: Callable[[], object]) -> float:
    """Return the nanoseconds that this thread had a processor."""
    start = time.thread_time_ns()
    job()
    return time.thread_time_ns() - start


def main() -> None:
    """Measure everything in turn, several times."""
    warm_up()
    agents = 600
    keys, order = np.zeros(agents, dtype=np.uint64), np.zeros(agents, dtype=np.uint64)
    starts = np.zeros(agents + 1, dtype=np.int32)
    lay_out(keys, starts, order, 1)
    best: dict[str, float] = {}

    def note(what: str, nanoseconds: float) -> None:
        best[what] = min(nanoseconds, best.get(what, nanoseconds))

    for _ in range(10):
        note("bare token ring", time_ring(agents, ROUNDS * agents))
        spent = processor_time(lambda: lay_out(keys, starts, order, ROUNDS))
        note("orders alone", spent / ROUNDS / agents)
        for scheduler in SCHEDULERS:
            for variant, (almost_sure, terminate) in VARIANTS.items():
                simulation = amoebot.Simulation(
                    SHAPE, 0, scheduler, almost_sure=almost_sure, terminate=terminate
                )
                spent = processor_time(simulation.run)
                result = simulation.result()
                note(f"{scheduler}, {variant}", spent / result.rounds / result.agents)
    for what, nanoseconds in best.items():
        print(f"{what:30} {nanoseconds:6.2f} ns")


if __name__ == "__main__":
    main()
