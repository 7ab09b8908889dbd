"""Sweeps on a Dask cluster: a real scheduler and real workers, one of which is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from amoebot import sweeps
from amoebot.cache import code_folder
from amoebot.shapes import Shape
from amoebot.sweeps import SweepError, Tally, cluster, elections, make_plan
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.plan import Cell
from amoebot.sweeps.sweeping import carry_out
from helpers.command import ask
from helpers.full import FULL
from helpers.pages import ROOT, blocks_of
from helpers.tables import same

pytestmark = pytest.mark.compiled

PLAN = {"shapes": ["hexagon:6", "line:30"], "schedulers": ["permutation", "uniform"], "seeds": 150}


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.loop: subprocess.Popen[bytes] | None = None
        self.file = folder / "scheduler.json"
        self.start_scheduler("0")

    def start_scheduler(self, port: str) -> None:
        self.file.unlink(missing_ok=True)
        self.scheduler = self.start(
            "scheduler", "--port", port, "--no-dashboard", "--host", "127.0.0.1"
        )
        while not self.file.exists():
            time.sleep(0.05)

    def restart_scheduler(self) -> None:
        """Kill it, and start it again at the same address."""
        port = self.address.rpartition(":")[2]
        self.scheduler.kill()
        self.scheduler.wait()
        self.start_scheduler(port)

    def start_workers_as_documented(self) -> None:
        """Start the loop in which, as the page says, workers come back."""
        page = " ".join((ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8").split())
        loop = re.search(r"`(while sleep 2; do dask worker [^`]* done)`", page)
        assert loop is not None
        told = loop[1].replace("tcp://scheduler:8786", f"{self.address} --no-dashboard")
        script = told.replace("dask worker", f"{sys.executable} -m dask worker")
        self.loop = subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": ""},
            start_new_session=True,
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(self.file)],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": ""},
        )
        self.processes.append(process)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def stop(self) -> None:
        if self.loop is not None:
            os.killpg(self.loop.pid, signal.SIGKILL)
            self.loop.wait()
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask's own, about the processes that vanish
def test_workers_come_and_go_and_the_dataset_is_the_local_one(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PIECE", 0.02)
    workers = [dask.start_worker() for _ in range(2)]
    seen: list[int] = []

    def watch(tally: Tally) -> None:
        if tally.done > 20 and not seen:
            seen.append(tally.done)
            workers[0].kill()
            dask.start_worker()

    tally = carry_out(make_plan(PLAN), tmp_path / "cluster", on=dask.address, watch=watch)
    assert tally.done == tally.total == 600
    assert 20 < seen[0] < 600
    assert workers[0].wait() != 0
    assert same(sweeps.load(tmp_path / "cluster"), sweeps.sweep(PLAN))


# The script is gone as soon as it has been submitted.
SBATCH = """#!/bin/sh
cp "$1" "$1.job"
bash "$1.job" > "$1.log" 2>&1 &
echo "Submitted batch job $!"
"""


def follow(folder: Path, word: str) -> None:
    """Run the block of the documentation that has a word in it, and see the results."""
    (folder / "plan.toml").write_text('shapes = "hexagon:3"\nseeds = 40\n')
    if (compiled := code_folder()) is not None:  # where the page says that jobs look for it
        for one in compiled.parent.iterdir():
            (folder / one.name).symlink_to(one)
    block = next(b for b in blocks_of("docs/how-to/cluster.md") if word in b.text)
    program = f"if __name__ == '__main__':\n{textwrap.indent(block.text, '    ')}"
    (folder / "program.py").write_text(program)
    ran = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]),
            "TMPDIR": str(folder),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert sweeps.load(folder / "results").collect().height == 40


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a job is a shell script")
def test_the_documentation_runs_a_sweep_on_slurm(tmp_path: Path) -> None:
    """With jobs that begin at once, here: only ``sbatch`` and ``scancel`` are stand-ins."""
    for name, text in {"sbatch": SBATCH, "scancel": '#!/bin/sh\nkill "$1"\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    follow(tmp_path, "SLURMCluster")


KUBERNETES = """
from distributed import LocalCluster

class KubeCluster(LocalCluster):
    def __init__(self, name, image, resources):
        assert image == "amoebot" and "limits" in resources
        super().__init__(n_workers=1, threads_per_worker=2, dashboard_address=None)
"""


@pytest.mark.slow
def test_the_documentation_runs_a_sweep_on_kubernetes(tmp_path: Path) -> None:
    """There is no Kubernetes here: a cluster of this machine stands in for one of pods."""
    (tmp_path / "dask_kubernetes").mkdir()
    (tmp_path / "dask_kubernetes" / "operator.py").write_text(KUBERNETES)
    follow(tmp_path, "KubeCluster")


def test_a_missing_scheduler_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", 1)
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "line:3"')
    for address in ("tcp://127.0.0.1:1", "nonsense", "tcp://"):
        answer = ask("sweep", str(plan), "-o", str(tmp_path / "results"), "--on", address)
        is_address = address.endswith(":1")
        assert answer.status == (1 if is_address else 2)
        missing = f"amoebot: there is no Dask scheduler at {address}"
        assert answer.err.startswith(missing if is_address else f"amoebot: {address!r} is not the")
        assert answer.err.count("\n") == 1


def test_workers_with_other_code_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SweepError, match=r"a worker runs amoebot 0\.0\.1"):
        cluster._refuse_other_code("0.0.1", fingerprint())


def test_without_dask_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SweepError, match="pip install distributed"):
        cluster._dask()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_restarts_costs_nothing(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PIECE", 0.02)
    dask.start_workers_as_documented()
    restarted: list[int] = []

    def watch(tally: Tally) -> None:
        if tally.done > 20 and not restarted:
            restarted.append(tally.done)
            dask.restart_scheduler()

    tally = carry_out(make_plan(PLAN), tmp_path / "cluster", on=dask.address, watch=watch)
    assert tally.done == 600
    assert 20 < restarted[0] < 600
    assert same(sweeps.load(tmp_path / "cluster"), sweeps.sweep(PLAN))


def test_pieces_grow_with_the_cluster() -> None:
    assert cluster.piece_seconds(2) == cluster.PIECE
    assert cluster.piece_seconds(1000) == 20 * cluster.PIECE


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_shape_file_is_sent_once(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PIECE", 1e-6)  # a piece for each election
    made: list[str] = []
    make_shape = elections.make_shape

    def counted(cell: Cell) -> Shape:
        made.append(cell.shape)
        return make_shape(cell)

    monkeypatch.setattr(cluster, "make_shape", counted)
    (tmp_path / "my.txt").write_text("o o o\n")
    plan = make_plan({"shapes": "my.txt", "seeds": 12}, tmp_path)
    dask.start_worker()
    assert carry_out(plan, tmp_path / "cluster", on=dask.address).done == 12
    assert len(made) == 1
    assert same(sweeps.load(tmp_path / "cluster"), sweeps.sweep(plan))


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="waits for time-outs")
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_vanishes_costs_nothing_that_is_finished(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PIECE", 0.02)
    dask.start_worker()

    def watch(tally: Tally) -> None:
        if tally.done > 20:
            dask.scheduler.kill()

    monkeypatch.setattr(cluster, "PATIENCE", 3)
    with pytest.raises(SweepError, match=r"is gone; the \d+ elections that are finished are kept"):
        carry_out(make_plan(PLAN), tmp_path / "cluster", on=dask.address, watch=watch)
    assert sweeps.load(tmp_path / "cluster").collect().height > 20
    assert same(sweeps.sweep(PLAN, tmp_path / "cluster"), sweeps.sweep(PLAN))
