"""The options of a run: checked once, in one place, and the same words everywhere.

An ``Options`` says everything about a run but its shape. The Python interface, plans, run files,
the viewer's address and the command line all make one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from amoebot.algorithms import registry
from amoebot.algorithms.records import layout
from amoebot.algorithms.registry import Election
from amoebot.arguments import whole
from amoebot.engine.names import BY_HAND, NO_END
from amoebot.faults import Fault, as_faults, check_changes
from amoebot.linking.rules import PAPER, Rules
from amoebot.scheduler import OwnScheduler, SchedulerLike, as_scheduler

#: The last seed.
MOST_SEED = 2**64 - 1


@dataclass(frozen=True)
class Options:
    """Everything about a run but its shape. Options of the election are attributes too.

    Attributes:
        seed: What coins, port offsets and orders depend on, from 0 to 2^64 - 1.
        scheduler: One of the names in ``engine.names.SCHEDULERS``, or one of the user's: an
            iterable of particles, a function of the simulation, or the path of a Python file.
        algorithm: The name or path of an election.
        own: The options that the election declares, and ``terminate``.
        max_rounds: Stop after N rounds with the outcome "round-limit"; None for the default.
        rules: Rules that replace some of the election's.
        faults: What happens to particles, in the order of its moments.
    """

    seed: int = 0
    scheduler: str | OwnScheduler = "permutation"
    algorithm: str = registry.DEFAULT
    own: Mapping[str, Any] = field(default_factory=dict)
    max_rounds: int | None = None
    rules: Rules | None = None
    faults: tuple[Fault, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            seed: int = 0,
            scheduler: SchedulerLike | OwnScheduler = "permutation",
            algorithm: str = registry.DEFAULT,
            own: Mapping[str, Any] = ...,
            max_rounds: int | None = None,
            rules: Rules | None = None,
            faults: str | Iterable[Fault | str] = (),
        ) -> None:
            """Take what users give; the fields have what it stands for."""

    def __post_init__(self) -> None:
        """Check everything, and add the defaults of the election."""
        put = object.__setattr__
        put(self, "seed", whole(self.seed, "seed", 0, MOST_SEED))
        put(self, "scheduler", as_scheduler(self.scheduler))
        if not isinstance(self.algorithm, str | os.PathLike):
            raise ValueError(f"algorithm {self.algorithm!r} is not the name or path of an election")
        put(self, "algorithm", os.fspath(self.algorithm))
        if not isinstance(self.rules, Rules | None):
            raise ValueError(f"rules {self.rules!r} are not Rules: amoebot.Rules.read takes a file")
        put(self, "faults", as_faults(self.faults))
        if self.faults:
            check_changes(self.faults, self.memory_type)
        if self.rules is not None and registry.find(self.rules.algorithm) != self.election:
            owner = self.rules.algorithm
            raise ValueError(f"the rules {self.rules.name} belong to {owner}, not {self.algorithm}")
        if self.max_rounds is not None:
            put(self, "max_rounds", whole(self.max_rounds, "max_rounds", 1, NO_END))
        known = {option.name: option for option in registry.options_of(self.algorithm)}
        others = {one.name for one in fields(self)} - {"own"}
        check_names(self.own, self.algorithm, sorted(others))
        checked = {
            name: option.check(self.own.get(name, option.default)) for name, option in known.items()
        }
        put(self, "own", checked)

    def __getattr__(self, name: str) -> Any:
        """Return an option of the election."""
        own = self.__dict__.get("own", {})
        if name in own:
            return own[name]
        raise AttributeError(f"{self.__dict__.get('algorithm')} has no option {name!r}")

    def __hash__(self) -> int:
        """Hash by value."""
        own = tuple(self.own.items())
        run = (self.seed, self.scheduler, self.algorithm, own, self.max_rounds)
        return hash((*run, self.rules, self.faults))

    @property
    def election(self) -> Election:
        """The election, and where its modules are."""
        return registry.find(self.algorithm)

    @property
    def memory_type(self) -> np.dtype[Any]:
        """The type of a memory, with the fields that changed rules add."""
        more = {} if self.rules is None else self.rules.more_memory
        return layout(self.election.provides("memory", "Memory"), **more)

    @property
    def variant(self) -> str:
        """The name of the preset that these options are, or "" if they are none."""
        for preset in registry.presets_of(self.algorithm):
            if all(self.own[name] == value for name, value in preset.values.items()):
                return preset.name
        return ""

    @property
    def has_own_rules(self) -> bool:
        """Whether rules are run that are not part of this package."""
        return self.rules is not None or not self.election.is_built_in

    @property
    def is_stepped(self) -> bool:
        """Whether particles are chosen one by one: by the user's scheduler, or as some crash."""
        return not isinstance(self.scheduler, str) or bool(self.faults)

    @property
    def faults_written(self) -> str:
        """The faults as they are written."""
        return ", ".join(map(str, self.faults))

    @property
    def scheduler_name(self) -> str:
        """What the scheduler is called in results."""
        return self.scheduler if isinstance(self.scheduler, str) else self.scheduler.name

    @property
    def rules_name(self) -> str:
        """What the rules are called in results."""
        return PAPER if self.rules is None else self.rules.name

    def with_(self, **changes: Any) -> Options:
        """Return other options; those of the election are changed by their names too."""
        own = {name: changes.pop(name) for name in [*changes] if name in self.own}
        return replace(self, own={**self.own, **own}, **changes)

    def with_seed(self, seed: int) -> Options:
        """Return the same options with another seed, which alone is checked: that is quick."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, seed=whole(seed, "seed", 0, MOST_SEED))
        return made

    def as_dict(self) -> dict[str, Any]:
        """Return what a run file says of them: all but the seed and the rules."""
        # Which particles one of the user's chose, the file says itself.
        scheduler = self.scheduler if isinstance(self.scheduler, str) else BY_HAND
        faults = {"faults": self.faults_written} if self.faults else {}
        return {"algorithm": self.election.name, "scheduler": scheduler, **faults, **self.own}

    def round_limit(self, nodes: int, length: int) -> int | None:
        """Return after how many rounds to stop a run, given nodes and outer boundary length.

        An election that is known to elect somebody has no limit by default; changed rules, and
        elections from elsewhere, may elect nobody, and so may any with faults.
        """
        known = self.rules is None and self.election.is_built_in and not self.faults
        if self.max_rounds is not None or known:
            return self.max_rounds
        return default_round_limit(nodes, length)


def check_names(given: Iterable[str], algorithm: str, parameters: Iterable[str]) -> None:
    """Refuse names that no option of an election has; suggest a close one, or a parameter."""
    known = [option.name for option in registry.options_of(algorithm)]
    for name in given:
        if name not in known:
            choices = [one for one in (*known, *parameters) if one != name]
            close = get_close_matches(name, choices, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ValueError(
                f"{algorithm} has no option {name!r}: choose from {', '.join(known)}{hint}"
            )


def default_round_limit(nodes: int, length: int) -> int:
    """Return the round limit for rules that may elect nobody."""
    return 100 * (length + nodes)
