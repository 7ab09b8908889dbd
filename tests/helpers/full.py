"""Whether tests run in full length."""

from __future__ import annotations

import os

FULL = os.environ.get("AMOEBOT_FULL") == "1"
