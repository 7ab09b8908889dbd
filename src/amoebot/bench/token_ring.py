"""The bare token ring: the least that any token passing algorithm has to do.

It is written twice, for Numba and in C for this machine, so that figures can be told as ratios to
what our own compiler does and to what the machine can do.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.bench.figures import processor_seconds
from amoebot.jit import compiled

#: What runs a ring for some rounds, given its tokens and room for the order of a round.
Ring = Callable[[NDArray[np.uint8], NDArray[np.int32], int], None]

_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


@compiled
def token_ring(tokens: NDArray[np.uint8], order: NDArray[np.int32], rounds: int) -> None:
    """Run rounds of agents that hold 0 to 2 tokens.

    Each round has a fresh order; an activated agent forwards one token to its predecessor if
    that has room.
    """
    for now in range(rounds):
        stream = rng.key(np.uint64(0), rng.SCHEDULE, now)
        for agent in range(len(order)):
            order[agent] = agent
        for place in range(len(order)):
            other = place + rng.below(len(order) - place, stream, place)
            order[place], order[other] = order[other], order[place]
            agent = order[place]
            pred = agent - 1 if agent > 0 else len(order) - 1
            if tokens[agent] > 0 and tokens[pred] < 2:
                tokens[agent] -= 1
                tokens[pred] += 1


@cache
def ring_in_c() -> Ring | None:
    """Return the same ring compiled by a C compiler for this machine; None where there is none."""
    source = Path(__file__).with_suffix(".c")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = Path(folder) / "token_ring.so"
        for compiler in filter(None, map(shutil.which, _COMPILERS)):
            command = [compiler, *_FLAGS, "-o", str(made), str(source)]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                function = ctypes.CDLL(str(made)).token_ring
                break
        else:
            return None
    function.restype = None
    function.argtypes = [
        np.ctypeslib.ndpointer(np.uint8),
        np.ctypeslib.ndpointer(np.int32),
        *(ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64),
    ]

    def run(tokens: NDArray[np.uint8], order: NDArray[np.int32], rounds: int) -> None:
        function(tokens, order, len(order), rounds, int(rng.SCHEDULE))

    return run


def rings() -> dict[str, Ring]:
    """Return the rings that can be run here, by what figures are multiples of."""
    in_c = ring_in_c()
    return {"ring": token_ring} | ({"C ring": in_c} if in_c else {})


def time_ring(agents: int, activations: int, ring: Ring = token_ring) -> float:
    """Return nanoseconds per activation."""
    tokens = np.ones(agents, dtype=np.uint8)
    order = np.empty(agents, dtype=np.int32)
    rounds = max(1, activations // agents)
    ring(tokens, order, 1)
    return processor_seconds(lambda: ring(tokens, order, rounds)) / (rounds * agents) * 1e9
