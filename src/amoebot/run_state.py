"""What run it is, and where it stands: all that can be read of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from amoebot.algorithms.description import Course
from amoebot.algorithms.records import read_only
from amoebot.by_hand import ByHand
from amoebot.engine.names import NO_END
from amoebot.faults import Fault
from amoebot.linking import Rules, link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import System

if TYPE_CHECKING:
    from amoebot.engine.run import EngineRun


class RunState:
    """A run that can be looked into."""

    shape: Shape
    options: Options
    system: System
    _run: EngineRun
    _by_hand: ByHand

    # What run it is.

    @property
    def seed(self) -> int:
        """The seed."""
        return self.options.seed

    @property
    def rules(self) -> Rules | None:
        """The rules that replace some of the election's."""
        return self.options.rules

    @property
    def terminate(self) -> bool:
        """Whether all particles learn of the leader and stop."""
        return bool(self.options.own["terminate"])

    @property
    def course(self) -> Course:
        """The milestones and phases of the election."""
        return self.options.election.course

    def linked(self, module: str) -> Any:
        """Return a module of the election as this run has it, with replaced rules in it."""
        return link(self.options.algorithm, self.rules).module(module)

    @property
    def round_limit(self) -> int | None:
        """The number of rounds after which ``run`` stops, None for never."""
        return self.options.round_limit(len(self.shape), self.system.outer_boundary_length)

    # Where the run stands.

    @property
    def memory(self) -> NDArray[Any]:
        """The memory of every agent (or node), as one record each; it can only be looked at."""
        return read_only(self._run.memory)

    @property
    def rounds(self) -> int:
        """The number of rounds completed."""
        return self._run.rounds

    @property
    def position(self) -> int:
        """The number of particle activations in the round under way."""
        return self._run.position

    @property
    def activations(self) -> int:
        """The number of activations so far of particles that could act.

        A particle without an agent can only pass the termination message on. Until then, whether
        it is activated makes no difference, and neither does it count.
        """
        return self._run.activations

    @property
    def steps(self) -> int:
        """The number of steps so far, as ``step`` takes them.

        Those that are chosen one by one, by hand or by a scheduler of one's own, are steps also
        where the particle could not act; the schedulers with a name leave these out.
        """
        return self._run.steps

    @property
    def outcome(self) -> str | None:
        """How the run ended, or None while it goes on."""
        return self._run.outcome

    @property
    def finished(self) -> bool:
        """Whether the run has its outcome and, if asked to, every particle has terminated."""
        return self._run.is_finished(self.terminate, self._by_hand.others_terminated)

    @property
    def candidates(self) -> int:
        """The number of candidates that have started and not withdrawn."""
        watch = self._run.watch
        return int(watch.candidates - watch.withdrawn)

    @property
    def phase(self) -> int:
        """The number of the phase that the run is in, among those of its course."""
        return self.course.phase(self.milestones, self.rounds, self.steps, self.finished)

    @property
    def leader_particle(self) -> int | None:
        """The number of the leader particle, if there is one."""
        return self._run.leader

    @property
    def leader(self) -> tuple[tuple[int, int], ...] | None:
        """The nodes of the leader particle, if there is one."""
        particle = self.leader_particle
        return None if particle is None else self.system.nodes_of(particle)

    @property
    def particle_memory(self) -> NDArray[Any]:
        """The memory of every particle; there is none where particles do not terminate."""
        return read_only(self._run.particle_memory)

    @property
    def milestones(self) -> dict[str, int | None]:
        """The round by which each milestone was reached, None for those still to come."""
        watch = self._run.watch
        return {name: int(watch[name]) or None for name in self.course.milestones}

    @property
    def schedule(self) -> tuple[int, ...]:
        """The particles activated by hand, and those still to be."""
        return tuple(self._by_hand.particles)

    @property
    def schedule_has_ended(self) -> bool:
        """Whether the user's scheduler has no more particles to activate."""
        return self._by_hand.has_ended and self.steps >= self.by_hand_limit

    @property
    def chosen_coins(self) -> tuple[tuple[int, ...], ...]:
        """How the coins of these fall where that was chosen, and not left to the seed."""
        by_hand = self._by_hand
        return tuple(by_hand.coins.get(number, ()) for number in range(len(by_hand.particles)))

    @property
    def by_hand_from(self) -> tuple[int, int] | None:
        """The moment, as rounds and position, from which on the run is by hand."""
        return self._by_hand.began if self._by_hand.since < NO_END else None

    @property
    def by_hand_limit(self) -> int:
        """The number of steps after which the schedule made by hand so far runs out."""
        return self._by_hand.since + len(self._by_hand.particles)

    @property
    def waiting(self) -> list[int]:
        """The particles that have not been activated in the round under way, nor have crashed."""
        return self._by_hand.waiting

    @property
    def crashed(self) -> set[int]:
        """The particles that have crashed so far."""
        return {*self._by_hand.crashed}

    @property
    def faults_so_far(self) -> list[Fault]:
        """The faults that have happened so far, with the particles that they happened to."""
        return self._by_hand.faults_so_far

    @property
    def faults(self) -> list[Fault]:
        """All faults of the run, with the particles that they happen to."""
        return [*self._by_hand.faults]

    @property
    def engine_run(self) -> EngineRun:
        """The run as the engine holds it."""
        return self._run

    @property
    def latest(self) -> int | None:
        """The particle that was activated last."""
        return self._run.latest
