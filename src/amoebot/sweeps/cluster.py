"""Elections on the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from amoebot.algorithms import registry
from amoebot.shapes import GENERATORS, Shape
from amoebot.sweeps.costs import Piece
from amoebot.sweeps.elections import ShapeCache, fingerprint, make_shape, run_row
from amoebot.sweeps.plan import Cell
from amoebot.sweeps.runners import ClusterError
from amoebot.sweeps.store import Store

#: Seconds that a piece of work takes, roughly, and to wait for the scheduler and for results.
PIECE = 2.0
TIMEOUT = 10
INTERVAL = 0.5

#: Pieces under way for each thread of the cluster, so that none waits for the next one.
AHEAD = 3

#: How often a piece may lose its worker before it is given up.
MOST_ATTEMPTS = 20

_shapes = ShapeCache()


def run_piece(
    cell: Cell, seeds: list[int], shape: Shape | None
) -> tuple[str, list[dict[str, Any]]]:
    """Run elections in a worker; return the version it has, and the rows."""
    measured = _shapes.get(cell, shape)
    rows = [run_row(cell, seed, measured) for seed in seeds]
    return fingerprint(cell.template.algorithm), rows


def run_cluster(
    store: Store,
    pieces: Iterator[Piece],
    address: str,
    finished: Callable[[Piece], None],
    look: Callable[[int], None],
) -> None:
    """Run pieces on a cluster, whose workers may come and go."""
    distributed = _dask()
    with _quiet(), _connected(address) as client:
        _check_workers(client)
        waiting: dict[Any, tuple[Piece, int]] = {}

        def send(piece: Piece, attempts: int = 0) -> None:
            seeds = [seed for _, seed in piece.seeds]
            # A worker has the package, but not the shape files.
            named = piece.cell.shape.partition(":")[0] in GENERATORS
            shape = None if named else make_shape(piece.cell)
            future = client.submit(run_piece, _absolute(piece.cell), seeds, shape, pure=False)
            waiting[future] = (piece, attempts)

        more = True
        while more or waiting:
            threads = client.nthreads()
            room = AHEAD * max(1, sum(threads.values()))
            while more and len(waiting) < room:
                piece = next(pieces, None)
                more = piece is not None
                if piece is not None:
                    send(piece)
            for future in _finished(client, list(waiting), address):
                piece, attempts = waiting.pop(future)
                try:
                    made_by, rows = future.result()
                except distributed.KilledWorker:
                    if attempts >= MOST_ATTEMPTS:
                        raise
                    send(piece, attempts + 1)
                    continue
                _refuse_other_code(made_by, store.made_by[piece.cell.template.algorithm])
                for (number, _), row in zip(piece.seeds, rows, strict=True):
                    store.record(piece.block, number, row)
                    finished(piece)
            look(len(threads))


def _finished(client: Any, futures: list[Any], address: str) -> list[Any]:
    """Return the futures that are done, after a moment of waiting for them."""
    distributed = _dask()
    if client.status != "running":
        raise ClusterError(f"the scheduler at {address} is gone")
    if not futures:
        return []
    try:
        done = distributed.wait(futures, timeout=INTERVAL, return_when="FIRST_COMPLETED").done
    except (TimeoutError, distributed.TimeoutError):
        return []
    return [future for future in done if future.status != "cancelled"]


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Provide a client of the scheduler; what goes wrong becomes one sentence."""
    distributed = _dask()
    try:
        client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split()) or "no answer"
        raise ClusterError(f"there is no Dask scheduler at {address}: {reason}") from None
    try:
        with client.as_current():
            yield client
    except distributed.comm.CommClosedError:
        raise ClusterError(f"the scheduler at {address} is gone") from None
    except (ClusterError, OSError, KeyboardInterrupt):
        raise
    except distributed.KilledWorker as error:
        raise ClusterError(
            f"a piece of work lost its worker {MOST_ATTEMPTS} times: {error}"
        ) from None
    except ImportError as error:
        raise ClusterError(f"a worker lacks what it needs: {error}") from None
    except registry.ElectionError as error:
        raise ClusterError(f"a worker does not have the election: {error}") from None
    except distributed.CancelledError:
        raise ClusterError(f"the scheduler at {address} has cancelled the work") from None
    finally:
        client.close(timeout=TIMEOUT)


def _dask() -> Any:
    """Return Dask, which is an optional dependency."""
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask: install it with pip install distributed"
        ) from None
    return distributed


def _check_workers(client: Any) -> None:
    """Ask all workers for their version before work begins."""
    for worker, made_by in client.run(fingerprint, on_error="return").items():
        if isinstance(made_by, BaseException):
            raise ClusterError(f"the worker {worker} cannot run elections: {made_by}")
        _refuse_other_code(made_by, fingerprint())


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from printing tracebacks about lost workers and schedulers."""
    _dask()  # which sets the levels of its loggers, one by one
    names = ("distributed", "tornado", "asyncio")
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    loggers = [logger for logger in loggers if logger.name.startswith(names)]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _absolute(cell: Cell) -> Cell:
    """Return a cell for workers, which may run in another folder."""
    algorithm = cell.template.algorithm
    if not registry.is_path(algorithm):
        return cell
    return replace(cell, template=cell.template.with_(algorithm=os.path.abspath(algorithm)))


def _refuse_other_code(made_by: str, own: str) -> None:
    if made_by != own:
        raise ClusterError(
            f"a worker runs amoebot {made_by}, and this is amoebot {own}: "
            "install the same version on all machines"
        )
