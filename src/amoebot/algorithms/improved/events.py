"""What an activation of an agent did, for observers outside the system: rules never read it.

What solitude verification and boundary identification report is numbered with their lanes.
"""

from __future__ import annotations

from ..candidacy import FIRST_FREE_EVENT

STARTED = FIRST_FREE_EVENT << 0
DREW_DIGIT = FIRST_FREE_EVENT << 1
SET_UP = FIRST_FREE_EVENT << 2
CREATED_TOKEN = FIRST_FREE_EVENT << 3
WITHDREW = FIRST_FREE_EVENT << 4
STARTED_VERIFYING = FIRST_FREE_EVENT << 5
SENT_STOP_TOKEN = FIRST_FREE_EVENT << 6
