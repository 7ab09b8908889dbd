"""A plan: which elections a sweep consists of, given as a file or a dictionary."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from amoebot.algorithms import registry
from amoebot.algorithms.description import whole
from amoebot.engine.names import SCHEDULERS, check_scheduler
from amoebot.errors import ExplainedError
from amoebot.faults import as_faults
from amoebot.files import read_text
from amoebot.linking import PAPER, Rules
from amoebot.measurements import Measurement, as_measurements, built_in, in_file
from amoebot.options import Options
from amoebot.runs import shape_string
from amoebot.scheduler import OwnScheduler
from amoebot.shapes import GENERATORS, Shape, parse
from amoebot.sweeps import variants
from amoebot.sweeps.ranges import expand

#: The most elections a plan may have; more is a slip of the pen.
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
    measures: tuple[tuple[str, str], ...] = ()  #: measurements, each with the text of its file
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
        rules = _parsed(self.source, self.rules, algorithm) if self.source else None
        chosen = self.template.with_(seed=seed, rules=rules)
        if not self.scheduler:
            return chosen
        return chosen.with_(scheduler=_own_scheduler(self.scheduler_source, self.scheduler))

    @property
    def measurements(self) -> dict[str, Measurement]:
        """What is measured after each round, by name."""
        known = built_in(self.template.algorithm)
        return {
            name: _own_measurements(source)[name] if source else known[name]
            for name, source in self.measures
        }

    def __str__(self) -> str:
        """Name the inputs, for messages."""
        own = (f"{name} {_spelled(value)}" for name, value in self.template.own.items())
        scheduler = self.scheduler or self.template.scheduler_name
        options = ", ".join([scheduler, self.template.algorithm, *own])
        return f"{self.shape}, {options}, rules {self.rules}"


@cache
def _parsed(source: str, name: str, algorithm: str) -> Rules:
    return Rules.parse(source, name, algorithm)


@cache
def _own_scheduler(source: str, name: str) -> OwnScheduler:
    return OwnScheduler.parse(source, name)


@cache
def _own_measurements(source: str) -> dict[str, Measurement]:
    return in_file(source, "measurements")


def _spelled(value: object) -> str:
    """Return a value as it is written in a plan."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Plan:
    """Elections in a fixed order: cells, each with runs of seeds."""

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
    def algorithms(self) -> list[str]:
        """The names or paths of the elections."""
        return list(dict.fromkeys(cell.template.algorithm for cell in self.cells))

    @property
    def measures(self) -> list[str]:
        """The names of what is measured after each round."""
        return list(dict.fromkeys(name for cell in self.cells for name, _ in cell.measures))

    @property
    def compiled(self) -> list[Options]:
        """Options of one run for each election and set of rules: what has to be compiled."""
        found = {(cell.template.algorithm, cell.rules): cell for cell in self.cells}
        return [cell.options() for cell in found.values()]

    def items(self) -> Iterator[tuple[Cell, list[Run]]]:
        """Return the cells with their runs of seeds, in order."""
        return iter(self.cells.items())


#: The keys of a plan beside the options of its elections, each with what it must be.
KEYS = {
    "shapes": "a shape string or a list of them",
    "shape_seeds": "a whole number, 1 or more",
    "expanded": "a number from 0 to 1, or a list of them",
    "algorithms": f"names of elections ({', '.join(registry.built_in())}) or paths of files, with "
    "settings if need be, such as NAME:VARIANT or NAME:OPTION=VALUE+OPTION=VALUE",
    "variants": "names of variants of the elections",
    "schedulers": f"names among {', '.join(SCHEDULERS)}, or of Python files of your own",
    "faults": 'text such as "crash 3@10", "" for none, or a list of them',
    "measures": "names of measurements, or of Python files with some of your own",
    "rules": '"paper", and names of Python files with rules of your own',
    "seeds": "a whole number, 1 or more",
    "first_seed": "a whole number, 0 or more",
    "independent": "true or false",
    "max_rounds": "a whole number, 1 or more",
}
DEFAULTS: dict[str, Any] = {
    "shape_seeds": 1,
    "expanded": 0.0,
    "algorithms": registry.DEFAULT,
    "variants": [],
    "schedulers": "permutation",
    "faults": "",
    "measures": [],
    "rules": PAPER,
    "seeds": 1,
    "first_seed": 0,
    "independent": False,
    "max_rounds": None,
}

#: The keys that take one value or a list of strings.
NAMES = ("shapes", "algorithms", "variants", "schedulers", "rules", "measures")

