"""What the order of activations costs: nanoseconds per agent activation, best of several."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import amoebot
from amoebot.bench import warm_up
from amoebot.bench.token_ring import time_ring
from amoebot.engine.schedulers import shuffle_step
from amoebot.jit import rule

SHAPE = amoebot.shapes.hexagon(100)
SCHEDULERS = ("permutation", "round-robin", "with-cycle", "against-cycle")
VARIANTS = {"Section 2": (False, False), "+ A.3": (True, False), "+ A.3 + A.2": (True, True)}
ROUNDS = 5_000


@rule
def shuffle(order: np.ndarray, rounds: int) -> None:
    """Do nothing but draw orders."""
    for now in range(rounds):
        for place in range(len(order)):
            shuffle_step(order, place, np.uint64(now))


def processor_time(job: Callable[[], object]) -> float:
    """Return the nanoseconds that this thread had a processor."""
    start = time.thread_time_ns()
    job()
    return time.thread_time_ns() - start


def main() -> None:
    """Measure everything in turn, several times."""
    warm_up()
    order = np.arange(600, dtype=np.int32)
    shuffle(order, 1)
    best: dict[str, float] = {}

    def note(what: str, nanoseconds: float) -> None:
        best[what] = min(nanoseconds, best.get(what, nanoseconds))

    for _ in range(10):
        note("bare token ring", time_ring(len(order), ROUNDS * len(order)))
        spent = processor_time(lambda: shuffle(order, ROUNDS))
        note("shuffling alone", spent / ROUNDS / len(order))
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
