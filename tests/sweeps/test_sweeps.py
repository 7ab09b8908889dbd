"""Sweeps survive: whatever stops them, the dataset is that of an undisturbed run."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import amoebot
from helpers import warm
from amoebot import experiments, jit
from amoebot.experiments import FolderError, PlanError, SweepError, make_plan, store
from amoebot.sweeps.elections import MEASURED, SCHEMA
from amoebot.sweeps.journal import Journal
from amoebot.sweeps.sweeping import carry_out
from helpers.command import Answer, ask, check_refusal, finish, start

FULL = os.environ.get("AMOEBOT_FULL") == "1"
compiled = pytest.mark.skipif(jit.INTERPRETED, reason="for compiled rules")

PLAN = {
    "shapes": ["hexagon:1..3", "line:9", "tree:20"],
    "shape_seeds": 2,
    "schedulers": ["permutation", "adversarial"],
    "variants": ["whp", "full"],
    "seeds": 4,
}


def same(one: pl.LazyFrame, other: pl.LazyFrame) -> bool:
    """Whether two datasets are equal row for row, but for how long each row took."""
    return one.drop(MEASURED).collect().equals(other.drop(MEASURED).collect())


def small_blocks(monkeypatch: pytest.MonkeyPatch, size: int = 16) -> None:
    monkeypatch.setattr(store, "BLOCK", size)


def test_one_election_is_one_row_with_every_field() -> None:
    frame = experiments.sweep({"shapes": "annulus:3,1", "seeds": 3, "radices": [2, 16]}).collect()
    assert dict(frame.schema) == SCHEMA
    assert frame.height == 6
    row = frame.row(4, named=True)
    result = amoebot.elect(amoebot.shapes.annulus(3, 1), seed=1, radix=16)
    assert (row["seed"], row["radix"], row["variant"]) == (1, 16, "full")
    for name, value in result.as_dict().items():
        if name in row:
            assert row[name] == (list(value) if isinstance(value, tuple) else value)
    assert {name: row[name] for name in result.milestones} == result.milestones
    told = zip(row["candidates_round"], row["candidates_left"], strict=True)
    assert tuple(told) == result.candidates
    assert ((row["leader_x"], row["leader_y"]),) == result.leader
    assert row["version"] == amoebot.__version__
    assert (row["outer_boundary_particles"], row["diameter"]) == (18, 8)
    assert row["seconds"] > 0


def test_schedulers_meet_the_same_coins() -> None:
    names = [*amoebot.engine.SCHEDULERS]  # type: ignore[attr-defined]
    frame = experiments.sweep({"shapes": "hexagon:4", "schedulers": names, "seeds": 3}).collect()
    by_seed = frame.group_by("seed").agg(
        pl.col("candidates_at_start", "longest_segment").n_unique()
    )
    assert by_seed.select(pl.exclude("seed").max()).row(0) == (1, 1)
    assert frame.height == 3 * len(names)


def test_threads_change_nothing(tmp_path: Path) -> None:
    frames = [experiments.sweep(PLAN, tmp_path / str(n), threads=n) for n in (1, 4)]
    assert same(*frames)


@compiled
@pytest.mark.parametrize("attempt", range(10 if FULL else 1))
def test_a_sweep_killed_at_any_moment_loses_and_repeats_nothing(
    attempt: int, tmp_path: Path
) -> None:
    content = {**PLAN, "seeds": 120}
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["warm"])
    moments = random.Random(attempt)
    kills = 0
    while True:
        arguments = (content, tmp_path / "killed", tmp_path / "log")
        process = context.Process(target=warm.sweep_in_small_blocks, args=arguments)
        process.start()
        process.join(None if kills == 20 else moments.uniform(0, 0.1))
        if process.exitcode is not None:
            break
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        kills += 1
    assert process.exitcode == 0
    assert kills == 20
    undisturbed = experiments.sweep(content, tmp_path / "undisturbed")
    assert same(experiments.load(tmp_path / "killed"), undisturbed)
    assert not (tmp_path / "killed" / "journal").exists()
    runs = Counter((tmp_path / "log").read_text().splitlines())
    assert max(runs.values()) == 1


@compiled
def test_the_same_command_goes_on_after_kill_and_ctrl_c(tmp_path: Path) -> None:
    plan, folder = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text('shapes = "hexagon:12"\nseeds = 1500\n')
    arguments = ("sweep", str(plan), "-o", str(folder), "--json")
    for stop in (signal.SIGKILL, signal.SIGINT):
        process = start(*arguments)
        before = _size(folder)
        while _size(folder) <= before and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(stop)
        answer = finish(process)
    assert answer.status == 130
    assert answer.err.startswith(f"amoebot: interrupted; {folder} keeps what is finished")
    assert answer.err.count("\n") == 1
    found = experiments.load(folder).collect()
    assert 0 < found.height < 1500
    answer = ask("sweep", str(plan), "-o", str(folder), "--json")
    assert answer.json["elections"] == 1500
    assert answer.json["run"] == 1500 - found.height
    rows = experiments.load(folder).collect()
    assert rows.join(found, on=["seed", "seconds"], how="semi").height == found.height
    assert rows["seed"].to_list() == [*range(1500)]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("journal/*.ndjson"))


def test_a_journal_forgets_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "0.ndjson"
    journal = Journal(path, 3)
    row = experiments.sweep({"shapes": "line:2"}).collect().row(0, named=True)
    journal.add(1, row)
    whole = path.read_bytes()
    for rest in (whole[:-1], whole[:20], b"\0\0\0\0\n", b'{"number":99}\n', b"{}\n"):
        path.write_bytes(whole + rest)
        again = Journal(path, 3)
        assert list(again.done) == [0, 1, 0]
        again.add(0, row)
        assert Journal(path, 3).frame().height == 2


def test_a_larger_plan_extends_and_any_other_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_blocks(monkeypatch)
    first = experiments.sweep(PLAN, tmp_path / "grown").collect()
    larger = PLAN | {"seeds": 7, "schedulers": ["uniform", "permutation", "adversarial"]}
    grown = experiments.sweep(larger, tmp_path / "grown").collect()
    order = ["shape", "shape_seed", "scheduler", "variant", "seed"]
    fresh = experiments.sweep(larger, tmp_path / "fresh").collect()
    assert same(grown.sort(order).lazy(), fresh.sort(order).lazy())
    # The old rows are the very same ones, with the times that they took then.
    assert grown.head(first.height).equals(first)
    for change in ({"seeds": 6}, {"first_seed": 1}, {"radices": 2}, {"shapes": "line:9"}):
        with pytest.raises(PlanError, match="belongs to another plan"):
            experiments.sweep(larger | change, tmp_path / "grown")
    assert experiments.load(tmp_path / "grown").collect().equals(grown)


def test_other_code_and_changed_shape_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my.txt").write_text("o o\n")
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "my.txt"')
    assert experiments.sweep(plan, tmp_path / "results").collect()["family"].to_list() == ["my.txt"]
    (tmp_path / "my.txt").write_text("o o o\n")
    with pytest.raises(PlanError, match=r"my\.txt has changed"):
        experiments.sweep(plan, tmp_path / "results")
    monkeypatch.setattr(store, "fingerprint", lambda: "0.0.1")
    with pytest.raises(PlanError, match=r"made by amoebot .* and this is amoebot 0\.0\.1"):
        experiments.sweep(plan, tmp_path / "results")


def test_two_sweeps_cannot_share_a_folder(tmp_path: Path) -> None:
    plan = make_plan(PLAN)
    with store.Store(tmp_path, plan), pytest.raises(FolderError, match="another sweep"):
        carry_out(plan, tmp_path)


def test_a_folder_that_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "line:3"')
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "results", Path("/proc/results")):
        check_refusal(ask("sweep", str(plan), "-o", str(folder)))
    check_refusal(ask("report", str(tmp_path)))


FULL_DISK = """
import resource, sys
from amoebot.experiments import store
from amoebot.cli import main
store.BLOCK = 64
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), -1))
main()
"""


@compiled
@pytest.mark.parametrize("room", [100, 9_000, 40_000])
def test_a_full_disk_is_told_in_one_line_and_corrupts_nothing(room: int, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writing beyond it fails in the middle."""
    plan, folder = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text('shapes = "hexagon:2"\nseeds = 200\n')
    amoebot.elect(amoebot.shapes.hexagon(1))  # the cache of compiled code has no room then either
    command = [sys.executable, "-c", FULL_DISK, str(room), "sweep", str(plan), "-o", str(folder)]
    answer = _run(command)
    assert (answer.status, answer.out) == (2 if room == 100 else 1, "")
    assert answer.err.startswith("amoebot: ")
    assert "file too large" in answer.err
    assert answer.err.count("\n") == 1
    if room > 100:
        kept = experiments.load(folder).collect()
        assert 0 < kept.height < 200
        assert f"{kept.height} elections that are finished are kept" in answer.err
    again = experiments.sweep(plan, folder)
    assert same(again, experiments.sweep(plan, tmp_path / "undisturbed"))


