"""What a Python user holds: one run of the election, to step, run, rewind and look into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import engine, jit
from amoebot.election import identifier_comparison
from amoebot.results import MILESTONES, OUTCOMES, Result, check_options
from amoebot.rules import PAPER, Rules
from amoebot.shapes import Shape
from amoebot.system import System, build

#: Agent activations between two looks at the clock, the keyboard and the progress bar.
CHUNK = 2_000_000

_NO_END = np.iinfo(np.int64).max // 2

#: Particle activations between two snapshots: as many are run again in milliseconds.
APART = 50_000

#: Snapshots kept for going back; when there are more, every second one is dropped.
MOST_SNAPSHOTS = 64

#: The name of a schedule that the user provides.
BY_HAND = "by hand"


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run."""

    rounds: int
    activations: int
    arrays: tuple[NDArray[Any], ...]
    particles: NDArray[Any] | None
    had_turn: frozenset[int]


class Simulation:
    """One run: a pure function of shape, seed and options.

    ``step``, ``round`` and ``run`` go on, ``goto`` goes to any moment, and the properties say where
    the run stands. In a notebook it shows itself.
    """

    def __init__(
        self,
        shape: Shape,
        seed: int = 0,
        scheduler: str | Iterable[int] = "permutation",
        *,
        almost_sure: bool = True,
        terminate: bool = True,
        radix: int = 16,
        rules: Rules | None = None,
    ) -> None:
        """Put particles with empty memories on a shape; nobody has been activated yet.

        Args:
            shape: The nodes that particles occupy, from ``amoebot.shapes``.
            seed: What coins, port offsets and random orders depend on, from 0 to 2^64 - 1.
            scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
                "round-robin", "with-cycle", "against-cycle" or "adversarial". Or any
                iterable of particle numbers: then the run is by hand, and ends when they do.
            almost_sure: Whether to run the variant of Appendix A.3, which elects a leader with
                probability 1.
            terminate: Whether to run the variant of Appendix A.2, in which all particles terminate.
                Without both variants it is the algorithm of Section 2 alone, which elects a leader
                with high probability.
            radix: How many values a digit of an identifier can take, from 2 to 256.
            rules: Rules of one's own; by default, those of the paper.

        Raises:
            ValueError: If the seed, the scheduler or the radix cannot be.
        """
        check_options(seed, radix)
        self.shape = shape
        self.seed = seed
        self.almost_sure = almost_sure
        self.terminate = terminate
        self.radix = radix
        self.rules = rules
        # Rules of one's own come with an engine of their own, which mypy takes for this one.
        self._engine = engine if rules is None else rules.linked("engine")
        self.scheduler = scheduler if isinstance(scheduler, str) else BY_HAND
        self.planned_scheduler = self.scheduler  #: what it was before the run became one by hand
        self.system: System = build(shape, seed)
        by_hand = not isinstance(scheduler, str)
        kind = engine.BY_HAND if by_hand else engine.check_scheduler(self.scheduler)
        self._state: engine.State = self._engine.new_state(
            self.system, seed, radix, kind, almost_sure=almost_sure, terminate=terminate
        )
        # By hand: which particles were activated since when, where more come from, and who has
        # had a turn in the round under way.
        self._turns: list[int] = []
        self._by_hand_since: int = 0 if self.scheduler == BY_HAND else _NO_END
        self._by_hand_from: tuple[int, int] = (0, 0)
        self._source: Iterator[int] = iter(() if isinstance(scheduler, str) else scheduler)
        self._had_turn: set[int] = set()
        self._past: list[Snapshot] = []
        self._at_first = self._state.run.copy()

    # Where the run stands.

    @property
    def memory(self) -> NDArray[Any]:
        """The memory of every agent, as one record each (a view: look, do not touch)."""
        return self._state.memory

    @property
    def digit_tokens(self) -> NDArray[np.uint16]:
        """The digit tokens that every agent holds, a row each, in their order; 0 where none is."""
        comparison: Any = identifier_comparison
        if self.rules is not None:
            comparison = self.rules.linked("election.identifier_comparison")
        return np.stack(jit.source(comparison.held_tokens)(self.memory.view(np.recarray)), axis=1)

    @property
    def rounds(self) -> int:
        """The number of rounds completed."""
        return int(self._state.run["current_round"][0]) - 1

    @property
    def position(self) -> int:
        """The number of particle activations in the round under way."""
        run = self._state.run[0]
        return int(run.place + run.interior_turns)

    @property
    def activations(self) -> int:
        """The number of particle activations so far."""
        return int(self._state.run["activations"][0])

    @property
    def outcome(self) -> str | None:
        """How the run ended, or None while it goes on."""
        return OUTCOMES.get(int(self._state.watch["outcome"][0]))

    @property
    def finished(self) -> bool:
        """Whether the run has its outcome and, if asked to, every particle has terminated."""
        if self.outcome != "leader" or not self.terminate:
            return self.outcome is not None
        return bool(self._state.watch["all_terminated"][0])

    @property
    def candidates(self) -> int:
        """The number of candidates on the outer boundary that have started and not withdrawn."""
        watch = self._state.watch[0]
        return int(watch.heads - watch.withdrawn)

    @property
    def leader_particle(self) -> int | None:
        """The number of the leader particle, if there is one."""
        if self.outcome != "leader":
            return None
        return (
            int(self.system.particle[self._state.watch["leader"][0]]) if self.system.agents else 0
        )

    @property
    def leader(self) -> tuple[tuple[int, int], ...] | None:
        """The nodes of the leader particle, if there is one."""
        particle = self.leader_particle
        return None if particle is None else self.system.nodes_of(particle)

    @property
    def particle_memory(self) -> NDArray[Any]:
        """The memory of every particle; there is none where particles do not terminate."""
        return self._state.particles

    @property
    def milestones(self) -> dict[str, int | None]:
        """The round by which each milestone was reached, None for those still to come."""
        watch = self._state.watch[0]
        return {name: int(watch[name]) or None for name in MILESTONES}

    @property
    def turns(self) -> tuple[int, ...]:
        """The particles activated by hand, and those still to be."""
        return tuple(self._turns)

    @property
    def by_hand_from(self) -> tuple[int, int] | None:
        """The moment, as rounds and position, from which on the run is by hand."""
        return self._by_hand_from if self.scheduler == BY_HAND else None

    @property
    def by_hand_limit(self) -> int:
        """The number of activations after which the turns made by hand so far run out."""
        return self._by_hand_since + len(self._turns)

    @property
    def latest(self) -> int | None:
        """The particle that had the last turn, where the schedule still knows."""
        run = self._state.run[0]
        if self._is_by_hand():
            done = self.activations - self._by_hand_since
            return self._turns[done - 1] if done else None
        place = int(run.place - run.batch) or (len(self._state.basic) if self.rounds else 0)
        if place == 0 or (run.scheduler == engine.SCHEDULERS["uniform"] and run.place == 0):
            return None
        return int(self.system.particle[self._state.order[place - 1]])

    # Forwards.

    def step(self) -> None:
        """Activate the next particle; by hand, raise StopIteration when there is none."""
        if not self._is_by_hand():
            self._engine.advance(self._state, _NO_END, 1)
            return
        done = self.activations - self._by_hand_since
        if done == len(self._turns):
            self._turns.append(self._check_particle(next(self._source)))
        self._take_turn(self._turns[done])

    def activate(self, particle: int) -> None:
        """Activate a particle of one's own choice; from here on the run is by hand."""
        self._check_particle(particle)
        if self.activations < self._by_hand_since:
            self._had_turn = self._turns_this_round()
            self._by_hand_since = self.activations
            self._by_hand_from = (self.rounds, self.position)
        self.scheduler = BY_HAND
        del self._turns[self.activations - self._by_hand_since :]
        self._past = [then for then in self._past if then.activations <= self.activations]
        self._turns.append(particle)
        self.step()

    def follow(self, turns: Iterable[int]) -> None:
        """Take further turns from here once those made by hand have run out."""
        self._source = iter(turns)

    def what_if(self, particle: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return agents' and particles' memories as this particle's activation would leave them."""
        now = self.snapshot()
        self._take_turn(self._check_particle(particle))
        after = self.memory.copy(), self.particle_memory.copy()
        self.restore(now)
        return after

    def round(self) -> None:
        """Finish the round under way: everyone has a turn."""
        self._run_to(self.rounds + 1)

    def run(
        self,
        max_rounds: int | None = None,
        progress: Callable[[Simulation], None] | None = None,
    ) -> Result:
        """Run until the election has an outcome, or until so many rounds are over.

        Args:
            max_rounds: Stop once so many rounds are over, counted from the beginning of the run;
                by default, never.
            progress: Is called now and then with this simulation.
        """
        last = _NO_END if max_rounds is None else max_rounds
        chunk = max(1, CHUNK // max(1, self.system.agents))
        with suppress(StopIteration):
            while not self.finished and self.rounds < last:
                self._run_to(min(last, self.rounds + chunk), until_finished=True)
                if progress is not None:
                    progress(self)
        return self.result()

    @property
    def patience(self) -> int | None:
        """After how many rounds to give up: rules that are wrong may never elect anybody."""
        if self.rules is None:
            return None
        return 100 * (self.system.outer_boundary_length + self.system.particles)

    def _run_to(self, rounds: int, until_finished: bool = False) -> None:
        while (
            self.rounds < rounds and not self._is_over() and not (until_finished and self.finished)
        ):
            if self._is_by_hand():
                self.step()
            else:
                self._engine.advance(self._state, rounds, self._by_hand_since - self.activations)
        self._remember()

    def _is_by_hand(self) -> bool:
        return self.activations >= self._by_hand_since

    def _is_over(self) -> bool:
        """Whether everyone has terminated, so that nothing will ever change."""
        return self.terminate and self.finished

    def _take_turn(self, particle: int) -> None:
        if self.system.agents == 0:  # the only particle
            self._engine.advance(self._state, _NO_END, 1)
            return
        run = self._state.run[0]
        self._engine.activate_particle(self._state, particle)
        self._had_turn.add(particle)
        if len(self._had_turn) == self.system.particles:
            self._had_turn.clear()
            run.place = run.turns = 0
            run.current_round += 1

    def _turns_this_round(self) -> set[int]:
        """Return who has had a turn in the round under way, as far as the scheduler looked."""
        run, state = self._state.run[0], self._state
        if run.scheduler == engine.SCHEDULERS["uniform"]:
            taken = state.basic[state.seen != 0]
        else:
            taken = state.order[: run.place]
        return set(self.system.particle[taken].tolist()) if run.place else set()

    def _check_particle(self, particle: int) -> int:
        if not 0 <= particle < self.system.particles:
            last = self.system.particles - 1
            raise ValueError(f"there is no particle {particle}: they are numbered 0 to {last}")
        return particle

    # Backwards.

    def goto(self, rounds: int, position: int = 0) -> None:
        """Go to the moment after so many rounds, and so many activations into the next one.

        Going back starts from the last snapshot before that moment. If everyone terminates before
        it, this goes to the end of the run.

        Args:
            rounds: Completed rounds, 0 or more.
            position: Particle activations after them, 0 or more.

        Raises:
            ValueError: If a number is negative.
            StopIteration: If the schedule is by hand and ends before that moment.
        """
        if rounds < 0 or position < 0:
            raise ValueError(f"there is no moment {position} activations after round {rounds}")
        if (rounds, position) < (self.rounds, self.position):
            kept = [then for then in self._past if then.rounds <= rounds]
            if kept:
                self.restore(kept[-1])
            else:
                self._begin_again()
        self._run_to(rounds)
        while self.rounds == rounds and self.position < position and not self._is_over():
            self.step()

    def snapshot(self) -> Snapshot:
        """Return all that changes during a run, to come back to."""
        arrays = tuple(array.copy() for array in self._engine.changing(self._state))
        # All particles' memories are empty, and there may be millions of them, before the end.
        particles = None if self.outcome is None else self._state.particles.copy()
        return Snapshot(self.rounds, self.activations, arrays, particles, frozenset(self._had_turn))

    def restore(self, snapshot: Snapshot) -> None:
        """Come back to a snapshot of this run."""
        for array, then in zip(self._engine.changing(self._state), snapshot.arrays, strict=True):
            array[:] = then
        self._had_turn = set(snapshot.had_turn)
        if snapshot.particles is None:
            self._state.particles.fill(0)
        else:
            self._state.particles[:] = snapshot.particles

    def _begin_again(self) -> None:
        """Come back to the beginning, when all memories are empty: that takes no snapshot."""
        for array in (*self._engine.changing(self._state), self._state.particles):
            array.view(np.uint8).fill(0)
        self._state.run[:] = self._at_first
        self._had_turn = set()

    def _remember(self) -> None:
        """Keep a snapshot if this is the start of a round far enough from the last one kept."""
        last = self._past[-1].activations if self._past else 0
        if self.position == 0 and self.activations - last >= APART:
            self._past.append(self.snapshot())
            if len(self._past) > MOST_SNAPSHOTS:
                del self._past[::2]

    # Results.

    def result(self) -> Result:
        """Return what there is to say about the run so far."""
        watch = self._state.watch[0]
        outcome = self.outcome or "round-limit"
        rounds = int(watch.leader_declared) if outcome == "leader" else self.rounds
        if outcome != "leader" and self.position:
            rounds += 1
        return Result(
            outcome=outcome,
            leader=self.leader,
            rounds=rounds,
            rounds_terminated=int(watch.all_terminated) or None,
            particles=self.system.particles,
            agents=self.system.agents,
            outer_boundary_length=self.system.outer_boundary_length,
            inner_boundaries=max(0, len(self.system.boundaries) - 1),
            inner_boundary_lengths=tuple(b.length for b in self.system.boundaries[1:]),
            milestones=self.milestones,
            candidates=self._candidates_over_time(),
            shape=self.shape.name,
            seed=self.seed,
            scheduler=self.scheduler,
            radix=self.radix,
            almost_sure=self.almost_sure,
            terminate=self.terminate,
            rules=PAPER if self.rules is None else self.rules.name,
        )

    # Files and pictures, by layers above this one.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file of one line: its shape, seed, options and turns made by hand."""
        import_module("amoebot.runs").save(self, path)

    def view(self) -> Any:
        """Return the interactive view for a notebook."""
        return import_module("amoebot.viewer.widget").view(self)

    def _repr_svg_(self) -> str:
        """Show this moment in a notebook."""
        return str(import_module("amoebot.render").picture(self))

    def _candidates_over_time(self) -> tuple[tuple[int, int], ...]:
        watch = self._state.watch[0]
        heads, withdrawn = int(watch.heads), int(watch.withdrawn)
        left = {1: heads} if heads else {}
        for gone, when in enumerate(self._state.withdrawals[:withdrawn].tolist(), start=1):
            left[when] = heads - gone
        return tuple(left.items())


class Election(Simulation):
    """A run of which only the result is wanted: nobody goes back in it, or looks inside.

    Agents on inner boundaries are left out, which have no part in the result.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Put particles on a shape, as for any run."""
        super().__init__(*arguments, **options)
        self._state = self._engine.without_inner_boundaries(self._state)

    def _remember(self) -> None:
        """Keep no snapshot."""

    def goto(self, rounds: int, position: int = 0) -> None:
        """Refuse: nothing is kept to go back to."""
        raise TypeError("of this run only the result is wanted: use a Simulation")

    def activate(self, particle: int) -> None:
        """Refuse: particles are not what they are in a run to look into."""
        self.goto(0)

    def what_if(self, particle: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Refuse, for the same reason."""
        raise TypeError("of this run only the result is wanted: use a Simulation")


def elect(
    shape: Shape,
    seed: int = 0,
    scheduler: str | Iterable[int] = "permutation",
    *,
    almost_sure: bool = True,
    terminate: bool = True,
    radix: int = 16,
    max_rounds: int | None = None,
    rules: Rules | None = None,
) -> Result:
    """Run an election and return how it ended.

    Args:
        shape: The nodes that particles occupy, from ``amoebot.shapes``.
        seed: What coins, port offsets and random orders depend on, from 0 to 2^64 - 1.
        scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
            "round-robin", "with-cycle", "against-cycle" or "adversarial", or any
            iterable of particle numbers.
        almost_sure: Whether to run the variant of Appendix A.3, which elects a leader with
            probability 1.
        terminate: Whether to run the variant of Appendix A.2, in which all particles terminate.
            Without both variants it is the algorithm of Section 2 alone, which elects a leader
            with high probability.
        radix: How many values a digit of an identifier can take, from 2 to 256.
        rules: Rules of one's own; by default, those of the paper.
        max_rounds: Stop after so many rounds, with the outcome "round-limit"; by default, never.

    Raises:
        ValueError: If the seed, the scheduler or the radix cannot be.
    """
    election = Election(
        shape,
        seed,
        scheduler,
        almost_sure=almost_sure,
        terminate=terminate,
        radix=radix,
        rules=rules,
    )
    return election.run(max_rounds)
