"""How a plan is written: a file or a dictionary, checked and completed."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from amoebot.algorithms import registry
from amoebot.arguments import check_truth, spelled, whole
from amoebot.engine.names import SCHEDULERS, check_scheduler
from amoebot.files import as_path, read_text, text_of
from amoebot.linking import PAPER
from amoebot.measurements import Measurement, as_measurements, in_file
from amoebot.runs import shape_string
from amoebot.scheduler import OwnScheduler, check_order
from amoebot.shapes import GENERATORS, Shape, parse
from amoebot.shapes.errors import brief
from amoebot.shapes.shape import MOST_NODES
from amoebot.sweeps import variants
from amoebot.sweeps.plan import (
    MOST_CELLS,
    MOST_ELECTIONS,
    Plan,
    PlanError,
    parsed_rules,
    plan_of,
    refuse_same_names,
    templates,
)
from amoebot.sweeps.ranges import expand

#: What has particles in it that are activated one after the other, to their end.
ROW = (list, tuple, range, np.ndarray)

#: The keys of a plan beside the options of its elections, each with what it must be.
KEYS = {
    "shapes": "a shape string or a list of them",
    "shape_seeds": "a whole number, 1 or more",
    "expanded": "a number from 0 to 1, or a list of them",
    "algorithms": f"names of elections ({', '.join(registry.built_in())}) or paths of files, with "
    "settings if need be, such as NAME:VARIANT or NAME:OPTION=VALUE+OPTION=VALUE",
    "variants": "names of variants of the elections",
    "schedulers": f"names among {', '.join(SCHEDULERS)}, or of Python files of your own, "
    "or particles in a list of their own, or in Python functions",
    "faults": 'text such as "crash 3@10", "" for none, or a list of them',
    "measures": "names of measurements, or of Python files with some of your own, or in Python "
    "functions",
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

#: What some of them also take; the plan keeps the text of it.
OBJECTS: dict[str, Any] = {"schedulers": (Callable, *ROW), "measures": Callable}

#: Those that may be empty.
OPTIONAL = ("variants", "measures")

#: How deeply lists and tables of a plan may be nested; what Python can read and print ends later.
DEEPEST = 10
NESTED = "its lists are nested too deeply: a plan has values, or lists of them"


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Return the plan in a TOML file; files that it names are looked for beside it.

    Raises:
        PlanError: If there is no such file, or if it is not a plan.
    """
    given = as_path(path, PlanError)
    try:
        content = tomllib.loads(read_text(given, PlanError))
    except tomllib.TOMLDecodeError as error:
        reason = " ".join(str(error).split())
        raise PlanError(f"{given}: this is not TOML: {reason}") from None
    except RecursionError:
        raise PlanError(f"{given}: {NESTED}") from None
    except PlanError:
        raise
    except ValueError:  # of int(), the only one that is none of the above
        raise PlanError(f"{given}: it has a number that is too long to be read") from None
    try:
        return replace(make_plan(content, given.parent), file=os.fspath(given))
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
    if not isinstance(content, Mapping):
        raise PlanError(f"a plan is a dictionary of its keys, not {brief(repr(content))}")
    folder = as_path(folder, PlanError)
    _refuse_nested(content)
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


def _refuse_nested(content: Mapping[str, Any]) -> None:
    """Refuse lists so deep in each other that no message could show them."""
    level: list[Any] = [dict(content)]
    for _ in range(DEEPEST):
        inner = [
            one
            for outer in level
            if isinstance(outer, list | tuple | dict)
            for one in (outer.values() if isinstance(outer, dict) else outer)
        ]
        level = [*{id(one): one for one in inner}.values()]  # the same list again is no deeper
        if not level:
            return
    raise PlanError(NESTED)


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
            if isinstance(value, OBJECTS.get(key, ())):
                continue
            if isinstance(value, Iterator):
                words = "can be read only once: give particles in a list, or a function"
                raise PlanError(f"{key} = {value!r} {words} that yields them")
            if callable(value):
                words = "a plan keeps the text of all that it runs: write it into a Python file"
                raise PlanError(f"{key}: {words} and give its name")
            if not isinstance(value, str) or not value.strip():
                raise PlanError(f"{key} = {spelled(value)} must be {KEYS[key]}")
    for value in entry["faults"]:
        if not isinstance(value, str):
            raise PlanError(f"faults = {spelled(value)} must be {KEYS['faults']}")
    for key, (least, most) in _LIMITS.items():
        whole(entry[key], key, least, most)
    check_truth(entry["independent"], "independent")
    entry["expanded"] = [_share(value) for value in entry["expanded"]]
    entry["algorithms"] = [_found(name, folder) for name in entry["algorithms"]]
    entry["options"] = _options(given, entry["algorithms"])
    if not entry["shapes"]:
        raise PlanError('shapes are missing, for example shapes = ["hexagon:10"]')
    entry["schedulers"] = [_scheduler(name, folder) for name in entry["schedulers"]]
    entry["measures"] = _measures(entry["measures"], entry["algorithms"], folder)
    for _ in templates(entry | {"rules": [{}]}):
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
        raise PlanError(f"expanded = {spelled(value)} must be {KEYS['expanded']}")
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
        parsed_rules(text, file.stem, variants.split(algorithm)[0])
    return {"rules": file.stem, "source": text}


def _scheduler(
    given: str | Iterable[int] | Callable[..., Any], folder: Path
) -> str | dict[str, str]:
    """Return a scheduler's name, or that of a file, a function or particles with its text."""
    if isinstance(given, ROW):
        check_order(given)
        row = [whole(one, "a particle of a scheduler", 0, MOST_NODES - 1) for one in given]
        text = f"scheduler = {row}\n"
        name = f"particles-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    elif callable(given):
        name, text = given.__name__, f"{text_of(given, PlanError)}\nscheduler = {given.__name__}\n"
    elif str(given).endswith(".py"):
        file = folder / str(given)
        name, text = file.stem, read_text(file, PlanError)
    else:
        return check_scheduler(given)
    OwnScheduler.parse(text, name)
    return {"scheduler": name, "scheduler_source": text}


def _measures(
    given: list[str | Measurement], algorithms: list[str], folder: Path
) -> list[tuple[str, str, str]]:
    """Return the names of measurements, each with its file's text and name if it is in one."""
    found: list[tuple[str, str, str]] = []
    for one in given:
        if callable(one):
            text, file = text_of(one, PlanError), one.__name__
        elif one.endswith(".py"):
            text, file = read_text(folder / one, PlanError), (folder / one).stem
        else:
            for algorithm in algorithms:
                as_measurements([one], variants.split(algorithm)[0])
            found.append((one, "", ""))
            continue
        found += [(name, text, file) for name in in_file(text, file)]
    refuse_same_names("measurements", ((name, text) for name, text, _ in found))
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
    if not path.is_file():  # a pipe has no end, perhaps
        parse(os.fspath(path))  # which says what is wrong
    try:
        content = path.read_bytes()
    except OSError:
        parse(os.fspath(path))
        raise
    return f"{hashlib.sha256(content).hexdigest()[:16]}-{path.name}", os.fspath(path)
