"""Strategies of plans, run files and command lines: mostly valid, and it is known which are."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from amoebot.sweeps.plan import spread

#: The files that plans, runs and command lines name.
FILES = {
    "shape.txt": "o o o\n",
    "shape.json": '{"nodes": [[0, 0], [1, 0], [0, 1]], "expanded": [[[0, 0], [1, 0]]]}',
    "run.json": '{"shape": "line:3", "seed": 7, "schedule": [0, 1], "coins": [[0], []]}',
    "lost.json": '{"shape": "line:3", "options": {"faults": "corrupt 0.9@1"}}',
    "plan.toml": 'shapes = ["line:2", "shape.txt"]\nseeds = 2\n',
    "fair.py": "def scheduler(simulation):\n"
    "    return min(simulation.waiting)\n",  # some may have crashed
    "half.py": "def half(simulation):\n    return simulation.candidates / 2\n",
    "own.py": "def scheduler(simulation):\n    return 0\n",
    "bad.py": "import sys\nsys.exit(0)\n",
}

#: Of a key: values that are accepted, and values that are refused.
Choices = tuple[list[Any], list[Any]]

_DIGEST = hashlib.sha256(FILES["shape.txt"].encode()).hexdigest()[:16]

#: The shapes that the values of ``shapes`` stand for.
_SHAPES: list[tuple[Any, list[str]]] = [
    ("line:2", ["line:2"]),
    ("line:1..3", ["line:1", "line:2", "line:3"]),
    (["hexagon:1", "random: 5"], ["hexagon:1", "random:5"]),
    ("shape.txt", [f"{_DIGEST}-shape.txt"]),
    (["triangle:2", "triangle:2", "random:4"], ["triangle:2", "random:4"]),
]
_NO_SHAPES: list[Any] = ["line:0", "hexagon", "no.txt", "", [], 3, "line:3..1", "own.py", "🦠"]

#: Keys that choose elections, and the options of each of the elections that they stand for.
_IMPROVED = {"algorithm": "improved", "almost_sure": True, "radix": 16, "terminate": True}
_EROSION = {"algorithm": "erosion", "setup": True, "terminate": True}
_SEGMENTS = {"algorithm": "segments-2015", "repaired": True, "terminate": True}
_WHP = _IMPROVED | {"almost_sure": False, "terminate": False}
_ELECTIONS: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({}, [_IMPROVED]),
    ({"variants": ["whp", "full"]}, [_WHP, _IMPROVED]),
    ({"radix": [4, 16]}, [_IMPROVED | {"radix": 4}, _IMPROVED]),
    ({"algorithms": "erosion", "setup": [True, False]}, [_EROSION, _EROSION | {"setup": False}]),
    ({"algorithms": ["improved", "segments-2015"], "terminate": True}, [_IMPROVED, _SEGMENTS]),
    ({"algorithms": ["improved:whp+radix=8", "erosion"]}, [_WHP | {"radix": 8}, _EROSION]),
    ({"algorithms": "segments-2015:published"}, [_SEGMENTS | {"repaired": False}]),
]
_NO_ELECTIONS: list[dict[str, Any]] = [
    {"algorithms": "melt"},
    {"algorithms": []},
    {"algorithms": "erosion", "radix": 4},
    {"variants": "whp", "terminate": True},
    {"algorithms": "improved", "variants": "published"},
    {"radix": 1},
    {"radix": []},
    {"algorithms": "improved:whp", "almost_sure": False},
    {"x": 1},
]

_PLAN: dict[str, Choices] = {
    "seeds": ([1, 2, 3], [0, -1, "x", 1.5]),
    "first_seed": ([0, 5], [-1, "x", 2**63]),
    "independent": ([True, False], ["yes", 1]),
    "shape_seeds": ([1, 2], [0, "x"]),
    "expanded": ([0, 0.5, [0.0, 1.0]], [2, -0.1, "x", [], float("nan")]),
    "schedulers": (
        ["permutation", ["uniform", "adversarial"], "fair.py"],
        ["fifo", "no.py", "bad.py", [], 3],
    ),
    "faults": (["", "crash 0@1", ["", "corrupt ?@2"]], ["melt", 3, "crash 9@0", "crash 0@1,"]),
    "measures": ([[], "candidates", ["activations", "half.py"]], ["no", "no.py", 3]),
    "rules": (["paper"], ["no.py", 3, []]),
    "max_rounds": ([1, 300], [0, -1, "x", 1.5]),
}

#: The columns in which a row says which election it is.
INPUTS: tuple[str, ...] = (
    "shape",
    "shape_seed",
    "expanded",
    "seed",
    "scheduler",
    "max_rounds",
    "faults",
)
INPUTS += ("algorithm", "terminate", "almost_sure", "radix", "setup", "repaired")


class Plan(NamedTuple):
    """What a plan says, and the inputs of its elections; nothing if it has to be refused."""

    content: dict[str, Any]
    promised: set[tuple[Any, ...]] | None

    def toml(self) -> str:
        """Return it as a file."""
        tables = self.content.get("sweep", [])
        shared = {key: value for key, value in self.content.items() if key != "sweep"}
        return _lines(shared) + "".join("[[sweep]]\n" + _lines(table) for table in tables)


def _lines(table: Mapping[str, Any]) -> str:
    # JSON is TOML, but for the numbers that it does not have.
    written = {key: json.dumps(value, ensure_ascii=False) for key, value in table.items()}
    return "".join(f"{key} = {text.replace('NaN', 'nan')}\n" for key, text in written.items())


def inputs(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return which election a row of a dataset is."""
    return tuple(row.get(name) for name in INPUTS)


