"""An installed election is compiled as a whole when something of it is first needed."""

from __future__ import annotations

import inspect
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import amoebot
from amoebot import cli
from amoebot.cli import compile_notice, whole_election
from amoebot.cli.whole_election import (
    JOB_OF,
    ORPHANED,
    SECONDS,
    WholeElections,
    is_wanted,
    job_of,
)
from amoebot.linking import Rules, explorer, link
from amoebot.linking.link import Label

AT_ONCE = 2


class Jobs:
    """Processes in the place of those that compile."""

    def __init__(self) -> None:
        self.code: Callable[[str], str] = lambda job: "pass"
        self.started = list[subprocess.Popen[bytes]]()
        self.names = list[tuple[str, str]]()
        self.most = 0
        self.told = list[tuple[str, bool]]()

    def start(self, name: str, job: str) -> subprocess.Popen[bytes]:
        under_way = [process for process in self.started if process.poll() is None]
        self.most = max(self.most, len(under_way) + 1)
        self.names.append((name, job))
        self.started.append(subprocess.Popen([sys.executable, "-c", self.code(job)]))
        return self.started[-1]

    def tell(self, name: str, seconds: float) -> None:
        self.told.append((name, seconds > 0))


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Jobs:
    made = Jobs()
    monkeypatch.setattr(whole_election, "code_folder", lambda: tmp_path)
    monkeypatch.setattr(whole_election, "_start", made.start)
    monkeypatch.setattr(whole_election, "processes", lambda: AT_ONCE)
    monkeypatch.setattr(whole_election, "_is_edited_in_place", lambda: False)
    return made


@pytest.fixture
def elections(jobs: Jobs) -> Iterator[WholeElections]:
    made = WholeElections(jobs.tell)
    yield made
    made.stop()


def test_all_jobs_are_done_once_and_no_more_at_a_time_than_cores(
    jobs: Jobs, elections: WholeElections
) -> None:
    names = ("improved", "erosion")
    for name in names:
        assert is_wanted(name)
        elections.begin(name)
    elections.wait()
    assert sorted(jobs.names) == sorted(itertools.product(names, SECONDS))
    assert jobs.most == AT_ONCE
    assert sorted(jobs.told) == [("erosion", True), ("improved", True)]
    assert not any(map(is_wanted, names))
    assert is_wanted("segments-2015")


def test_a_job_that_fails_leaves_the_rest_for_another_time(
    jobs: Jobs, elections: WholeElections
) -> None:
    jobs.code = lambda job: f"import sys; sys.exit({int(job == 'large')})"
    elections.begin("improved")
    elections.wait()
    assert len(jobs.started) == len(SECONDS)
    assert jobs.told == [("improved", False)]
    assert is_wanted("improved")


