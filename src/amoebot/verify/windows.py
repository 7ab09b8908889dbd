"""All windows of consecutive agents that can come up on rings of any length.

View abstraction (Abdulla, Haziza, Holík, "All for the price of few", 2013): a window is what is
known of a few consecutive agents. From windows that overlap, all stretches are put together that
they allow; every activation in them is tried with the election's own rules; and the windows that
come out are added, until there are no more. Every window of every ring that is long enough is
among them. Shorter rings are gone through one by one.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from amoebot.verify.steps import Steps, Triple

#: A stretch of consecutive agents, as numbers of what is known of them.
Stretch = tuple[int, ...]

#: With pred, me and succ all different: whoever is alone or in a pair is explored as it is.
SHORTEST = 3


@dataclass(frozen=True)
class Reached:
    """What can come up, by one abstraction."""

    windows: int
    finished: bool
    seconds: float


class Windows:
    """All windows of consecutive agents that have come up so far."""

    def __init__(self, steps: Steps, width: int, most: int) -> None:
        """Begin with agents that have not been activated."""
        self._steps, self._width, self._most = steps, width, most
        self._found: set[Stretch] = set()
        self._waiting: list[Stretch] = []
        self._left: defaultdict[Stretch, list[int]] = defaultdict(list)
        self._right: defaultdict[Stretch, list[int]] = defaultdict(list)
        self._add((0,) * width)

    def close(self, go_on: Callable[[int], bool]) -> bool:
        """Add windows until there are no more; return whether there are no more."""
        while self._waiting:
            if len(self._found) > self._most or not go_on(len(self._found)):
                return False
            self._follow(self._waiting.pop())
        return True

    def __iter__(self) -> Iterator[Stretch]:
        """Go through all that have been found."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._found)

    def _add(self, window: Stretch) -> None:
        if window not in self._found:
            self._found.add(window)
            self._waiting.append(window)
            self._left[window[1:]].append(window[0])
            self._right[window[:-1]].append(window[-1])
            for place in range(1, self._width - 1):
                self._steps.check(window[place - 1 : place + 2])

    def _follow(self, window: Stretch) -> None:
        """Try all activations in stretches that this window is a part of.

        A window changes if an agent in it is activated, or one just beside it: so a stretch has one
        or two agents more.
        """
        width = self._width
        for place in range(1, width - 1):
            for changed in self._changed(window, place):
                self._add(changed)
        longer = [*self._longer(window)]
        for stretch in longer:
            for changed in self._changed(stretch, 1):
                self._add(changed[1:])
            for changed in self._changed(stretch, width - 1):
                self._add(changed[:-1])
        for stretch in {twice for once in longer for twice in self._longer(once)}:
            for changed in self._changed(stretch, 1):
                self._add(changed[2:])
            for changed in self._changed(stretch, width):
                self._add(changed[:-2])

    def _longer(self, stretch: Stretch) -> Iterator[Stretch]:
        """Yield all stretches with one agent more on either side."""
        overlap = self._width - 1
        for agent in self._left[stretch[:overlap]]:
            yield (agent, *stretch)
        for agent in self._right[stretch[-overlap:]]:
            yield (*stretch, agent)

    def _changed(self, stretch: Stretch, place: int) -> Iterator[Stretch]:
        """Yield what a stretch becomes when an agent in it is activated."""
        before, behind = stretch[: place - 1], stretch[place + 2 :]
        for three in self._steps.from_three(stretch[place - 1 : place + 2]):
            yield (*before, *three, *behind)


def close_ring(steps: Steps, length: int, most: int, go_on: Callable[[int], bool]) -> bool:
    """Go through everything that can come up on one ring; return whether that is all."""
    start = (0,) * length
    found, waiting = {start}, [start]
    while waiting:
        if len(found) > most or not go_on(len(found)):
            return False
        ring = waiting.pop()
        for place in range(length):
            around = [(place - 1) % length, place, (place + 1) % length]
            three: Triple = ring[around[0]], ring[around[1]], ring[around[2]]
            steps.check(three)
            for after in steps.from_three(three):
                changed = list(ring)
                for where, agent in zip(around, after, strict=True):
                    changed[where] = agent
                # Rings are the same however they are turned.
                turned = min(tuple(changed[i:] + changed[:i]) for i in range(length))
                if turned not in found:
                    found.add(turned)
                    waiting.append(turned)
    return True


def reach(
    steps: Steps, width: int, most: int, time_limit: float | None, tell: Callable[[int], None]
) -> Reached:
    """Try everything: windows for long rings, and each of the shorter ones."""
    begin = time.monotonic()

    def go_on(found: int) -> bool:
        tell(found)
        return time_limit is None or time.monotonic() - begin < time_limit

    windows = Windows(steps, width, most)
    finished = windows.close(go_on)
    lengths: Sequence[int] = range(SHORTEST, width + 2)
    finished = finished and all(close_ring(steps, length, most, go_on) for length in lengths)
    return Reached(len(windows), finished, time.monotonic() - begin)
