"""The course of an erosion, and what the observer notes of it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms import interface
from amoebot.algorithms.description import (
    FIRST_ACTIVATION,
    LEADER_DECLARED,
    Course,
    Milestone,
    Outcome,
    Phase,
)
from amoebot.algorithms.interface import (
    COUNT,
    FIRST_OWN_EVENT,
    FIRST_OWN_OUTCOME,
    candidate_appears,
    candidate_withdraws,
)
from amoebot.jit import compiled

from .options import Options

# What an activation did.
STARTS, ERODES = FIRST_OWN_EVENT << 0, FIRST_OWN_EVENT << 1

COURSE = Course(
    milestones=(
        Milestone("all_candidates", "All particles are candidates"),
        Milestone("first_erosion", "First erosion", False),
        Milestone("last_erosion", "Last erosion"),
    ),
    phases=(
        Phase("Start", "", FIRST_ACTIVATION),
        Phase("Setup", "", "all_candidates"),
        Phase("Erosion", "", "last_erosion"),
        Phase("Declaration", "", LEADER_DECLARED),
    ),
)

#: A whole round in which nothing happened: the candidates left stand around a hole.
STUCK = FIRST_OWN_OUTCOME

OUTCOMES = {
    STUCK: Outcome(
        "stuck",
        "the candidates that are left stand around a hole, and none of them can erode",
        "Erosion needs a shape without holes.",
    )
}


class Watch(interface.Watch):
    """What the observer has counted, and the rounds of the milestones."""

    all_candidates: Annotated[int, COUNT, "round in which the last particle started"]
    first_erosion: Annotated[int, COUNT, "round of the first erosion"]
    last_erosion: Annotated[int, COUNT, "round in which one candidate was left"]


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
    """Count candidates, and note the milestones."""
    if watch.candidates == 0 and not options.setup:
        watch.candidates = len(withdrawals)
        watch.all_candidates = 1
    if events & STARTS:
        candidate_appears(watch)
        if watch.candidates == len(withdrawals):
            watch.all_candidates = now
    if events & ERODES:
        candidate_withdraws(watch, withdrawals, now)
        if watch.first_erosion == 0:
            watch.first_erosion = now
        if watch.withdrawn == len(withdrawals) - 1:
            watch.last_erosion = now
