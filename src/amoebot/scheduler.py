"""Schedulers of one's own: particles in any order, or a function that sees the run and chooses."""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from amoebot.engine.names import BY_HAND, check_scheduler
from amoebot.errors import SchedulerError
from amoebot.files import read_text, run_file

#: A round with this many activations per particle is taken never to end: the scheduler is unfair.
MOST_PER_ROUND = 1_000

#: What can be given as a scheduler.
SchedulerLike = str | os.PathLike[str] | Iterable[int] | Callable[[Any], Any]


class OwnScheduler:
    """A scheduler that the user provides.

    It is an iterable of particles, from whose beginning each run starts. Or it is a function of the
    simulation that returns the particle to activate next; if it is a generator function, it is
    called once for each run, and yields them.
    """

    def __init__(self, given: Iterable[int] | Callable[[Any], Any], name: str = "") -> None:
        """Take an iterable or a function, with the name that results have for it."""
        self._given = given
        self._function = given if callable(given) else None
        self._kept = _Kept(() if callable(given) else given)
        self.name = name or getattr(given, "__name__", BY_HAND)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> OwnScheduler:
        """Return what a Python file calls ``scheduler``; it is named after the file."""
        file = Path(path)
        return cls.parse(read_text(file, SchedulerError), file.stem)

    @classmethod
    def parse(cls, text: str, name: str) -> OwnScheduler:
        """Return what the text of a Python file calls ``scheduler``."""
        given = getattr(run_file(text, name, SchedulerError), "scheduler", None)
        if not (callable(given) or isinstance(given, Iterable)):
            raise SchedulerError(f"{name}.py: it defines no function called scheduler")
        return cls(given, name)

    def __repr__(self) -> str:
        """Return the name."""
        return f"OwnScheduler({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Whether both were made of the same, so that equal runs have equal results."""
        if not isinstance(other, OwnScheduler):
            return False
        listed = isinstance(self._given, list | tuple | range)  # comparing others may not end
        return self._given is other._given or (listed and self._given == other._given)

    def __hash__(self) -> int:
        """Hash by name."""
        return hash(self.name)

    def particles(self, simulation: Any) -> Iterator[int]:
        """Yield the particles of a run, each when it is needed."""
        try:
            yield from self._choices(simulation)
        except Exception as error:  # whatever is in it
            raise SchedulerError(f"the scheduler {self.name} failed: {_where(error)}") from error

    def _choices(self, simulation: Any) -> Iterator[int]:
        if self._function is None:
            yield from self._kept
        elif inspect.isgeneratorfunction(self._function):
            yield from self._function(simulation)
        else:
            while True:
                yield self._function(simulation)


class _Kept:
    """What an iterable has given, so that each run gets it from the beginning."""

    def __init__(self, given: Iterable[int]) -> None:
        self._rest = iter(given)
        self._given: list[int] = []
        self._lock = Lock()  # for runs in several threads

    def __iter__(self) -> Iterator[int]:
        for number in count():
            with self._lock:
                if number == len(self._given):
                    try:
                        self._given.append(next(self._rest))
                    except StopIteration:
                        return
            yield self._given[number]


def as_scheduler(given: object) -> str | OwnScheduler:
    """Return a scheduler by name, or one of the user's: a Python file, an iterable or a function.

    Raises:
        SchedulerError: If it is none of these.
    """
    if isinstance(given, OwnScheduler):
        return given
    if isinstance(given, os.PathLike) or (isinstance(given, str) and given.endswith(".py")):
        return OwnScheduler.read(given)
    if not isinstance(given, str) and (callable(given) or isinstance(given, Iterable)):
        return OwnScheduler(given)
    return check_scheduler(given)


def _where(error: Exception) -> str:
    """Return what went wrong, and in which line of the user's."""
    package = Path(__file__).parent
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(package)]
    line = f"line {own[-1].lineno}: " if own else ""
    return f"{line}{type(error).__name__}: {error}"
