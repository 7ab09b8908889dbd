"""Errors that name a page of the documentation."""

from __future__ import annotations

from typing import ClassVar


class ExplainedError(Exception):
    """An error with a page that says what is possible, as ``amoebot help TOPIC`` shows it."""

    topic: ClassVar[str]

    def __init__(self, *sentence: str) -> None:
        """Say in one sentence what is wrong; a note below it says where to read on."""
        super().__init__(*sentence)
        self.add_note(f"See amoebot help {self.topic}")


class SchedulerError(ExplainedError, ValueError):
    """Invalid scheduler."""

    topic = "schedulers"


class ScheduleEnd(StopIteration):
    """A schedule has no further particle. Distinct from a StopIteration that a rule raises."""
