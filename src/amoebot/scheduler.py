"""Schedulers of one's own: particles in any order, or a function that sees the run and chooses."""

from __future__ import annotations

import inspect
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import count, islice
from threading import Lock
from types import FunctionType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from amoebot import jit
from amoebot.engine.names import BY_HAND, check_scheduler
from amoebot.errors import SchedulerError
from amoebot.files import as_path, read_text, run_file, shown
from amoebot.linking import failures, fixed, read_only
from amoebot.linking.recursion import recursion

#: A round with this many activations per particle is taken never to end: the scheduler is unfair.
MOST_PER_ROUND = 1_000

#: A particle by its number, or several in the order in which they are activated.
Particles = int | Sequence[int] | NDArray[np.integer[Any]]

#: What holds several particles that are all known.
LISTS = (list, tuple, range, np.ndarray)

NO_PARTICLE_MESSAGE = "a scheduler needs at least one particle to activate"

#: What can be iterated over, but is no order of particles.
NO_ORDERS = (str, bytes, bytearray, Mapping, Set)

#: What can be given as a scheduler.
SchedulerLike = str | os.PathLike[str] | Iterable[Particles] | Callable[..., Any]

#: Particles that are taken at once from what repeats itself, and so cannot look at a run.
AT_ONCE = 1_000


