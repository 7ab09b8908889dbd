"""A sweep: the elections of a plan are run, here or on a cluster, into a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.arguments import check_function
from amoebot.engine_runs import thread_count
from amoebot.files import as_path
from amoebot.shapes import errors
from amoebot.sweeps.cluster import check_address, check_dask, run_cluster
from amoebot.sweeps.costs import Costs, Piece
from amoebot.sweeps.files import FolderError, reason_of
from amoebot.sweeps.plan import Plan
from amoebot.sweeps.plan_files import make_plan, read_plan
from amoebot.sweeps.runners import SweepError, Tally, Watch, run_local
from amoebot.sweeps.store import Store, load

#: Seconds that a thread is busy with one piece of work, roughly.
LOCAL_PIECE = 0.25


def sweep(
    plan: Plan | Mapping[str, Any] | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    on: str | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> pl.LazyFrame:
    """Run all elections of a plan and return them, one row each.

    Args:
        plan: A dictionary with the keys of a plan file, the path of one, or a ``Plan``.
        output: A folder in which finished elections are kept; the same call goes on where it was
            stopped. Without it, the rows are in memory.
        on: The address of a Dask scheduler, such as "tcp://host:8786"; without it, the threads of
            this machine run the elections.
        threads: How many; by default, as many as there are cores. A cluster has its own.
        watch: Is called now and then with how far the sweep is.

    Raises:
        PlanError: If the plan is invalid.
        FolderError: If the folder holds something else, or another sweep writes there.
        SweepError: If the sweep has to stop; what is finished is kept.
        ValueError: If the number of threads is not a whole one, 1 or more, or ``watch`` is no
            function.
    """
    check_function(watch, "watch")
    planned = as_plan(plan)
    if output is not None:
        carry_out(planned, as_path(output, FolderError), on=on, threads=threads, watch=watch)
        return load(output)
    with tempfile.TemporaryDirectory(prefix="amoebot-") as folder:
        carry_out(planned, Path(folder), on=on, threads=threads, watch=watch)
        return load(folder).collect().lazy()


def as_plan(plan: Plan | Mapping[str, Any] | str | os.PathLike[str]) -> Plan:
    """Return a plan from any of the forms in which it can be given."""
    if isinstance(plan, Plan):
        return plan
    return make_plan(plan) if isinstance(plan, Mapping) else read_plan(plan)


def carry_out(
    plan: Plan,
    folder: Path,
    *,
    on: str | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Tally:
    """Run the elections that a folder does not have yet; return how many."""
    if on is not None:
        check_address(on)
        check_dask()
    count = thread_count(threads)
    with plan.named():
        costs = Costs(plan)
    with plan.named(), Store(folder, plan) as store:
        seconds = sum(
            len(seeds) * costs.seconds(cell)
            for block in store.blocks
            for cell, seeds in block.missing()
        )
        tally = Tally(len(plan), store.finished, seconds)

        def finished(piece: Piece) -> None:
            tally.add(1, costs.seconds(piece.cell))

        def look(workers: int | None = None) -> None:
            if not (folder / "sweep.json").exists():
                raise FileNotFoundError
            tally.workers = workers
            if watch is not None:
                watch(tally)

        try:
            if on is None:
                pieces = costs.pieces(store.blocks, lambda: LOCAL_PIECE)
                run_local(store, pieces, count, finished, look)
            else:
                cut = partial(costs.pieces, store.blocks)
                run_cluster(store, cut, on, finished, look)
            store.describe()
        except (OSError, SweepError) as error:
            if not (folder / "sweep.json").exists():
                raise SweepError(
                    f"{folder} was deleted while the sweep was running; what it held is lost"
                ) from None
            reason = f"{folder}: {reason_of(error)}" if isinstance(error, OSError) else str(error)
            kind = SweepError if isinstance(error, OSError) else type(error)
            kept = store.finished + tally.done
            are = "is" if kept == 1 else "are"
            told = f"the {errors.count(kept, 'election')} that {are} finished {are} kept"
            raise kind(
                f"{reason}; {told}, and the same command goes on from there" if kept else reason
            ) from None
    return tally
