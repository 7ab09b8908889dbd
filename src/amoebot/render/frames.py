"""Moments of a run as bytes, for the page: one frame for each.

A frame is a HEAD, and then what has changed in the units' memories and in the particles' since the
frame before, or since all were empty. That is, for either: which bytes of a record (their numbers,
a byte each, filled up to a multiple of four), which records (their numbers, four bytes each, none
at all if it is every record), and these bytes, those of one place in the record after those of
another, filled up to a multiple of four. The stage says where the fields of HEAD and of the records
are, and what the numbers of kinds and flags stand for. All numbers are little-endian.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amoebot.algorithms.termination import Particle
from amoebot.options import Options
from amoebot.render.changes import write_changes
from amoebot.render.look import memory_of
from amoebot.render.records import Bytes, Format, record_format
from amoebot.simulation import Simulation

#: The kind of a frame: everything, or what has changed.
FULL, CHANGES = 1, 2

#: The flags of a frame.
FINISHED, IS_BY_HAND, REACHED = 1, 2, 4

#: Both, as the stage has them.
NUMBERS = {
    "full": FULL,
    "changes": CHANGES,
    "finished": FINISHED,
    "by_hand": IS_BY_HAND,
    "reached": REACHED,
}

#: The head of a frame. Particles are stored plus 1; 0 means none.
HEAD = np.dtype(
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
        ("activations", "<u8"),
        ("units", "<u4"),
        ("particles", "<u4"),
        ("unit_bytes", "<u4"),
        ("particle_bytes", "<u4"),
    ]
)

PARTICLE = record_format(Particle)

#: All units' memories, and all particles'; None if these are empty, as they are before the end.
Memories = tuple[Bytes, Bytes | None]


def unit_format(simulation: Simulation) -> Format:
    """Return how a unit's memory is sent."""
    return record_format(memory_of(simulation.options.algorithm), simulation.memory.dtype)


def outcomes(options: Options) -> list[tuple[str, str]]:
    """Return how a run can end, as names and sentences; a frame has one's number, from 1."""
    own = options.election.outcomes
    return [("leader", "leader elected"), *((one.name, one.sentence) for one in own.values())]


class Encoder:
    """Turns moments of one run into frames, and remembers what the reader knows already."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin: the reader knows nothing yet."""
        self._simulation = simulation
        self._format = unit_format(simulation)
        self._outcomes = [None, *(name for name, _ in outcomes(simulation.options))]
        self._known: Memories | None = None

    def frame(self, reached: bool = False) -> bytes:
        """Return the present moment: all of it, or what has changed since the last frame.

        ``reached`` says that what the reader is waiting for has happened.
        """
        before, self._known = self._known, self._now()
        return self._encode(before, self._known, REACHED if reached else 0)

    def what_if(self, memory: Any, particles: Any) -> bytes:
        """Return what would change if memories were these."""
        return self._encode(self._now(), (self._format.pack(memory), PARTICLE.pack(particles)), 0)

    def _now(self) -> Memories:
        simulation = self._simulation
        before_the_end = simulation.outcome is None  # and there may be millions of particles
        particles = None if before_the_end else PARTICLE.pack(simulation.particle_memory)
        return self._format.pack(simulation.memory), particles

    def _encode(self, before: Memories | None, now: Memories, flags: int) -> bytes:
        simulation, head = self._simulation, np.zeros(1, HEAD)
        old = before or (None, None)
        unit_rows, unit_bytes, units = _changes(old[0], now[0])
        particle_rows, particle_bytes, particles = _changes(old[1], now[1])
        flags |= (FINISHED if simulation.finished else 0) | (
            IS_BY_HAND if simulation.is_by_hand else 0
        )
        leader, latest = simulation.leader_particle, simulation.latest
        content = {
            "kind": CHANGES if before else FULL,
            "flags": flags,
            "outcome": self._outcomes.index(simulation.outcome),
            "phase": simulation.phase,
            "round": simulation.rounds,
            "position": simulation.position,
            "candidates": simulation.candidates,
            "leader": 0 if leader is None else leader + 1,
            "latest": 0 if latest is None else latest + 1,
            "activations": simulation.activations,
            "units": unit_rows,
            "particles": particle_rows,
            "unit_bytes": unit_bytes,
            "particle_bytes": particle_bytes,
        }
        for name, value in content.items():
            head[name] = value
        return head.tobytes() + units + particles


def is_empty(frame: bytes) -> bool:
    """Whether a frame says that nothing has changed."""
    head = np.frombuffer(frame, HEAD, 1)[0]
    return not head["units"] and not head["particles"]


def _changes(before: Bytes | None, now: Bytes | None) -> tuple[int, int, bytes]:
    """Return how many records have changed, in how many places, and all that is sent of them.

    None stands for records that are all empty.
    """
    some = before if now is None else now
    if some is None:
        return 0, 0, b""
    rows, columns = some.shape
    target = np.empty(rows * (columns + 4) + columns + 8, np.uint8)
    known, now = (np.zeros_like(some) if one is None else one for one in (before, now))
    changed, places, end = write_changes(known.ravel(), now.ravel(), rows, columns, target)
    return changed, places, target[:end].tobytes()
