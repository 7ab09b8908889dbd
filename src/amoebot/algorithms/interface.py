"""What an election provides.

An election is a package (or one module) with the names below, in modules
as ``PROVIDED`` lists them.
The engine and the explorer import these names from here; ``linking`` puts those of an election in
their place. What has a value here can be left out.

An election works on *units* with a memory each, in one of two ways:

- on rings (``ON_NODES = False``): a unit is an agent of a boundary. Its rules get its own memory
  and those of its predecessor and successor.
- on nodes (``ON_NODES = True``): a unit is an occupied node, in the interior too. Its rules get its
  own memory and those at the six neighbouring nodes, clockwise.

A particle's activation runs each of its units once. ``World`` is everybody's memory, for those who
look on: properties, the observer, the adversary. Rules never see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.abstraction import Abstraction
from amoebot.algorithms.description import (
    Course,
    Monitor,
    Option,
    Outcome,
    Preset,
    Property,
)
from amoebot.algorithms.part import Part
from amoebot.algorithms.pictures import Pictures
from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import compiled, inlined

#: Which names the modules of an election provide.
PROVIDED = {
    "options": ("TITLE", "SOURCE", "OPTIONS", "PRESETS", "EXPLORED"),
    "memory": ("ON_NODES", "Memory", "NEEDS"),
    "activation": ("COIN_LANES", "sides_of_coins", "activate"),
    "course": (
        *("COURSE", "OUTCOMES", "STUCK", "INNER_BOUNDARIES_MATTER", "Watch", "observe"),
        *("MEASURED", "measure"),
    ),
    "properties": ("PROPERTIES", "elects", "state_flags", "violated", "violated_by_step"),
    "abstractions": ("ABSTRACTIONS",),
    "parts": ("PARTS",),
    "adversary": ("awaited",),
    "lanes": (
        *("LANES", "AT_PRED", "AT_SUCC", "lanes_are_ready", "mark_of", "pack", "unpack"),
        *("mark_lanes", "act_on_lanes", "FLIPPED", "flip_on_lanes"),
    ),
    "monitors": ("MONITORS",),
    "pictures": ("PICTURES",),
}

COUNT = np.dtype(np.int64)

#: A coin's outcome where no coin is flipped.
NO_COIN = -1

#: The two coins that the activation of a unit can begin with: their sides, or their outcomes.
Coins = tuple[int, int]

# Events say what an activation did; they inform observers and nothing else.
DECLARED = 1  # the unit has told its particle to be the leader
FIRST_OWN_EVENT = 2  # an election numbers its own events from here on

# outcome: how a run ended; 0 while it goes on. An election numbers its own from there on.
LEADER, FIRST_OWN_OUTCOME = 1, 2

# flags of a state, for the explorer: a leader is possible by the coins flipped so far; all coins
# that this depends on have been flipped. An election that always elects sets both.
MAY_ELECT, DECIDED = 4, 8


class View(Record):
    """What an agent's particle sees of its boundary here: rules on rings get it beside memories."""

    empty: Annotated[int, BYTE, "k, the length of the empty sequence"]
    agent_identifier: Annotated[int, BYTE, "1, 2 or 3, unique within its node"]


class NodeView(Record):
    """What a particle sees around one of its nodes: rules on nodes get it beside memories."""

    occupied: Annotated[Any, np.dtype((np.uint8, 6)), "whether a node is occupied, clockwise"]


class Watch(Record):
    """What the observer has counted and noted; rounds count from 1, and 0 means not yet."""

    outcome: Annotated[int, COUNT]
    leader: Annotated[int, COUNT, "the unit that declared first"]
    leaders: Annotated[int, COUNT, "how many particles have declared"]
    candidates: Annotated[int, COUNT, "units that became candidates"]
    withdrawn: Annotated[int, COUNT, "those of them that have withdrawn"]
    terminated: Annotated[int, COUNT, "how many particles have terminated"]
    leader_declared: Annotated[int, COUNT, "round of the first declaration"]
    all_terminated: Annotated[int, COUNT, "round in which the last particle terminated"]


