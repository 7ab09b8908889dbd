"""What a Python user holds: one run of the election, to step, run, rewind and look into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import engine
from amoebot.election.memory import empty_memory
from amoebot.shapes import Shape
from amoebot.system import System, build

#: The names that outcomes have in results.
OUTCOMES = {
    engine.LEADER: "leader",
    engine.NO_CANDIDATES: "no-candidates",
    engine.TIED_IDENTIFIERS: "tied-identifiers",
}

#: The milestones in the order in which an election passes them.
MILESTONES = (
    "identifiers_set_up",
    "digit_tokens_created",
    "first_solitude_verification",
    "last_rival_gone",
    "last_solitude_verification",
    "boundary_identification",
    "leader_declared",
)

#: Agent activations between two looks at the clock, the keyboard and the progress bar.
CHUNK = 2_000_000

_NO_END = np.iinfo(np.int64).max // 2

Snapshot = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    outcome: str  #: "leader", "no-candidates", "tied-identifiers" or "round-limit"
    leader: tuple[tuple[int, int], ...] | None  #: the nodes of the leader particle
    rounds: int  #: the round in which the leader was declared, or the last one run
    rounds_terminated: int | None  #: the round in which the last particle terminated
    particles: int
    agents: int
    outer_boundary_length: int
    inner_boundaries: int  #: how many there are
    inner_boundary_lengths: tuple[int, ...]
    milestones: dict[str, int | None]  #: the round by which each was reached
    candidates: tuple[tuple[int, int], ...]  #: (round, candidates left on the outer boundary)
    shape: str
    seed: int
    scheduler: str
    radix: int
    almost_sure: bool
    terminate: bool

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)


class Simulation:
    """One run: a pure function of shape, seed and options."""

    def __init__(
        self,
        shape: Shape,
        seed: int = 0,
        scheduler: str | Iterable[int] = "permutation",
        *,
        radix: int = 16,
    ) -> None:
        """Put particles with empty memories on a shape; nobody has been activated yet."""
        check_options(seed, radix)
        self.shape = shape
        self.seed = seed
        self.radix = radix
        self.scheduler = scheduler if isinstance(scheduler, str) else "by hand"
        self.system: System = build(shape, seed)
        self._by_hand: Iterator[int] | None = None
        kind = engine.check_scheduler("round-robin")
        if isinstance(scheduler, str):
            kind = engine.check_scheduler(scheduler)
        else:
            self._by_hand = iter(scheduler)
        self._state = new_state(self.system, seed, radix, kind)
        self._had_turn = np.zeros(self.system.particles, dtype=bool)
        self._log: list[int] = []
        self._past: dict[int, Snapshot] = {0: self.snapshot()}

    # Where the run stands.

    @property
    def memory(self) -> NDArray[Any]:
        """The memory of every agent, as one record each (a view: look, do not touch)."""
        return self._state.memory

    @property
    def rounds(self) -> int:
        """The number of rounds completed."""
        return int(self._state.run["current_round"][0]) - 1

    @property
    def position(self) -> int:
        """The number of particle activations in the round under way."""
        return int(self._state.run["position"][0])

    @property
    def activations(self) -> int:
        """The number of particle activations so far."""
        return int(self._state.run["activations"][0])

    @property
    def outcome(self) -> str | None:
        """How the run ended, or None while it goes on."""
        return OUTCOMES.get(int(self._state.watch["outcome"][0]))

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
        return int(self.system.particle[self._state.watch["leader"][0]]) if self.system.agents else 0

    @property
    def leader(self) -> tuple[tuple[int, int], ...] | None:
        """The nodes of the leader particle, if there is one."""
        particle = self.leader_particle
        return None if particle is None else self.system.nodes_of(particle)

    # Forwards.

    def step(self) -> None:
        """Activate the next particle."""
        if self._by_hand is not None:
            self.activate(next(self._by_hand))
        else:
            engine.advance(self._state, _NO_END, 1)

    def activate(self, particle: int) -> None:
        """Activate a particle of one's own choice."""
        if not 0 <= particle < self.system.particles:
            raise ValueError(f"there is no particle {particle}: 0 to {self.system.particles - 1}")
        run = self._state.run[0]
        engine.activate(self._state, int(self.system.first_agent[particle]))
        self._log.append(particle)
        self._had_turn[particle] = True
        run.activations += 1
        run.position += 1
        if self._had_turn.all():
            self._had_turn[:] = False
            run.position = 0
            run.current_round += 1

    def round(self) -> None:
        """Finish the round under way: everyone has a turn."""
        self._run_to(self.rounds + 1)

    def run(
        self,
        max_rounds: int | None = None,
        progress: Callable[[Simulation], None] | None = None,
    ) -> Result:
        """Run until the election has an outcome, or until so many rounds are over."""
        last = _NO_END if max_rounds is None else max_rounds
        chunk = max(1, CHUNK // max(1, self.system.agents))
        while self.outcome is None and self.rounds < last:
            self._run_to(min(last, self.rounds + chunk), stop_at_outcome=True)
            if progress is not None:
                progress(self)
        return self.result()

    def _run_to(self, rounds: int, stop_at_outcome: bool = False) -> None:
        while self.rounds < rounds and not (stop_at_outcome and self.outcome):
            if self._by_hand is not None:
                self.step()
            else:
                engine.advance(self._state, rounds, _NO_END)

    # Backwards.

    def snapshot(self) -> Snapshot:
        """Return all that changes during a run, to come back to."""
        state = self._state
        log = np.array(self._log, dtype=np.int64)
        changing = (state.run, state.watch, state.withdrawals, state.memory, state.order)
        return (*(array.copy() for array in changing), self._had_turn.copy(), log)

    def restore(self, snapshot: Snapshot) -> None:
        """Come back to a snapshot of this run."""
        state = self._state
        changing = (state.run, state.watch, state.withdrawals, state.memory, state.order)
        for array, then in zip((*changing, self._had_turn), snapshot, strict=False):
            array[:] = then
        self._log = snapshot[-1].tolist()

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
            rounds_terminated=None,
            particles=self.system.particles,
            agents=self.system.agents,
            outer_boundary_length=self.system.outer_boundary_length,
            inner_boundaries=max(0, len(self.system.boundaries) - 1),
            inner_boundary_lengths=tuple(b.length for b in self.system.boundaries[1:]),
            milestones={name: int(watch[name]) or None for name in MILESTONES},
            candidates=self._candidates_over_time(),
            shape=self.shape.name,
            seed=self.seed,
            scheduler=self.scheduler,
            radix=self.radix,
            almost_sure=False,
            terminate=False,
        )
