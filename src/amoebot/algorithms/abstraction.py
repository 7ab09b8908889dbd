"""How an election says what is to be proved about rings of every length.

An abstraction keeps a few fields of an agent's memory and lets all others hold anything at any
time. What then holds of all windows of consecutive agents that can come up holds on every ring
(``verify.any_length``): fields that are free only allow more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Three consecutive agents: the predecessor, an agent, the successor.
Three = tuple[Any, Any, Any]


def everything(value: int) -> int:
    """Keep a value as it is."""
    return value


def nothing(value: int) -> int:
    """Keep nothing of a value."""
    return 0


@dataclass(frozen=True)
class Kept:
    """The values that a field can hold, and what is kept of them."""

    values: tuple[int, ...]
    keeps: Callable[[int], int] = everything
    assumed: str = ""  #: why it holds no other value, where that is for another lane to show


@dataclass(frozen=True)
class LeftOut:
    """A function that does not run, because it only changes what is free."""

    returns: tuple[int, ...] = (0,)  #: any of these, at any time
    assumed: str = ""  #: why what it does change of the fields that are kept does not matter
    unless: Callable[..., bool] | None = None  #: with which arguments it does run


@dataclass(frozen=True)
class Invariant:
    """A claim about any three consecutive agents, at any time."""

    sentence: str
    holds: Callable[[Any, Any, Any], bool]


@dataclass(frozen=True)
class StepInvariant:
    """A claim about what the activation of an agent does to it and its neighbours."""

    sentence: str
    holds: Callable[[Three, Three], bool]


@dataclass(frozen=True)
class Abstraction:
    """One lane of an election on rings, with what is claimed of it."""

    title: str
    source: str  #: where the rules come from, such as "Section 2.4"
    fields: Mapping[str, Kept]  #: by their path, such as ``candidacy.role``
    claims: tuple[Invariant | StepInvariant, ...]
    in_range: str = "no field holds a value that it cannot have"
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)  #: functions, by name
    options: Mapping[str, Any] = field(default_factory=dict)  #: under which the rules are run
    #: What functions that are left out do to the fields that are kept: an agent, at any time.
    anytime: tuple[Callable[[Any, Any, Any], Any], ...] = ()
    #: Fields of one bit that no rule sees: they record what has happened, and this sets them.
    history: tuple[str, ...] = ()
    remember: Callable[[Three, Three], None] | None = None