def _run(command: list[str]) -> Answer:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return Answer(done.returncode, done.stdout, done.stderr)


def test_a_disk_that_fills_up_during_a_sweep_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_blocks(monkeypatch)
    written: list[int] = []

    def full(*_: Any) -> None:
        written.append(1)
        if len(written) > 2:
            raise OSError(28, os.strerror(28))
        write(*_)

    write = store.write_whole
    monkeypatch.setattr(store, "write_whole", full)
    with pytest.raises(SweepError, match=r"no space left on device; the \d+ elections"):
        experiments.sweep(PLAN, tmp_path / "results")
    monkeypatch.setattr(store, "write_whole", write)
    again = experiments.sweep(PLAN, tmp_path / "results")
    assert same(again, experiments.sweep(PLAN, tmp_path / "undisturbed"))


def test_a_dry_run_tells_how_many_and_touches_nothing(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "hexagon:1..4"\nseeds = 25\n')
    answer = ask("sweep", str(plan), "--dry-run", "--json", "-o", str(tmp_path / "results"))
    assert (answer.status, answer.json["elections"], answer.json["cells"]) == (0, 100, 4)
    assert answer.json["seconds"] > 0
    assert ask("sweep", str(plan), "--dry-run").out.startswith("100 elections (4 combinations")
    assert not (tmp_path / "results").exists()