#: Those that may be empty.
OPTIONAL = ("variants", "measures")


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Return the plan in a TOML file; files that it names are looked for beside it.

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
        content: The keys of a plan (``KEYS`` says what each must be), and options of its elections
            by name, each a value or a list; those in a table of the list ``sweep`` take the place
            of those beside it. Only ``shapes`` is required.
        folder: Where files are looked for; by default, the current folder.

    Raises:
        PlanError: If the plan is invalid.
    """
    tables = content.get("sweep", [{}])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PlanError("sweep must be tables, each under a line [[sweep]]")
    shared = {key: value for key, value in content.items() if key != "sweep"}
    entries = []
    for number, table in enumerate(tables, start=1):
        where = f"[[sweep]] {number}: " if "sweep" in content else ""
        try:
            entries.append(_entry(DEFAULTS | shared | table, folder))
        except ValueError as error:
            raise PlanError(f"{where}{error}") from None
    return plan_of(entries)


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
    _refuse_same_names("sets of rules", {(cell.rules, cell.source) for cell in cells})
    found = {registry.find(algorithm) for algorithm in plan.algorithms}
    _refuse_same_names("elections", {(election.name, str(election.file)) for election in found})
    if len(plan) > MOST_ELECTIONS:
        raise PlanError(f"the plan has {len(plan):,} elections; the most is {MOST_ELECTIONS:,}")
    return plan


def spread(name: object) -> int:
    """Return where the seeds of something begin, far from those of all else."""
    digest = hashlib.sha256(repr(name).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 4  # below 2^60, so that sums stay below 2^63


def _refuse_same_names(what: str, found: Iterable[tuple[str, str]]) -> None:
    """Refuse what could not be told apart in the table."""
    for name, count in Counter(name for name, _ in found).items():
        if count > 1:
            raise PlanError(f"{count} different {what} are called {name}: rename a file")


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
    templates = list(_templates(entry))
    measures = tuple((name, source) for name, source in entry["measures"])
    for shape, expanded in itertools.product(entry["shapes"], entry["expanded"]):
        for shape_seed in range(entry["shape_seeds"] if _is_drawn(shape, expanded) else 1):
            for template, rules in templates:
                file = entry["files"].get(shape, "")
                given = {**rules, "measures": measures, "file": file}
                yield Cell(shape, shape_seed, expanded, template, **given)


def _templates(entry: dict[str, Any]) -> Iterator[tuple[Options, dict[str, str]]]:
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
        chosen = Options(0, name, algorithm, own, entry["max_rounds"], None, as_faults(faults))
        yield chosen, rules if by_name else rules | scheduler


def _joined(given: dict[str, Any], others: dict[str, Any], where: str) -> dict[str, Any]:
    """Return all options, or say which of them are given twice."""
    for name in given.keys() & others.keys():
        raise PlanError(f"{name} is part of {where}: give one of the two")
    return given | others


def _entry(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return one table with every key, checked, and every list a list."""
    entry = {key: given.get(key, []) for key in KEYS}
    entry["shapes"] = [_written(shape) for shape in _listed(entry["shapes"])]
    for key in (*NAMES, "expanded", "faults"):
        entry[key] = _listed(entry[key])
        if not entry[key] and key in given and key not in OPTIONAL:
            raise PlanError(f"{key} is empty; it must be {KEYS[key]}")
    for key in NAMES:
        entry[key] = [os.fspath(one) if isinstance(one, os.PathLike) else one for one in entry[key]]
        for value in entry[key]:
            if callable(value):
                words = "a plan keeps the text of all that it runs: write it into a Python file"
                raise PlanError(f"{key}: {words} and give its name")
            if not isinstance(value, str) or not value.strip():
                raise PlanError(f"{key} = {value!r} must be {KEYS[key]}")
    for value in entry["faults"]:
        if not isinstance(value, str):
            raise PlanError(f"faults = {value!r} must be {KEYS['faults']}")
    for key, (least, most) in _LIMITS.items():
        whole(entry[key], key, least, most)
    if not isinstance(entry["independent"], bool):
        raise PlanError(f"independent = {entry['independent']!r} must be {KEYS['independent']}")
    entry["expanded"] = [_share(value) for value in entry["expanded"]]
    entry["algorithms"] = [_found(name, folder) for name in entry["algorithms"]]
    entry["options"] = _options(given, entry["algorithms"])
    if not entry["shapes"]:
        raise PlanError('shapes are missing, for example shapes = ["hexagon:10"]')
    entry["schedulers"] = [_scheduler(name, folder) for name in entry["schedulers"]]
    entry["measures"] = _measures(entry["measures"], entry["algorithms"], folder)
    for _ in _templates(entry | {"rules": [{}]}):
        pass  # which checks the rest
    entry["rules"] = [_rules(name, entry["algorithms"], folder) for name in entry["rules"]]
    shapes = [one for text in entry["shapes"] for one in expand(_tidy(text))]
    located = [_located(shape, folder) for shape in shapes]
    entry["shapes"] = [name for name, _ in located]
    entry["files"] = {name: path for name, path in located if path}
    return entry


