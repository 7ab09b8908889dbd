"""A plan: which elections a sweep consists of."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from amoebot.algorithms import registry
from amoebot.errors import ExplainedError
from amoebot.linking import PAPER, Rules
from amoebot.measurements import Measurement, built_in, in_file
from amoebot.options import Options
from amoebot.scheduler import OwnScheduler
from amoebot.shapes import GENERATORS
from amoebot.sweeps import variants
from amoebot.sweeps.files import FolderError

#: The most elections a plan may have; more is a typing error.
MOST_ELECTIONS = 1_000_000_000
MOST_CELLS = 1_000_000

#: Consecutive seeds: the first, and the one after the last.
Run = tuple[int, int]


class PlanError(ExplainedError, ValueError):
    """Invalid plan."""

    topic = "sweeps"


@dataclass(frozen=True)
class Cell:
    """All inputs of an election but the seed."""

    shape: str  #: a shape string, or the digest of a file's content and its name
    shape_seed: int
    expanded: float
    template: Options  #: with seed 0, and without changed rules
    rules: str = PAPER
    source: str = ""  #: the text of the file with the changed rules; rules cannot be pickled
    scheduler: str = ""  #: the name of a scheduler of the user's, in the place of the template's
    scheduler_source: str = ""  #: the text of its file
    #: Measurements by name, each with the text and the name of its file if it is in one.
    measures: tuple[tuple[str, str, str], ...] = ()
    file: str = field(default="", compare=False)  #: where the shape file was found

    @property
    def family(self) -> str:
        """The shape's generator, or the name of its file."""
        return self.shape.partition("-")[2] if self.file else self.shape.partition(":")[0]

    @property
    def shape_key(self) -> tuple[str, int, float]:
        """What the system depends on."""
        return self.shape, self.shape_seed, self.expanded

    def options(self, seed: int = 0) -> Options:
        """Return the options of one election."""
        algorithm = self.template.algorithm
        rules = parsed_rules(self.source, self.rules, algorithm) if self.source else None
        chosen = self.template.with_(seed=seed, rules=rules)
        if not self.scheduler:
            return chosen
        return chosen.with_(scheduler=_own_scheduler(self.scheduler_source, self.scheduler))

    @property
    def scheduler_name(self) -> str:
        """The name of the scheduler in tables."""
        return self.scheduler or self.template.scheduler_name

    @property
    def measurements(self) -> dict[str, Measurement]:
        """What is measured after each round, by name."""
        known = built_in(self.template.algorithm)
        return {
            name: _own_measurements(source, file)[name] if source else known[name]
            for name, source, file in self.measures
        }

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say on which shape something of the user's cannot be run."""
        try:
            yield
        except ExplainedError as error:
            shape = self.family if self.file else self.shape
            raise type(error)(f"{shape}: {error}") from error

    def __str__(self) -> str:
        """Name the inputs, for messages."""
        own = (f"{name} {_spelled(value)}" for name, value in self.template.own.items())
        options = ", ".join([self.scheduler_name, self.template.algorithm, *own])
        return f"{self.shape}, {options}, rules {self.rules}"


@cache
def parsed_rules(source: str, name: str, algorithm: str) -> Rules:
    """Return the rules in the text of a file."""
    return Rules.parse(source, name, algorithm)


@cache
def _own_scheduler(source: str, name: str) -> OwnScheduler:
    return OwnScheduler.parse(source, name)


@cache
def _own_measurements(source: str, file: str) -> dict[str, Measurement]:
    return in_file(source, file)


def _spelled(value: object) -> str:
    """Return a value as it is written in a plan."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Plan:
    """Elections in a fixed order: cells, each with runs of seeds."""

    entries: tuple[dict[str, Any], ...]
    cells: dict[Cell, list[Run]] = field(compare=False)
    file: str = field(default="", compare=False)  #: where it was read from

    def __len__(self) -> int:
        """Return the number of elections."""
        return sum(end - first for runs in self.cells.values() for first, end in runs)

    def __sub__(self, other: Plan) -> dict[Cell, list[Run]]:
        """Return the elections of this plan that another does not have."""
        rest = {cell: subtract(runs, other.cells.get(cell, [])) for cell, runs in self.items()}
        return {cell: runs for cell, runs in rest.items() if runs}

    @property
    def algorithms(self) -> list[str]:
        """The names or paths of the elections."""
        return list(dict.fromkeys(cell.template.algorithm for cell in self.cells))

    @property
    def measures(self) -> list[str]:
        """The names of what is measured after each round."""
        return list(dict.fromkeys(name for cell in self.cells for name, *_ in cell.measures))

    @property
    def compiled(self) -> list[Options]:
        """Options of one run for each election and set of rules: what has to be compiled."""
        found = {(cell.template.algorithm, cell.rules): cell for cell in self.cells}
        return [cell.options() for cell in found.values()]

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say which file asks for what cannot be run; trouble with a folder is not the plan's."""
        try:
            yield
        except ExplainedError as error:
            is_of_plan = isinstance(error, ValueError) and not isinstance(error, FolderError)
            if not self.file or not is_of_plan:
                raise
            raise type(error)(f"{self.file}: {error}") from error

    def items(self) -> Iterator[tuple[Cell, list[Run]]]:
        """Return the cells with their runs of seeds, in order."""
        return iter(self.cells.items())


