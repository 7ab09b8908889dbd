"""Rules and schedulers that never end: compiled code handles no signal; another thread does."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

from numba.core import event

#: Seconds that a call has to end after Ctrl-C, or after a limit of time.
GRACE = 3.0

#: Seconds between two looks at what is under way.
STEP = 0.25

#: Calls of what the user wrote, those that others made last.
_under_way: dict[calling, None] = {}


class _Compiling(event.Listener):  # type: ignore[misc]  # it has no types
    """Knows whether some thread is compiling; Numba's lock says so only to the thread that is."""

    depth = 0

    def on_start(self, event: event.Event) -> None:
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1


_compiling = _Compiling()
event.register("numba:compiler_lock", _compiling)


def is_compiling() -> bool:
    """Whether some thread is compiling."""
    return _compiling.depth > 0


class calling:  # noqa: N801  # a context, called once for each activation
    """A call that should end within moments is under way."""

    __slots__ = ("thread", "what")

    def __init__(self, what: str = "a rule") -> None:
        """Say what would be to blame if it never ends."""
        self.what, self.thread = what, threading.get_ident()

    def __enter__(self) -> None:
        """Begin."""
        _under_way[self] = None

    def __exit__(self, *_: object) -> None:
        """End."""
        _under_way.pop(self, None)


def calls_of(thread: int) -> list[calling]:
    """Return the calls that a thread has begun and not ended."""
    return [call for call in [*_under_way] if call.thread == thread]


def end_with_ctrl_c() -> None:
    """Let Ctrl-C end this program even if a rule or a scheduler never does.

    The signal is heard by a thread of its own, whatever the main thread is doing.
    """
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        while number := heard.recv(1):
            before = [*_under_way] if number[0] == signal.SIGINT else []
            time.sleep(GRACE if before else 0)
            if endless := [call for call in before if call in _under_way]:
                _leave(f"interrupted, and {endless[-1].what} does not end", 130)

    told.detach()  # it is needed until the program ends
    threading.Thread(target=wait, daemon=True, name="ctrl-c").start()


def give_up_after(seconds: float) -> None:
    """End this program if a call goes on well after this time, compiling not counted."""

    def wait() -> None:
        ages: dict[calling, float] = {}
        while max(ages.values(), default=0.0) < seconds + GRACE:
            time.sleep(STEP)
            step = 0.0 if is_compiling() else STEP
            ages = {call: ages.get(call, 0.0) + step for call in [*_under_way]}
        endless = [call for call, age in ages.items() if age >= GRACE]
        _leave(f"{endless[-1].what} does not end: given up after {seconds:g} s", 2)

    threading.Thread(target=wait, daemon=True, name="time limit").start()


def _leave(words: str, status: int) -> None:
    with suppress(OSError, ValueError):
        print(f"amoebot: {words}", file=sys.stderr, flush=True)
    os._exit(status)
