"""How an election says that it is made of parts, each of which can be explored by itself.

In the rules of a part, all that the others can do to it is left to chance: it happens at any time,
or never. So the part can do whatever it does in the whole election, and what holds of all states
and steps of the part holds there (``verify.parts``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Part:
    """A part of an election on rings."""

    title: str
    rules: tuple[Callable[..., Any], ...]  #: in the place of the election's own
    free: str  #: what the other parts may do to it, as a sentence
    needs: str = ""  #: the option without which there is no such part
    options: Mapping[str, Any] = field(default_factory=dict)  #: where they are not the election's
    memory: Mapping[str, Any] = field(default_factory=dict)  #: additional fields, with their types
    #: One of these fields. It is set for nobody, or for one agent of the outer boundary: each is
    #: tried in turn.
    chosen: str = ""
    #: Whether it is decided here that every fair schedule elects, and terminates everyone.
    elects: bool = False
