"""Whatever is typed: one line or an answer, never a traceback, never success for failed work."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import chdir, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import amoebot
from amoebot.files import at_most
from amoebot.render import picture
from helpers.command import Answer, ask

EXAMPLES = 3_000 if os.environ.get("AMOEBOT_FULL") else 40

#: Seconds that a case may take; all are small, but compiling is not.
LIMIT = 120

#: Large shapes and long runs are left out: they are no mistakes.
SHAPES = ["line:1", "line:2", "line:3", "hexagon:1", "triangle:2", "random:5", "hexagon:-1"]
SHAPES += ["hexagon", "hexagon:x", "line:0", "", "🦠", "no.txt", ".", "line:2,3", "hexagon:1.5"]
NUMBERS = ["0", "1", "7", "-1", "1.5", "", "x", "1e9", str(2**64), str(10**40), "nan", "inf"]
WORDS = ["permutation", "uniform", "adversarial", "own.py", "bad.py", "no.py", "", "improved"]
WORDS += ["erosion", "segments-2015", "crash 0@1", "corrupt ?@2", "crash 9@0", "melt", "\x00"]

NUMERIC = ["--seed", "--max-rounds", "--shape-seed", "--radix", "--expanded", "--round", "--fps"]
NUMERIC += ["--crash", "--up-to", "--position", "--inches", "--every", "--rounds", "--threads"]
NUMERIC += ["--boundary", "--after", "--seeds", "--runs", "--memory", "--time-limit"]
WORDY = ["--scheduler", "--algorithm", "--faults", "--rules", "--properties", "--variant", "-O"]
WORDY += ["-o", "--show", "--hide", "--on", "--corrupt", "--algorithms", "--beside"]
FLAGS = ["--json", "--quiet", "--check", "--whp", "--terminate", "--no-terminate", "--worst"]
FLAGS += ["--dark", "--force", "--dry-run", "--nonsense", "--by-parts", "--one-order"]
FLAGS += ["--space-time", "--help"]
FILES = ["x.svg", "x.gif", "x.txt", "x.json", "x.graphml", "missing/x.svg", "results", "run.json"]

option = st.one_of(
    st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMBERS)),
    st.tuples(st.sampled_from(WORDY), st.sampled_from(WORDS + FILES)),
    st.sampled_from(FLAGS).map(lambda flag: (flag,)),
)
COMMANDS = ["elect", "draw", "film", "shapes", "memory", "verify", "sweep", "ring", "compare"]
COMMANDS += ["report", "help", "archive"]
command = st.sampled_from(COMMANDS)

value: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(SHAPES + WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)

quietly = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=not os.environ.get("AMOEBOT_FULL"),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("def scheduler(simulation):\n    return 0\n")
    (tmp_path / "bad.py").write_text("import sys\nsys.exit(0)\n")
    return tmp_path


def check(answer: Answer) -> None:
    assert answer.status in (0, 1, 2), answer
    assert "Traceback" not in answer.out + answer.err
    if answer.status == 2:
        last = answer.err.rstrip("\n").rpartition("\n")[2]
        assert last.startswith("amoebot: "), answer


def run(*arguments: str) -> Answer:
    with at_most(LIMIT):
        answer = ask(*arguments)
    check(answer)
    return answer


@pytest.mark.slow
@quietly
@given(command, st.sampled_from(SHAPES), st.lists(option, max_size=4))
@example("archive", ".", [])  # a folder without a name ended in a traceback
def test_whatever_is_typed(name: str, shape: str, options: list[tuple[str, ...]]) -> None:
    words = [word for one in options for word in one]
    small = ["--max-states", "50"] if name == "verify" and "--worst" not in words else []
    if "--worst" in words and shape not in ("line:1", "line:2"):
        return  # it explores all states
    if name == "compare":
        small = ["--seeds", "1"]
    answer = run(name, shape, *words, *small)
    if name == "elect" and {"--json", "--help"} & {*words} == {"--json"} and answer.status == 0:
        assert answer.json["outcome"] == "leader"
    if name in ("draw", "film") and answer.status == 0 and "--help" not in words:
        written = words[len(words) - 1 - words[::-1].index("-o") + 1]
        assert Path(written).stat().st_size > 0
        Path(written).unlink()  # the next case finds no file there either


@pytest.mark.slow
@quietly
@given(st.dictionaries(st.sampled_from(["shape", "seed", "options", "schedule", "x"]), value))
def test_whatever_a_run_file_says(content: dict[str, Any]) -> None:
    Path("run.json").write_text(json.dumps(content | {"shape": content.get("shape", "line:2")}))
    run("draw", "run.json", "--round", "1", "-o", "x.svg", "--force")


@pytest.mark.slow
@quietly
@given(st.text(max_size=60) | st.sampled_from(["shapes = 3", 'shapes = "line:2"\nseeds = "x"']))
def test_whatever_a_plan_says(text: str) -> None:
    Path("plan.toml").write_text(text, encoding="utf-8")
    assert run("sweep", "plan.toml", "--dry-run").status == 2


@pytest.mark.slow
@quietly
@given(st.dictionaries(st.sampled_from(["shapes", "seeds", "schedulers", "faults", "x"]), value))
def test_whatever_a_plan_is_in_python(content: dict[str, Any]) -> None:
    if not isinstance(content.get("seeds"), int) or content["seeds"] > 3:
        content["seeds"] = "x"
    allowed = suppress(ValueError, amoebot.sweeps.SweepError)
    with TemporaryDirectory() as results, at_most(LIMIT), allowed:
        amoebot.sweeps.sweep({"max_rounds": 50} | content, results)


@pytest.mark.slow
@quietly
@given(
    value, st.fixed_dictionaries({}, optional={"seed": value, "scheduler": value, "radix": value})
)
def test_whatever_python_is_given(shape: Any, options: dict[str, Any]) -> None:
    with at_most(LIMIT), suppress(ValueError):
        assert amoebot.elect(shape, max_rounds=50, **options).outcome
        amoebot.Simulation(shape).goto(options.get("seed", 1))


def simulation() -> Any:
    return amoebot.Simulation("line:2")


#: Sizes with so many shapes that it takes long to make them.
MANY = range(6, 13)

#: Whatever of the package takes arguments, here any two; what is large or takes long is left out.
CALLS: dict[str, Callable[[Any, Any], object]] = {
    "elect": lambda one, other: amoebot.elect("line:2", max_rounds=one, faults=other),
    "elect rules": lambda one, other: amoebot.elect("line:2", rules=one, algorithm=other),
    "elect_many": lambda one, other: [*amoebot.elect_many("line:2", one, threads=other)],
    "frame": lambda one, _: amoebot.frame(one),
    "load": lambda one, other: amoebot.load(one, algorithm=other),
    "measure": lambda one, other: amoebot.measure(one, other),
    "measure series": lambda one, _: amoebot.measure(simulation(), one),
    "Rules": lambda one, other: amoebot.Rules(one, name=other),
    "Rules.read": lambda one, other: amoebot.Rules.read(one, other),
    "activate": lambda one, other: simulation().activate(one, other),
    "what_if": lambda one, other: simulation().what_if(one, other),
    "coins_ahead": lambda one, _: simulation().coins_ahead(one),
    "goto": lambda one, other: simulation().goto(one, other),
    "crash": lambda one, _: simulation().crash(one),
    "corrupt": lambda one, _: simulation().corrupt(one),
    "expect": lambda one, _: simulation().expect(one),
    "follow": lambda one, _: simulation().follow(one),
    "step": lambda one, _: simulation().step(one),
    "run": lambda one, _: simulation().run(one),
    "restore": lambda one, _: simulation().restore(one),
    "save": lambda one, _: simulation().save(one),
    "picture": lambda one, other: picture(one, other),
    "layers": lambda one, other: picture(simulation(), one, other),
    "shape": lambda one, other: amoebot.shapes.Shape(one, other),
    "parse": lambda one, other: amoebot.shapes.parse(one, other),
    "with_expanded": lambda one, other: amoebot.shapes.line(3).with_expanded(one, other),
    "shape.save": lambda one, _: amoebot.shapes.line(3).save(one),
    "load sweep": lambda one, _: amoebot.sweeps.load(one),
    "sweep": lambda one, other: amoebot.sweeps.sweep(one, threads=other),
    "archive": lambda one, other: amoebot.sweeps.archive(one, other),
    "read_plan": lambda one, _: amoebot.sweeps.read_plan(one),
    "report": lambda one, other: amoebot.reports.report(one, other),
    "reproduce": lambda one, _: amoebot.reproduction.reproduce(".", only=one or "x"),
    "verify": lambda one, other: amoebot.verify.verify("line:2", max_states=one, crashes=other),
    "verify part": lambda one, other: few_states(boundary=one, after=other),
    "verify own": lambda one, other: few_states(properties=one, corrupt=other),
    "verify limits": lambda one, other: few_states(time_limit=one, seed=other),
    "all_shapes": lambda one, _: [*amoebot.verify.all_shapes(one if one not in MANY else 0)],
    "search_worst": lambda one, other: amoebot.verify.search_worst("line:2", one, tries=other),
    "verify_any_length": lambda one, _: amoebot.verify.verify_any_length(width=one, time_limit=0),
    "watch": lambda one, _: amoebot.verify.watch(one),
}


def few_states(**given: Any) -> object:
    return amoebot.verify.verify("line:2", terminate=False, max_states=20, **given)


@pytest.mark.slow
@quietly
@given(st.sampled_from(sorted(CALLS)), value, value)
def test_whatever_functions_are_given(name: str, one: Any, other: Any) -> None:
    """Errors are ours, and those of files that are not there: never of a wrong type."""
    allowed = suppress(ValueError, OSError, StopIteration, amoebot.sweeps.SweepError)
    with TemporaryDirectory() as results, at_most(LIMIT), chdir(results), allowed:
        CALLS[name](one, other)
