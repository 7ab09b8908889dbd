"""Run files: a run is a pure function of a few words, so a file of one line holds all of it.

The line is a JSON object. ``shape`` is a shape string such as ``hexagon:10`` (with ``shape_seed``
if it is a random one), or an object with ``nodes`` and, if need be, ``expanded`` and ``offsets``.
``seed`` and ``options`` are those of ``Simulation``. ``schedule`` has the particles that were
activated by hand, from the moment ``by_hand_from`` on: rounds, and activations after them; and
``coins`` has for each of them a list of how its coins fall, empty where the seed says that. A run
with changed rules has their name and digest under ``rules``: rules are Python, so whoever loads
the file gives them, and they are never taken from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.algorithms import registry
from amoebot.algorithms.interface import NO_COIN
from amoebot.arguments import is_whole, whole
from amoebot.by_hand import LAST_SIDE, sides
from amoebot.engine.names import BY_HAND, check_scheduler
from amoebot.errors import ExplainedError
from amoebot.files import as_path
from amoebot.linking import Rules
from amoebot.options import MOST_SEED, Options
from amoebot.shapes import GENERATORS, Shape, ShapeError, parse
from amoebot.shapes import json_file as shape_json
from amoebot.shapes.errors import brief
from amoebot.shapes.expansion import shuffled
from amoebot.simulation import Simulation

#: Files beyond this size are refused before they are read.
MOST_BYTES = 64_000_000

COINS_MESSAGE = f'"coins" must be a list of lists of whole numbers from {NO_COIN} to {LAST_SIDE}'

#: The last whole number that JSON has in every language.
LAST_EXACT = 2**53 - 1

#: Activations of units at once on the way to where a schedule by hand begins.
PIECE = 300_000


class RunError(ExplainedError, ValueError):
    """Invalid run file."""

    topic = "run-files"


@dataclass(frozen=True)
class Run:
    """All that a run is."""

    shape: Shape
    options: Options = field(default_factory=Options)
    by_hand_from: tuple[int, int] | None = None
    schedule: tuple[int, ...] = ()  #: the particles activated by hand
    coins: tuple[Any, ...] = ()  #: for each of these, how its coins fall; as drawn if it has none
    shape_text: str | None = None  #: the shape string, where the shape has one
    shape_seed: int = 0
    note: str = ""  #: what a counterexample shows

    @property
    def rules(self) -> Rules | None:
        """The rules that it is run with, where they were changed."""
        return self.options.rules

    def simulation(self, progress: Callable[[float], None] = lambda share: None) -> Simulation:
        """Return the run at its beginning; the schedule made by hand is still to come.

        Getting to where it begins, and through it, may take long: ``progress`` is called meanwhile
        with the share of the rounds before it that are done, and what it raises ends that.
        """
        if self.by_hand_from is None:
            return Simulation.of(self.shape, self.options)
        simulation = Simulation.of(self.shape, self.options.with_(faults=()))
        rounds, position = self.by_hand_from
        piece = max(1, PIECE // max(1, len(simulation.memory)))
        while simulation.rounds + piece < rounds:
            before = simulation.steps
            simulation.goto(simulation.rounds + piece)
            progress(simulation.rounds / rounds)
            if simulation.steps == before:  # everyone has terminated
                break
        simulation.goto(rounds, position)
        if self.options.faults:
            simulation.expect(self.options.faults)
        for number, particle in enumerate(self.schedule):
            coins = self.coins[number] if number < len(self.coins) else ()
            simulation.activate(particle, coins)
            if number % 1000 == 0:
                progress(1.0)
        simulation.goto(0)
        return simulation

    def as_dict(self) -> dict[str, Any]:
        """Return what the file says."""
        content: dict[str, Any] = {"shape": self.shape_text or _nodes_of(self.shape)}
        if self.shape_text and self.shape_seed:
            content["shape_seed"] = self.shape_seed
        content |= {"seed": self.options.seed, "options": self.options.as_dict()}
        if self.options.max_rounds is not None:
            content["options"]["max_rounds"] = self.options.max_rounds
        if self.by_hand_from is not None:
            content |= {"by_hand_from": list(self.by_hand_from), "schedule": list(self.schedule)}
        if self.coins:
            content["coins"] = list(self.coins)
        if self.note:
            content["note"] = self.note
        if self.rules is not None:
            content["rules"] = self.rules.reference()
        return content

    def text(self) -> str:
        """Return the one line."""
        return json.dumps(self.as_dict()) + "\n"


def of(simulation: Simulation) -> Run:
    """Return the run of a simulation."""
    by_hand = simulation.is_by_hand
    return Run(
        simulation.shape,
        simulation.options,
        simulation.by_hand_from if by_hand else None,
        simulation.schedule if by_hand else (),
        chosen_coins(simulation),
        shape_text=shape_string(simulation.shape),
    )


def chosen_coins(simulation: Simulation) -> tuple[list[int], ...]:
    """Return how coins fall for each particle activated by hand; nothing if none was chosen."""
    chosen = simulation.chosen_coins
    return tuple(map(list, chosen)) if any(chosen) else ()


def shape_string(shape: Shape) -> str | None:
    """Return the string that stands for a shape, if its name is one and says all there is."""
    name = shape.name.partition(":")[0]
    if name not in GENERATORS or len(shape) > 1_000_000:
        return None
    try:
        return shape.name if parse(shape.name) == shape else None
    except ShapeError:
        return None


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write the run of a simulation to a file."""
    file, text = as_path(path, RunError), of(simulation).text()
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RunError(f"{brief(file)}: {(error.strerror or str(error)).lower()}") from None