def test_processes_that_cannot_be_started_are_no_obstacle(
    jobs: Jobs,
    elections: WholeElections,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(name: str, job: str) -> None:
        raise BlockingIOError

    monkeypatch.setattr(whole_election, "_start", start)
    elections.begin("improved")
    elections.wait_for("improved", "elections", lambda: False)
    elections.wait()
    assert jobs.told == [("improved", False)]
    assert is_wanted("improved")


def test_stopping_ends_the_processes(jobs: Jobs, elections: WholeElections) -> None:
    jobs.code = lambda job: "import time; time.sleep(600)"
    elections.begin("improved")
    elections.wait_for("improved", "elections", lambda: len(jobs.started) == AT_ONCE)
    assert elections.unfinished == ["improved"]
    elections.stop()
    assert all(process.poll() for process in jobs.started)
    assert not elections.unfinished
    assert not jobs.told
    assert is_wanted("improved")


def test_what_a_command_waits_for_comes_next(jobs: Jobs, elections: WholeElections) -> None:
    jobs.code = lambda job: "pass" if job == "elections" else "import time; time.sleep(600)"
    elections.begin("improved")
    elections.wait_for("improved", "by hand", lambda: len(jobs.started) > AT_ONCE)
    assert ("improved", "by hand") in jobs.names
    assert len(jobs.names) == AT_ONCE + 1


def test_processes_end_with_whoever_started_them() -> None:
    process = whole_election._start("improved", "explorer")
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() == ORPHANED


@pytest.mark.parametrize(("cores", "seconds"), [(1, 190), (2, 100), (4, 80), (5, 80)])
def test_the_time_that_is_told_is_that_of_the_jobs_in_their_order(
    cores: int, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_election, "processes", lambda: cores)
    assert whole_election.expected_seconds(has_lanes=True) == seconds
    assert whole_election.expected_seconds(has_lanes=False) < seconds


# The jobs.


def parts(name: str, rules: Rules | None = None) -> dict[str, list[Any]]:
    """Return the functions of an election that take long to compile and are kept, by part."""
    found: dict[str, list[Any]] = {}
    modules = ["sequential", "chosen"]
    if rules is None:  # others are neither run in waves nor many in one call
        modules += ["wavefront", "many", "side_by_side"]
    engine, checker = link(name, rules), explorer(name, rules)
    linked = {f"engine.{one}": engine for one in modules}
    for module, where in {**linked, "verify.explore": checker, "verify.entering": checker}.items():
        for value in vars(where.module(module)).values():
            function: Any = getattr(value, "py_func", None)
            if hasattr(function, "takes_long") and value._cache.cache_path is not None:
                found.setdefault(function.takes_long[0], []).append(value)
    return found


@pytest.mark.compiled
def test_each_part_has_a_job() -> None:
    package = Path(amoebot.__path__[0])
    marked = [path for path in package.rglob("*.py") if "\n@takes_long(" in path.read_text()]
    assert {path.stem for path in marked} == {
        *("sequential", "wavefront", "many", "side_by_side", "chosen", "explore", "entering")
    }
    assert set(parts("improved")) == set(JOB_OF)


@pytest.mark.parametrize("part", JOB_OF)
def test_with_changed_rules_all_but_the_explorer_is_one_job(part: str) -> None:
    assert job_of(part, changed=False) == JOB_OF[part]
    assert job_of(part, changed=True) == ("explorer" if part == "the explorer" else "rules")


@pytest.mark.slow
@pytest.mark.compiled
def test_the_jobs_compile_all_of_it() -> None:
    # In a process of its own: other tests call these functions as well.
    program = f"""
from typing import Any
from amoebot.cli.whole_election import SECONDS, do
from amoebot.cli.whole_election import UNCHANGED
from amoebot.linking import Rules, explorer, link
{inspect.getsource(parts)}
def missing(found):
    return [name for name in found if not all(one.overloads for one in found[name])]
for job in SECONDS:
    do("improved", job)
print(missing(parts("improved")), missing(parts("improved", Rules.parse(UNCHANGED, "unchanged"))))
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # The explorer of changed rules is the machine code of its own job, as the next test shows.
    assert told.stdout == "[] ['the explorer']\n"


RULES = """
import sys
import time
from numba.core.event import Listener, install_listener
from amoebot import Rules, Simulation, elect
from amoebot.cli.whole_election import do
from amoebot.verify import verify

class Noting(Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].py_func.__name__, end=" ")
    def on_end(self, event):
        pass

for job in ("elections", "explorer", "rules", "by hand"):
    do("improved", job)
rules = Rules.read(sys.argv[1])
with install_listener("numba:compile", Noting()):
    verify("line:2", rules=rules)
    for scheduler in ("permutation", "uniform", "adversarial", "round-robin", sys.argv[2]):
        elect("hexagon:2", rules=rules, scheduler=scheduler)
    Simulation("hexagon:1", rules=rules).activate(0, coins=[0])
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_of_changed_rules_nothing_is_compiled_but_what_calls_them(tmp_path: Path) -> None:
    """Engine and explorer were compiled again for each rules file."""
    rules, scheduler = tmp_path / "mine.py", tmp_path / "latest.py"
    new = time.time_ns()  # what another test has compiled is found
    rules.write_text(
        f"def sign(heading):\n    return (0, 1, 1, 0, -1, -1)[heading] + (heading > {new})\n"
    )
    scheduler.write_text(
        "def scheduler(world, waiting):\n    return len(waiting) - 1 - waiting[::-1].argmax()\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", RULES, str(rules), str(scheduler)],
        capture_output=True,
        text=True,
        check=True,
    )
    of_rules = {"sign", "walk_out", "move_activation_token", "verify_solitude", "_activate"}
    of_properties = {"is_edge_by_edge", "violated_by_agent", "violated", "_violated"}
    of_scheduler = {"scheduler", "widened"}
    found = {name for name in told.stdout.split() if "impl" not in name}
    assert found == of_rules | of_properties | of_scheduler


# Which sources.


def check_after_edit(folder: Path, monkeypatch: pytest.MonkeyPatch, edited: bool) -> None:
    """Check that another version is compiled as a whole, unless sources are edited in place."""
    monkeypatch.setattr(whole_election, "code_folder", lambda: folder)
    assert is_wanted("improved")
    whole_election._mark("improved").touch()  # type: ignore[union-attr]
    assert not is_wanted("improved")
    monkeypatch.setattr(whole_election, "digest_of_sources", lambda: "f" * 64)
    assert is_wanted("improved") is not edited
    assert is_wanted("erosion")


