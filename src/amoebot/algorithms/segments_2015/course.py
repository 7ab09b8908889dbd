"""The course of an election by segments, and what the observer notes of it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import (
    FIRST_ROUND,
    LEADER_DECLARED,
    Course,
    Outcome,
    Phase,
)
from amoebot.algorithms.interface import (
    COUNT,
    FIRST_OWN_OUTCOME,
    candidate_appears,
    candidate_withdraws,
)
from amoebot.jit import compiled

from .. import candidacy
from ..candidacy import note_beginnings
from .events import DEMOTED_ITSELF, HANDED_ON, STARTED, STARTED_VERIFYING, WAS_COVERED
from .options import Options

COURSE = Course(
    milestones=(
        "first_candidate_demoted",
        "first_solitude_verification_begins",
        "last_rival_gone",
        "last_solitude_verification_begins",
        "boundary_identification_begins",
    ),
    phases=(
        Phase("Start", "", FIRST_ROUND),
        Phase("Competition", "", "last_rival_gone"),
        Phase("Solitude verification", "2.5", "boundary_identification_begins"),
        Phase("Boundary identification", "2.6", LEADER_DECLARED),
    ),
)

NO_CANDIDATE_LEFT = FIRST_OWN_OUTCOME

OUTCOMES = {
    NO_CANDIDATE_LEFT: Outcome(
        "no-candidate-left",
        "all candidates on the outer boundary were demoted",
        "As first published, this election can fail like that; try it repaired.",
    )
}

#: Boundaries do not influence each other: agents of one never meet those of another.
INNER_BOUNDARIES_MATTER = False


class Watch(candidacy.Watch):
    """What the observer has counted on the outer boundary, and the rounds of the milestones."""

    first_candidate_demoted: Annotated[int, COUNT, "round in which it came"]


@compiled
def observe(
    watch: Watch,
    withdrawals: NDArray[np.int64],
    memory: NDArray[Any],
    unit: int,
    events: int,
    now: int,
    options: Options,
) -> None:
    """Take note of what an activation of an agent on the outer boundary did."""
    if events & STARTED:
        candidate_appears(watch)
    if events & (WAS_COVERED | DEMOTED_ITSELF | HANDED_ON):
        candidate_withdraws(watch, withdrawals, now)
        if watch.first_candidate_demoted == 0:
            watch.first_candidate_demoted = now
        if watch.withdrawn == len(withdrawals) - 1:
            watch.last_rival_gone = now
        if watch.withdrawn == len(withdrawals):
            watch.outcome = NO_CANDIDATE_LEFT
    note_beginnings(watch, events, STARTED_VERIFYING, now)
