"""Properties of one's own: functions of everyone's records at a moment."""

from __future__ import annotations

import inspect
import os
import reprlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from amoebot import jit
from amoebot.algorithms import registry
from amoebot.errors import ExplainedError
from amoebot.files import read_text, run_file
from amoebot.linking import failures, fixed, link, origins, purity, read_only, watchdog
from amoebot.verify.space import load
from amoebot.verify.widened import copy, look_at

#: The number of the first one, beside those that elections declare.
FIRST_NUMBER = 1 << 16

#: The parameter of a property, by which those in a file are recognised.
PARAMETER = "world"

Holds = Callable[[Any], Any]


class PropertyError(ExplainedError, ValueError):
    """Invalid property."""

    topic = "own-properties"


class OwnProperty:
    """A property given by a function of everyone's memory; it must hold at every moment.

    The function gets a ``World``, which cannot be changed. It is compiled, and if that is not
    possible, interpreted.
    """

    def __init__(self, holds: Holds) -> None:
        """Take a function; the property is called after the first line of its docstring."""
        plain = jit.source(holds)
        if not isinstance(plain, FunctionType):
            raise PropertyError(f"a property is a function, not {holds!r}")
        name = plain.__name__
        if len(inspect.signature(plain).parameters) != 1:
            raise PropertyError(f"the property {name} must be a function of one argument, world")
        try:
            # What it calls in other files is somebody else's, and taken to be right.
            parts = [one for one in read_only.called(plain) if one.__module__ == plain.__module__]
            found = [purity.complaint(one, one is plain, purity.PROPERTY) for one in parts]
            wrong = next((words for words in found if words), None)
            changed = read_only.change(plain)
        except (OSError, SyntaxError):
            raise PropertyError(f"the source of {name} cannot be found: use a file") from None
        if wrong is not None:
            raise PropertyError(wrong)
        if changed is not None:
            raise PropertyError(f"the property {name} must not change what it looks at: {changed}")
        text = inspect.getdoc(plain) or name.replace("_", " ")
        self.sentence = text.partition("\n")[0].rstrip(".")
        self._name, self._plain = name, plain
        try:
            compiled, twin = (fixed.fixed(parts, how)[plain] for how in (jit.guarded, jit.source))
        except fixed.NotFixedError as error:
            raise PropertyError(str(error)) from None
        checked = _checked(twin)
        first = int(jit.INTERPRETED)  # where nothing is compiled
        self._holds = [_checked(compiled), checked][first:]
        self._search = [jit.guarded(_search(compiled)), _search(checked)][first:]

    @property
    def is_left_to_interpreter(self) -> bool:
        """Whether the compiler could do nothing with it, though it is at work."""
        return not jit.INTERPRETED and 1 in (len(self._holds), len(self._search))

    def holds(self, world: Any) -> bool:
        """Whether it holds at a moment."""
        return bool(self._first_that_runs(self._holds, look_at(world)[0]))

    def first_against(self, model: Any, space: Any, first: int, last: int) -> int | None:
        """Return the first of some states of an exploration in which it does not hold."""
        world, (memory, particles) = look_at(model.world)
        found = self._first_that_runs(
            self._search,
            *(world, memory, particles, model.words, model.world.particles),
            *(space.states, space.places, space.memories, first, last),
        )
        return None if found < 0 else int(found)

    def _first_that_runs(self, ways: list[Callable[..., Any]], *arguments: Any) -> Any:
        """Call a compiled function or, once that has failed, the same one without the compiler."""
        while True:
            try:
                with watchdog.calling(f"the property {self._name}"):
                    return ways[0](*arguments)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever is in it
                if len(ways) == 1:
                    reason = failures.failure(error, *read_only.called(self._plain))
                    words = f"the property {self._name} failed: {reason}"
                    raise PropertyError(words) from error
                del ways[0]


def _checked(holds: Holds) -> Holds:
    """Refuse what is neither true nor false and a division by zero, as the compiler does.

    What takes more than 64 bits wraps around without a word, likewise.
    """

    def checked(world: Any) -> bool:
        with np.errstate(divide="raise", over="ignore"):
            found = holds(world)
        if not isinstance(found, bool | int | float | np.bool_ | np.number):
            raise TypeError(f"it returns {reprlib.repr(found)}, which is neither true nor false")
        return bool(found)

    return checked


def _search(holds: Holds) -> Callable[..., int]:
    def search(
        world: Any,
        memory: Any,
        wide_particles: Any,
        words: Any,
        particles: Any,
        states: Any,
        places: Any,
        memories: Any,
        first: int,
        last: int,
    ) -> int:
        for state in range(first, last):
            load(states, places, memories, words, particles, state)
            copy(memory)
            copy(wide_particles)
            if not holds(world):
                return state
        return -1

    return search


#: What can be given as properties: functions, or a Python file.
Properties = Sequence[Holds | OwnProperty] | str | os.PathLike[str]


def as_properties(given: Properties, algorithm: str = registry.DEFAULT) -> list[OwnProperty]:
    """Return properties: of functions, or of those functions of a Python file that take a world.

    They have names of their own, beside those of the election.
    """
    made = _made(given)
    taken = set(_sentences(algorithm)) if made else set()
    for one in made:
        if one.sentence.casefold() in taken:
            words = "name it otherwise in the first line of its docstring"
            raise PropertyError(f"there is a property called {one.sentence!r} already: {words}")
        taken.add(one.sentence.casefold())
    return made


@cache
def _sentences(algorithm: str) -> list[str]:
    """Return what the properties of an election are called."""
    linked = link(algorithm)
    known = linked.module("verify.properties")
    elects = linked.module("algorithms.interface").elects
    found = [known.AFTER_ELECTION.sentence, known.AFTER_TERMINATION.sentence]
    for chosen in (True, False):  # some are of an option, or without it
        options = dict.fromkeys((one.name for one in registry.options_of(algorithm)), chosen)
        found += [*known.state_properties(options).values(), elects(options)]
    return [sentence.casefold() for sentence in found]


def _made(given: Properties) -> list[OwnProperty]:
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        text = read_text(path, PropertyError)
        module = run_file(text, path.stem, PropertyError)
        plain = {name: jit.source(value) for name, value in vars(module).items()}
        own = {
            name: value
            for name, value in plain.items()
            if isinstance(value, FunctionType)
            and value.__module__ == module.__name__
            and [*inspect.signature(value).parameters] == [PARAMETER]
        }
        if not own:
            raise PropertyError(f"{path}: no function in it takes one argument, {PARAMETER}")
        try:
            made = [OwnProperty(one) for one in own.values()]
        except PropertyError as error:
            raise PropertyError(f"{path}: {error}") from None
        if differs := origins.complaint(text, own):
            raise PropertyError(f"{path}: {differs}")
        return made
    if not isinstance(given, Iterable):
        raise PropertyError(f"properties are functions in a list, or a file, and not {given!r}")
    return [one if isinstance(one, OwnProperty) else OwnProperty(one) for one in given]
