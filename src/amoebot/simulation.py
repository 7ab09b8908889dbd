"""What a Python user holds: one run of an election, to step, run, rewind and look into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms import registry
from amoebot.algorithms.records import read_only
from amoebot.arguments import check_function, is_whole, spelled, whole
from amoebot.by_hand import ByHand, sides
from amoebot.engine.names import BY_HAND, NO_END
from amoebot.engine_runs import new_run, result_of, rounds_at_once, thread_count
from amoebot.errors import SchedulerError
from amoebot.faults import CORRUPT, CRASH, Change, Fault, located, scheduled
from amoebot.linking import Rules, explaining, watchdog
from amoebot.options import Options
from amoebot.results import Result
from amoebot.run_state import RunState
from amoebot.scheduler import OwnScheduler, Particles, SchedulerLike, check_order
from amoebot.shapes import Shape, ShapeLike, as_shape
from amoebot.snapshots import Past, Snapshot
from amoebot.system import System, build


class Simulation(RunState):
    """One run: a pure function of shape, seed and options.

    ``step``, ``round`` and ``run`` go on, ``goto`` goes to any moment, and the properties say where
    the run stands. In a notebook it shows itself.
    """

    def __init__(
        self,
        shape: ShapeLike,
        seed: int = 0,
        scheduler: SchedulerLike = "permutation",
        *,
        algorithm: str = registry.DEFAULT,
        max_rounds: int | None = None,
        rules: Rules | None = None,
        faults: str | Iterable[Fault | str] = (),
        threads: int | None = None,
        **options: Any,
    ) -> None:
        """Put particles with empty memories on a shape; nobody has been activated yet.

        Args:
            shape: The nodes that particles occupy: from ``amoebot.shapes``, or as a string such as
                "hexagon:10", or the path of a file.
            seed: What coins, port offsets and random orders depend on, from 0 to 2^64 - 1.
            scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
                "round-robin", "with-cycle", "against-cycle" or "adversarial". Or one of your
                own: any iterable of particle numbers, with whose end the run ends; a function of
                the simulation that returns the next one, or yields them; a function of ``world``
                and ``waiting``, which is compiled; or a Python file in which ``scheduler`` is one
                of these. In the place of a number there can be several, as a list or array.
            algorithm: The election: its name, or the path of a file or package.
            max_rounds: What ``run`` stops after, with the outcome "round-limit"; by default never,
                or with changed rules after 100 (L + n).
            rules: Rules of one's own; by default, those of the election.
            faults: What happens to particles, such as "crash 3@10, corrupt ?@20": after 10 rounds
                and after 20.
            threads: How many threads run it together where its boundary is long; by default, as
                many as there are cores. The run is the same.
            **options: The options of the election by name, such as ``terminate``.

        Raises:
            ValueError: If an option is invalid.
        """
        chosen = Options(seed, scheduler, algorithm, options, max_rounds, rules, faults)
        self._begin(as_shape(shape), chosen, thread_count(threads))

    @classmethod
    def of(cls, shape: Shape, options: Options, threads: int | None = None) -> Simulation:
        """Return the run on a shape that options describe."""
        made = cls.__new__(cls)
        made._begin(shape, options, thread_count(threads))
        return made

    def _begin(self, shape: Shape, options: Options, threads: int) -> None:
        self.shape = shape
        self.options = options
        #: its name; "by hand" for a list of particles, and once one was activated so
        self.scheduler = options.scheduler_name
        self.system: System = build(shape, options.seed)
        own = options.scheduler
        name = own if isinstance(own, str) else BY_HAND
        self._run = new_run(self.system, options, name, threads=threads)
        #: whether it takes a list to tell who was activated: the user, or their scheduler, chose
        self.is_by_hand = not isinstance(own, str)
        self._past = Past()
        self._by_hand = ByHand(self)
        self._by_hand.apply_due_faults()

    def __repr__(self) -> str:
        """Return what run this is, and where it stands."""
        election = f"{self.options.algorithm} on {self.shape.name or 'a shape'}"
        return f"<Simulation: {election}, seed {self.seed}, {self.scheduler}, round {self.rounds}>"

    # Forwards.

    def step(self, activations: int = 1) -> None:
        """Activate the next particle, or the next N; by hand, raise StopIteration at the end."""
        self._skip(whole(activations, "activations", 0, NO_END))

    def _skip(self, activations: int, last_round: int = NO_END) -> None:
        """Activate the next N particles, unless a round ends before."""
        target = self.steps + activations
        with explaining(self.rules):
            while self.steps < target and self.rounds < last_round:
                before = self.steps
                if self._by_hand.is_under_way:
                    self._by_hand.advance(last_round, target - before)
                else:
                    self._advance(last_round, min(target, self._by_hand.since) - before)
                if self.steps == before:  # everyone has terminated
                    break

    def activate(self, particle: int, coins: Iterable[int] = ()) -> None:
        """Activate a particle of one's own choice; from here on the run is by hand.

        Args:
            particle: Its number.
            coins: How the coins fall that it flips, in their order (see ``coins_ahead``); those
                left out, and those that have no such side, fall as the seed says.
        """
        self._by_hand.check(particle)
        chosen = sides(coins)
        self._begin_by_hand()
        if particle in self._by_hand.crashed:
            raise SchedulerError(f"particle {particle} has crashed")
        self.scheduler = BY_HAND
        if chosen:
            self._by_hand.coins[self._by_hand.done] = chosen
        self._by_hand.particles.append(particle)
        self.step()

    def _begin_by_hand(self) -> None:
        """Leave the schedule there was: from here on, it is made anew."""
        self.is_by_hand = True
        self._by_hand.begin()
        self._past.forget_after(self.steps)

    def crash(self, particle: int) -> None:
        """Let a particle crash now: it keeps its memory, and is never activated again."""
        self._inject(CRASH, particle)

    def corrupt(self, particle: int, **fields: int) -> None:
        """Corrupt a particle's memory now.

        Each field gets the value of a random agent's, or those named get these values.
        """
        changes = [Change.parse(f"{name}={value}") for name, value in fields.items()]
        self._inject(CORRUPT, particle, changes or [None])

    def _inject(self, kind: str, particle: int, changes: Sequence[Change | None] = (None,)) -> None:
        """Let something happen to a particle now; from here on the run is by hand."""
        fault = Fault(kind, self._by_hand.check(particle), self.rounds, self.position)
        faults = *self._by_hand.faults, *(replace(fault, change=one) for one in changes)
        checked = self.options.with_(faults=faults).faults
        if not self.options.is_stepped:
            self._by_hand.follow(scheduled(self), by_round=True)
        self.expect(checked)

    def expect(self, faults: Iterable[Fault]) -> None:
        """Let these faults happen; from here on the run is by hand."""
        self._begin_by_hand()
        self.options = self.options.with_(faults=faults)
        self._by_hand.faults = located(self.options.faults, self)
        self._by_hand.apply_due_faults()

    def follow(self, schedule: Iterable[Particles]) -> None:
        """Go on with these particles once the schedule made by hand has run out."""
        scheduler = OwnScheduler(check_order(schedule))
        self._by_hand.check_all(scheduler.listed)
        self._by_hand.follow(scheduler.pieces(self))

    def coins_ahead(self, particle: int) -> list[tuple[int, int]]:
        """Return the coins that this particle's activation would flip now.

        Of each, in their order: how many sides it has, and on which the seed lets it fall.
        """
        with explaining(self.rules):
            return self._run.coins_ahead(self._by_hand.check(particle))

    @property
    def next_move(self) -> tuple[int, tuple[int, ...]] | None:
        """Whom the schedule activates next, and how its coins fall if that was chosen."""
        now, particle = self.snapshot(), None
        with suppress(StopIteration):
            self.step()
            if self.steps > now.steps:
                particle = self.latest
        self.restore(now)
        if particle is None:
            return None
        return particle, self._by_hand.coins.get(self._by_hand.done, ())

    def what_if(
        self, particle: int, coins: Iterable[int] = ()
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return units' and particles' memories as this particle's activation would leave them.

        Its coins fall as chosen, or as the seed says: see ``activate``.
        """
        now = self.snapshot()
        with explaining(self.rules):
            self._by_hand.activate(self._by_hand.check(particle), sides(coins))
        after = read_only(self.memory.copy()), read_only(self.particle_memory.copy())
        self.restore(now)
        return after

    def round(self) -> None:
        """Finish the round under way: everyone is activated."""
        self._run_to(self.rounds + 1)

    def run(
        self,
        max_rounds: int | None = None,
        progress: Callable[[Simulation], None] | None = None,
    ) -> Result:
        """Run until the election has an outcome, or until N rounds are over.

        Args:
            max_rounds: Stop once N rounds are over, counted from the beginning of the run; by
                default, where the options say.
            progress: Is called now and then with this simulation.
        """
        check_function(progress)
        last = (
            self.round_limit if max_rounds is None else whole(max_rounds, "max_rounds", 0, NO_END)
        )
        last = NO_END if last is None else last
        with suppress(StopIteration):
            while not self.finished and self.rounds < last:
                by_hand = self._by_hand
                ahead = by_hand.at_once if by_hand.is_under_way else rounds_at_once(self._run)
                self._run_to(min(last, self.rounds + ahead), until_finished=True)
                if progress is not None:
                    progress(self)
        return self.result()

    def _run_to(self, rounds: int, until_finished: bool = False) -> None:
        with explaining(self.rules):
            while (
                self.rounds < rounds
                and not self._is_over()
                and not (until_finished and self.finished)
            ):
                if self._by_hand.is_under_way:
                    self._by_hand.advance(rounds)
                elif self._by_hand.since == NO_END:
                    self._advance(min(rounds, self.rounds + rounds_at_once(self._run)))
                else:
                    self._advance(rounds, self._by_hand.since - self.steps)
        self._remember()

    def _advance(self, last_round: int = NO_END, activations: int = NO_END) -> None:
        with watchdog.calling("a rule" if self.options.has_own_rules else "the election"):
            self._run.advance(last_round, activations)
        self._by_hand.apply_due_faults()

    def _is_over(self) -> bool:
        """Whether everyone has terminated, so that nothing will ever change."""
        return self.terminate and self.finished

    # Backwards.

    def goto(self, rounds: int, position: int = 0) -> None:
        """Go to the moment after N rounds, and some activations into the next one.

        Going back starts from the last snapshot before that moment. If everyone terminates before
        it, or the schedule ends, this goes to the end of the run.

        Args:
            rounds: Completed rounds, 0 or more.
            position: Particle activations after them, 0 or more.

        Raises:
            ValueError: If a number is negative, or not a whole one.
        """
        if not all(is_whole(number) and 0 <= number <= NO_END for number in (rounds, position)):
            raise ValueError(
                f"there is no moment {spelled(position)} activations after round "
                f"{spelled(rounds)}: both are whole numbers from 0 to {NO_END}"
            )
        if (rounds, position) < (self.rounds, self.position):
            then = self._past.before(rounds)
            if then is not None:
                self.restore(then)
            else:
                self._run.begin_again()
                self._by_hand.rewind()
                self._by_hand.apply_due_faults()
        with suppress(StopIteration):
            self._run_to(rounds)
            if self.rounds == rounds and self.position < position and not self._is_over():
                self._skip(position - self.position, rounds + 1)

    def snapshot(self) -> Snapshot:
        """Return all that changes during a run, to come back to."""
        waiting, struck = self._by_hand.flags.copy(), self._by_hand.struck
        content = self._run.snapshot()
        run = self.shape, self.options
        return Snapshot(self.rounds, self.steps, content, waiting, struck, run)

    def restore(self, snapshot: Snapshot) -> None:
        """Come back to a snapshot of this run."""
        if not isinstance(snapshot, Snapshot):
            raise ValueError(f"{snapshot!r} is not a snapshot: simulation.snapshot() makes one")
        if snapshot.run != (self.shape, self.options):
            raise ValueError("a snapshot is one of its own run: this one is of another")
        self._run.restore(snapshot.content)
        self._by_hand.rewind(snapshot.waiting, snapshot.struck)

    def _remember(self) -> None:
        """Keep a snapshot if this is the start of a round far enough from the last one kept."""
        if self.position == 0 and self._past.is_due(self.steps):
            self._past.keep(self.snapshot())

    # Results, files and pictures.

    def result(self) -> Result:
        """Return how the run has gone so far."""
        rounds = self.rounds + bool(self.position)
        return result_of(self._run, self.shape, self.system, self.options, rounds, self.scheduler)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file of one line: shape, seed, options, and the schedule by hand."""
        from amoebot.runs import save

        save(self, path)

    def view(self) -> Any:
        """Return the interactive view for a notebook."""
        from amoebot.viewer.widget import view

        return view(self)

    def _repr_svg_(self) -> str:
        """Show this moment in a notebook."""
        from amoebot.render import picture

        return str(picture(self))


def check_simulation(given: object) -> None:
    """Refuse what is not a simulation."""
    if not isinstance(given, Simulation):
        raise ValueError(f"{given!r} is not a simulation: amoebot.Simulation(shape) makes one")