class World(NamedTuple):
    """Everyone's memory, and what never changes about who is where."""

    options: NDArray[Any]  # one record: the options of the election, and ``terminate``
    memory: NDArray[Any]  # Memory of each unit; on nodes, one more for all that are empty
    particles: NDArray[Any]  # memory of each particle, if everyone is to terminate
    wiring: NDArray[Any]  # of each unit, see ``system``
    particle: NDArray[np.int32]  # of each unit
    first_unit: NDArray[np.int32]  # of each particle, -1 for one without
    boundary: NDArray[np.int32]  # of each unit, 0 for the outer one
    nodes: NDArray[np.int32]  # of each particle, the second one -1 if contracted
    neighbours: NDArray[np.int32]  # of each node, as particles, -1 where empty
    watched: int  # how many units the observer counts, the first ones: outer boundary, or all
    holes: int  # how many inner boundaries there are


# options: what it is called, and what can be chosen.
TITLE: str = ""
SOURCE: str = ""
OPTIONS: tuple[Option, ...] = ()
PRESETS: tuple[Preset, ...] = ()
EXPLORED: dict[str, Any] = {}  # what differs from the defaults when all states are explored

# memory: the record of a unit. It has a field ``leader``: once a unit has set it, its particle
# sends the termination message.
ON_NODES: bool = False


class Memory(Record):
    """The memory of a unit."""

    leader: Annotated[int, BYTE, "has told its particle to be the leader"]


NEEDS: dict[str, str] = {}  # the option without which a field of it stays empty
MORE_MEMORY: dict[str, Any] = {}  # fields that changed rules add to it, each with its type


# activation: the rules.
COIN_LANES: int = 2  # how many of the two coins are ever used


@compiled
def sides_of_coins(me: Any, options: Any) -> Coins:
    """Return how many sides the coins have that an activation begins with, 1 for no coin."""
    return 1, 1


def activate(me: Any, pred: Any, succ: Any, view: View, coins: Coins, options: Any) -> int:
    """Run all rules of a unit, once each; return the events.

    On nodes the arguments are ``me, around, view, coins, options``, where ``around`` has six
    memories, those of empty nodes being all zero.
    """
    raise NotImplementedError


# course: what the observer notes, and how a run can end without a leader.
COURSE: Course = Course((), ())
OUTCOMES: dict[int, Outcome] = {}  # by number, FIRST_OWN_OUTCOME and up
STUCK: int = 0  # the outcome of a round without any event, if that means that none will come
INNER_BOUNDARIES_MATTER: bool = True  # whether units elsewhere influence the outer boundary's


@compiled
def observe(
    watch: Any,
    withdrawals: NDArray[np.int64],
    memory: NDArray[Any],
    unit: int,
    events: int,
    now: int,
    options: Any,
) -> None:
    """Note what an activation of a watched unit did in round ``now``."""


@inlined
def candidate_appears(watch: Any) -> None:
    """Count a new candidate."""
    watch.candidates += 1


@inlined
def candidate_withdraws(watch: Any, withdrawals: NDArray[np.int64], now: int) -> None:
    """Count a candidate that withdraws."""
    if watch.withdrawn < len(withdrawals):  # changed rules may report more than there can be
        withdrawals[watch.withdrawn] = now
    watch.withdrawn += 1


MEASURED: dict[str, str] = {}  # names and meanings of the numbers that ``measure`` returns


def measure(memory: NDArray[Any]) -> dict[str, int | None]:
    """Return numbers for tables of results, from the watched units' memories at a run's end."""
    return {}


# properties: for the explorer.
PROPERTIES: dict[int, Property] = {}  # by number, from 1 on


