"""Termination for all particles (Appendix A.2): the leader's message floods the system."""

from __future__ import annotations

from amoebot.jit import rule

from .memory import Record


@rule
def declare_particle(me: Record) -> None:
    """Be the leader: the termination message begins here."""
    me.message = 1


@rule
def must_terminate(me: Record) -> bool:
    """Whether this activation passes the message on, and is the particle's last."""
    return bool(me.message) and not me.terminated


@rule
def pass_message(neighbour: Record) -> None:
    """Write the termination message into a neighbour's memory."""
    neighbour.message = 1


@rule
def terminate(me: Record) -> None:
    """Stop for good: every neighbour has the message."""
    me.terminated = 1
