"""How an election describes itself to those who run, check, measure and draw it.

Everything here is data that needs no compiler, so that ``amoebot --help`` can show it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from amoebot.arguments import check_truth, whole

#: Milestones that every election has.
LEADER_DECLARED, ALL_TERMINATED = "leader_declared", "all_terminated"


@dataclass(frozen=True)
class Flag:
    """An option that is on or off."""

    name: str
    default: bool
    help: str

    def check(self, value: object) -> bool:
        """Return the value if it is valid."""
        check_truth(value, self.name)
        return bool(value)


@dataclass(frozen=True)
class Range:
    """An option that is a whole number within limits."""

    name: str
    default: int
    least: int
    most: int
    help: str

    def check(self, value: object) -> int:
        """Return the value if it is valid."""
        return whole(value, self.name, self.least, self.most)


Option = Flag | Range


def read_setting(text: str) -> tuple[str, Any]:
    """Return what NAME=VALUE says; numbers and truth values are written as in JSON."""
    name, found, value = text.partition("=")
    if not (name and found):
        raise ValueError(f"{text}: NAME=VALUE is expected")
    try:
        read = json.loads(value)
    except ValueError:
        read = value
    return name.replace("-", "_"), read


@dataclass(frozen=True)
class Preset:
    """Options that go together, under one name."""

    name: str
    values: Mapping[str, Any]
    help: str


@dataclass(frozen=True)
class Outcome:
    """How a run can end without a leader."""

    name: str
    sentence: str  #: why there is none
    advice: str = ""  #: what to do about it


#: Where phases end that end with no milestone.
FIRST_ACTIVATION, FIRST_ROUND = "first activation", "first round"

#: Where phases end, as numbers: never, with the first activation or round, or with a milestone.
NEVER, ACTIVATION, ROUND, FIRST_MILESTONE = range(4)


@dataclass(frozen=True)
class Phase:
    """A part of the course; phases follow each other."""

    title: str
    section: str  #: of the paper, "" for none
    ends: str  #: the milestone, FIRST_ACTIVATION or FIRST_ROUND
    begins: str = ""  #: a milestone with which it begins, whatever came before


@dataclass(frozen=True)
class Property:
    """What must hold in every state that can be reached."""

    sentence: str
    source: str = ""  #: where the paper says so
    needs: str = ""  #: an option without which it says nothing


@dataclass(frozen=True)
class Finding:
    """What was found out about a claim."""

    claim: str  #: in the paper's words, with where it is made
    measured: str
    holds: bool | None  #: None if there was nothing to judge


class Monitor(Protocol):
    """Looks at a simulation after every round, and says what it found."""

    def look(self, simulation: Any) -> None:
        """Look at the state between two rounds."""

    def finding(self, result: Any) -> Finding:
        """Say whether the claim held, and by how much."""


@dataclass(frozen=True)
class Course:
    """The milestones and phases of an election, from which all views of its progress are made.

    A milestone is a moment, recorded as its round in the field of this name of the observer's
    record. Its name ends in "begins", or in what has been done by then: "leader_declared".
    """

    milestones: tuple[str, ...]
    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        """Add what every election has: a leader, and the termination message."""
        last = (Phase("Termination", "A.2", ALL_TERMINATED, LEADER_DECLARED), Phase("Done", "", ""))
        milestones = (*self.milestones, LEADER_DECLARED, ALL_TERMINATED)
        object.__setattr__(self, "milestones", milestones)
        object.__setattr__(self, "phases", (*self.phases, *last))

    @property
    def titles(self) -> dict[str, str]:
        """The milestones, with their names as people read them."""
        return {name: name.replace("_", " ").capitalize() for name in self.milestones}

    @property
    def termination(self) -> int:
        """The phase in which the termination message spreads."""
        return len(self.phases) - 2

    @property
    def done(self) -> int:
        """The phase in which nothing is left to do."""
        return len(self.phases) - 1

    def phase(
        self, reached: Mapping[str, int | None], rounds: int, activations: int, finished: bool
    ) -> int:
        """Return the phase that a run is in: the one that the election waits for."""
        if finished:
            return self.done
        passed = (0, activations, rounds, *(reached.get(name) for name in self.milestones))
        return phase_number(*self.numbers(), passed)

    def numbers(self) -> tuple[list[int], list[int]]:
        """Return with what each phase ends, and with what it begins whatever came before."""
        known = ["", FIRST_ACTIVATION, FIRST_ROUND, *self.milestones]
        ends = [known.index(phase.ends) for phase in self.phases]
        return ends, [known.index(phase.begins) for phase in self.phases]

    def bands(self, reached: Mapping[str, int | None], rounds: int) -> list[tuple[int, int, int]]:
        """Return the phases of a whole run as (phase, first round, last round)."""
        known = (reached.get(name) or 0 for name in self.milestones)
        return bands_of(self.numbers()[0], (0, 0, 1, *known), rounds)


def phase_number(ends: Any, begins: Any, passed: Any) -> int:
    """Return the phase that a run is in, given by number what it has passed.

    The last one, when the run is over, is not considered.
    """
    for number in range(len(ends) - 2, 0, -1):
        if passed[begins[number]] or passed[ends[number - 1]]:
            return number
    return 0


def bands_of(ends: Any, reached: Any, rounds: int) -> list[tuple[int, int, int]]:
    """Return phases with their first and last rounds, given by number the rounds of what ends them.

    The last two of these are the declaration of the leader, and the end of the run.
    """
    found, start = [], 0
    declared = reached[len(reached) - 2]
    termination = len(ends) - 2
    for number in range(termination):
        if ends[number] == ACTIVATION:
            continue
        known = reached[ends[number]]
        # A phase that has not ended is the last one; some may be left out before the leader.
        end = min(known or declared or rounds, rounds)
        if end > start:
            found.append((number, start, end))
            start = end
        if not known:
            break
    if declared and rounds > declared:
        found.append((termination, declared, rounds))
    return found