#: The least and the most of the keys that are one whole number.
_LIMITS = {
    "shape_seeds": (1, MOST_CELLS),
    "seeds": (1, MOST_ELECTIONS),
    "first_seed": (0, 2**62),
}


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _share(value: object) -> float:
    """Return a number from 0 to 1, or say that it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise PlanError(f"expanded = {value!r} must be {KEYS['expanded']}")
    return float(value)


def _options(given: Mapping[str, Any], algorithms: list[str]) -> dict[str, list[Any]]:
    """Return the options of elections that a table names, or say which keys there are."""
    names = {variants.split(text)[0] for text in algorithms}
    known = {option.name for name in names for option in registry.options_of(name)}
    own = {key: _listed(value) for key, value in given.items() if key not in KEYS}
    for key, values in own.items():
        if key not in known:
            keys = ", ".join([*KEYS, *sorted(known)])
            raise PlanError(f"there is no key {key!r}; the keys are {keys}")
        if not values:
            raise PlanError(f"{key} is empty; it must be a value or a list of them")
    return own


def _found(text: str, folder: Path) -> str:
    """Return an election with its settings, its name or its path from here."""
    name, settings = variants.split(text)
    if registry.is_path(name):
        name = os.path.join(folder, name)
    registry.find(name)
    return f"{name}:{settings}" if settings else name


def _rules(name: str, algorithms: list[str], folder: Path) -> dict[str, str]:
    """Return the rules of a file with its text, so that the plan is complete without the file."""
    if name == PAPER:
        return {"rules": PAPER}
    file = folder / name
    text = read_text(file, PlanError)
    for algorithm in algorithms:
        _parsed(text, file.stem, variants.split(algorithm)[0])
    return {"rules": file.stem, "source": text}


def _scheduler(name: str, folder: Path) -> str | dict[str, str]:
    """Return a scheduler's name, or that of a file with its text."""
    if not name.endswith(".py"):
        return check_scheduler(name)
    file = folder / name
    text = read_text(file, PlanError)
    OwnScheduler.parse(text, file.stem)
    return {"scheduler": file.stem, "scheduler_source": text}


def _measures(names: list[str], algorithms: list[str], folder: Path) -> list[tuple[str, str]]:
    """Return the names of measurements, each with the text of its file if it is in one."""
    found: list[tuple[str, str]] = []
    for name in names:
        if name.endswith(".py"):
            text = read_text(folder / name, PlanError)
            found += [(one, text) for one in in_file(text, (folder / name).stem)]
            continue
        for algorithm in algorithms:
            as_measurements([name], variants.split(algorithm)[0])
        found.append((name, ""))
    _refuse_same_names("measurements", found)
    return found


#: Where shapes that have no string are kept while this program runs.
_shape_files = TemporaryDirectory(prefix="amoebot-shapes-")


def _written(shape: object) -> object:
    """Return a shape that was given as an object as a shape string, or as the path of a file."""
    if isinstance(shape, os.PathLike):
        return os.fspath(shape)
    if not isinstance(shape, Shape):
        return shape
    if (text := shape_string(shape)) is not None:
        return text
    name = re.sub(r"[^\w.-]+", "-", shape.name) or "shape"
    number = len(os.listdir(_shape_files.name))
    folder = Path(_shape_files.name) / str(number)
    folder.mkdir()
    shape.save(folder / f"{Path(name).stem}.json")
    return os.fspath(folder / f"{Path(name).stem}.json")


def _tidy(text: str) -> str:
    """Return a shape string without blanks, so that the same shape has the same name."""
    name, colon, rest = text.strip().partition(":")
    return f"{name}:{''.join(rest.split())}" if colon and name in GENERATORS else text.strip()


def _located(text: str, folder: Path) -> tuple[str, str]:
    """Return a shape string; or for a file, the digest of its content with its name, and its path.

    So the same file is the same shape wherever it is.
    """
    if text.partition(":")[0] in GENERATORS:
        return text, ""
    path = folder / text
    try:
        content = path.read_bytes()
    except OSError:
        parse(os.fspath(path))  # which says what is wrong
        raise
    return f"{hashlib.sha256(content).hexdigest()[:16]}-{path.name}", os.fspath(path)


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
