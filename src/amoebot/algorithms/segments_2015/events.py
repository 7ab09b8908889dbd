"""What an activation of an agent did, for observers outside the system: rules never read it.

What solitude verification and boundary identification report is numbered with their lanes.
"""

from __future__ import annotations

from ..candidacy import FIRST_FREE_EVENT

STARTED = FIRST_FREE_EVENT << 0
WAS_COVERED = FIRST_FREE_EVENT << 1
DEMOTED_ITSELF = FIRST_FREE_EVENT << 2
HANDED_ON = FIRST_FREE_EVENT << 3
STARTED_VERIFYING = FIRST_FREE_EVENT << 4
