"""The part of a run in which particles are chosen one at a time, and faults happen to them.

They are chosen by the user, by the user's scheduler, or by a scheduler of ours without those that
have crashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import is_whole
from amoebot.algorithms.interface import NO_COIN
from amoebot.engine.names import NO_END
from amoebot.errors import SchedulerError
from amoebot.faults import CORRUPT, CRASH, Fault, corrupt, located, moment_of, scheduled
from amoebot.scheduler import MOST_PER_ROUND, OwnScheduler

if TYPE_CHECKING:
    from amoebot.simulation import Simulation


class ByHand:
    """The schedule by hand: who was activated, who comes next, and which faults happened."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin with the run, or never, as its options say."""
        options = simulation.options
        self._simulation = simulation
        self._run = simulation.engine_run
        self._everyone = simulation.system.particles
        self.particles: list[int] = []  # those activated since, and those still to be
        self.coins: dict[int, tuple[int, ...]] = {}  # of some of these: how their coins fall
        self.since = 0 if options.is_stepped else NO_END  # activations
        self.began = 0, 0  # the same moment as rounds and position
        self.source: Iterator[int] = scheduled(simulation) if options.faults else iter(())
        if isinstance(options.scheduler, OwnScheduler):
            self.source = options.scheduler.particles(simulation)
        self.activated: set[int] = set()  # in the round under way
        self.crashed: set[int] = set()
        self.struck = 0  # how many faults have happened
        self.faults = located(options.faults, simulation)

    @property
    def is_under_way(self) -> bool:
        """Whether the next particle is chosen so."""
        return self._run.activations >= self.since

    @property
    def done(self) -> int:
        """How many particles have been activated so."""
        return self._run.activations - self.since

    @property
    def waiting(self) -> list[int]:
        """The particles that have not been activated in the round under way, nor have crashed."""
        done = self.activated if self.done > 0 else self._run.activated_this_round()
        gone = done | self.crashed
        return [particle for particle in range(self._everyone) if particle not in gone]

    def begin(self) -> None:
        """Leave the schedule there was: from here on, it is made anew."""
        if not self.is_under_way:
            self.since = self._run.activations
            self.began = self._run.rounds, self._run.position
            self._see_who_acted()
        del self.particles[self.done :]
        self.coins = {number: coins for number, coins in self.coins.items() if number < self.done}

    def step(self) -> None:
        """Activate whoever is next."""
        done = self.done
        if done == 0:
            self._see_who_acted()
        self.strike()
        if done == len(self.particles):
            self.particles.append(self._next_particle())
        self.activate(self.particles[done], self.coins.get(done, ()))
        self.strike()  # before anybody looks

    def _see_who_acted(self) -> None:
        self.activated = self._run.activated_this_round() - self.crashed

    def _next_particle(self) -> int:
        """Return whom the schedule activates next: whoever has crashed is passed over."""
        if len(self.crashed) == self._everyone:
            raise StopIteration
        for _ in range(MOST_PER_ROUND * self._everyone - self._run.position):
            particle = self.check(next(self.source))
            if particle not in self.crashed:
                return particle
        raise self._unfair()

    def activate(self, particle: int, chosen: tuple[int, ...] = ()) -> None:
        """Activate a particle, whoever would be next; its coins fall as chosen, or as drawn."""
        coins = self._fitting(particle, chosen)
        self.activated.add(particle)
        ends_round = len(self.activated) + len(self.crashed) == self._everyone
        if ends_round:
            self.activated.clear()
        self._run.activate(particle, ends_round, coins)

    def _fitting(self, particle: int, chosen: tuple[int, ...]) -> NDArray[np.int64]:
        """Return how coins fall, with NO_COIN for what no side was chosen of."""
        ahead = self._run.coins_ahead(particle) if chosen else ()
        falls = [
            outcome if is_whole(outcome) and 0 <= outcome < sides else NO_COIN
            for outcome, (sides, _) in zip(chosen, ahead, strict=False)
        ]
        return np.array(falls, np.int64)

    def check(self, particle: int) -> int:
        """Return the number of a particle.

        Raises:
            SchedulerError: If there is none.
        """
        if not (is_whole(particle) and 0 <= particle < self._everyone):
            last = self._everyone - 1
            raise SchedulerError(
                f"there is no particle {particle!r}: they are numbered 0 to {last}"
            )
        return int(particle)

    def _unfair(self) -> SchedulerError:
        """Return an error that says whom the scheduler leaves out."""
        first, *others = self.waiting
        more = f" and {len(others)} more" if others else ""
        return SchedulerError(
            f"the scheduler {self._simulation.scheduler} is not fair: it has left out particle "
            f"{first}{more} in the last {self._run.position:,} activations, and a round ends when "
            f"everyone has acted"
        )

    # Faults.

    @property
    def faults_so_far(self) -> list[Fault]:
        """The faults that have happened, with the particles that they happened to."""
        return self.faults[: self.struck]

    def strike(self) -> None:
        """Apply the faults that are due."""
        now = self._run.rounds, self._run.position
        for fault in self.faults[self.struck :]:
            if moment_of(fault) > now or not self.is_under_way:
                break
            if fault.kind == CORRUPT:
                corrupt(fault, self._simulation)
            self.struck += 1
            self._find_crashed()

    def _find_crashed(self) -> None:
        """Note who has crashed so far; nobody waits for them any more."""
        found = (one.particle for one in self.faults_so_far if one.kind == CRASH)
        self.crashed = {particle for particle in found if particle is not None}
        self.activated -= self.crashed

    def come_back(self, activated: frozenset[int] = frozenset(), struck: int = 0) -> None:
        """Come back to an earlier moment; by default, to the beginning."""
        self.activated, self.struck = set(activated), struck
        self._find_crashed()
