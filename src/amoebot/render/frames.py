"""Moments of a run as bytes, for the page: the geometry once, then one frame for each moment.

All numbers are little-endian. An agent's memory is packed, without loss, into RECORD bytes:

===== =======================================================================================
byte  bits, from the lowest
===== =======================================================================================
0     role 2, head 1, marked 1, created 1, inactive 1, leader 1, frozen 1
1, 2  digit; digit of the reversed copy
3     setup token 3, result 2
4     carried digit
5     stage 3, withdrawing 1, identification 1
6     angle 3, turn + 1 3, agent identifier 2
7     second algorithm: coin 2, forth 2, back 2, stop 2
8–11  digit tokens, oldest and newest, a word each
12–15 x axis and y axis, a word each: activation 3, heading 3, next identifier 2, then held 2 and
      settled 2 of the positive tokens and of the negative ones
16    second algorithm: role 2, stage 3, withdrawing 1, identification 1, sent forth 1
17    second algorithm: angle 3, sent back 1
18–21 second algorithm: x axis and y axis
22–23 nothing
===== =======================================================================================

A particle has one byte: 1 when the termination message has arrived, 2 when it has terminated.

A frame is a HEADER, then (delta frames only) the numbers of the agents that follow, their records,
the numbers of the particles that follow, and their bytes. Numbers have four bytes each, and
records are padded so that they begin on a multiple of four.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.names import BY_HAND
from amoebot.simulation import Simulation

#: Bytes of one agent's packed memory.
RECORD = 24

FULL, DELTA = 1, 2

FINISHED, IS_BY_HAND, REACHED = 1, 2, 4

#: What a frame begins with. A number one higher than meant stands for a particle; 0 for none.
HEADER = np.dtype(
    [
        ("kind", "u1"),
        ("flags", "u1"),
        ("outcome", "u1"),
        ("phase", "u1"),
        ("round", "<u4"),
        ("position", "<u4"),
        ("candidates", "<u4"),
        ("leader", "<u4"),
        ("latest", "<u4"),
        ("activations", "<f8"),
        ("agents", "<u4"),
        ("particles", "<u4"),
    ]
)

_CODES = {"leader": 1, "no-candidates": 2, "tied-identifiers": 3}

Bytes = NDArray[np.uint8]


def pack_agents(memory: NDArray[Any]) -> Bytes:
    """Return the memory of each agent as RECORD bytes."""
    packed = np.zeros((len(memory), RECORD), np.uint8)
    own, second = memory["candidacy"], memory["second"]
    other = second["candidacy"]
    names = ("head", "marked", "created", "inactive", "leader", "frozen")
    packed[:, 0] = own["role"]
    for bit, name in enumerate(names, start=2):
        packed[:, 0] |= memory[name] << bit
    packed[:, 1], packed[:, 2] = memory["digit"], memory["reversed_digit"]
    packed[:, 3] = memory["setup"] | memory["result"] << 3
    packed[:, 4] = memory["carried"]
    packed[:, 5] = own["stage"] | own["withdrawing"] << 3 | own["identification"] << 4
    turn = (own["turn"] + 1).view(np.uint8)
    packed[:, 6] = own["angle"] | turn << 3 | own["agent_identifier"] << 6
    coins = second["coin"] | second["forth"] << 2 | second["back"] << 4
    packed[:, 7] = coins | second["stop"] << 6
    words = packed.view("<u2")
    words[:, 4], words[:, 5] = memory["oldest"], memory["newest"]
    words[:, 6], words[:, 7] = _axis(own["x"]), _axis(own["y"])
    stage = other["role"] | other["stage"] << 2 | other["withdrawing"] << 5
    packed[:, 16] = stage | other["identification"] << 6 | second["sent_forth"] << 7
    packed[:, 17] = other["angle"] | second["sent_back"] << 3
    words[:, 9], words[:, 10] = _axis(other["x"]), _axis(other["y"])
    return packed


def _axis(lane: NDArray[Any]) -> NDArray[np.uint16]:
    word = lane["activation"].astype(np.uint16)
    word |= lane["heading"].astype(np.uint16) << 3
    word |= lane["next_identifier"].astype(np.uint16) << 6
    for shift, sign in ((8, "positive"), (12, "negative")):
        word |= lane[sign]["held"].astype(np.uint16) << shift
        word |= lane[sign]["settled"].astype(np.uint16) << (shift + 2)
    return word


def pack_particles(simulation: Simulation) -> Bytes:
    """Return a byte for each particle; none at all where nobody is to terminate."""
    memory = simulation.particle_memory
    packed: Bytes = np.maximum(memory["message"], 2 * memory["terminated"])
    return packed


class Encoder:
    """Turns moments of one run into frames, and remembers what the reader knows already."""

    def __init__(self) -> None:
        """Begin: the reader knows nothing yet."""
        self._agents: Bytes | None = None
        self._particles: Bytes | None = None

    def frame(self, simulation: Simulation, reached: bool = False) -> bytes:
        """Return the present moment: all of it, or what has changed since the last frame.

        ``reached`` says that what the reader is waiting for has happened.
        """
        flags = REACHED if reached else 0
        agents, particles = pack_agents(simulation.memory), pack_particles(simulation)
        before, self._agents = self._agents, agents
        before_particles, self._particles = self._particles, particles
        if before is None or before_particles is None:
            return encode(simulation, FULL, flags, None, agents, None, particles)
        changed = np.flatnonzero((agents != before).any(axis=1))
        changed_particles = np.flatnonzero(particles != before_particles)
        if 4 * (len(changed) + len(changed_particles)) > 3 * (len(agents) + len(particles)):
            return encode(simulation, FULL, flags, None, agents, None, particles)
        return encode(
            simulation,
            DELTA,
            flags,
            changed,
            agents[changed],
            changed_particles,
            particles[changed_particles],
        )


def encode(
    simulation: Simulation,
    kind: int,
    flags: int,
    agent_numbers: Any,
    agents: Bytes,
    particle_numbers: Any,
    particles: Bytes,
) -> bytes:
    """Return the bytes of one frame."""
    head = np.zeros(1, HEADER)
    by_hand = simulation.scheduler == BY_HAND
    leader, latest = simulation.leader_particle, simulation.latest
    head["kind"], head["phase"] = kind, simulation.phase
    head["flags"] = (
        flags | (FINISHED if simulation.finished else 0) | (IS_BY_HAND if by_hand else 0)
    )
    head["outcome"] = _CODES.get(simulation.outcome or "", 0)
    head["round"], head["position"] = simulation.rounds, simulation.position
    head["candidates"] = simulation.candidates
    head["leader"] = 0 if leader is None else leader + 1
    head["latest"] = 0 if latest is None else latest + 1
    head["activations"] = simulation.activations
    head["agents"], head["particles"] = len(agents), len(particles)
    parts = [head.tobytes()]
    if kind == DELTA:
        parts.append(agent_numbers.astype("<u4").tobytes())
    parts.append(agents.tobytes())
    if kind == DELTA:
        parts.append(particle_numbers.astype("<u4").tobytes())
    parts.append(particles.tobytes())
    return b"".join(parts)
