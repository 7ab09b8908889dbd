"""What a sweep on a thousand workers costs its client, measured without any computation.

``python tests/helpers/simulated_workers.py 1000`` starts a scheduler, and processes that hold as
many Dask workers together, all on this machine. They return rows made beforehand at once, so that
what is measured is the client: its processor time for each piece of work.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from amoebot.sweeps import Tally, cluster, make_plan
from amoebot.sweeps.costs import Costs
from amoebot.sweeps.elections import ShapeCache, fingerprint, run_rows
from amoebot.sweeps.sweeping import carry_out

#: Processes that hold the workers, and how many seconds an election is said to take.
PROCESSES, SECONDS = 4, 1.0


#: A thousand workers in a few processes have no time to watch themselves.
QUIET = {
    "distributed.admin.system-monitor.interval": "1 hour",
    "distributed.admin.tick.interval": "10 minutes",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1 hour",
    "distributed.comm.timeouts.connect": "10 minutes",
    "logging.distributed": "error",
}


def hold_workers(address: str, count: int) -> None:
    """Hold workers in one event loop, whose elections are over at once."""
    plan = make_plan({"shapes": "hexagon:5"})
    (cell,) = plan.cells
    (row,) = run_rows(cell, [0], ShapeCache().get(cell))

    def at_once(cell: Any, seeds: list[int], shape: Any) -> tuple[str, list[dict[str, Any]]]:
        return fingerprint(), [row | {"seed": seed} for seed in seeds]

    cluster.run_piece = at_once
    asyncio.run(_hold(address, count))


async def _hold(address: str, count: int) -> None:
    import dask

    dask.config.set(QUIET)
    from distributed import Worker

    workers = [Worker(address, nthreads=1, memory_limit=0, dashboard=False) for _ in range(count)]
    for some in range(0, count, 20):
        await asyncio.gather(*workers[some : some + 20])
    await asyncio.gather(*(worker.finished() for worker in workers))


def measure(workers: int, pieces: int, folder: Path) -> dict[str, float]:
    """Run a sweep on N workers; return what it cost the client."""
    file = folder / "scheduler.json"
    command = [sys.executable, "-m", "dask", "scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--scheduler-file", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not file.exists():
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    context = multiprocessing.get_context("spawn")
    held = [
        context.Process(target=hold_workers, args=(address, workers // PROCESSES), daemon=True)
        for _ in range(PROCESSES)
    ]
    for process in held:
        process.start()
    try:
        _wait_for(address, workers)
        return _sweep(address, workers, pieces, folder / "results")
    finally:
        for process in held:
            process.kill()
        scheduler.kill()
        scheduler.wait()


def _wait_for(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers // PROCESSES * PROCESSES, timeout=900)


def _sweep(address: str, workers: int, pieces: int, folder: Path) -> dict[str, float]:
    each = cluster.piece_seconds(workers) / SECONDS
    plan = make_plan({"shapes": "hexagon:5", "seeds": round(pieces * each)})
    most = [0]

    def watch(tally: Tally) -> None:
        most[0] = max(most[0], tally.workers or 0)

    Costs.seconds = lambda self, cell: SECONDS  # type: ignore[method-assign]
    start, used = time.perf_counter(), time.process_time()
    tally = carry_out(plan, folder, on=address, watch=watch)
    elapsed, used = time.perf_counter() - start, time.process_time() - used
    return {
        "workers": most[0],
        "elections": tally.done,
        "elections in a piece": each,
        "pieces": pieces,
        "seconds": elapsed,
        "client's processor seconds": used,
        "milliseconds a piece": 1000 * used / pieces,
        "share of the client's time at full load": used / pieces * workers / (each * SECONDS),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        count = int(sys.argv[1])
        for name, value in measure(count, 4 * count, Path(scratch)).items():
            print(f"{name}: {value:,.4g}")
