"""What an exploration found, and the run that shows what is wrong."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from amoebot.engine.names import BY_HAND
from amoebot.errors import ExplainedError
from amoebot.linking import PAPER


class NotExploredError(ExplainedError, ValueError):
    """Not all states could be explored, so the result cannot be computed."""

    topic = "verified"


#: The scheduler of the rounds before an exploration that begins with a moment of a run.
BEFORE = "permutation"

HOLDS, VIOLATED, NOT_EXHAUSTED = "holds", "violated", "not exhausted"

#: In states that violate one property, others were not looked at; or a part can do more than the
#: whole election can.
NOT_DECIDED = "not decided"


@dataclass(frozen=True)
class Counterexample:
    """A shortest way to a state that violates a property."""

    property: str
    shape: dict[str, Any]  #: nodes, expanded pairs and offsets, as in a shape file
    algorithm: str
    options: dict[str, Any]  #: of the election
    schedule: list[int]  #: the particles activated, in order
    coins: list[list[int]]  #: the outcomes of the coins that each activation flipped
    seed: int | None  #: a seed that flips these coins
    cycle: int | None = None  #: from which activation on the schedule can be repeated for ever
    rules: dict[str, str] | None = None  #: name and digest of the rules, if they were changed
    crashed: list[int] = field(default_factory=list)  #: who is not activated in the cycle
    faults: str = ""  #: what is corrupted on the way, and who crashes where the cycle begins
    after: int = 0  #: the rounds under ``permutation`` that come before the schedule

    def save(self, path: Path) -> None:
        """Write a run file, which ``amoebot view`` and ``amoebot.load`` replay."""
        before = BEFORE if self.after else BY_HAND
        run: dict[str, Any] = {
            "shape": self.shape,
            "seed": self.seed,
            "options": {"algorithm": self.algorithm, "scheduler": before, **self.options},
            "by_hand_from": [self.after, 0],
            "schedule": self.schedule,
            "coins": self.coins,
            "property": self.property,
        }
        if self.faults:
            run["options"]["faults"] = self.faults
        if self.cycle is not None:
            run["cycle"] = self.cycle
        if self.rules is not None:
            run["rules"] = self.rules
        path.write_text(json.dumps(run) + "\n", encoding="utf-8", newline="\n")


@dataclass(frozen=True)
class Explored:
    """What was explored of a part of an election, once."""

    part: str
    free: str  #: what the other parts may have done to it
    chosen: int | None  #: the agent that they may have done it to, if it is only one
    exhausted: bool
    states: int
    transitions: int


@dataclass
class Report:
    """What an exploration found.

    Attributes:
        shape: The name of the shape.
        particles: The number of particles.
        algorithm: The election.
        options: All options of the election.
        rules: "paper", or the name of rules that were changed.
        agents: The number of agents on all boundaries.
        exhausted: Whether every state was explored. If not, nothing holds for certain.
        limited: Whether a limit was reached. A violation found before it is certain all the same.
        states: The number of states found.
        transitions: The number of activations tried, one for each outcome of their coins.
        depth: The greatest number of activations that it takes to reach a state.
        memory: What the states took, in bytes.
        disk: How many of these were in temporary files.
        seconds: How long it took.
        verdicts: For each property, "holds", "violated" or "not exhausted". It is "not decided" if
            something was corrupted and states that violate another one may violate it, or if a
            part violates it, which can do more than the whole election.
        counterexample: A schedule that shows how a property is violated.
        crashes: How many particles may crash.
        corrupted: The field that is corrupted, with its value, once.
        boundary: The only boundary that was explored, or None for all of them.
        after: After how many rounds of a run it began; 0 for empty memories.
        one_order: Whether each particle kept to one order of its agents, as runs do; else every
            order was explored.
        seed: The seed of that run, or of these orders.
        interpreted: The user's properties that could not be compiled: they take longer.
        parts: What was explored, if parts of the election were explored by themselves. States and
            transitions are those of all of them.
    """

    shape: str
    particles: int
    algorithm: str
    options: dict[str, Any]
    rules: str = PAPER
    agents: int = 0
    exhausted: bool = False
    limited: bool = False
    states: int = 0
    transitions: int = 0
    depth: int = 0
    memory: int = 0
    disk: int = 0
    seconds: float = 0.0
    verdicts: dict[str, str] = field(default_factory=dict)
    counterexample: Counterexample | None = None
    crashes: int = 0
    corrupted: str = ""
    boundary: int | None = None
    after: int = 0
    one_order: bool = False
    seed: int = 0
    interpreted: list[str] = field(default_factory=list)
    parts: list[Explored] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether everything was explored, and every property holds."""
        return self.exhausted and {*self.verdicts.values()} <= {HOLDS}

    @property
    def violated(self) -> bool:
        """Whether some property does not hold."""
        return VIOLATED in self.verdicts.values()

    def as_dict(self) -> dict[str, Any]:
        """Return all fields and options, ready for JSON."""
        told = asdict(self)
        options = told.pop("options")
        return told | options
