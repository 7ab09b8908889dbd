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
    """How a run ended.

    Attributes:
        outcome: "leader", or why there is none: "no-candidates" if nobody on the outer boundary
            flipped heads, "tied-identifiers" if the highest identifier there is not unique, and
            "round-limit" if the run was stopped before.
        leader: The nodes (x, y) of the leader particle: one, or two if it is expanded.
        rounds: The round, counted from 1, in which the leader was declared, or the last one run.
        rounds_terminated: The round in which the last particle terminated. None if not all have.
        particles: The number of particles, n.
        agents: The number of agents on all boundaries.
        outer_boundary_length: The number of agents on the outer boundary, L.
        inner_boundaries: The number of inner boundaries.
        inner_boundary_lengths: The number of agents on each of them.
        milestones: The round by which each milestone was reached; None for those that were not.
        candidates: How the candidates on the outer boundary dwindled: (round, candidates left).
        shape: The name of the shape.
        seed: The seed, as given, and so are ``scheduler``, ``radix``, ``almost_sure`` and
            ``terminate``.
        rules: "paper", or the name of rules that were changed.
    """

    outcome: str
    leader: tuple[tuple[int, int], ...] | None
    rounds: int
    rounds_terminated: int | None
    particles: int
    agents: int
    outer_boundary_length: int
    inner_boundaries: int
    inner_boundary_lengths: tuple[int, ...]
    milestones: dict[str, int | None]
    candidates: tuple[tuple[int, int], ...]
    shape: str
    seed: int
    scheduler: str
    radix: int
    almost_sure: bool
    terminate: bool
    rules: str

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
