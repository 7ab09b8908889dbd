"""What a command says of the compiler: what it compiles, how long that takes, and how often."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.event import Listener, install_listener

from amoebot.cache import cache_folder

#: Seconds of compiling that need no line: most features have a small function of their own.
SHORT = 2.0


class _Stopwatch(Listener):  # type: ignore[misc]
    """Measures how long Numba compiles, and what; code from the cache does not count."""

    def __init__(self, begin: Callable[[str, int, str], None]) -> None:
        self.begin = begin  # called before something is compiled that takes long
        self.seconds = 0.0
        self.parts: dict[str, str] = {}  # what takes long, and how often it does
        self._depth = 0  # compiling one function compiles those it calls
        self._start = 0.0
        self._theirs: Any = None

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._start = time.perf_counter()
            self._theirs = _on_interrupt(_leave_at_once)
            self._look(event.data["dispatcher"])
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start
            _on_interrupt(self._theirs)

    def _look(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        name, seconds = getattr(function, "takes_long", ("", 0))
        linked = sys.modules.get(str(function.__module__).partition(".")[0])
        title = getattr(linked, "TITLE", "")
        part = f"{name} of {title}" if title else name
        if name and part not in self.parts:
            self.parts[part] = _how_often(dispatcher._cache.cache_path is not None)
            self.begin(part, seconds, self.parts[part])


def _how_often(is_kept: bool) -> str:
    """Return how often something is compiled."""
    if cache_folder() is None:
        return "set AMOEBOT_CACHE to keep them"
    return "once for this version" if is_kept else "each time"


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
    os._exit(130)


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error, in one line, what has been compiled here and how long it took.

    Nothing is said where nothing is compiled, or hardly anything. In a terminal, a line for each
    part that takes long says so at its beginning.
    """

    def begin(part: str, seconds: int, how_often: str) -> None:
        if _is_watched():
            words = f"Compiling {part}: about {seconds} s, {how_often} …"
            print(words, file=sys.stderr, flush=True)

    stopwatch = _Stopwatch(begin)
    with install_listener("numba:compile", stopwatch):
        yield
    short = 0.0 if cache_folder() is None else SHORT
    if stopwatch.seconds and (stopwatch.parts or stopwatch.seconds >= short):
        parts = stopwatch.parts or {"small functions": _how_often(True)}
        told = ", ".join(f"{part} ({how_often})" for part, how_often in parts.items())
        print(f"Compiled {told} in {stopwatch.seconds:.1f} s.", file=sys.stderr, flush=True)