def plan_of(entries: Iterable[dict[str, Any]]) -> Plan:
    """Return the plan of entries that have been checked before."""
    cells: dict[Cell, list[Run]] = {}
    kept = tuple(entries)
    if sum(_combinations(entry) for entry in kept) > MOST_CELLS:
        raise PlanError(f"the plan has more than {MOST_CELLS:,} combinations of inputs")
    for entry in kept:
        for cell in _cells(entry):
            first = entry["first_seed"] + (spread(cell.shape_key) if entry["independent"] else 0)
            cells[cell] = unite([*cells.get(cell, []), (first, first + entry["seeds"])])
    plan = Plan(kept, cells)
    if not cells:
        raise PlanError("the plan has no elections")
    refuse_same_names("sets of rules", {(cell.rules, cell.source) for cell in cells})
    measured = {one[:2] for cell in cells for one in cell.measures}
    refuse_same_names("measurements", measured)
    refuse_same_names("schedulers", {(one.scheduler_name, one.scheduler_source) for one in cells})
    found = {registry.find(algorithm) for algorithm in plan.algorithms}
    refuse_same_names("elections", {(election.name, str(election.file)) for election in found})
    if len(plan) > MOST_ELECTIONS:
        raise PlanError(f"the plan has {len(plan):,} elections; the most is {MOST_ELECTIONS:,}")
    return plan


def spread(name: object) -> int:
    """Return where the seeds of something begin, far from those of all else."""
    digest = hashlib.sha256(repr(name).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 4  # below 2^60, so that sums stay below 2^63


def refuse_same_names(what: str, found: Iterable[tuple[str, str]]) -> None:
    """Refuse different things of the same name, which the table could not tell apart."""
    for name, count in Counter(name for name, _ in found).items():
        if count > 1:
            raise PlanError(f"{count} different {what} are called {name}: rename one of them")


def _combinations(entry: dict[str, Any]) -> int:
    """Return about how many cells an entry has, without making any."""
    drawn = [shape for shape in entry["shapes"] if _is_drawn(shape, max(entry["expanded"]))]
    shapes = len(entry["shapes"]) + len(drawn) * (entry["shape_seeds"] - 1)
    lists = [entry[key] for key in ("expanded", "algorithms", "schedulers", "rules", "faults")]
    lists += [entry["variants"] or [""], *entry["options"].values()]
    return int(shapes * math.prod(map(len, lists)))


def _is_drawn(shape: str, expanded: float) -> bool:
    """Whether a shape depends on its seed."""
    name = shape.partition(":")[0]
    return expanded > 0 or (name in GENERATORS and GENERATORS[name].random)


def _cells(entry: dict[str, Any]) -> Iterator[Cell]:
    """Return an entry's cells: those that differ in the scheduler only are next to each other."""
    chosen = list(templates(entry))
    measures = tuple(map(tuple, entry["measures"]))
    for shape, expanded in itertools.product(entry["shapes"], entry["expanded"]):
        for shape_seed in range(entry["shape_seeds"] if _is_drawn(shape, expanded) else 1):
            for template, rules in chosen:
                file = entry["files"].get(shape, "")
                given = {**rules, "measures": measures, "file": file}
                yield Cell(shape, shape_seed, expanded, template, **given)


def templates(entry: dict[str, Any]) -> Iterator[tuple[Options, dict[str, str]]]:
    """Return all options that an entry names, each with its rules."""
    for text, *values, variant, rules, faults, scheduler in itertools.product(
        entry["algorithms"],
        *entry["options"].values(),
        entry["variants"] or [""],
        entry["rules"],
        entry["faults"],
        entry["schedulers"],
    ):
        algorithm, own = variants.read(text)
        own = _joined(own, dict(zip(entry["options"], values, strict=True)), text)
        if variant:
            preset = registry.preset(algorithm, variant)
            own = _joined(preset, own, f"the variant {variant}")
        by_name = isinstance(scheduler, str)
        name = scheduler if by_name else Options.scheduler
        chosen = Options(0, name, algorithm, own, entry["max_rounds"], None, faults)
        yield chosen, rules if by_name else rules | scheduler


def _joined(given: dict[str, Any], others: dict[str, Any], where: str) -> dict[str, Any]:
    """Return all options, or say which of them are given twice."""
    for name in given.keys() & others.keys():
        raise PlanError(f"{name} is part of {where}: give one of the two")
    return given | others


def unite(runs: Iterable[Run]) -> list[Run]:
    """Return runs of seeds in order, those that touch made one."""
    united: list[Run] = []
    for first, end in sorted(runs):
        if united and first <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((first, end))
    return united


def subtract(runs: Iterable[Run], others: Iterable[Run]) -> list[Run]:
    """Return what is left of runs of seeds without others."""
    left = list(runs)
    for first, end in others:
        left = [
            part
            for run in left
            for part in ((run[0], min(run[1], first)), (max(run[0], end), run[1]))
            if part[0] < part[1]
        ]
    return left
