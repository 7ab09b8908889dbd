"""Compile all that runs an election, once: in other processes, while the command goes on.

In a copy of the sources that can be edited, that is so for the first version: after an edit, what
has changed is compiled when it is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amoebot.cache import code_folder, digest_of_sources

if TYPE_CHECKING:
    from amoebot.options import Options

#: About how many seconds each job takes on a core of its own, in the order in which they begin.
SECONDS = {"elections": 20, "many": 75, "large": 35, "explorer": 35, "by hand": 10, "rules": 15}
OF_LANES = {"many": 55, "large": 35}  #: of these, for elections that run in waves

#: The job for each part that takes long; with changed rules it is ``rules``, but for the explorer.
JOB_OF = {
    "elections": "elections",
    "many small elections": "many",
    "small elections side by side": "many",
    "large elections": "large",
    "the explorer": "explorer",
    "activations by hand": "by hand",
    "schedules by hand": "by hand",
    "schedules by a function": "by hand",
}

#: Seconds between two looks at what the processes have done.
STEP = 0.05

#: The exit status of a process whose parent has gone.
ORPHANED = 3


class WholeElections:
    """Elections that are being compiled, by no more processes than there are cores."""

    def __init__(self, tell: Callable[[str, float], None]) -> None:
        """Call ``tell`` with each that is done, and how long it took: 0 if something went wrong."""
        self._tell = tell
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting: list[tuple[str, str]] = []  # jobs, each with its election
        self._running: dict[subprocess.Popen[bytes], str] = {}
        self._begun: dict[str, float] = {}  # and when
        self._failed: set[str] = set()

    def begin(self, name: str) -> None:
        """Begin to compile an election."""
        with self._lock:
            self._begun[name] = time.perf_counter()
            self._waiting += [(name, job) for job in SECONDS]
            if self._thread is None:
                self._thread = threading.Thread(target=self._drive, daemon=True, name="compiling")
                self._thread.start()

    def has_begun(self, name: str) -> bool:
        """Whether an election is being compiled, or has been."""
        return name in self._begun

    @property
    def have_begun(self) -> bool:
        """Whether some election is being compiled, or has been."""
        return bool(self._begun)

    @property
    def unfinished(self) -> list[str]:
        """The elections that are not done yet."""
        with self._lock:
            return [name for name in self._begun if self._is_under_way(name)]

    def _is_under_way(self, name: str) -> bool:
        return name in self._running.values() or any(name == other for other, _ in self._waiting)

    def wait_for(self, name: str, job: str, is_there: Callable[[], bool]) -> None:
        """Wait for a part of an election, whose job comes next, or until all is done."""
        with self._lock:
            if (name, job) in self._waiting:
                self._waiting.remove((name, job))
                self._waiting.insert(0, (name, job))
        while name in self.unfinished and not is_there():
            time.sleep(STEP)

    def wait(self) -> None:
        """Wait until all is done."""
        while self.unfinished:
            time.sleep(STEP)

    def stop(self) -> None:
        """End the processes; what they have compiled is kept."""
        with self._lock:
            self._waiting.clear()
            for process in self._running:
                process.kill()
                process.wait()
            self._running.clear()

    def kill(self) -> None:
        """End the processes without waiting for anything, before this one ends at once."""
        for process in [*self._running]:
            process.kill()

    def _drive(self) -> None:
        """Start processes and look after them until there is nothing more to do."""
        while True:
            with self._lock:
                self._look()
                if not self._running and not self._waiting:
                    self._thread = None
                    return
            time.sleep(STEP)

    def _look(self) -> None:
        ended: list[tuple[str, bool]] = []
        for process, name in list(self._running.items()):
            status = process.poll()
            if status is not None:
                del self._running[process]
                ended.append((name, status == 0))
        while self._waiting and len(self._running) < processes():
            name, job = self._waiting.pop(0)
            try:
                self._running[_start(name, job)] = name
            except OSError:  # no room for another process
                ended.append((name, False))
        self._failed |= {name for name, well in ended if not well}
        for name in dict(ended):
            if not self._is_under_way(name):
                self._end(name)

    def _end(self, name: str) -> None:
        well = name not in self._failed
        if well and (mark := _mark(name)):
            with suppress(OSError):  # a full disk: then it is done again
                mark.touch()
        self._tell(name, time.perf_counter() - self._begun[name] if well else 0.0)


def job_of(part: str, changed: bool) -> str:
    """Return the job that compiles a part, with changed rules or those of the election."""
    job = JOB_OF.get(part, "")
    return "rules" if changed and job != "explorer" else job


def processes() -> int:
    """Return how many processes compile at the same time."""
    from amoebot.engine_runs import cores

    return min(cores(), len(SECONDS))


def expected_seconds(has_lanes: bool) -> int:
    """Return about how long it takes to compile an election, in tens of seconds."""
    busy = [0] * processes()  # until when
    for job, seconds in SECONDS.items():
        soonest = busy.index(min(busy))
        busy[soonest] += seconds - (0 if has_lanes else OF_LANES.get(job, 0))
    return 10 * -(-max(busy) // 10)


def is_wanted(name: str) -> bool:
    """Whether an election is still to be compiled as a whole."""
    mark = _mark(name)
    if mark is None or mark.exists():
        return False
    return not (_is_edited_in_place() and any(mark.parent.glob(f"{mark.stem}.*")))


def _mark(name: str) -> Path | None:
    """Return the file that says so, for this version, Python and processor: others may share it."""
    from numba.core.registry import cpu_target

    folder = code_folder()
    machine = sys.implementation.cache_tag + repr(cpu_target.target_context.codegen().magic_tuple())
    digest = hashlib.sha256(machine.encode()).hexdigest()[:16]
    return folder / f"whole-{name}-{digest}.{digest_of_sources()[:16]}" if folder else None


@cache
def _is_edited_in_place() -> bool:
    """Whether these sources are not those of an installed version."""
    try:
        installed = distribution("amoebot")
    except PackageNotFoundError:
        return True
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    own = Path(__file__).parents[1]
    is_other = Path(str(installed.locate_file("amoebot"))).resolve() != own.resolve()
    return is_other or bool(origin.get("dir_info", {}).get("editable"))


def _start(name: str, job: str) -> subprocess.Popen[bytes]:
    # Its input stays open for as long as this process lives, however that ends.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, name, job],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(ORPHANED)


def do(name: str, job: str) -> None:
    """Call everything once that the job is about."""
    from amoebot import shapes
    from amoebot.batch import Elections, warm_up
    from amoebot.engine.names import LEAST_AGENTS, WORTHWHILE
    from amoebot.linking import Rules
    from amoebot.options import Options
    from amoebot.verify import verify

    options = Options(algorithm=name)
    if job == "elections":
        warm_up(options)
    elif job == "many":
        Elections(shapes.hexagon(10), options).warm_up(WORTHWHILE)
    elif job == "large":
        warm_up(options, LEAST_AGENTS)
    elif job == "explorer":
        verify("line:2", algorithm=name)
    elif job == "by hand":
        act_by_hand(options)
    else:
        # What calls changed rules is the same whatever they are.
        options = options.with_(rules=Rules.parse(UNCHANGED, "unchanged", name))
        warm_up(options)
        act_by_hand(options)


#: A rule that all elections have, as it is.
UNCHANGED = "def terminate(me):\n    me.terminated = 1\n"


def act_by_hand(options: Options) -> None:
    """Call everything once that chooses who is activated, or coins."""
    from amoebot import Simulation, shapes
    from amoebot.scheduler import OwnScheduler

    simulation = Simulation.of(shapes.hexagon(1), options)
    simulation.coins_ahead(0)
    simulation.activate(0, coins=[0])
    simulation.activate(0)
    simulation.goto(1)
    Simulation.of(shapes.hexagon(1), options.with_(faults="crash 0@1, corrupt 1@1")).goto(2)
    Simulation.of(shapes.hexagon(1), options.with_(scheduler=OwnScheduler(_first))).goto(1)


def _first(world: Any, waiting: Any) -> Any:
    return waiting.argmax()


if __name__ == "__main__":
    import amoebot.verify  # noqa: F401  # on Windows, no library loads while a thread reads input

    threading.Thread(target=_end_with_parent, daemon=True).start()
    do(*sys.argv[1:])
