"""The one place where tests look into memories: everything else asks in the paper's words.

Functions of ``memory`` take the array of all agents. Those with ``second`` look at the lanes of
the second algorithm (Appendix A.3) instead of the first's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import Simulation
from amoebot.algorithms import candidacy
from amoebot.algorithms.improved import memory as names
from amoebot.algorithms.improved.identifier_comparison import ACTIVE, DELIMITER, DIGIT, NO_TOKEN

Bools = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def _candidacy(memory: Any, second: bool) -> Any:
    return memory["second"]["candidacy"] if second else memory["candidacy"]


# What agents are.


def started(memory: Any, second: bool = False) -> Bools:
    return _candidacy(memory, second)["role"] != 0


def candidates(memory: Any, second: bool = False) -> Bools:
    return _candidacy(memory, second)["role"] == candidacy.CANDIDATE


def views(memory: Any, second: bool = False) -> Numbers:
    """Return what agents have noted of their boundary: turns and agent identifiers."""
    lanes = _candidacy(memory, second)
    return np.array([lanes["turn"], lanes["agent_identifier"]], dtype=np.int64)


def heads(memory: Any) -> Bools:
    return memory["head"] == 1


def leaders(memory: Any) -> list[int]:
    """Return the agents that told their particles to be the leader."""
    return np.flatnonzero(memory["leader"]).tolist()


def frozen(memory: Any) -> Bools:
    return memory["frozen"] == 1


# Identifiers and digit tokens.


def digits(memory: Any) -> list[int]:
    return memory["digit"].tolist()


def reversed_digits(memory: Any) -> list[int]:
    return memory["reversed_digit"].tolist()


def setup_tokens(memory: Any) -> Bools:
    """Say which agents hold an identifier setup token that is still on its way."""
    return (memory["setup"] != 0) & (memory["setup"] != names.COMPLETE)


def has_drawn(memory: Any) -> Bools:
    return memory["drawn"] == 1


def has_copy(memory: Any) -> Bools:
    """Say which agents hold their digit of the reversed copy."""
    return memory["marked"] == 1


def has_created(memory: Any) -> Bools:
    return memory["created"] == 1


def matched(memory: Any) -> Bools:
    """Say which agents are inactive: they have matched a token."""
    return memory["inactive"] == 1


def results(memory: Any) -> Bools:
    """Say which agents remember that a token's digit was another than theirs."""
    return memory["result"] != names.EQUAL


def digit_tokens(memory: Any, agent: int) -> list[tuple[int, bool, bool]]:
    """Return an agent's digit tokens, the oldest first, as (digit, active, delimiter)."""
    words = (int(memory["oldest"][agent]), int(memory["newest"][agent]))
    return [
        (word & DIGIT, bool(word & ACTIVE), bool(word & DELIMITER))
        for word in words
        if word != NO_TOKEN
    ]


def digit_tokens_held(memory: Any) -> Numbers:
    """Return how many digit tokens each agent holds."""
    held = (memory["oldest"] != NO_TOKEN).astype(np.int64)
    return held + (memory["newest"] != NO_TOKEN)


def no_gap_before_newest(memory: Any) -> bool:
    """Say that no agent has a newest digit token without an oldest one."""
    return not ((memory["newest"] != NO_TOKEN) & (memory["oldest"] == NO_TOKEN)).any()


# Solitude verification and boundary identification.


def sign_tokens(memory: Any, second: bool = False) -> tuple[Numbers, Numbers]:
    """Return the tokens (held, settled) of each axis, sign and agent."""
    lanes = _candidacy(memory, second)
    read = [
        [[lanes[axis][sign][what] for sign in ("positive", "negative")] for axis in ("x", "y")]
        for what in ("held", "settled")
    ]
    held, settled = np.array(read, dtype=np.int64)
    return held, settled


def activation_tokens(memory: Any, second: bool = False) -> Bools:
    """Say, for each axis and agent, whether the activation token is there."""
    lanes = _candidacy(memory, second)
    return np.array([lanes[axis]["activation"] != 0 for axis in ("x", "y")])


def outward_tokens(memory: Any, second: bool = False) -> Bools:
    """Say, for each axis and agent, whether the activation token is there on its way out."""
    lanes = _candidacy(memory, second)
    return np.array([lanes[axis]["activation"] == candidacy.OUTWARD for axis in ("x", "y")])


def identification_tokens(memory: Any, second: bool = False) -> Bools:
    return _candidacy(memory, second)["identification"] != 0


def busy(memory: Any, second: bool = False) -> Bools:
    """Say which candidates verify their solitude, or do what follows that."""
    return _candidacy(memory, second)["stage"] != 0


def identifying(memory: Any, second: bool = False) -> Bools:
    return _candidacy(memory, second)["stage"] == candidacy.IDENTIFYING


def about_to_declare(memory: Any) -> list[int]:
    """Return the agents that know they have won the first algorithm, and have not said so."""
    knows = (memory["candidacy"]["stage"] == candidacy.OUTER) & (memory["leader"] == 0)
    return np.flatnonzero(knows).tolist()


# The second algorithm.


def stop_tokens(memory: Any) -> list[int]:
    """Return the agents that hold a stop token."""
    return np.flatnonzero(memory["second"]["stop"]).tolist()


def stopping(memory: Any) -> list[int]:
    """Return the candidates whose stop token is on its way."""
    return np.flatnonzero(memory["second"]["candidacy"]["stage"] == names.STOPPING).tolist()


def coins_in_use(memory: Any) -> Bools:
    """Say who has flipped the coin of an iteration that is not over."""
    return memory["second"]["coin"] != 0


def coins_sent(memory: Any) -> tuple[Bools, Bools]:
    """Say whether the coin in use is on its way (with the cycle, against it)."""
    return memory["second"]["sent_forth"] == 1, memory["second"]["sent_back"] == 1


def coins_waiting(memory: Any) -> tuple[Bools, Bools]:
    """Say where coins are that travel (with the cycle, against it)."""
    return memory["second"]["forth"] != 0, memory["second"]["back"] != 0


def flips(simulation: Simulation) -> Numbers:
    """Return how many coins each agent has flipped in the second algorithm."""
    return simulation._run.state.draws[:, 1].astype(np.int64)


# Particles and runs.


def terminated(simulation: Simulation) -> Bools:
    return simulation.particle_memory["terminated"] == 1


def has_message(simulation: Simulation) -> Bools:
    return simulation.particle_memory["message"] == 1


def leader_particles(simulation: Simulation) -> set[int]:
    """Return the particles that some agent told to be the leader."""
    return set(simulation.system.particle[leaders(simulation.memory)].tolist())


def contents(simulation: Simulation) -> tuple[bytes, ...]:
    """Return all that particles remember, the observer has noted and counters say, as bytes."""
    state = simulation._run.state
    noted = (state.world.memory, state.world.particles, state.draws, state.watch, state.withdrawals)
    counters = (simulation.rounds, simulation.position, simulation.activations)
    return (*map(_bytes, noted), repr(counters).encode())


def everything(simulation: Simulation) -> tuple[bytes, ...]:
    """Return all that a run can change, with what the scheduler keeps for itself, as bytes."""
    arrays, _ = simulation.snapshot().content
    return tuple(map(_bytes, (*arrays, simulation.particle_memory)))


def _bytes(array: NDArray[Any]) -> bytes:
    """Return every field's value; what lies between the fields of a record means nothing."""
    return repr(array.tolist()).encode()
