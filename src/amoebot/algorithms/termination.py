"""Termination for all particles (Appendix A.2): the leader's message floods the system.

Every election can end like this, so the rules are no election's own.
"""

from __future__ import annotations

from typing import Annotated

from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import rule


class Particle(Record):
    """The memory of one particle."""

    message: Annotated[int, BYTE, "the termination message has arrived"]
    terminated: Annotated[int, BYTE, "has passed it on, and stopped for good"]


@rule
def declare_particle(me: Particle) -> None:
    """Be the leader: the termination message begins here."""
    me.message = 1


@rule
def must_terminate(me: Particle) -> bool:
    """Whether this activation passes the message on, and is the particle's last."""
    return bool(me.message) and not me.terminated


@rule
def pass_message(neighbour: Particle) -> None:
    """Write the termination message into a neighbour's memory."""
    neighbour.message = 1


@rule
def terminate(me: Particle) -> None:
    """Stop for good: every neighbour has the message."""
    me.terminated = 1