def load(
    path: str | os.PathLike[str], rules: Rules | None = None, algorithm: str | None = None
) -> Simulation:
    """Return the simulation that a run file describes, at its beginning.

    A file only names its election and rules, and never runs what it names.

    Args:
        path: The file, as ``Simulation.save`` or ``amoebot verify`` wrote it.
        rules: The changed rules that it was run with, if it was.
        algorithm: The election, if it is none of those that come with the package.

    Raises:
        RunError: If the file cannot be read, or is not a run.
        ShapeError: If its shape is invalid.
    """
    return read(path, rules, algorithm).simulation()


def read(
    path: str | os.PathLike[str], rules: Rules | None = None, algorithm: str | None = None
) -> Run:
    """Return the run that a file describes; rules and elections from elsewhere have to be given."""
    file = as_path(path, RunError)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise RunError(f"{brief(file)}: a run file has at most {MOST_BYTES:,} bytes")
        run = from_text(file.read_text(encoding="utf-8-sig"), str(file), rules, algorithm)
    except OSError as error:
        raise RunError(f"{brief(file)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RunError(f"{brief(file)}: this is not a text file") from None
    election = run.options.election
    if algorithm is not None and registry.find(algorithm) != election:
        raise RunError(f"{brief(file)}: this is a run of {election.name}, and not of {algorithm}")
    return run


def looks_like_run(text: str) -> bool:
    """Whether a JSON document is a run rather than a shape."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "shape" in content


def from_text(
    text: str, name: str = "run", rules: Rules | None = None, algorithm: str | None = None
) -> Run:
    """Return the run that a line of JSON describes."""
    try:
        return from_dict(json.loads(text), name, rules, algorithm)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]} (line {error.lineno})"
        raise RunError(f"{brief(name)}: this is not a run file: {reason}") from None
    except RecursionError:
        raise RunError(f"{brief(name)}: the brackets are nested too deeply") from None
    except RunError as error:
        raise RunError(f"{brief(name)}: {error}") from None


def from_dict(
    content: Any, name: str = "run", rules: Rules | None = None, algorithm: str | None = None
) -> Run:
    """Return the run that an object describes; unknown keys are ignored."""
    if not isinstance(content, dict) or "shape" not in content:
        raise RunError('a run is an object {"shape": …, "seed": …, "options": {…}}')
    shape_seed = _whole(content.get("shape_seed", 0), "shape_seed")
    shape, text = _shape(content["shape"], shape_seed, name)
    given_seed = content.get("seed", 0)
    seed = _whole(0 if given_seed is None else given_seed, "seed")
    given_rules = _check_rules(content.get("rules"), rules)
    options = _options(content.get("options"), seed, given_rules, algorithm)
    schedule = _numbers(content.get("schedule"), "schedule", shape.particles)
    moment = _numbers(content.get("by_hand_from"), "by_hand_from")
    if content.get("by_hand_from") is None and schedule:
        moment = (0, 0)
    elif content.get("by_hand_from") is not None and len(moment) != 2:
        raise RunError('"by_hand_from" must be two numbers: rounds, and activations after them')
    return Run(
        shape,
        options,
        (moment[0], moment[1]) if moment else None,
        schedule,
        _coins(content.get("coins")),
        text,
        shape_seed if text else 0,
        _note(content, given_seed),
    )


def _check_rules(named: Any, given: Rules | None) -> Rules | None:
    """Return the rules that were given, if they are those that the file names."""
    if named is None:
        return given
    if not isinstance(named, dict) or not isinstance(named.get("name"), str):
        raise RunError('"rules" must be an object with "name" and "digest"')
    name = brief(named["name"])
    if given is None:
        raise RunError(f"this is a run with changed rules, {name}: give them too (--rules FILE)")
    if named.get("digest") != given.digest:
        raise RunError(f"this run was made with other rules, {name}, than those of {given.name}")
    return given


def _note(content: dict[str, Any], seed: int | None) -> str:
    """Return the note in a run file, such as the property that the run violates."""
    given = {key: content.get(key) for key in ("note", "property")}
    for key, text in given.items():
        if not isinstance(text, str | None):
            raise RunError(f'"{key}" must be text')
    if given["note"]:
        return str(given["note"])
    note = f"Counterexample to: {given['property']}." if given["property"] else ""
    # The explorer looks for a seed that gives its coins and orders, and may have found none.
    other = "No seed gives this run: within a particle, agents may act in another order here."
    return f"{note} {other}".strip() if seed is None else note


def go_on(simulation: Simulation, run: Run) -> None:
    """Let a run go on after its schedule by hand: as the user's scheduler says, or fairly."""
    if run.by_hand_from is not None and isinstance(run.options.scheduler, str):
        particles, done = simulation.system.particles, len(run.schedule)
        simulation.follow(fair_schedule(particles, run.options.seed, done))


def fair_schedule(particles: int, seed: int, done: int) -> Iterator[NDArray[np.integer[Any]]]:
    """Yield particles that go on after ``done`` ones by hand: everyone, again and again.

    The order is random. Who is number k depends on k and the seed alone. They come in arrays.
    """
    for block in count(done // particles):
        order = shuffled(particles, np.uint64(rng.key(np.uint64(seed), rng.FAIR, block)))
        yield order[max(0, done - block * particles) :]


def _shape(given: Any, seed: int, name: str) -> tuple[Shape, str | None]:
    """Return a shape, and its string if that is what was given. Never reads a file."""
    if isinstance(given, str):
        if given.partition(":")[0].strip() not in GENERATORS:
            raise RunError(f"{brief(given)} is not a known shape ({', '.join(GENERATORS)})")
        return parse(given, seed), given.strip()
    if not isinstance(given, dict):
        raise RunError('"shape" must be a shape string or an object with "nodes"')
    title = given.get("name")
    if not isinstance(title, str | None):
        raise RunError('the "name" of a shape must be text')
    known = {key: given[key] for key in ("nodes", "expanded", "offsets") if given.get(key)}
    shape = shape_json.read(json.dumps(known).encode(), title or name)
    return shape, None


def _nodes_of(shape: Shape) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(shape_json.document(shape))
    return {"name": shape.name, **content}


def _options(given: Any, seed: int, rules: Rules | None, algorithm: str | None) -> Options:
    if not isinstance(given, dict | None):
        raise RunError('"options" must be an object')
    own = dict(given or {})
    scheduler = own.pop("scheduler", Options.scheduler)
    known = Options.scheduler if scheduler == BY_HAND else scheduler
    election = _election(own.pop("algorithm", Options.algorithm), algorithm)
    max_rounds = own.pop("max_rounds", None)
    faults = own.pop("faults", "")
    try:
        check_scheduler(known)  # what a file names is never run
        if not isinstance(faults, str):
            raise RunError('"faults" must be text, such as "crash 3@10"')
        return Options(seed, known, election, own, max_rounds, rules, faults)
    except ValueError as error:
        raise RunError(str(error)) from None


def _election(named: Any, given: str | None) -> str:
    """Return an election that comes with the package, or the one that was given by hand."""
    if given is not None and named == registry.find(given).name:
        return given
    if named not in registry.built_in():
        raise RunError(
            f"this is a run of the election {brief(str(named))}: give it too (--algorithm FILE)"
        )
    return str(named)


def _whole(value: Any, name: str) -> int:
    try:
        return whole(_exact(value), name, 0, MOST_SEED)
    except ValueError:
        raise RunError(f'"{name}" must be a whole number from 0 to 2^64 - 1') from None


def _exact(value: Any) -> Any:
    """Return the whole number that a value is; JSON has one kind of number, so 1.0 is 1."""
    is_exact = isinstance(value, float) and value.is_integer() and abs(value) <= LAST_EXACT
    return int(value) if is_exact else value


def _coins(given: Any) -> tuple[list[int], ...]:
    """Return how coins fall for each activation by hand: a list of sides each.

    A whole number stands there in files of the first version, whose seed gives the same coins.
    """
    if given is None:
        return ()
    if not isinstance(given, list):
        raise RunError(COINS_MESSAGE)
    lists = [[] if is_whole(_exact(one)) else one for one in given]
    if not all(isinstance(one, list) for one in lists):
        raise RunError(COINS_MESSAGE)
    try:
        return tuple([*sides(map(_exact, one))] for one in lists)
    except ValueError:
        raise RunError(COINS_MESSAGE) from None


def _numbers(values: Any, name: str, below: int | None = None) -> tuple[int, ...]:
    if values is None:
        return ()
    if not isinstance(values, list):
        raise RunError(f'"{name}" must be a list')
    numbers = tuple(_whole(value, name) for value in values)
    for value in numbers:
        if below is not None and value >= below:
            raise RunError(f'"{name}" names particle {value}: they are numbered 0 to {below - 1}')
    return numbers
