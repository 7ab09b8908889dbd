"""Whatever is typed: one line or an answer, never a traceback, never success for failed work."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import amoebot
from amoebot.files import at_most
from amoebot.render import picture
from helpers.command import Answer, ask
from helpers.full import FULL
from helpers.mostly_valid import (
    ALONE,
    COMMANDS,
    FILES,
    INPUTS,
    Line,
    Plan,
    RunFile,
    inputs,
    lines,
    plans,
    run_files,
)

#: How many times as many cases the long form has: some 15,000, which take an hour of one core.
LONGER = 25

#: Seconds that a case may take; all are small, but compiling is not.
LIMIT = 600 if FULL else 120  # the long form runs beside other work

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
OUTPUTS = ["x.svg", "x.gif", "x.txt", "x.json", "x.graphml", "missing/x.svg", "results", "run.json"]

option = st.one_of(
    st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMBERS)),
    st.tuples(st.sampled_from(WORDY), st.sampled_from(WORDS + OUTPUTS)),
    st.sampled_from(FLAGS).map(lambda flag: (flag,)),
)

#: A viewer would not end, and the others take minutes.
ENDLESS = ("bench", "live", "reproduce", "ring", "view")
command = st.sampled_from(sorted(COMMANDS.keys() - {*ENDLESS}))

value: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(SHAPES + WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def cases(number: int) -> settings:
    """Return the settings of a test with N cases, always the same ones; many more in full."""
    return settings(
        max_examples=number * LONGER if FULL else number,
        deadline=None,
        database=None,
        derandomize=not FULL,
        # To shrink a case takes minutes, where each is a sweep: they are small from the start.
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


quietly = cases(40)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the sweep that ``plan.toml`` stands for."""
    made = tmp_path_factory.mktemp("swept") / "results"
    with supplied():
        amoebot.sweeps.sweep("plan.toml", made)
    return made


@contextmanager
def supplied(results: Path | None = None) -> Iterator[Path]:
    """Work in a new folder with all files that are named, so that no case sees another's."""
    with TemporaryDirectory() as name, chdir(name):
        for file, text in FILES.items():
            Path(file).write_text(text, encoding="utf-8")
        if results is not None:
            shutil.copytree(results, "results")
            shutil.copytree(results, "damaged")
            damage(Path("damaged"))
        yield Path()


def damage(results: Path) -> None:
    """Cut the last byte off a file of the dataset."""
    file = next(results.glob("elections/*.parquet"))
    file.write_bytes(file.read_bytes()[:-1])


#: How files begin.
BEGINNINGS = {".svg": b"<svg", ".png": b"\x89PNG", ".gif": b"GIF8", ".zip": b"PK"}


def check_file(file: Path) -> None:
    """See that something was written, and that it is what its name says."""
    if file.is_dir():
        assert any(file.iterdir())
    else:
        content = file.read_bytes()
        assert content
        assert BEGINNINGS.get(file.suffix, b"") in content[:200]


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
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_commands_refuse_what_is_wrong_and_nothing_else(name: str, results: Path) -> None:
    seen: Counter[int] = Counter()

    @cases(COMMANDS[name].examples)
    @given(lines(name))
    def typed(line: Line) -> None:
        with supplied(results) as folder:
            before = {*folder.rglob("*")}
            answer = run(*line.words)
            seen[answer.status] += 1
            assert (answer.status != 2) == line.is_valid, (line, answer)
            if answer.status == 2:
                assert {*folder.rglob("*")} == before  # nothing is left behind
            elif "--dry-run" in line.words:
                assert {*folder.rglob("*")} == before
            elif "-o" in line.words:
                check_file(Path(line.words[line.words.index("-o") + 1]))
            if name == "elect" and "--json" in line.words and answer.status != 2:
                failed = [one for one in answer.json.get("checks", []) if one["holds"] is False]
                succeeded = answer.json["outcome"] == "leader" and not failed
                assert succeeded == (answer.status == 0)

    typed()
    assert seen[2]
    assert seen[0] or not COMMANDS[name].subjects


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
    with supplied():
        run(name, shape, *words, *small)


@pytest.mark.slow
def test_a_run_file_is_the_same_run_for_python_and_all_commands() -> None:
    seen: Counter[bool] = Counter()

    @cases(60)
    @given(run_files())
    def read(file: RunFile) -> None:
        with supplied():
            Path("run.json").write_text(file.text, encoding="utf-8")
            simulation = None
            with suppress(ValueError), at_most(LIMIT):
                simulation = amoebot.load("run.json")
            seen[simulation is not None] += 1
            assert file.is_valid in (None, simulation is not None), file
            if simulation is not None:
                check_run(simulation, file)
            status = 2 if simulation is None else 0
            assert run("draw", "run.json", "--round", "1", "-o", "x.svg").status == status
            assert run("film", "run.json", "--rounds", "1", "-o", "x.html").status == status
            assert Path("x.svg").exists() == Path("x.html").exists() == (status == 0)
            refused = run("view", "run.json", "--no-browser", "--port", "-1")
            assert refused.status == 2
            assert ("no port -1" in refused.err) == (status == 0)
            assert run("elect", "run.json").status == run("shapes", "run.json").status == 2

    read()
    assert min(seen[True], seen[False]) > 5


