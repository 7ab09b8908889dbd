"""A plan: which elections a sweep consists of, as a file or a dictionary says it."""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from amoebot.engine import SCHEDULERS
from amoebot.errors import ExplainedError
from amoebot.sweeps.ranges import expand
from amoebot.linking import PAPER, Rules
from amoebot.shapes import GENERATORS

#: The variants by name: (almost sure, termination for all).
VARIANTS = {
    "whp": (False, False),
    "terminating": (False, True),
    "almost-sure": (True, False),
    "full": (True, True),
}

#: The most elections a plan may have; more is a slip of the pen.
MOST_ELECTIONS = 1_000_000_000
MOST_CELLS = 1_000_000

#: A run of consecutive seeds: the first, and the one after the last.
Run = tuple[int, int]


class PlanError(ExplainedError, ValueError):
    """A plan that cannot be carried out: one sentence that says where and why."""

    topic = "sweeps"


@dataclass(frozen=True)
class Cell:
    """All inputs of an election but the seed."""

    shape: str
    shape_seed: int
    expanded: float
    scheduler: str
    variant: str
    radix: int
    max_rounds: int | None
    rules: str = PAPER
    source: str = ""  #: the text of the file that the rules are in, unless they are the paper's

    @property
    def family(self) -> str:
        """The shape's generator, or the name of its file."""
        name = self.shape.partition(":")[0]
        return name if name in GENERATORS else Path(self.shape).name

    @property
    def ground(self) -> tuple[str, int, float]:
        """What the system depends on."""
        return self.shape, self.shape_seed, self.expanded

    @property
    def almost_sure(self) -> bool:
        """Whether Appendix A.3 is in."""
        return VARIANTS[self.variant][0]

    @property
    def terminate(self) -> bool:
        """Whether Appendix A.2 is in."""
        return VARIANTS[self.variant][1]

    @property
    def own_rules(self) -> Rules | None:
        """The rules, if they are not the paper's."""
        return _parsed(self.source, self.rules) if self.source else None


@cache
def _parsed(source: str, name: str) -> Rules:
    return Rules.parse(source, name)


@dataclass(frozen=True)
class Plan:
    """A set of elections in an order of its own: cells, each with runs of seeds."""

    entries: tuple[dict[str, Any], ...]
    cells: dict[Cell, list[Run]] = field(compare=False)

    def __len__(self) -> int:
        """Return the number of elections."""
        return sum(end - first for runs in self.cells.values() for first, end in runs)

    def __sub__(self, other: Plan) -> dict[Cell, list[Run]]:
        """Return the elections of this plan that another does not have."""
        rest = {cell: subtract(runs, other.cells.get(cell, [])) for cell, runs in self.items()}
        return {cell: runs for cell, runs in rest.items() if runs}

    @property
    def rules(self) -> list[Rules | None]:
        """All rules that elections are run with."""
        return list(dict.fromkeys(cell.own_rules for cell in self.cells))

    def items(self) -> Iterator[tuple[Cell, list[Run]]]:
        """Return the cells with their runs of seeds, in order."""
        return iter(self.cells.items())


#: The keys of a plan, and what each must be.
KEYS = {
    "shapes": "a shape string or a list of them",
    "shape_seeds": "a whole number, 1 or more",
    "expanded": "a number from 0 to 1, or a list of them",
    "schedulers": f"names among {', '.join(SCHEDULERS)}",
    "variants": f"names among {', '.join(VARIANTS)}",
    "radices": "whole numbers from 2 to 256",
    "rules": '"paper", and names of Python files with rules of your own',
    "seeds": "a whole number, 1 or more",
    "first_seed": "a whole number, 0 or more",
    "max_rounds": "a whole number, 1 or more",
}
DEFAULTS: dict[str, Any] = {
    "shape_seeds": 1,
    "expanded": 0.0,
    "schedulers": "permutation",
    "variants": "full",
    "radices": 16,
    "rules": PAPER,
    "seeds": 1,
    "first_seed": 0,
    "max_rounds": None,
}


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Return the plan in a TOML file; shape files are looked for beside it.

    Raises:
        PlanError: If there is no such file, or if it is not a plan.
    """
    given = Path(path)
    try:
        content = tomllib.loads(given.read_bytes().decode())
    except OSError as error:
        raise PlanError(f"{given}: {(error.strerror or 'unreadable').lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise PlanError(f"{given}: this is not TOML: {reason}") from None
    try:
        return make_plan(content, given.parent)
    except PlanError as error:
        raise PlanError(f"{given}: {error}") from None


def make_plan(content: Mapping[str, Any], folder: Path = Path()) -> Plan:
    """Return the plan that a dictionary describes: defaults, and tables under ``sweep``.

    Args:
        content: The keys of a plan (``KEYS`` says what each must be); those in a table of the list
            ``sweep`` take the place of those beside it. Only ``shapes`` must be there.
        folder: Where shape files are looked for; by default, the current one.

    Raises:
        PlanError: If the plan cannot be carried out.
    """
    tables = content.get("sweep", [{}])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PlanError("sweep must be tables, each under a line [[sweep]]")
    shared = {key: value for key, value in content.items() if key != "sweep"}
    _refuse_unknown(shared, "")
    entries = []
    for number, table in enumerate(tables, start=1):
        where = f"[[sweep]] {number}: " if "sweep" in content else ""
        _refuse_unknown(table, where)
        entries.append(_entry(DEFAULTS | shared | table, where, folder))
    return plan_of(entries)


def plan_of(entries: Iterable[dict[str, Any]]) -> Plan:
    """Return the plan of entries that have been checked before."""
    cells: dict[Cell, list[Run]] = {}
    kept = tuple(entries)
    if sum(_combinations(entry) for entry in kept) > MOST_CELLS:
        raise PlanError(f"the plan has more than {MOST_CELLS:,} combinations of inputs")
    for entry in kept:
        run = (entry["first_seed"], entry["first_seed"] + entry["seeds"])
        for cell in _cells(entry):
            cells[cell] = unite([*cells.get(cell, []), run])
    plan = Plan(kept, cells)
    if not cells:
        raise PlanError("the plan has no elections")
    sources = {(cell.rules, cell.source) for cell in cells}
    for name, count in Counter(name for name, _ in sources).items():
        if count > 1:
            raise PlanError(f"{count} different sets of rules are called {name}: rename a file")
    if len(plan) > MOST_ELECTIONS:
        raise PlanError(f"the plan has {len(plan):,} elections; at most {MOST_ELECTIONS:,} can be")
    return plan


def _combinations(entry: dict[str, Any]) -> int:
    """Return about how many cells an entry has, without making any."""
    lists = ("shapes", "expanded", "radices", "variants", "rules", "schedulers")
    drawn = [shape for shape in entry["shapes"] if _is_drawn(shape, max(entry["expanded"]))]
    shapes = len(entry["shapes"]) + len(drawn) * (entry["shape_seeds"] - 1)
    return int(shapes * math.prod(len(entry[key]) for key in lists[1:]))


def _is_drawn(shape: str, expanded: float) -> bool:
    """Whether a shape depends on its seed."""
    name = shape.partition(":")[0]
    return expanded > 0 or (name in GENERATORS and GENERATORS[name].random)


def _cells(entry: dict[str, Any]) -> Iterator[Cell]:
    """Return an entry's cells: those that differ in the scheduler only are next to each other."""
    for shape, expanded in itertools.product(entry["shapes"], entry["expanded"]):
        for shape_seed in range(entry["shape_seeds"] if _is_drawn(shape, expanded) else 1):
            for radix, variant, rules, scheduler in itertools.product(
                *(entry[key] for key in ("radices", "variants", "rules", "schedulers"))
            ):
                yield Cell(
                    shape,
                    shape_seed,
                    expanded,
                    scheduler,
                    variant,
                    radix,
                    entry["max_rounds"],
                    **rules,
                )


