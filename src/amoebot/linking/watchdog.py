"""Rules and schedulers that never end: compiled code handles no signal; another thread does."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

from numba.core import event

from amoebot import last_resort

#: Seconds that a call has to end after Ctrl-C, or after a limit of time.
GRACE = 3.0

#: Seconds between two looks at what is under way.
STEP = 0.25

#: Seconds that the other thread is given before machine code ends the program.
LATER = 1.0

#: Calls of what the user wrote, those that others made last.
_under_way: dict[calling, None] = {}

_limit: float | None = None  # in seconds, for a call
_waiting: object = None  # which thread waits for that


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
        if _limit is not None:
            self.end_in(_limit + GRACE + LATER, _limit)

    def __exit__(self, *_: object) -> None:
        """End."""
        _under_way.pop(self, None)
        last_resort.call_off(calling)

    def end_in(self, seconds: float, limit: float) -> None:
        """Have the program end if this call does not end and no Python code runs."""
        last_resort.end_in(seconds, calling, self.given_up(limit))

    def given_up(self, limit: float) -> str:
        """Return what is said then."""
        return f"{self.what} does not end: given up after {limit:g} s"


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
        # Until this thread runs, a signal stays unread, which machine code notices.
        while select.select([heard], [], []) and (number := heard.recv(1)):
            before = [*_under_way] if number[0] == signal.SIGINT else []
            time.sleep(GRACE if before else 0)
            if endless := [call for call in before if call in _under_way]:
                _leave(f"interrupted, and {endless[-1].what} does not end", 130)

    told.detach()  # it is needed until the program ends
    last_resort.start(heard)
    threading.Thread(target=wait, daemon=True, name="ctrl-c").start()


def give_up_after(seconds: float | None) -> None:
    """End this program if a call goes on well after this time, compiling not counted.

    With None, calls may take as long as they like again.
    """
    global _limit, _waiting
    _limit, _waiting = seconds, object()
    last_resort.call_off(calling)
    if seconds is None:
        return
    mine = _waiting

    def wait() -> None:
        ages: dict[calling, float] = {}
        while mine is _waiting and (left := seconds + GRACE - max(ages.values(), default=0.0)) > 0:
            if ages:
                [*ages][-1].end_in(left + LATER, seconds)
            else:
                last_resort.call_off(calling)
            time.sleep(STEP)
            step = 0.0 if is_compiling() else STEP
            ages = {call: ages.get(call, 0.0) + step for call in [*_under_way]}
        if mine is _waiting:
            endless = [call for call, age in ages.items() if age >= GRACE]
            _leave(endless[-1].given_up(seconds), 2)
        last_resort.call_off(calling)

    threading.Thread(target=wait, daemon=True, name="time limit").start()


def _leave(words: str, status: int) -> None:
    with suppress(OSError, ValueError):
        print(f"amoebot: {words}", file=sys.stderr, flush=True)
    os._exit(status)
