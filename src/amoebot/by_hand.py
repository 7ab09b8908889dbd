"""The part of a run in which the user chooses particles, and faults happen to them.

They are chosen by hand, by the user's scheduler, or by a scheduler of ours without those that have
crashed. As many as are known beforehand are activated in one call.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import NO_COIN
from amoebot.arguments import is_whole, whole
from amoebot.engine.names import BY_HAND, NO_END
from amoebot.errors import ScheduleEnd, SchedulerError
from amoebot.faults import CORRUPT, CRASH, Fault, corrupt, located, moment_of, scheduled
from amoebot.linking import watchdog
from amoebot.scheduler import (
    MOST_PER_ROUND,
    OwnScheduler,
    Particles,
    are_several,
    pieces_of,
    whole_numbers,
)

if TYPE_CHECKING:
    from amoebot.simulation import Simulation

#: Activations between two looks at the clock, the keyboard and the progress bar.
AT_ONCE = 10_000

#: No coin has a side beyond this one.
LAST_SIDE = 2**31 - 1

#: The particles that come next while none are known.
NONE_KNOWN = np.empty(0, np.int32)


def sides(coins: Iterable[int]) -> tuple[int, ...]:
    """Return how coins fall, each a whole number."""
    if not isinstance(coins, Iterable):
        raise ValueError(f"coins {coins!r} are not in a list")
    return tuple(whole(one, "a coin's side", NO_COIN, LAST_SIDE) for one in coins)


def moment_and_schedule(simulation: Simulation) -> tuple[Any, ...]:
    """Return where a run is and how it goes on; a function that only looks changes neither."""
    run, sources = simulation.engine_run, simulation._by_hand.sources
    moment = run.rounds, run.steps
    return *moment, simulation.faults, simulation.is_by_hand, sources


class ByHand:
    """The schedule by hand: who was activated, who comes next, and which faults happened."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin with the run, or never, as its options say."""
        options = simulation.options
        self._simulation = simulation
        self._run = simulation.engine_run
        self._everyone = simulation.system.particles
        self.particles = array("i")  # those activated since, and those still to be
        self.coins: dict[int, tuple[int, ...]] = {}  # of some of these: how their coins fall
        self.since = 0 if options.is_stepped else NO_END  # activations
        self.began = 0, 0  # the same moment as rounds and position
        self._ahead = NONE_KNOWN  # what the source has given, and nobody has been activated of
        self._known_in = 0  # the round in which it did
        self._compiled: OwnScheduler | None = None  # in the place of a source
        self._is_asking = False  # the source
        self.sources = 0  # how many there have been
        self.has_ended = False  # the source: it has no more particles
        rules = "a rule or " if options.has_own_rules else ""
        self._to_blame = f"{rules}the scheduler {options.scheduler_name}"  # if a call never ends
        if isinstance(options.scheduler, OwnScheduler):
            self.follow(options.scheduler.pieces(simulation))
            self._compiled = options.scheduler if options.scheduler.compiled else None
        else:
            self.follow(scheduled(simulation) if options.faults else iter(()), by_round=True)
        self.flags = np.ones(self._everyone, np.uint8)  # 1 for those that ``waiting`` has
        self.crashed: set[int] = set()
        self._has_crashed = np.zeros(self._everyone, np.uint8)
        self.struck = 0  # how many faults have happened
        self.faults = located(options.faults, simulation)
        if isinstance(options.scheduler, OwnScheduler):
            self.check_all(options.scheduler.listed)

    @property
    def is_under_way(self) -> bool:
        """Whether the next particle is chosen so."""
        return self._run.steps >= self.since

    @property
    def done(self) -> int:
        """How many particles have been activated so."""
        return self._run.steps - self.since

    @property
    def waiting(self) -> list[int]:
        """The particles that have not been activated in the round under way, nor have crashed."""
        if self.done <= 0:
            self._see_who_acted()
        found: list[int] = np.flatnonzero(self.flags).tolist()
        return found

    @property
    def at_once(self) -> int:
        """For how many rounds to go on before looking up: one, if each choice may take long."""
        own = self._simulation.options.scheduler
        if isinstance(own, OwnScheduler) and own.asks_python:
            return 1
        return max(1, AT_ONCE // self._everyone)

    def follow(self, source: Iterator[Particles], by_round: bool = False) -> None:
        """Take particles from here once those that are known have been activated.

        ``by_round`` says that what it gives is for the round under way only.
        """
        self._source, self._by_round, self.has_ended = source, by_round, False
        self.sources += 1
        self._ahead, self._compiled = NONE_KNOWN, None

    def begin(self) -> None:
        """Leave the schedule there was: from here on, it is made anew."""
        if not self.is_under_way:
            self.since = self._run.steps
            self.began = self._run.rounds, self._run.position
            self._see_who_acted()
        del self.particles[self.done :]
        self.coins = {number: coins for number, coins in self.coins.items() if number < self.done}

    def advance(self, last_round: int, activations: int = NO_END) -> None:
        """Activate who is next, and more of those that are known, but no more than N.

        Whoever calls this looks whether the run goes on; it ends with a round, at the latest.
        """
        if self.done == 0:
            self._see_who_acted()
        self.apply_due_faults()
        done = self.done
        if done in self.coins:
            self.activate(self.particles[done], self.coins[done])
        elif done < len(self.particles):
            end = min((number for number in self.coins if number > done), default=NO_END)
            known = self.particles[done : min(end, done + activations, done + AT_ONCE)]
            self._activate_listed(np.array(known, np.int32), last_round, NO_END)
        elif self._compiled is not None:
            self._activate_chosen(self._compiled, last_round, activations)
        else:
            self._activate_next(last_round, activations)
        self.apply_due_faults()  # before anybody looks

    def _activate_next(self, last_round: int, activations: int) -> None:
        """Activate particles that the schedule gives, and note them."""
        if self._by_round:
            last_round = min(last_round, self._run.rounds + 1)
            if self._known_in != self._run.rounds:
                self._ahead = NONE_KNOWN
        next_ones = self._next_particles()
        self._known_in = self._run.rounds
        most = MOST_PER_ROUND * self._everyone
        count = self._activate_listed(next_ones[:activations], last_round, most)
        self.particles.frombytes(next_ones[:count].tobytes())
        self._ahead = next_ones[count:]

    def _activate_listed(self, order: NDArray[np.int32], last_round: int, most: int) -> int:
        who = self.flags, self._has_crashed
        with watchdog.calling(self._to_blame):
            return self._run.activate_listed(order, who, self._moment(last_round), most)

    def _activate_chosen(self, scheduler: OwnScheduler, last_round: int, activations: int) -> None:
        """Activate those whom a compiled function chooses, and note them."""
        self._check_fairness(self._run.position)
        room = np.empty(min(activations, AT_ONCE), np.int32)
        who, most = (self.flags, self._has_crashed), MOST_PER_ROUND * self._everyone
        with watchdog.calling(self._to_blame), scheduler.explaining():
            count, refused = self._run.activate_chosen(
                scheduler.compiled, room, who, self._moment(last_round), most
            )
        self.particles.frombytes(room[:count].tobytes())
        if refused is not None:
            raise SchedulerError(f"particle {self.check(refused)} has crashed")

    def _moment(self, last_round: int) -> tuple[int, int]:
        """Return when to look up: when a round is over, or something happens."""
        return min([(last_round, 0), *map(moment_of, self.faults[self.struck :])])

    def _see_who_acted(self) -> None:
        self.flags[:] = 1
        self.flags[[*self._run.activated_this_round(), *self.crashed]] = 0

    def _next_particles(self) -> NDArray[np.int32]:
        """Return whom the schedule activates next: whoever has crashed is passed over."""
        if len(self.crashed) == self._everyone:
            raise ScheduleEnd("all particles have crashed: nobody can be activated")
        passed = self._run.position
        while True:
            self._check_fairness(passed)
            known = self._ahead if len(self._ahead) else self._given()
            self._ahead = known[self._has_crashed[known] == 0] if self.crashed else known
            if len(self._ahead):
                return self._ahead
            passed += len(known) + 1

    def _given(self) -> NDArray[np.int32]:
        """Return whom the source gives next."""
        moves = f"the scheduler {self._simulation.options.scheduler_name} moves the simulation"
        moved = SchedulerError(f"{moves}: it may only look")
        if self._is_asking:
            raise moved
        before, self._is_asking = moment_and_schedule(self._simulation), True
        try:
            with watchdog.calling(self._to_blame):
                given = next(self._source)
        except StopIteration:
            self.has_ended = True
            raise ScheduleEnd("the schedule has no more particles") from None
        finally:
            self._is_asking = False
        if moment_and_schedule(self._simulation) != before:
            raise moved
        return self._numbers(given)

    @property
    def _whose(self) -> str:
        """The scheduler, in the words of messages; nothing for a list of particles."""
        name = self._simulation.scheduler
        own = isinstance(self._simulation.options.scheduler, OwnScheduler)
        return f"the scheduler {name}" if own and name != BY_HAND else ""

    def _numbers(self, given: Particles) -> NDArray[np.int32]:
        """Return the numbers of particles up to the first invalid one, refused when it is next."""
        if isinstance(given, range | list | tuple) and whole_numbers(given):
            given = np.array(given)
        if not are_several(given):
            return np.array([self.check(given)], np.int32)
        if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu":
            wrong = np.flatnonzero((given < 0) | (given >= self._everyone))
            valid = int(wrong[0]) if len(wrong) else len(given)
        else:
            valid = 0
            while valid < len(given) and self._is_particle(given[valid]):
                valid += 1
        if valid == 0 and len(given):
            self.check(given[0])
        if valid < len(given):
            self._source = chain([given[valid:]], self._source)
        return np.array(given[:valid], np.int32)

    def activate(self, particle: int, chosen: tuple[int, ...] = ()) -> None:
        """Activate a particle, whoever would be next; its coins fall as chosen, or as drawn."""
        coins = self._fitting(particle, chosen)
        self.flags[particle] = 0
        ends_round = not self.flags.any()
        if ends_round:
            self.flags[:] = 1 - self._has_crashed
        self._run.activate(particle, ends_round, coins)

    def _fitting(self, particle: int, chosen: tuple[int, ...]) -> NDArray[np.int64]:
        """Return how coins fall, with NO_COIN for what no side was chosen of."""
        ahead = self._run.coins_ahead(particle) if chosen else ()
        falls = [
            outcome if is_whole(outcome) and 0 <= outcome < sides else NO_COIN
            for outcome, (sides, _) in zip(chosen, ahead, strict=False)
        ]
        return np.array(falls, np.int64)

    def check(self, particle: Any) -> int:
        """Return the number of a particle.

        Raises:
            SchedulerError: If there is none.
        """
        if not self._is_particle(particle):
            given, last = int(particle) if is_whole(particle) else particle, self._everyone - 1
            whose = f"{self._whose}: " if self._whose else ""
            hint = "; does it end without a return?" if whose and particle is None else ""
            if isinstance(particle, Iterator):
                hint = "; to activate all that it gives, write yield from"
            raise SchedulerError(
                f"{whose}there is no particle {given!r}: they are numbered 0 to {last}{hint}"
            )
        return int(particle)

    def check_all(self, given: Any) -> None:
        """Refuse what is no particle among those in a list, single or several in a piece."""
        for piece in pieces_of(given):
            for one in self._doubtful(piece) if are_several(piece) else [piece]:
                self.check(one)

    def _doubtful(self, piece: Any) -> Any:
        """Return those of several particles that have to be checked one by one."""
        if isinstance(piece, range):
            return [*piece[:1], *piece[-1:]]  # the others are between them
        if isinstance(piece, np.ndarray) and piece.ndim == 1 and piece.dtype.kind in "iu":
            return piece[(piece < 0) | (piece >= self._everyone)][:1]
        return piece

    def _is_particle(self, given: Any) -> bool:
        return is_whole(given) and 0 <= given < self._everyone

    def _check_fairness(self, activations: int) -> None:
        """Refuse a round of more than ``MOST_PER_ROUND`` activations for each particle."""
        if activations < MOST_PER_ROUND * self._everyone:
            return
        name, nobody = self._simulation.scheduler, activations - self._run.position
        if 2 * nobody > activations:
            raise SchedulerError(
                f"the scheduler {name} has named {nobody:,} times in a row nobody who can be "
                f"activated"
            )
        first, *others = self.waiting
        more = f" and {len(others)} more" if others else ""
        raise SchedulerError(
            f"the scheduler {name} is not fair: it has left out particle "
            f"{first}{more} in the last {self._run.position:,} activations, and a round ends when "
            f"everyone has acted"
        )

    # Faults.

    @property
    def faults_so_far(self) -> list[Fault]:
        """The faults that have happened, with the particles that they happened to."""
        return self.faults[: self.struck]

    @property
    def others_terminated(self) -> NDArray[Any] | None:
        """Whether each particle that has not crashed has terminated; None if none has crashed."""
        if not self.crashed or not len(self._run.particle_memory):
            return None
        others: NDArray[Any] = self._run.particle_memory["terminated"][self._has_crashed == 0]
        return others

    def apply_due_faults(self) -> None:
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
        self._has_crashed[:] = 0
        self._has_crashed[[*self.crashed]] = 1
        self.flags[[*self.crashed]] = 0

    def rewind(self, flags: NDArray[np.uint8] | None = None, struck: int = 0) -> None:
        """Go back to an earlier moment; by default, to the beginning."""
        self.flags[:] = 1 if flags is None else flags
        self.struck = struck
        self._find_crashed()
