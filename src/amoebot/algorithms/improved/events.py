"""What an activation of an agent did, for observers outside the system: rules never read it."""

from __future__ import annotations

from amoebot.algorithms.interface import DECLARED, FIRST_OWN_EVENT

STARTED = FIRST_OWN_EVENT << 0
DREW_DIGIT = FIRST_OWN_EVENT << 1
SET_UP = FIRST_OWN_EVENT << 2
CREATED_TOKEN = FIRST_OWN_EVENT << 3
WITHDREW = FIRST_OWN_EVENT << 4
STARTED_VERIFYING = FIRST_OWN_EVENT << 5
WITHDREW_LATE = FIRST_OWN_EVENT << 6
VERIFIED = FIRST_OWN_EVENT << 7
STARTED_IDENTIFYING = FIRST_OWN_EVENT << 8
SENT_STOP_TOKEN = FIRST_OWN_EVENT << 9

__all__ = [
    "CREATED_TOKEN",
    "DECLARED",
    "DREW_DIGIT",
    "SENT_STOP_TOKEN",
    "SET_UP",
    "STARTED",
    "STARTED_IDENTIFYING",
    "STARTED_VERIFYING",
    "VERIFIED",
    "WITHDREW",
    "WITHDREW_LATE",
]
