"""Elections on the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from amoebot.algorithms import registry
from amoebot.errors import ExplainedError
from amoebot.shapes import Shape
from amoebot.sweeps.costs import Piece
from amoebot.sweeps.elections import ShapeCache, fingerprint, make_shape, run_rows
from amoebot.sweeps.plan import Cell
from amoebot.sweeps.runners import ClusterError
from amoebot.sweeps.store import Store

#: Target seconds per piece of work, up to this many threads; with more, in proportion.
PIECE, FEW = 2.0, 50

#: Seconds to wait for a scheduler that is gone: it may be restarted.
PATIENCE = 60

#: Seconds to wait for the scheduler and for results.
TIMEOUT = 10
INTERVAL = 0.5

#: Pieces under way for each thread of the cluster, so that none waits for the next one.
AHEAD = 3

#: How often a piece may lose its worker before it is given up.
MOST_ATTEMPTS = 20

_shapes = ShapeCache()


class AddressError(ExplainedError, ValueError):
    """Invalid address of a cluster."""

    topic = "cluster"


class NoDaskError(ClusterError, ValueError):
    """Clusters need Dask, which is not installed."""


def check_address(address: str) -> None:
    """Refuse what is not the address of a scheduler, without asking the network."""
    form = r"(?:[a-z]+://)?(?:[^\s/:\[\]]+|\[[^\s\]]+\]):(\d{1,5})"
    found = re.fullmatch(form, str(address))
    if found is None or int(found[1]) >= 2**16:
        raise AddressError(f"{address!r} is not the address of a scheduler: write tcp://host:8786")


def piece_seconds(threads: int) -> float:
    """Return how long a piece should take, so that one client keeps up with all workers."""
    return PIECE * max(1.0, threads / FEW)


def same_shape(shape: Shape) -> Shape:
    """Return a shape: as a task, so that it is sent once, and again if its worker is lost."""
    return shape


def run_piece(
    cell: Cell, seeds: list[int], shape: Shape | None
) -> tuple[str, list[dict[str, Any]]]:
    """Run elections in a worker; return the version it has, and the rows."""
    measured = _shapes.get(cell, shape)
    return fingerprint(cell.template.algorithm), list(run_rows(cell, seeds, measured))


def run_cluster(
    store: Store,
    cut: Callable[[Callable[[], float]], Iterator[Piece]],
    address: str,
    finished: Callable[[Piece], None],
    look: Callable[[int], None],
) -> None:
    """Run pieces on a cluster, whose workers may come and go, and whose scheduler may restart.

    Args:
        store: Where rows go.
        cut: Makes the pieces, given how many seconds each should take.
        address: The scheduler's.
        finished: Is called with the piece of each election that is done.
        look: Is called now and then with the number of workers.
    """
    work = _Work(store, finished, look)
    work.pieces = cut(lambda: piece_seconds(work.threads))
    with _quiet():
        while not work.is_done:
            with _connected(address) as client:
                work.run(client)
            if not work.is_done:
                _wait_for_scheduler(address, look)


@dataclass
class _Work:
    """What is under way on a cluster."""

    store: Store
    finished: Callable[[Piece], None]
    look: Callable[[int], None]
    pieces: Iterator[Piece] = field(default_factory=lambda: iter(()))
    threads: int = 0  #: of all workers
    back: list[tuple[Piece, int]] = field(default_factory=list)  #: to be sent again
    is_done: bool = False

    def run(self, client: Any) -> None:
        """Run pieces until all are done, or until the scheduler is gone."""
        distributed = _dask()
        _check_workers(client)
        waiting: dict[Any, tuple[Piece, int]] = {}
        shapes = _Shapes(client)
        more = True
        try:
            while more or waiting:
                threads = client.nthreads()
                self.threads = sum(threads.values())
                self.look(len(threads))
                while more and len(waiting) < AHEAD * max(1, self.threads):
                    piece, attempts = self.back.pop() if self.back else (next(self.pieces, None), 0)
                    more = piece is not None
                    if piece is not None:
                        waiting[_submit(client, piece, shapes)] = (piece, attempts)
                for future in _finished(client, list(waiting)):
                    piece, attempts = waiting.pop(future)
                    try:
                        self._keep(piece, *future.result())
                    except distributed.KilledWorker:
                        if attempts >= MOST_ATTEMPTS:
                            raise
                        waiting[_submit(client, piece, shapes)] = (piece, attempts + 1)
            self.is_done = True
        except (_GoneError, distributed.comm.CommClosedError, distributed.CancelledError):
            self.back += waiting.values()

    def _keep(self, piece: Piece, made_by: str, rows: list[dict[str, Any]]) -> None:
        _refuse_other_code(made_by, self.store.made_by[piece.cell.template.algorithm])
        for (number, _), row in zip(piece.seeds, rows, strict=True):
            self.store.record(piece.block, number, row)
            self.finished(piece)


class _Shapes:
    """The shapes of files, which workers do not have: each is sent once."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.sent: dict[tuple[str, int, float], Any] = {}

    def of(self, cell: Cell) -> Any:
        """Return what stands for the shape of a cell, or None if workers can make it."""
        if cell.file and cell.shape_key not in self.sent:
            shape = make_shape(cell)
            self.sent[cell.shape_key] = self.client.submit(same_shape, shape, pure=False)
        return self.sent.get(cell.shape_key)


def _submit(client: Any, piece: Piece, shapes: _Shapes) -> Any:
    cell, seeds = _absolute(piece.cell), [seed for _, seed in piece.seeds]
    return client.submit(run_piece, cell, seeds, shapes.of(cell), pure=False)


class _GoneError(Exception):
    """There is no connection to the scheduler any more."""


def _finished(client: Any, futures: list[Any]) -> list[Any]:
    """Return the futures that are done, after a moment of waiting for them."""
    distributed = _dask()
    if client.status != "running":
        raise _GoneError
    if not futures:
        time.sleep(INTERVAL)
        return []
    try:
        done = distributed.wait(futures, timeout=INTERVAL, return_when="FIRST_COMPLETED").done
    except (TimeoutError, distributed.TimeoutError):
        return []
    if any(future.status in ("cancelled", "lost") for future in futures):
        raise _GoneError
    return list(done)


def _wait_for_scheduler(address: str, look: Callable[[int], None]) -> None:
    """Wait until a scheduler that is gone is back, or give up after a while."""
    distributed = _dask()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        look(0)
        try:
            distributed.Client(address, timeout=1, set_as_default=False).close(timeout=TIMEOUT)
            return
        except (OSError, TimeoutError):
            time.sleep(INTERVAL)
    raise ClusterError(f"the scheduler at {address} is gone")


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
    finally:
        with suppress(RuntimeError):  # it may be about to connect again, and says that it is closed
            client.close(timeout=TIMEOUT)


def check_dask() -> None:
    """Refuse a cluster where Dask is not installed, before anything is run or written."""
    _dask()


def _dask() -> Any:
    """Return Dask, which is an optional dependency."""
    try:
        import distributed
    except ImportError:
        raise NoDaskError("a cluster needs Dask: install it with pip install distributed") from None
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