@st.composite
def plans(draw: DrawFn) -> Plan:
    """Draw a plan; one of two has a mistake."""
    faulty = draw(st.booleans())
    shared, tables = draw(_keys()), draw(st.lists(_table(), min_size=1, max_size=2))
    at = draw(st.integers(0, len(tables) - 1))
    if faulty:
        tables[at] = tables[at][0] | draw(_mistake()), []
    content = {**shared, "sweep": [table for table, _ in tables]}
    if len(tables) == 1 and draw(st.booleans()):
        content = {**shared, **tables[0][0]}
    if faulty:
        return Plan(content, None)
    return Plan(content, {row for table, found in tables for row in _rows(shared | table, found)})


@st.composite
def _keys(draw: DrawFn) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(sorted(_PLAN)), max_size=4, unique=True))
    return {key: draw(st.sampled_from(_PLAN[key][0])) for key in chosen}


@st.composite
def _table(draw: DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    elections, found = draw(st.sampled_from(_ELECTIONS))
    shapes, _ = draw(st.sampled_from(_SHAPES))
    keys = draw(_keys())
    keys.pop("measures", None)  # with other measures it is another election, in a row of its own
    seeds = draw(st.sampled_from(_PLAN["seeds"][0]))
    return {"shapes": shapes, **keys, "seeds": seeds, **elections}, found


@st.composite
def _mistake(draw: DrawFn) -> dict[str, Any]:
    """Draw keys that no table may have, whatever else it has."""
    kind = draw(st.sampled_from(["shapes", "elections", *sorted(_PLAN)]))
    if kind == "elections":
        return draw(st.sampled_from(_NO_ELECTIONS))
    values = _NO_SHAPES if kind == "shapes" else _PLAN[kind][1]
    return {kind: draw(st.sampled_from(values))}


def _rows(table: dict[str, Any], elections: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """Return the inputs of the elections of a table: all combinations of its values."""
    shapes = next(found for given, found in _SHAPES if given == table["shapes"])
    names = [Path(name).stem for name in _listed(table.get("schedulers", "permutation"))]
    rows = set()
    for shape, expanded, scheduler, faults, election in itertools.product(
        shapes,
        _listed(table.get("expanded", 0)),
        names,
        _listed(table.get("faults", "")),
        elections,
    ):
        drawn = expanded > 0 or shape.startswith("random:")
        for shape_seed in range(table.get("shape_seeds", 1) if drawn else 1):
            first = table.get("first_seed", 0)
            if table.get("independent"):
                first += spread((shape, shape_seed, float(expanded)))
            for seed in range(first, first + table.get("seeds", 1)):
                inputs_of_run = shape, shape_seed, float(expanded), seed, scheduler
                given = (*inputs_of_run, table.get("max_rounds"), faults)
                said = dict(zip(INPUTS, given, strict=False))
                rows.add(inputs(said | election))
    return rows


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_ALONE = {"shapes": "line:1..3", "schedulers": "fair.py", "seeds": 2}

#: A particle alone, and a scheduler of one's own.
ALONE = Plan(_ALONE, _rows(_ALONE, [_IMPROVED]))


#: Three nodes, two of them of one particle.
_PAIR = {"nodes": [[0, 0], [1, 0], [0, 1]], "expanded": [[[0, 0], [1, 0]]], "offsets": [0, 3, 5]}

_RUN: dict[str, Choices] = {
    "shape": (
        ["line:2", "hexagon:1", "random:5", {"nodes": [[0, 0], [1, 0]], "name": "two"}, _PAIR],
        ["line:0", "shape.txt", 3, None, {"nodes": []}, {"nodes": [[0, 0], [5, 5]]}],
    ),
    "shape_seed": ([0, 3, 1.0, 2**64 - 1], [-1, 2**64, "x", 1.5]),
    "seed": ([0, 7, None, 2**64 - 1], [-1, "7", 1.5, True]),
    "options": (
        [
            *(None, {}, {"scheduler": "uniform", "radix": 4}, {"algorithm": "erosion"}),
            *({"max_rounds": 9, "terminate": False}, {"faults": "crash 0@1"}),
        ],
        [
            *([], {"scheduler": "fair.py"}, {"radix": 1}, {"algorithm": "own.py"}, {"melt": 1}),
            *({"faults": 3}, {"faults": "melt"}, {"max_rounds": 0}, {"faults": "crash 99@0"}),
        ],
    ),
    "rules": ([None], ["x", {}, {"name": "x", "digest": "y"}]),
    "schedule": ([[], [0], [1, 0, 1], [0.0, 1]], [[9], [-1], "0", [0.5], [None]]),
    "by_hand_from": ([None, [0, 0], [1, 1], [2, 0]], [[1], [0, -1], "x", [0, 0, 0]]),
    "coins": ([None, [], [[]], [[0], [1]], [3, [0]]], ["x", [["x"]], [[-2]], [[2**31]]]),
    "property": (["unique", None], [3, []]),
    "note": (["A note.", "🦠", None], [3, {}]),
    "cycle": ([0, None], []),
    "x": ([1, {"y": []}], []),
}


class RunFile(NamedTuple):
    """What a run file says, its text, and whether it is valid; None if that is not known."""

    content: dict[str, Any]
    text: str
    is_valid: bool | None


@st.composite
def run_files(draw: DrawFn) -> RunFile:
    """Draw a run file: valid, with a mistake, or with damaged text."""
    kind = draw(st.sampled_from(["valid", "valid", "mistake", "cut", "changed"]))
    chosen = draw(st.lists(st.sampled_from(sorted(_RUN)), max_size=6, unique=True))
    content = {
        key: draw(st.sampled_from(_RUN[key][0])) for key in {"shape": 0} | dict.fromkeys(chosen)
    }
    if kind == "mistake":
        key = draw(st.sampled_from([key for key, (_, bad) in sorted(_RUN.items()) if bad]))
        content[key] = draw(st.sampled_from(_RUN[key][1]))
    text = json.dumps(content)
    at = draw(st.integers(0, len(text) - 1))
    if kind == "cut":
        return RunFile(content, text[:at], False)
    if kind == "changed":
        return RunFile(
            content, text[:at] + draw(st.characters(codec="utf-8")) + text[at + 1 :], None
        )
    return RunFile(content, text, kind == "valid")


#: An option with its value, or several that go together; the first word says what they choose.
Words = tuple[str, ...]


class Command(NamedTuple):
    """The command lines of a command, in parts."""

    subjects: list[Words]
    wrong_subjects: list[Words]
    options: list[Words]
    wrong_options: list[Words]
    examples: int  #: how many cases there are in CI


class Line(NamedTuple):
    """A command line."""

    words: Words
    is_valid: bool


_NO_SHAPE: list[Words] = [("no.txt",), (".",), ("",), ("hexagon:-1",), ("line:2,3",), ("🦠",)]
_NO_SHAPE += [("hexagon:x",), ("own.py",), ("line:1e9",), ("a\x00b",), ()]
_SHAPE: list[Words] = [(one,) for one in ("line:2", "hexagon:1", "triangle:2", "shape.txt")]
_SHAPE += [("random:5", "--shape-seed", "3"), ("line:3", "--expanded", "0.7")]
_ELECTION: list[Words] = [
    ("--algorithm", "erosion", "--no-setup"),
    ("--algorithm", "improved", "--whp", "--radix", "4"),
    ("--algorithm", "segments-2015", "--published"),
    ("--algorithm", "improved", "-O", "radix=8", "--no-terminate"),
]
_NO_ELECTION: list[Words] = [
    *[("--algorithm", "no.py"), ("--algorithm", "bad.py"), ("--radix", "1"), ("--radix", "x")],
    *[("--whp", "--full"), ("--variant", "melt"), ("-O", "melt=1"), ("--nonsense",)],
    *[("--rules", "no.py"), ("--rules", "bad.py"), ("--radix", "1e9"), ("--radix", "")],
]
_TIMES: list[Words] = [
    *[("--seed", "7"), ("--seed", str(2**64 - 1)), ("--scheduler", "uniform")],
    *[("--scheduler", "adversarial"), ("--scheduler", "fair.py"), ("--faults", "crash 0@2")],
]
_NO_TIMES: list[Words] = [
    *[("--seed", "-1"), ("--seed", str(2**64)), ("--seed", "nan"), ("--scheduler", "no.py")],
    *[("--scheduler", "bad.py"), ("--faults", "melt"), ("--faults", "crash 99@0")],
]
_RUNNING = _ELECTION + _TIMES
_NOT_RUNNING = _NO_ELECTION + _NO_TIMES
_JSON: list[Words] = [("--json",)]

_DRAW: list[Words] = [("--round", "2"), ("--dark",), ("--inches", "3"), ("--position", "1")]
_NO_DRAW: list[Words] = [("--round", "-1"), ("--inches", "inf"), ("--show", "x"), ("-o", "x.txt")]
_NO_FILE: list[Words] = [("-o", "missing/x.svg"), ("-o", "run.json"), ("-o", "results")]

#: What commands are given; those without subjects are only seen to refuse.
COMMANDS = {
    "elect": Command(
        [*_SHAPE, ("shape.json",)],
        [*_NO_SHAPE, ("run.json",)],
        [*_RUNNING, *_JSON, ("--quiet",), ("--check",), ("--max-rounds", "50")],
        [*_NOT_RUNNING, ("--max-rounds", "0"), ("--threads", "0"), ("--properties", "own.py")],
        40,
    ),
    "draw": Command(
        [(*shape, "-o", file) for shape in [*_SHAPE, ("run.json",)] for file in ("x.svg", "x.png")],
        [(*shape, "-o", "x.svg") for shape in _NO_SHAPE] + _SHAPE,
        _RUNNING + _DRAW,
        _NOT_RUNNING + _NO_DRAW + _NO_FILE,
        25,
    ),
    "film": Command(
        [("line:2", "-o", "x.gif"), ("run.json", "-o", "x.html"), ("hexagon:1", "-o", "x.html")],
        [(*shape, "-o", "x.gif") for shape in _NO_SHAPE] + _SHAPE,
        [*_RUNNING, ("--rounds", "3"), ("--fps", "5"), ("--dark",)],
        [*_NOT_RUNNING, *_NO_FILE, ("--rounds", "0"), ("--fps", "nan"), ("--beside", "melt")],
        12,
    ),
    "shapes": Command(
        [*_SHAPE, ("shape.json",), ("line:3", "-o", "x.txt"), ("line:3", "-o", "x.graphml"), ()],
        [*_NO_SHAPE[:-1], ("run.json",)],
        _JSON,
        [*_NO_FILE, ("--expanded", "2"), ("--shape-seed", "-1"), ("--nonsense",)],
        30,
    ),
    "memory": Command([()], [("line:2",)], _ELECTION + _JSON, _NO_ELECTION, 30),
    "verify": Command(
        [("line:1",), ("line:2", "--max-states", "50"), ("line:1", "--whp"), ("--up-to", "1")],
        [("line:1", "--worst"), *_NO_SHAPE[:-1], ("line:2", "--up-to", "2"), ("run.json",)],
        _JSON,
        [("--max-states", "0"), ("--crash", "-1"), ("--corrupt", "melt"), *_NO_ELECTION],
        20,
    ),
    "sweep": Command(
        [("plan.toml", "-o", "new"), ("plan.toml", "-o", "results"), ("plan.toml", "--dry-run")],
        [("line:2", "-o", "new"), ("results", "-o", "new"), ("run.json", "-o", "n")],
        [*_JSON, ("--threads", "1"), ("--dry-run",)],
        [("--threads", "0"), ("--on", "nowhere"), ("--nonsense",), ("-o", "shape.txt")],
        15,
    ),
    "ring": Command(
        [("2",), ("4",), ("7",)],
        [("0",), ("-1",), ("x",), ("1e9",), (str(10**40),), ()],
        [("--runs", "3"), ("--memory", "2"), ("--seed", "7"), *_JSON],
        [("--runs", "0"), ("--memory", "0"), ("--seed", "-1"), ("--runs", "inf")],
        12,
    ),
    "compare": Command(
        [("line:2", "--seeds", "1"), ("line:1..3", "shape.txt", "--seeds", "2")],
        [(*shape, "--seeds", "1") for shape in _NO_SHAPE],
        [("--algorithms", "improved,erosion"), ("--max-rounds", "9"), ("--threads", "1"), *_JSON],
        [("--seeds", "0"), ("--algorithms", "melt"), ("--scheduler", "no.py"), ("-o", "own.py")],
        12,
    ),
    "report": Command(
        [("results",), ("results", "-o", "page")],
        [("line:2",), ("plan.toml",), (".",), ("no",), ("",), ("damaged",)],
        _JSON,
        [("-o", "shape.txt"), ("--nonsense",)],
        8,
    ),
    "archive": Command(
        [("results",), ("results", "-o", "x.zip")],
        [("line:2",), ("plan.toml",), (".",), ("no",), ("",), ("damaged",)],
        _JSON,
        [("-o", "shape.txt"), ("-o", "missing/x.zip"), ("--nonsense",)],
        20,
    ),
    "help": Command([(), ("start",), ("faults",)], [("x",), ("start", "x")], [], [], 12),
    "view": Command(
        [],
        [(*shape, "--no-browser", "--port", "0") for shape in _NO_SHAPE[:-1]]
        + [(*shape, "--no-browser", "--port", "-1") for shape in [*_SHAPE, ("run.json",)]]
        + [("lost.json", "--no-browser"), ("line:2", "--no-browser", "--faults", "crash 9@0")],
        _RUNNING,
        [],
        12,
    ),
    # An empty name was taken for none: the page of another shape was written.
    "live": Command([], [*_NO_SHAPE[:-1], ("-o", "x.txt"), ("line:2", "--module")], [], [], 8),
    "bench": Command([], [("x",), ("--nonsense",), ("--short=x",)], [], [], 3),
    "reproduce": Command(
        [],
        [("--only", "x"), ("--quick", "--full"), ("--threads", "0"), ("--rules", "own.py"), ("x",)],
        [],
        [],
        5,
    ),
}


@st.composite
def lines(draw: DrawFn, name: str) -> Line:
    """Draw a command line; of commands that can be carried out, one of two has a mistake."""
    command = COMMANDS[name]
    good = bool(command.subjects) and draw(st.booleans())
    wrong: Words = ()
    if not good and command.subjects and command.wrong_options and draw(st.booleans()):
        wrong = draw(st.sampled_from(command.wrong_options))
    subject = draw(st.sampled_from(command.subjects if good or wrong else command.wrong_subjects))
    options = st.sampled_from(command.options or [()])
    more = draw(st.lists(options, max_size=3, unique_by=lambda one: one[:1]))
    kept = [one for one in more if not {*one[:1]} & {*subject, *wrong}]
    if subject[:1] == ("run.json",) and any(one in _RUNNING for one in kept):
        good = False  # a run file has these options itself
    return Line((name, *subject, *itertools.chain(*kept), *wrong), good)
