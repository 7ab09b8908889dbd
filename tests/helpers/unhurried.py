"""Settings for hypothesis where the first example may compile."""

from __future__ import annotations

from hypothesis import settings

unhurried = settings(deadline=None)