def check_run(simulation: amoebot.Simulation, file: RunFile) -> None:
    """See that a run is what its file says, and that it is the same once it has been saved."""
    if file.is_valid:
        assert simulation.seed == (file.content.get("seed") or 0)
        options = file.content.get("options") or {}
        told = simulation.options.as_dict() | {"max_rounds": simulation.options.max_rounds}
        assert told | options == told
        if file.content.get("schedule"):
            assert [*simulation.schedule] == file.content["schedule"]
    simulation.save("again.json")
    again = amoebot.load("again.json")
    assert again.shape == simulation.shape
    for _ in range(20):
        ended = [not stepped(one) for one in (simulation, again)]
        assert again.activations == simulation.activations
        assert again.memory.tobytes() == simulation.memory.tobytes()
        assert ended[0] == ended[1]


def stepped(simulation: amoebot.Simulation) -> bool:
    """Activate the next particle, if there is one."""
    try:
        simulation.step()
    except StopIteration:
        return False
    return True


@pytest.mark.slow
def test_a_sweep_has_the_rows_that_its_plan_promises() -> None:
    seen: Counter[object] = Counter()

    @cases(40)
    @given(plans(), st.sampled_from(["again", "archive", "damage", "nothing", "report"]))
    @example(ALONE, "nothing")  # a particle alone was expected to take 0 s: a division by zero
    def swept(plan: Plan, then: str) -> None:
        with supplied():
            Path("plan.toml").write_text(plan.toml(), encoding="utf-8")
            status = run("sweep", "plan.toml", "-o", "results").status
            seen[status == 0] += 1
            assert (status == 0) == (plan.promised is not None), plan
            if plan.promised is None:
                assert not Path("results").exists()
                return
            check_rows(amoebot.sweeps.load("results").collect().to_dicts(), plan)
            seen[then] += 1
            if then != "report" or FULL or seen["report"] == 1:  # it takes seconds
                carry_on(then, plan)

    swept()
    assert min(seen[True], seen[False]) > 5


def check_rows(rows: list[dict[str, Any]], plan: Plan) -> None:
    """See that each election is there once, and that one of them is what Python says."""
    found = [inputs(row) for row in rows]
    assert len(found) == len({*found})
    assert {*found} == plan.promised, plan
    row = rows[-1]
    if row["scheduler"] == "fair" or row["shape"].endswith(".txt"):
        return
    shape = amoebot.shapes.parse(row["shape"], row["shape_seed"])
    if row["expanded"]:
        shape = shape.with_expanded(row["expanded"], row["shape_seed"])
    result = amoebot.elect(
        shape, **{key: row[key] for key in INPUTS[3:] if row.get(key) is not None}
    )
    assert (result.outcome, result.rounds) == (row["outcome"], row["rounds"])


def carry_on(then: str, plan: Plan) -> None:
    """Do something with the results, which are whole, or damaged by this."""
    match then:
        case "report":
            assert run("report", "results").status == 0
            assert Path("results/report/index.html").exists()
        case "archive":
            assert run("archive", "results").status == 0
            assert Path("results.zip").exists()
        case "again":
            answer = run("sweep", "plan.toml", "-o", "results", "--json")
            assert (answer.status, answer.json["run"]) == (0, 0)
            check_rows(amoebot.sweeps.load("results").collect().to_dicts(), plan)
        case "damage":
            damage(Path("results"))
            assert run("archive", "results").status == 2
            assert run("report", "results").status == 2
            assert run("sweep", "plan.toml", "-o", "results").status == 2


@pytest.mark.slow
@quietly
@given(st.text(max_size=60) | st.sampled_from(["shapes = 3", 'shapes = "line:2"\nseeds = "x"']))
def test_whatever_a_plan_says(text: str) -> None:
    Path("plan.toml").write_text(text, encoding="utf-8")
    assert run("sweep", "plan.toml", "-o", "results").status == 2
    assert not Path("results").exists()


@pytest.mark.slow
@cases(30)
@given(plans())
def test_a_plan_in_python_is_the_plan_of_its_file(plan: Plan) -> None:
    with supplied(), at_most(LIMIT):
        Path("plan.toml").write_text(plan.toml(), encoding="utf-8")
        if plan.promised is None:
            for given_plan in (plan.content, "plan.toml"):
                with pytest.raises(ValueError, match=r"\w"):
                    amoebot.sweeps.sweep(given_plan)
            return
        assert amoebot.sweeps.read_plan("plan.toml") == amoebot.sweeps.make_plan(plan.content)
        check_rows(amoebot.sweeps.sweep(plan.content).collect().to_dicts(), plan)


@pytest.mark.slow
@quietly
@given(st.sampled_from(["seeds", "schedulers", "faults", "measures", "max_rounds", "x"]), value)
def test_whatever_a_plan_is_in_python(key: str, given_value: Any) -> None:
    if key == "seeds" and isinstance(given_value, int):
        given_value = min(given_value, 3)
    allowed = suppress(ValueError, amoebot.sweeps.SweepError)
    with TemporaryDirectory() as folder, at_most(LIMIT), allowed:
        content = {"shapes": "line:2", "max_rounds": 50, key: given_value}
        rows = amoebot.sweeps.sweep(content, folder).collect()
        assert len(rows) >= (given_value if key == "seeds" else 1)


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
    "run": lambda one, other: simulation().run(one, other),
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
    "verify ways": lambda one, other: few_states(by_parts=one, one_order=other),
    "verify progress": lambda one, _: few_states(progress=one),
    "search_worst": lambda one, other: amoebot.verify.search_worst("line:2", one, tries=other),
    "verify_any_length": lambda one, _: amoebot.verify.verify_any_length(width=one, time_limit=0),
    "watch": lambda one, _: amoebot.verify.watch(one),
    "watch progress": lambda one, _: amoebot.verify.watch(simulation(), progress=one),
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
