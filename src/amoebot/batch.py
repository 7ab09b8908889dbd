"""Elections of which only the result is wanted: one, or many at once on threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sized
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import islice, zip_longest
from threading import Event
from typing import TYPE_CHECKING, Any

from amoebot.algorithms import registry
from amoebot.engine.names import LEAST_AGENTS, NO_END, WORTHWHILE
from amoebot.engine_runs import new_run, result_of, rounds_at_once, thread_count
from amoebot.faults import Fault
from amoebot.linking import Rules, explaining, link, watchdog
from amoebot.options import Options
from amoebot.results import Result
from amoebot.scheduler import SchedulerLike
from amoebot.shapes import Shape, ShapeLike, as_shape, hexagon, line
from amoebot.simulation import Simulation
from amoebot.system import build

if TYPE_CHECKING:
    from amoebot.engine.many import SmallElections
    from amoebot.engine.run import EngineRun
    from amoebot.engine.standing import Standing

#: Groups of elections that may be finished or under way ahead of the result wanted next.
LOOK_AHEAD = 4  # for each thread


def elect(
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
) -> Result:
    """Run an election and return how it ended.

    Args:
        shape: The nodes that particles occupy: from ``amoebot.shapes``, or as a string such as
            "hexagon:10", or the path of a file.
        seed: What coins, port offsets and random orders depend on, from 0 to 2^64 - 1.
        scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
            "round-robin", "with-cycle", "against-cycle" or "adversarial", or one of your own, as
            for ``Simulation``.
        algorithm: The election: its name, or the path of a file or package.
        max_rounds: Stop after N rounds, with the outcome "round-limit"; by default never, or with
            changed rules after 100 (L + n).
        rules: Rules of one's own; by default, those of the election.
        faults: What happens to particles, such as "crash 3@10", as for ``Simulation``.
        threads: How many threads run it together where its boundary is long; by default, as many
            as there are cores. The result is the same.
        **options: The options of the election by name, such as ``terminate``.

    Raises:
        ValueError: If an option is invalid.
    """
    chosen = Options(seed, scheduler, algorithm, options, max_rounds, rules, faults)
    return run_to_end(as_shape(shape), chosen, threads=thread_count(threads))[0]


def run_election(shape: Shape, options: Options, look: Callable[[], None] | None = None) -> Result:
    """Run an election to its end; ``look`` is called now and then, and may raise an error."""
    return run_to_end(shape, options, look)[0]


def run_to_end(
    shape: Shape, options: Options, look: Callable[[], None] | None = None, threads: int = 1
) -> tuple[Result, EngineRun]:
    """Run an election to its end; return the run too, of which only watched units can be read.

    What has no part in the result is left out: where rules are changed, nothing is.
    """
    if options.is_stepped:
        simulation = Simulation.of(shape, options)
        return simulation.run(progress=look and (lambda _: look())), simulation.engine_run
    system = build(shape, options.seed)
    only = options.rules is None
    run = new_run(system, options, options.scheduler_name, outcome_only=only, threads=threads)
    last = options.round_limit(len(shape), system.outer_boundary_length) or NO_END
    blamed = "a rule" if options.has_own_rules else "the election"

    while not run.is_finished(options.own["terminate"]) and run.rounds < last:
        with explaining(options.rules), watchdog.calling(blamed):
            run.advance(min(last, run.rounds + rounds_at_once(run)))
        if look is not None:
            look()
    rounds = run.rounds + bool(run.position)
    return result_of(run, shape, system, options, rounds, options.scheduler_name), run


class Elections:
    """Elections on one shape that differ in their seeds alone."""

    def __init__(self, shape: Shape, options: Options) -> None:
        """Say what they have in common; the seed of the options is left aside."""
        self.shape = shape
        self.options = options
        self._stopped = Event()
        self._system = build(shape)  # what results say of it is the same for all seeds
        engine = link(options.algorithm, options.rules).module("engine.many")
        self._small: SmallElections | None = None
        plain = options.rules is None and not options.is_stepped
        if plain and engine.is_small(self._system):
            length = self._system.outer_boundary_length
            last = options.round_limit(len(shape), length) or NO_END
            self._small = engine.SmallElections(
                self._system, options.scheduler_name, options.own, last
            )

    @property
    def at_once(self) -> int:
        """How many are best run in one call."""
        return 1 if self._small is None else self._small.at_once

    def warm_up(self, elections: int) -> None:
        """Compile what so many of them need, before threads begin and wait for each other."""
        warm_up(self.options, self._system.agents)
        if self._small is not None:
            self._small.warm_up(elections)

    def stop(self) -> None:
        """End those under way in other threads."""
        self._stopped.set()
        if self._small is not None:
            self._small.stopped[0] = True

    def run(self, seeds: Iterable[int]) -> Iterator[tuple[Result, Standing]]:
        """Run one election for each seed to its end.

        Raises:
            ValueError: If a seed is invalid, after the results of those before it.
            CancelledError: If they are stopped.
        """
        if self._small is None:
            for seed in seeds:
                yield run_to_end(self.shape, self.options.with_(seed=seed), self._look)
            return
        valid, refused = self._check(seeds)
        for options, end in zip_longest(valid, self._small.run([one.seed for one in valid])):
            if end is None:
                raise CancelledError
            yield self._result(end, options), end
        if refused is not None:
            raise refused

    def _check(self, seeds: Iterable[int]) -> tuple[list[Options], ValueError | None]:
        """Return the options with each seed, up to one that is invalid."""
        valid: list[Options] = []
        for seed in seeds:
            try:
                valid.append(self.options.with_seed(seed))
            except ValueError as error:
                return valid, error
        return valid, None

    def _result(self, end: Standing, options: Options) -> Result:
        rounds = end.rounds + bool(end.position)
        return result_of(end, self.shape, self._system, options, rounds, options.scheduler_name)

    def _look(self) -> None:
        if self._stopped.is_set():
            raise CancelledError


def elect_many(
    shape: ShapeLike,
    seeds: Iterable[int],
    *,
    threads: int | None = None,
    scheduler: SchedulerLike = "permutation",
    algorithm: str = registry.DEFAULT,
    max_rounds: int | None = None,
    rules: Rules | None = None,
    faults: str | Iterable[Fault | str] = (),
    **options: Any,
) -> Iterator[Result]:
    """Run an election for each seed and yield the results in the order of the seeds.

    They are the results of ``elect``, whatever the number of threads. Whoever stops asking for
    results, or presses Ctrl-C, stops the elections under way.

    Args:
        shape: The nodes that particles occupy, the same in all elections; or a string or path.
        seeds: One for each election, from 0 to 2^64 - 1. They are taken as they are needed, so
            there may be any number of them.
        threads: How many elections run at the same time; by default, as many as there are cores.
        scheduler: "permutation" (everyone once a round, in a fresh random order), "uniform",
            "round-robin", "with-cycle", "against-cycle" or "adversarial", or one of your own, as
            for ``Simulation``: an iterable begins anew for each election.
        algorithm: The election: its name, or the path of a file or package.
        max_rounds: Stop each election after N rounds; by default never, or with changed rules
            after 100 (L + n).
        rules: Rules of one's own; by default, those of the election.
        faults: What happens to particles, such as "crash 3@10", as for ``Simulation``.
        **options: The options of the election by name, such as ``terminate``.

    Raises:
        ValueError: If an option or a seed is invalid; for a seed of an iterator, when its result is
            asked for.
    """
    count = thread_count(threads)
    if not isinstance(seeds, Iterable) or isinstance(seeds, str | bytes):
        raise ValueError(f"seeds {seeds!r} is not a list or range of them")
    occupied = as_shape(shape)
    chosen = Options(0, scheduler, algorithm, options, max_rounds, rules, faults)
    for seed in _known(seeds):
        chosen.with_seed(seed)

    def results() -> Iterator[Result]:
        elections = Elections(occupied, chosen)
        elections.warm_up(_count(seeds))

        def run(group: tuple[int, ...]) -> tuple[list[Result], Exception | None]:
            finished: list[Result] = []
            try:
                finished.extend(result for result, _ in elections.run(group))
            except Exception as error:  # told after the results before it
                return finished, error
            return finished, None

        each = iter(seeds)
        groups = iter(lambda: tuple(islice(each, elections.at_once)), ())
        pool = ThreadPoolExecutor(count, "elections")
        ahead: deque[Future[tuple[list[Result], Exception | None]]] = deque()
        try:
            ahead.extend(pool.submit(run, group) for group in islice(groups, LOOK_AHEAD * count))
            while ahead:
                finished, error = ahead.popleft().result()
                ahead.extend(pool.submit(run, group) for group in islice(groups, 1))
                yield from finished
                if error is not None:
                    raise error
        finally:
            elections.stop()
            pool.shutdown(cancel_futures=True)

    return results()


def _known(seeds: Iterable[int]) -> Iterable[int]:
    """Return those seeds that can be checked before the first election: others are made later."""
    if isinstance(seeds, range):
        return [*seeds[:1], *seeds[-1:]]
    return seeds if isinstance(seeds, Collection) else ()


def _count(seeds: Iterable[int]) -> int:
    """Return how many seeds there are, as far as that matters."""
    if isinstance(seeds, range):  # its length may be beyond that of any list
        return len(seeds[:WORTHWHILE])
    return len(seeds) if isinstance(seeds, Sized) else 1


def warm_up(options: Options | None = None, agents: int = 0) -> None:
    """Compile what elections with this many agents need."""
    chosen = (options or Options()).with_(scheduler="permutation", faults=())
    Simulation.of(hexagon(1), chosen).run(1)
    if agents >= LEAST_AGENTS:  # which are run in waves
        run_election(line(LEAST_AGENTS // 2 + 1), chosen)
