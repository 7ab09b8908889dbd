"""An installed election is compiled as a whole when something of it is first needed."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoebot.cli import compile_notice, whole_election
from amoebot.cli.whole_election import SECONDS, WholeElection, is_wanted
from amoebot.linking.link import Label

AT_ONCE = 2


class Jobs:
    """Processes in the place of those that compile."""

    def __init__(self, code: Callable[[str], str]) -> None:
        self.code, self.started = code, list[subprocess.Popen[bytes]]()
        self.most = 0

    def start(self, name: str, job: str) -> subprocess.Popen[bytes]:
        under_way = [process for process in self.started if process.poll() is None]
        self.most = max(self.most, len(under_way) + 1)
        self.started.append(subprocess.Popen([sys.executable, "-c", self.code(job)]))
        return self.started[-1]


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    made = Jobs(lambda job: "pass")
    monkeypatch.setattr(whole_election, "_start", made.start)
    monkeypatch.setattr(whole_election, "processes", lambda: AT_ONCE)
    monkeypatch.setattr(whole_election, "_is_edited_in_place", lambda: False)
    return made


def test_all_jobs_are_done_once_and_no_more_at_a_time_than_cores(
    jobs: Jobs, tmp_path: Path
) -> None:
    assert is_wanted(tmp_path)
    election = WholeElection("improved", tmp_path)
    election.wait()
    assert len(jobs.started) == len(SECONDS)
    assert jobs.most <= AT_ONCE
    assert election.seconds > 0
    assert not is_wanted(tmp_path)


def test_a_job_that_fails_leaves_the_rest_for_another_time(jobs: Jobs, tmp_path: Path) -> None:
    jobs.code = lambda job: f"import sys; sys.exit({int(job == 'large')})"
    election = WholeElection("improved", tmp_path)
    election.wait()
    assert len(jobs.started) == len(SECONDS)
    assert is_wanted(tmp_path)
    assert election.seconds == 0


def test_stopping_ends_the_processes(jobs: Jobs, tmp_path: Path) -> None:
    jobs.code = lambda job: "import time; time.sleep(600)"
    election = WholeElection("improved", tmp_path)
    election.wait(lambda: len(jobs.started) == AT_ONCE)
    assert election.is_under_way
    election.stop()
    assert all(process.poll() for process in jobs.started)
    assert is_wanted(tmp_path)


def test_processes_end_with_whoever_started_them() -> None:
    process = whole_election._start("improved", "explorer")
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() == 1


@pytest.mark.parametrize(
    ("origin", "edited"),
    [
        (None, False),
        ({"url": "file:///clone", "dir_info": {}}, False),
        ({"url": "file:///clone", "dir_info": {"editable": True}}, True),
    ],
)
def test_sources_that_may_be_edited_are_compiled_part_by_part(
    origin: dict[str, Any] | None, edited: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if origin is None else json.dumps(origin)
    installed = SimpleNamespace(read_text=lambda name: text)
    monkeypatch.setattr(whole_election, "distribution", lambda name: installed)
    whole_election._is_edited_in_place.cache_clear()
    assert is_wanted(tmp_path) is not edited
    whole_election._is_edited_in_place.cache_clear()


def test_sources_that_are_not_installed_may_be_edited_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def distribution(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(whole_election, "distribution", distribution)
    whole_election._is_edited_in_place.cache_clear()
    assert not is_wanted(tmp_path)
    whole_election._is_edited_in_place.cache_clear()


# What a command says meanwhile, and what it waits for.


def long() -> None: ...


def short() -> None: ...


long.takes_long = "a long part", 30  # type: ignore[attr-defined]


@pytest.fixture
def elections(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> compile_notice._WholeElections:
    label = Label("improved", "this version", "improved")
    interface = f"{__name__.partition('.')[0]}.algorithms.interface"
    monkeypatch.setitem(sys.modules, interface, SimpleNamespace(LANES=2))
    monkeypatch.setattr(compile_notice, "label_of", lambda function: label)
    return compile_notice._WholeElections()


def test_a_command_waits_for_what_it_needs_and_no_longer(
    jobs: Jobs, elections: compile_notice._WholeElections, tmp_path: Path
) -> None:
    jobs.code = lambda job: "import time; time.sleep(600)"
    elections(short, tmp_path, lambda: False)  # compiled here meanwhile
    looks = itertools.count(1)
    elections(long, tmp_path, lambda: next(looks) == 3)
    assert next(looks) == 4
    assert elections.are_begun
    elections.stop()
    assert not elections.are_begun


def test_there_is_one_line_in_the_end(
    jobs: Jobs,
    elections: compile_notice._WholeElections,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for function in (short, long, short, long):
        elections(function, tmp_path, lambda: False)
    elections.finish()
    elections.finish()
    said = capsys.readouterr().err
    assert said.startswith("Compiled improved (once for this version) in ")
    assert said.count("\n") == 1
    assert len(jobs.started) == len(SECONDS)
    elections(long, tmp_path, lambda: False)
    elections.finish()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "label", [None, Label("improved with mine", "these rules", ""), Label("own", "this file", "")]
)
def test_rules_and_elections_of_ones_own_are_compiled_part_by_part(
    label: Label | None,
    elections: compile_notice._WholeElections,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compile_notice, "label_of", lambda function: label)
    elections(long, tmp_path, lambda: False)
    assert not elections.are_begun
