"""How an election is drawn and told, as data for figures, films and the page alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pictures:
    """All that is drawn of a moment, and how memories and activations are told in words."""
