"""Compile all that runs an election, once: in other processes, while the command goes on.

In a copy of the sources that may be edited any minute, each part is left for when it is needed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

#: About how many seconds each job takes on a core of its own, in the order in which they begin:
#: the others find what elections are made of compiled.
SECONDS = {"elections": 15, "explorer": 30, "large": 35, "by hand": 5, "many": 55}
OF_LANES = {"large": 35, "many": 40}  #: of these, for elections that run in waves

#: Seconds between two looks at what the processes have done.
STEP = 0.05


class WholeElection:
    """An election that is being compiled into its folder."""

    def __init__(self, name: str, folder: Path) -> None:
        """Begin, with as many processes as there are cores."""
        self.seconds = 0.0  #: that it took in the end
        self._name, self._folder = name, folder
        self._began = time.perf_counter()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._carry_out, daemon=True, name="compiling")
        self._thread.start()

    @property
    def is_under_way(self) -> bool:
        """Whether processes are still at work."""
        return self._thread.is_alive()

    def wait(self, is_enough: Callable[[], bool] = lambda: False) -> None:
        """Wait until everything is compiled, or enough of it."""
        while self.is_under_way and not is_enough():
            time.sleep(STEP)

    def stop(self) -> None:
        """End the processes; what they have compiled is kept."""
        self._stopped.set()
        self._thread.join()

    def _carry_out(self) -> None:
        """Do all jobs, so many at a time, and leave a mark if all of them end well."""
        waiting, running, failed = list(SECONDS), list[subprocess.Popen[bytes]](), False
        while (waiting or running) and not self._stopped.is_set():
            while waiting and len(running) < processes():
                running.append(_start(self._name, waiting.pop(0)))
            time.sleep(STEP)
            failed |= any(process.poll() for process in running)
            running = [process for process in running if process.poll() is None]
        for process in running:
            process.kill()
            process.wait()
        if not (self._stopped.is_set() or failed):
            _mark(self._folder).touch()
            self.seconds = time.perf_counter() - self._began


def processes() -> int:
    """Return how many processes compile at the same time."""
    from amoebot.engine_runs import cores

    return min(cores(), len(SECONDS))


def expected_seconds(has_lanes: bool) -> int:
    """Return about how long it takes to compile an election."""
    seconds = sum(SECONDS.values()) - (0 if has_lanes else sum(OF_LANES.values()))
    return 10 * round(seconds / processes() / 10 + 0.5)


def is_wanted(folder: Path) -> bool:
    """Whether an election is still to be compiled as a whole."""
    return not (_mark(folder).exists() or _is_edited_in_place())


def _mark(folder: Path) -> Path:
    """Return the file that says so, for this Python and processor: others may share the folder."""
    from llvmlite.binding import get_host_cpu_name

    return folder / f"whole-{sys.implementation.cache_tag}-{get_host_cpu_name()}"


@cache
def _is_edited_in_place() -> bool:
    """Whether these sources are not those of an installed version."""
    try:
        origin = distribution("amoebot").read_text("direct_url.json")
    except PackageNotFoundError:
        return True
    return bool(json.loads(origin or "{}").get("dir_info", {}).get("editable"))


def _start(name: str, job: str) -> subprocess.Popen[bytes]:
    # Its input stays open for as long as this process lives, however that ends.
    return subprocess.Popen(
        [sys.executable, "-m", __name__, name, job],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


def _do(name: str, job: str) -> None:
    """Call everything once that the job is about."""
    from amoebot import Simulation, shapes
    from amoebot.batch import Elections, warm_up
    from amoebot.engine.names import LEAST_AGENTS, WORTHWHILE
    from amoebot.options import Options
    from amoebot.verify import verify

    options = Options(algorithm=name)
    if job == "elections":
        warm_up(options)
    elif job == "explorer":
        verify("line:2", algorithm=name)
    elif job == "large":
        warm_up(options, LEAST_AGENTS)
    elif job == "many":
        Elections(shapes.hexagon(10), options).warm_up(WORTHWHILE)
    else:
        simulation = Simulation("hexagon:1", algorithm=name)
        simulation.coins_ahead(0)
        simulation.activate(0, coins=[0])
        simulation.activate(0)
        simulation.goto(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _do(*sys.argv[1:])
