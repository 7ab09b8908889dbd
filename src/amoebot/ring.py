"""General graphs (Appendix A.4): an election on a ring of coin-flipping automata, which fails.

Without geometry there is no way to tell a long ring from a short one, so any algorithm of
constant memory must guess at some point that nobody else is left. This is the natural one:

- Everyone is a candidate. In each phase a candidate flips a coin, sends it to the next candidate
  and hears that of the candidate before it; those between them only pass coins on.
- Tails that hears heads withdraws. So not all of them do, and it goes on until one is left.
- A candidate that is alone hears its own coin. So a candidate that has heard what it sent
  ``memory`` times in a row declares itself the leader, and tells the others to withdraw.

A candidate keeps a coin and a counter up to ``memory``; everyone else holds one message. In each
phase a candidate sends one message and receives one, so the outcome depends on the coins alone,
in whatever order the automata are activated: phases can be run one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest

from amoebot import rng
from amoebot.arguments import whole
from amoebot.batch import elect_many
from amoebot.jit import compiled
from amoebot.linking import Rules
from amoebot.options import MOST_SEED
from amoebot.shapes import Shape

#: The longest ring, and the most equal coins that a candidate can count.
LONGEST, MOST_MEMORY = 1_000_000, 60

#: Squared lengths that the elections on systems of each size may add up to, to end in seconds.
EFFORT = 20_000_000


@dataclass(frozen=True)
class Failures:
    """How often an election had no leader or several."""

    algorithm: str  #: "automata", or "geometric" for the algorithm of the paper
    size: int  #: nodes of the ring, or agents on the outer boundary of the ring-shaped system
    memory: int | None  #: equal coins that convince an automaton that it is alone
    runs: int
    failures: int

    @property
    def share(self) -> float:
        """The share of the runs that failed."""
        return self.failures / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson for the probability of failure."""
        interval = binomtest(self.failures, self.runs).proportion_ci(method="wilson")
        return interval.low, interval.high

    def as_dict(self) -> dict[str, Any]:
        """Return all fields and the share with its interval, ready for JSON."""
        return asdict(self) | {"share": self.share, "interval": list(self.interval)}


def sweep(size: int, memories: list[int], runs: int, seed: int) -> Iterator[list[Failures]]:
    """Return a row for each doubling of the size: each memory's failures, then the geometric."""
    whole(size, "the number of nodes", 2, LONGEST)
    for memory in memories:
        whole(memory, "the memory", 1, MOST_MEMORY, " equal coins")
    whole(runs, "the number of runs", 1, 10**9)
    whole(seed, "seed", 0, MOST_SEED)

    def row(nodes: int) -> list[Failures]:
        automata = [fail_on_ring(nodes, memory, runs, seed) for memory in memories]
        affordable = min(runs, EFFORT // nodes**2)
        return [*automata, fail_in_the_plane(nodes, affordable, seed)] if affordable else automata

    return (row(nodes) for nodes in sizes(size))


def sizes(largest: int) -> list[int]:
    """Return 2, 4, 8 and so on, and the largest size."""
    doubled = [2**power for power in range(1, largest.bit_length()) if 2**power < largest]
    return [*doubled, largest]


def fail_on_ring(size: int, memory: int, runs: int, seed: int) -> Failures:
    """Count the failures of the automata."""
    failures = count_failures(np.uint64(seed), size, memory, runs)
    return Failures("automata", size, memory, runs, int(failures))


def fail_in_the_plane(size: int, runs: int, seed: int, rules: Rules | None = None) -> Failures:
    """Count the failures of the paper's algorithm on a ring-shaped system of the same length."""
    seeds = ((seed + run) % 2**64 for run in range(runs))
    results = elect_many(ring_shape(size), seeds, rules=rules)
    return Failures("geometric", size, None, runs, sum(r.outcome != "leader" for r in results))


def ring_shape(length: int) -> Shape:
    """Return the outline of a hexagon, nearly regular, whose outer boundary has this length.

    It is one particle wide and as many particles long, around a hole if there is room for one.
    """
    # Opposite sides are equal, except that odd lengths make every second side longer by one.
    odd = length % 2
    half = length // 2
    second = max(odd, (half + 1 + odd) // 3)
    first = (half - second + 1) // 2
    third = half - second - first
    sides = (first, second, third, first + odd, second - odd, third + odd)
    steps = np.repeat([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)], sides, axis=0)
    return Shape(np.cumsum(steps, axis=0), name=f"ring of {length}")


@compiled
def count_failures(seed: np.uint64, size: int, memory: int, runs: int) -> int:
    """Return how many of the runs do not end with exactly one leader."""
    failures = 0
    for run in range(runs):
        if leaders_on_ring(rng.key(seed, rng.COINS, run), size, memory) != 1:
            failures += 1
    return failures


@compiled
def leaders_on_ring(seed: np.uint64, size: int, memory: int) -> int:
    """Run one election on a ring, phase by phase, and return the number of leaders.

    The candidates are listed in the order in which coins travel; a leader stays in the list.
    """
    node = np.arange(size)
    equal = np.zeros(size, dtype=np.int64)  # coins in a row that were the one sent
    coins = np.empty(size, dtype=np.int64)
    left = size
    leaders = 0
    phase = 0
    while leaders < left:
        for i in range(left):
            coins[i] = rng.coin(seed, node[i], 0, phase, 2)
        before = left - 1
        heard, from_leader = coins[before], equal[before] == memory
        leaders = 0
        stay = 0
        for i in range(left):
            sent, is_leader = coins[i], equal[i] == memory
            if is_leader or not (from_leader or heard > sent):
                node[stay] = node[i]
                equal[stay] = memory if is_leader else equal[i] + 1 if heard == sent else 0
                leaders += equal[stay] == memory
                stay += 1
            heard, from_leader = sent, is_leader
        left = stay
        phase += 1
    return leaders
