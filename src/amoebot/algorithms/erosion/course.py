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
    milestones=("candidates_set_up", "first_candidate_eroded", "last_rival_gone"),
    phases=(
        Phase("Start", "", FIRST_ACTIVATION),
        Phase("Setup", "", "candidates_set_up"),
        Phase("Erosion", "", "last_rival_gone"),
        Phase("Declaration", "", LEADER_DECLARED),
    ),
)

#: A whole round in which nothing happened: the candidates left stand around a hole, or some
#: particle has crashed or has a corrupted memory.
STUCK = FIRST_OWN_OUTCOME

OUTCOMES = {
    STUCK: Outcome(
        "stuck",
        "none of the candidates that are left can erode",
        "Erosion needs a shape without holes, and particles without faults.",
    )
}


class Watch(interface.Watch):
    """What the observer has counted, and the rounds of the milestones."""

    candidates_set_up: Annotated[int, COUNT, "round in which the last particle started"]
    first_candidate_eroded: Annotated[int, COUNT, "round of the first erosion"]
    last_rival_gone: Annotated[int, COUNT, "round in which one candidate was left"]


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
        watch.candidates_set_up = 1
    if events & STARTS:
        candidate_appears(watch)
        if watch.candidates == len(withdrawals):
            watch.candidates_set_up = now
    if events & ERODES:
        candidate_withdraws(watch, withdrawals, now)
        if watch.first_candidate_eroded == 0:
            watch.first_candidate_eroded = now
        if watch.withdrawn == len(withdrawals) - 1:
            watch.last_rival_gone = now