def _refuse_unknown(table: Mapping[str, Any], where: str) -> None:
    for key in table:
        if key not in KEYS:
            raise PlanError(f"{where}there is no key {key!r}; the keys are {', '.join(KEYS)}")


def _entry(given: Mapping[str, Any], where: str, folder: Path) -> dict[str, Any]:
    """Return one table with every key, checked, and every list a list."""
    if "shapes" not in given:
        raise PlanError(f'{where}shapes are missing, for example shapes = ["hexagon:10"]')
    entry = dict(given)
    for key in ("shapes", "schedulers", "variants", "radices", "expanded", "rules"):
        entry[key] = list(entry[key]) if isinstance(entry[key], list | tuple) else [entry[key]]
        if not entry[key]:
            raise PlanError(f"{where}{key} is empty; it must be {KEYS[key]}")
    for key, fits in _CHECKS.items():
        for value in entry[key] if isinstance(entry[key], list) else [entry[key]]:
            if not fits(value):
                raise PlanError(f"{where}{key} = {value!r} must be {KEYS[key]}")
    entry["rules"] = [_rules(name, where, folder) for name in entry["rules"]]
    entry["expanded"] = [float(value) for value in entry["expanded"]]
    try:
        entry["shapes"] = [
            _located(one, folder) for text in entry["shapes"] for one in expand(_tidy(text))
        ]
    except ValueError as error:
        raise PlanError(f"{where}{error}") from None
    return {key: entry[key] for key in KEYS}


def _rules(name: str, where: str, folder: Path) -> dict[str, str]:
    """Return the rules of a file with its text, so that the plan says all there is to say."""
    if name == PAPER:
        return {"rules": PAPER}
    file = folder / name
    try:
        text = file.read_text(encoding="utf-8")
        return {"rules": _parsed(text, file.stem).name, "source": text}
    except OSError as error:
        raise PlanError(f"{where}{file}: {(error.strerror or 'unreadable').lower()}") from None
    except ValueError as error:
        raise PlanError(f"{where}{error}") from None


def _tidy(text: str) -> str:
    """Return a shape string without blanks, so that the same shape has the same name."""
    name, colon, rest = text.strip().partition(":")
    return f"{name}:{''.join(rest.split())}" if colon and name in GENERATORS else text.strip()


def _located(text: str, folder: Path) -> str:
    """Return a shape string, or the path of a shape file from here."""
    return text if text.partition(":")[0] in GENERATORS else os.path.join(folder, text)


def _whole(least: int, most: int = 2**63 - 1) -> Any:
    def fits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return fits


def _share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


_CHECKS: dict[str, Any] = {
    "shapes": lambda value: isinstance(value, str) and value.strip() != "",
    "shape_seeds": _whole(1, MOST_CELLS),
    "expanded": _share,
    "schedulers": lambda value: isinstance(value, str) and value in SCHEDULERS,
    "variants": lambda value: isinstance(value, str) and value in VARIANTS,
    "radices": _whole(2, 256),
    "rules": lambda value: isinstance(value, str) and value.strip() != "",
    "seeds": _whole(1, MOST_ELECTIONS),
    "first_seed": _whole(0, 2**62),
    "max_rounds": lambda value: value is None or _whole(1)(value),
}


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
