"""What a command says of the compiler: what it compiles, how long that takes, and how often."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from numba.core.event import Listener, install_listener

from amoebot.cache import code_folder
from amoebot.cli.whole_election import WholeElections, expected_seconds, is_wanted, job_of
from amoebot.linking.link import label_of
from amoebot.machine_code import telling_ahead

#: Seconds of compiling that need no line: most features have a small function of their own, and a
#: changed rule has those that call it compiled with it.
SHORT = 10.0


class _Stopwatch(Listener):  # type: ignore[misc]
    """Measures how long Numba compiles, and what; code from the cache does not count."""

    def __init__(self, begin: Callable[[str, int, str], None]) -> None:
        self.begin = begin  # called before something is compiled that takes long
        self.seconds = 0.0
        self.parts: dict[str, str] = {}  # what takes long, and how often it does
        self.small: dict[str, str] = {}  # all other functions, likewise
        self._depth = 0  # compiling one function compiles those it calls
        self._start = 0.0
        self._theirs: Any = None

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._start = _ahead.time_at_work()
            self._theirs = _on_interrupt(_leave_at_once)
            self._look(event.data["dispatcher"])
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += _ahead.time_at_work() - self._start
            _on_interrupt(self._theirs)

    def _look(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        name, seconds = getattr(function, "takes_long", ("", 0))
        label = label_of(function)
        part = f"{name} of {label.title}" if label else name
        is_kept = dispatcher._cache.cache_path is not None
        if not name:
            rules = label.rules if label else ""
            self.small[rules or "small functions"] = _how_often(
                is_kept, "these rules" if rules else "this version"
            )
        elif part not in self.parts:
            self.parts[part] = _how_often(is_kept, label.once_for if label else "this version")
            self.begin(part, seconds, self.parts[part])


def _how_often(is_kept: bool, unit: str = "this version") -> str:
    """Return how often something is compiled."""
    if code_folder() is None:
        if place := os.environ.get("AMOEBOT_CACHE"):
            return f"each time: nothing can be kept in {place}, see AMOEBOT_CACHE"
        return "set AMOEBOT_CACHE to keep them"
    return f"once for {unit}" if is_kept else "each time"


class _Ahead:
    """Has each built-in election compiled as a whole when something of it is needed."""

    def __init__(self) -> None:
        self.elections = WholeElections(self._tell_end)
        self._waited = 0.0  # seconds

    def __call__(self, function: Callable[..., Any], is_there: Callable[[], bool]) -> None:
        """Begin, and wait for a function that takes long: others are compiled here meanwhile."""
        label = label_of(function)
        if label is None or not label.election:
            return
        name = label.election
        if not self.elections.has_begun(name) and is_wanted(name):
            package = str(function.__module__).partition(".")[0]
            lanes = sys.modules[f"{package}.algorithms.interface"].LANES > 0
            _tell_beginning(name, f"about {expected_seconds(lanes)} s, {_how_often(True)}")
            self.elections.begin(name)
        if self.elections.has_begun(name) and hasattr(function, "takes_long"):
            start = time.perf_counter()
            part = function.takes_long[0]
            self.elections.wait_for(name, job_of(part, bool(label.rules)), is_there)
            self._waited += time.perf_counter() - start

    def time_at_work(self) -> float:
        """Return a time that stands still while this process waits for others."""
        return time.perf_counter() - self._waited

    def finish(self) -> None:
        """Wait for what is under way."""
        for name in self.elections.unfinished:
            _tell_beginning(f"the rest of {name}", "Ctrl-C leaves it for later")
        self.elections.wait()

    @staticmethod
    def _tell_end(name: str, seconds: float) -> None:
        words = f"Compiled {name} ({_how_often(True)}) in {seconds:.1f} s."
        failed = f"Not all of {name} could be compiled: the next command tries again."
        with suppress(OSError, ValueError):  # nobody listens any more
            print(words if seconds else failed, file=sys.stderr, flush=True)


_ahead = _Ahead()


def are_elections_under_way() -> bool:
    """Whether elections are being compiled."""
    return bool(_ahead.elections.unfinished)


def finish_elections() -> None:
    """Wait until the elections in use are compiled as a whole."""
    _ahead.finish()


def leave_elections() -> None:
    """Leave for later what is still to be compiled of the elections in use."""
    _ahead.elections.stop()


def _tell_beginning(what: str, more: str) -> None:
    if _is_watched():
        print(f"Compiling {what}: {more} …", file=sys.stderr, flush=True)


def _on_interrupt(handler: Any) -> Any:
    """Set the handler of Ctrl-C and return the old one; outside the main thread, do nothing."""
    if handler is None or threading.current_thread() is not threading.main_thread():
        return None
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script
        return None
    return signal.signal(signal.SIGINT, handler)


def _leave_at_once(number: int, frame: Any) -> None:
    """Leave without another word of the compiler, which does not survive an exception anywhere."""
    shown = "\033[?25h" if _is_watched() else ""  # a progress bar has hidden the cursor
    print(f"{shown}\namoebot: interrupted", file=sys.stderr, flush=True)
    _ahead.elections.kill()
    os._exit(130)


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error, in one line, what has been compiled here and how long it took.

    Nothing is said where nothing is compiled, or hardly anything. In a terminal, a line for each
    part that takes long says so at its beginning. Built-in elections are compiled as a whole, which
    goes on until ``finish_elections``.
    """

    def begin(part: str, seconds: int, how_often: str) -> None:
        _tell_beginning(part, f"about {seconds} s, {how_often}")

    stopwatch = _Stopwatch(begin)
    with install_listener("numba:compile", stopwatch), telling_ahead(_ahead):
        yield
    short = 0.0 if code_folder() is None else SHORT
    if _ahead.elections.have_begun:  # the small ones are part of that, and have one line with it
        short = float("inf")
    if stopwatch.seconds and (stopwatch.parts or stopwatch.seconds >= short):
        parts = stopwatch.parts or stopwatch.small
        told = ", ".join(f"{part} ({how_often})" for part, how_often in parts.items())
        print(f"Compiled {told} in {stopwatch.seconds:.1f} s.", file=sys.stderr, flush=True)