class OwnScheduler:
    """A scheduler that the user provides.

    It is an iterable of particles, from whose beginning each run starts. Or it is a function of the
    simulation that returns the particle to activate next; if it is a generator function, it is
    called once for each run, and yields them. In the place of a particle there can be several, in a
    list or an array: they are activated in one compiled call. Or it is a function of two arguments,
    ``(world, waiting)``, that returns a particle: it is compiled too.
    """

    def __init__(self, given: Iterable[Particles] | Callable[..., Any], name: str = "") -> None:
        """Take an iterable or a function, with the name that results have for it."""
        self._given = given
        self._function = given if callable(given) else None
        self._kept = _Kept(() if callable(given) else given)
        self.name = name or getattr(given, "__name__", BY_HAND)
        #: Whether it is a function of ``world`` and ``waiting``.
        self._of_arrays = _is_of_arrays(self._function)
        if self._of_arrays:
            self._check_that_it_only_looks()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> OwnScheduler:
        """Return what a Python file calls ``scheduler``; it is named after the file."""
        file = as_path(path, SchedulerError)
        return cls.parse(read_text(file, SchedulerError), file.stem)

    @classmethod
    def parse(cls, text: str, name: str) -> OwnScheduler:
        """Return what the text of a Python file calls ``scheduler``."""
        found = vars(run_file(text, name, SchedulerError))
        if "scheduler" not in found:
            raise SchedulerError(f"{name}.py: it defines no function called scheduler")
        try:
            return cls(check_order(found["scheduler"]), name)
        except SchedulerError as error:
            raise SchedulerError(f"{name}.py: {error}") from None

    def __repr__(self) -> str:
        """Return the name."""
        return f"OwnScheduler({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Whether both were made of the same, so that equal runs have equal results."""
        if not isinstance(other, OwnScheduler):
            return False
        listed = isinstance(self._given, list | tuple | range)  # comparing others may not end
        return self._given is other._given or (listed and self._given == other._given)

    @property
    def listed(self) -> Any:
        """The particles, if they are all known; otherwise, none."""
        return self._given if isinstance(self._given, LISTS) else ()

    def __hash__(self) -> int:
        """Hash by name."""
        return hash(self.name)

    @cached_property
    def compiled(self) -> Any:
        """The compiled function, if it is one of ``world`` and ``waiting``."""
        if not self._of_arrays:
            return None
        plain = jit.source(self._function)
        with self.explaining():
            if (repeated := recursion(plain)) is not None:
                raise SchedulerError(f"the scheduler {self.name} cannot be compiled: {repeated}")
            return _compiled(plain)

    @property
    def asks_python(self) -> bool:
        """Whether each particle is chosen by a function that is not compiled."""
        return self._function is not None and not self._of_arrays

    def _check_that_it_only_looks(self) -> None:
        try:
            changed = read_only.change(jit.source(self._function))
        except (OSError, SyntaxError):  # or one that cannot be read without what is around it
            raise SchedulerError(
                f"the source of {self.name} cannot be found: write it to a file"
            ) from None
        if changed is not None:
            words = "must not change what it looks at"
            raise SchedulerError(f"the scheduler {self.name} {words}: {changed}")

    def pieces(self, simulation: Any) -> Iterator[Particles]:
        """Yield the particles of a run, one or several at a time, each time when asked to."""
        choices = self._choices(simulation)
        for number in count():
            with self.explaining():
                try:
                    piece = next(choices)
                except StopIteration:
                    if number == 0:
                        raise SchedulerError(NO_PARTICLE_MESSAGE) from None
                    return
            yield piece

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Say in one sentence what goes wrong in it."""
        try:
            yield
        except (SchedulerError, KeyboardInterrupt):
            raise
        except fixed.NotFixedError as error:
            where = f"{shown(error.function.__code__.co_filename)}, line {error.line}"
            words = f"the scheduler {self.name} cannot be compiled: {where}: {error}"
            raise SchedulerError(words) from None
        except BaseException as error:  # whatever is in it
            plain = jit.source(self._function)
            parts = read_only.called(plain) if inspect.isfunction(plain) else []
            went_wrong = "cannot be compiled" if isinstance(error, jit.CompilerError) else "failed"
            reason = failures.failure(error, *parts)
            raise SchedulerError(f"the scheduler {self.name} {went_wrong}: {reason}") from error

    def _choices(self, simulation: Any) -> Iterator[Particles]:
        if self._function is not None:
            if inspect.isgeneratorfunction(self._function):
                yield from self._function(simulation)
                return
            while True:
                yield self._function(simulation)
        elif isinstance(self._given, LISTS):
            yield from pieces_of(self._given)
        elif isinstance(self._given, itertools.cycle | itertools.repeat):
            kept = iter(self._kept)
            while some := [*islice(kept, AT_ONCE)]:
                yield from [whole] if (whole := whole_numbers(some)) else some
        else:
            yield from self._kept


class _Kept:
    """What an iterable has given, so that each run gets it from the beginning."""

    def __init__(self, given: Iterable[Particles]) -> None:
        self._rest = iter(given)
        self._given: list[Particles] = []
        self._lock = Lock()  # for runs in several threads

    def __iter__(self) -> Iterator[Particles]:
        for number in count():
            with self._lock:
                if number == len(self._given):
                    try:
                        self._given.append(next(self._rest))
                    except StopIteration:
                        return
            yield self._given[number]


def are_several(given: object) -> TypeGuard[Sequence[int] | NDArray[np.integer[Any]]]:
    """Whether these are several particles in a list, a tuple, a range or an array."""
    return isinstance(given, LISTS) and getattr(given, "ndim", 1) > 0


def pieces_of(given: Any) -> Iterable[Any]:
    """Return what a list is activated in: all of it at once, or element by element.

    Elements that are lists are pieces of several particles.
    """
    is_flat = isinstance(given, range) or not any(issubclass(one, LISTS) for one in _types(given))
    return [given] if is_flat else given


def _types(given: Any) -> set[type]:
    """Return the types of the elements of a list, a tuple or an array."""
    is_plain = isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype != object
    return {given.dtype.type} if is_plain else {*map(type, given)}


def whole_numbers(given: Sequence[Any]) -> list[int]:
    """Return these if they are Python's whole numbers and nothing else; otherwise, none."""
    return [*given] if {*map(type, given)} == {int} else []


def check_order(given: Any) -> Any:
    """Return a function, or particles in an order.

    Raises:
        SchedulerError: If it is neither.
    """
    if callable(given):
        return given
    is_order = isinstance(given, Iterable) and not isinstance(given, NO_ORDERS)
    if not is_order or getattr(given, "ndim", 1) == 0:
        words = "a scheduler is a function, or particles in a list"
        raise SchedulerError(f"{words}, and not {given!r}")
    if not given if isinstance(given, range) else isinstance(given, Sized) and len(given) == 0:
        raise SchedulerError(NO_PARTICLE_MESSAGE)
    return given


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
        return OwnScheduler(check_order(given))
    return check_scheduler(given)


def _is_of_arrays(given: object) -> bool:
    plain = jit.source(given)
    return inspect.isfunction(plain) and len(inspect.signature(plain).parameters) == 2


@lru_cache(maxsize=64)
def _compiled(function: FunctionType) -> Any:
    """Compile a function, and those that it calls, once for however many runs."""
    return fixed.fixed(read_only.called(function), jit.guarded)[function]