def elects(options: Mapping[str, Any]) -> str:
    """Return what MAY_ELECT comes to under these options, as a sentence for reports."""
    return "every fair schedule elects with probability one"


@compiled
def state_flags(world: World, before: int) -> int:
    """Return MAY_ELECT and DECIDED for a state, given the flags of the state before it."""
    return MAY_ELECT | DECIDED


@compiled
def violated(world: World) -> int:
    """Return the number of a property that a state violates, or 0."""
    return 0


@compiled
def violated_by_step(before: NDArray[Any], world: World, particle: int) -> int:
    """Return the number of a property that the activation of a particle violates, or 0.

    ``before`` has everyone's memory before it, and ``world`` after it.
    """
    return 0


# abstractions: what is proved about rings of every length.
ABSTRACTIONS: tuple[Abstraction, ...] = ()


# parts: what can be explored one after another instead of together.
PARTS: tuple[Part, ...] = ()


# monitors: what is watched over the rounds of large runs, one class for each claim.
MONITORS: tuple[type[Monitor], ...] = ()


# adversary: what delays the election.
@compiled
def awaited(world: World) -> tuple[int, int]:
    """Return the units whose particles come first and last in a round that is to delay progress.

    -1 leaves them where they are, along the outer boundary.
    """
    return -1, -1


# pictures: what is drawn of a moment, and how memories and activations are told in words.
PICTURES: Pictures = Pictures()


# Whether rules are in the place of the election's own: what is written out for many particles or
# agents at once, as all that follows, is not used then.
CHANGED: bool = False

# Whether loops call the functions of the election by their addresses (see ``engine.calls``).
BY_ADDRESS: bool = False


# lanes: for elections on rings whose boundaries do not influence each other. Where almost all
# activations change nothing but words of an agent and its neighbours, these lanes of their memories
# can be arrays of 16-bit words, on which the rules run for many agents at once (see
# ``engine.passes``).
LANES: int = 0  # how many words an agent has; 0 for an election without

# The first lanes are those that an agent writes at its predecessor too; the next ones, at its
# successor; those that are left, only whoever is activated on its own.
AT_PRED, AT_SUCC = 0, 0

# marks of an agent in a pass: it acts, on its lanes only; or it is activated on its own, as always;
# or it flips a coin of two sides before it acts on lanes: that of the lane of coins FLIPPED.
PLAIN, DELEGATED, FLIPS, FIRST_OWN_MARK = 1, 2, 4, 8
FLIPPED: int = 0


def lanes_are_ready(memory: NDArray[Any], first: int, last: int) -> bool:
    """Whether the agents of a boundary, numbered from ``first`` on, can use their lanes."""
    return False


def pack(me: Any, lanes: NDArray[Any], place: int) -> None:
    """Write the lanes of an agent into a column of words."""


def unpack(me: Any, lanes: NDArray[Any], place: int) -> None:
    """Read the lanes of an agent from a column of words."""


def mark_of(me: Any, options: Any) -> int:
    """Return how an agent acts, judging by its own memory: PLAIN or DELEGATED."""
    return DELEGATED


def mark_lanes(
    lanes: NDArray[Any], mine: int, pred: int, marks: NDArray[Any], options: Any
) -> tuple[int, int]:
    """Find out what agents marked PLAIN do; mark who has to look at more than lanes.

    These agents, one for each mark, are no neighbours of each other: ``mine`` is where their lanes
    begin, ``pred`` where those of their predecessors do. Return all marks in one word, and what
    there is to do.
    """
    return 0, 0


def act_on_lanes(
    lanes: NDArray[Any], mine: int, pred: int, succ: int, marks: NDArray[Any], found: int
) -> None:
    """Do what has been marked; ``found`` is what ``mark_lanes`` returned."""


def flip_on_lanes(lanes: NDArray[Any], place: int, coin: int) -> None:
    """Let an agent that is marked FLIPS have a coin that fell 0 or 1."""