@pytest.fixture
def forgetful() -> Iterator[None]:
    whole_election._is_edited_in_place.cache_clear()
    yield
    whole_election._is_edited_in_place.cache_clear()


@pytest.mark.parametrize(
    ("origin", "place", "edited"),
    [
        (None, "", False),
        ({"url": "file:///clone", "dir_info": {}}, "", False),
        ({"url": "file:///clone", "dir_info": {"editable": True}}, "", True),
        (None, "elsewhere", True),
    ],
)
@pytest.mark.usefixtures("forgetful")
def test_after_an_edit_there_is_no_whole_election_again(
    origin: dict[str, Any] | None,
    place: str,
    edited: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = None if origin is None else json.dumps(origin)
    installed = SimpleNamespace(
        read_text=lambda name: text,
        locate_file=lambda name: Path(amoebot.__path__[0], place),
    )
    monkeypatch.setattr(whole_election, "distribution", lambda name: installed)
    check_after_edit(tmp_path, monkeypatch, edited)


@pytest.mark.usefixtures("forgetful")
def test_sources_that_are_not_installed_may_be_edited_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def distribution(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(whole_election, "distribution", distribution)
    check_after_edit(tmp_path, monkeypatch, True)


# What a command says meanwhile, and what it waits for.


def long() -> None: ...


def short() -> None: ...


long.takes_long = "large elections", 30  # type: ignore[attr-defined]


@pytest.fixture
def ahead(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[compile_notice._Ahead]:
    label = Label("improved", "this version", "improved", "")
    interface = ModuleType("interface")
    interface.LANES = 2  # type: ignore[attr-defined]
    name = f"{__name__.partition('.')[0]}.algorithms.interface"
    monkeypatch.setitem(sys.modules, name, interface)
    monkeypatch.setattr(compile_notice, "label_of", lambda function: label)
    made = compile_notice._Ahead()
    monkeypatch.setattr(compile_notice, "_ahead", made)
    yield made
    made.elections.stop()


def test_a_command_waits_for_what_it_needs_and_no_longer(
    jobs: Jobs, ahead: compile_notice._Ahead
) -> None:
    jobs.code = lambda job: "import time; time.sleep(600)"
    ahead(short, lambda: False)  # compiled here meanwhile
    looks = itertools.count(1)
    ahead(long, lambda: next(looks) == 3)
    assert next(looks) == 4
    assert compile_notice.are_elections_under_way()


def test_there_is_one_line_in_the_end(
    jobs: Jobs,
    ahead: compile_notice._Ahead,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for function in (short, long, short, long):
        ahead(function, lambda: False)
    for _ in range(2):
        compile_notice.finish_elections()
    ahead(long, lambda: False)
    said = capsys.readouterr().err
    assert said.startswith("Compiled improved (once for this version) in ")
    assert said.count("\n") == 1
    assert len(jobs.started) == len(SECONDS)


def test_small_functions_have_no_line_of_their_own(
    jobs: Jobs,
    ahead: compile_notice._Ahead,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where the election was done before the command, they had one."""
    monkeypatch.setattr(compile_notice, "SHORT", 0.0)
    stopwatch = SimpleNamespace(seconds=5.0, parts={}, small={}, on_start=None, on_end=None)
    monkeypatch.setattr(compile_notice, "_Stopwatch", lambda begin: stopwatch)
    monkeypatch.setattr(compile_notice, "install_listener", lambda *given: nullcontext())
    with compile_notice.announce_compilation():
        ahead(long, lambda: False)
        compile_notice.finish_elections()
    said = capsys.readouterr().err
    assert said.startswith("Compiled improved (once for this version) in ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "label", [None, Label("own", "this file", "", ""), Label("own", "this file", "", "mine")]
)
def test_elections_of_ones_own_are_compiled_part_by_part(
    label: Label | None,
    ahead: compile_notice._Ahead,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compile_notice, "label_of", lambda function: label)
    ahead(long, lambda: False)
    assert not compile_notice.are_elections_under_way()


@pytest.mark.parametrize(("status", "finished"), [(0, True), (1, True), (cli.INTERRUPTED, False)])
def test_a_command_that_is_done_waits_for_the_rest(
    status: int,
    finished: bool,
    jobs: Jobs,
    ahead: compile_notice._Ahead,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def command(*given: Any, **more: Any) -> int:
        ahead(short, lambda: False)
        return status

    monkeypatch.setattr(cli, "_command", lambda: command)
    assert cli.run(["elect", "line:2"]) == status
    assert bool(jobs.told or not compile_notice.are_elections_under_way()) is finished
