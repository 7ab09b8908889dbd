"""Every activation of an agent between two others, where only some of their memory is known.

The rules are the election's own, left to the interpreter: compiled ones take no memory in which
something is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from amoebot.algorithms.abstraction import Abstraction, Invariant, LeftOut, StepInvariant
from amoebot.algorithms.interface import NO_COIN
from amoebot.linking import Link
from amoebot.verify.open_numbers import Choices, as_word, one_or_other
from amoebot.verify.partial_memory import (
    Agent,
    Chosen,
    ElsewhereError,
    Fields,
    Known,
    Layout,
    OutOfRangeError,
)

#: What a particle can see of its boundary.
VIEW = {"empty": (1, 2, 3, 4, 5), "agent_identifier": (1, 2, 3)}

#: Three consecutive agents, as numbers of what is known of them.
Triple = tuple[int, int, int]


class Steps:
    """The activations of an agent between two others, each tried once."""

    def __init__(self, link: Link, abstraction: Abstraction, options: Any) -> None:
        """Begin with nothing tried."""
        self._interface = link.module("algorithms.interface")
        self._copies = link.copies()
        self._abstraction, self._options = abstraction, options
        self.layout = Layout(self._interface.Memory, abstraction)
        self._choices = Choices()
        self.states: list[Known] = []
        self._numbers: dict[Known, int] = {}
        self._tried: dict[Triple, tuple[Triple, ...]] = {}
        self._checked: set[Triple] = set()
        #: An example for each claim that does not hold of all that may come up.
        self.broken: dict[str, tuple[Triple, Triple | None]] = {}
        self.number(self.layout.empty)

    def number(self, known: Known) -> int:
        """Return the number of what is known of an agent."""
        if known not in self._numbers:
            self._numbers[known] = len(self.states)
            self.states.append(known)
        return self._numbers[known]

    def from_three(self, three: Any) -> tuple[Triple, ...]:
        """Return what an activation of the one in the middle can make of three agents."""
        if three not in self._tried:
            self._tried[three] = tuple(sorted(self._try(three)))
        return self._tried[three]

    def check(self, three: Any) -> None:
        """Check all claims about three consecutive agents."""
        if three in self._checked:
            return
        self._checked.add(three)
        agents = self._looked_at(three)
        for claim in self._abstraction.claims:
            if isinstance(claim, Invariant) and not claim.holds(*agents):
                self.broken.setdefault(claim.sentence, (three, None))

    def told(self, three: Triple) -> tuple[dict[str, int], ...]:
        """Return what is known of three agents, field by field, where it is not zero."""
        names = [*self.layout.kept]
        return tuple(
            {name: value for name, value in zip(names, self.states[n], strict=True) if value}
            for n in three
        )

    def _looked_at(self, three: Triple) -> Any:
        return tuple(Fields(Agent(self.layout, self.states[number])) for number in three)

    def _try(self, three: Triple) -> set[Triple]:
        found: set[tuple[Known, ...]] = set()
        for act in (self._activate, *self._abstraction.anytime):
            for _ in self._choices.all():
                agents = [Agent(self.layout, self.states[n], self._choices) for n in three]
                try:
                    act(*map(Fields, agents))
                except OutOfRangeError:
                    self.broken.setdefault(self._abstraction.in_range, (three, None))
                    continue
                except ElsewhereError:
                    continue
                found.add(tuple(agent.known() for agent in agents))
        following = {self._remembered(three, known) for known in found} - {three}
        for after in following:
            self._check_step(three, after)
        return following

    def _activate(self, pred: Any, me: Any, succ: Any) -> None:
        """Activate an agent as the engine does, with any outcome of its coins."""
        sides = self._interface.sides_of_coins(me, self._options)
        coins = tuple(self._choices.choose(range(n)) if n > 1 else NO_COIN for n in sides)
        view = Chosen(self._choices, VIEW)
        self._interface.activate(me, pred, succ, view, coins, self._options)

    def _remembered(self, before: Triple, known: tuple[Known, ...]) -> Triple:
        """Return what three agents have become, with what is remembered of how."""
        if self._abstraction.remember is not None:
            after = [Agent(self.layout, one) for one in known]
            there: Any = tuple(map(Fields, after))
            self._abstraction.remember(self._looked_at(before), there)
            known = tuple(agent.known() for agent in after)
        pred, me, succ = map(self.number, known)
        return pred, me, succ

    def _check_step(self, before: Triple, after: Triple) -> None:
        for claim in self._abstraction.claims:
            if isinstance(claim, StepInvariant) and not claim.holds(
                self._looked_at(before), self._looked_at(after)
            ):
                self.broken.setdefault(claim.sentence, (before, after))

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Put something else in the place of functions that are left out, meanwhile."""
        there, choose = [], self._copies["bits"].choose
        for module in self._copies.values():
            for name, value in [*vars(module).items()]:
                if out := self._abstraction.left_out.get(name):
                    instead = self._instead_of(value, out)
                elif value is choose:
                    instead = one_or_other(value)
                elif isinstance(value, type) and issubclass(value, np.unsignedinteger):
                    instead = as_word(value)
                else:
                    continue
                there.append((module, name, value))
                setattr(module, name, instead)
        try:
            yield
        finally:
            for module, name, value in there:
                setattr(module, name, value)

    def _instead_of(self, function: Callable[..., Any], out: LeftOut) -> Callable[..., Any]:
        def instead(*arguments: Any) -> Any:
            if out.unless is not None and out.unless(*arguments):
                return function(*arguments)
            return self._choices.choose(out.returns)

        return instead
