"""How a run ended, and what options a run can have.

The problem is that of Section 1.3: exactly one particle declares itself the leader, for good.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from numbers import Integral
from typing import Any

from amoebot import engine

#: The names that outcomes have in results.
OUTCOMES = {
    engine.LEADER: "leader",
    engine.NO_CANDIDATES: "no-candidates",
    engine.TIED_IDENTIFIERS: "tied-identifiers",
}

#: The milestones, in the order in which the phases begin that they belong to.
MILESTONES = (
    "identifiers_set_up",
    "digit_tokens_created",
    "first_solitude_verification",
    "last_rival_gone",
    "last_solitude_verification",
    "boundary_identification",
    "stop_token_sent",
    "leader_declared",
    "all_terminated",
)


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    outcome: str  #: "leader", "no-candidates", "tied-identifiers" or "round-limit"
    leader: tuple[tuple[int, int], ...] | None  #: the nodes of the leader particle
    rounds: int  #: the round in which the leader was declared, or the last one run
    rounds_terminated: int | None  #: the round in which the last particle terminated
    particles: int
    agents: int
    outer_boundary_length: int
    inner_boundaries: int  #: how many there are
    inner_boundary_lengths: tuple[int, ...]
    milestones: dict[str, int | None]  #: the round by which each was reached
    candidates: tuple[tuple[int, int], ...]  #: (round, candidates left on the outer boundary)
    shape: str
    seed: int
    scheduler: str
    radix: int
    almost_sure: bool
    terminate: bool
    rules: str  #: "paper", or the name of rules that were changed

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    def _repr_svg_(self) -> str:
        """Show in a notebook how the candidates dwindled."""
        return str(import_module("amoebot.render").summary(self))


def is_whole(number: object) -> bool:
    """Whether this is an integer, of Python or of NumPy."""
    return isinstance(number, Integral)


def check_options(seed: int, radix: int) -> None:
    """Refuse options that no run can have."""
    if not (is_whole(seed) and 0 <= seed < 2**64):
        raise ValueError(f"seed {seed} is not a whole number from 0 to 2^64 - 1")
    if not (is_whole(radix) and 2 <= radix <= 256):
        raise ValueError(f"radix {radix} is not a whole number from 2 to 256: a digit has one byte")
