"""One reader's run: requests, one after another, each with one answer.

The page asks for every moment that it shows, also while playing: so a closed page stops its
simulation, and nothing piles up. An answer is either bytes (a frame, or a stage) or an object.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from amoebot import runs
from amoebot.faults import CORRUPT, CRASH
from amoebot.render.frames import Encoder
from amoebot.render.stage import stage
from amoebot.runs import Run
from amoebot.simulation import Simulation
from amoebot.viewer.capacity import Capacity
from amoebot.viewer.diagram import Diagram
from amoebot.viewer.moves import list_moves
from amoebot.viewer.opening import as_json, catalogue, read_file, read_run, simulation_of
from amoebot.viewer.requests import RequestError, number, text
from amoebot.viewer.survey import Survey

Answer = bytes | dict[str, Any]

#: Activations of units between two looks at whether the reader has left.
CHUNK = 300_000

#: Milliseconds that one answer may take, and the most rounds and activations in one request.
LONGEST, MOST = 2_000, 10**9

#: The same for a list of moves, which the reader can ask to go on.
LONGEST_LIST = 100

#: Seconds that a jump may take; where it ends, the page shows.
LONGEST_SEEK = 30.0

#: Rounds that a run by hand is looked ahead beyond its schedule: it may never end.
AHEAD = 200

#: Activations by hand are run one by one: with more particles, that is too slow to look ahead.
MOST_BY_HAND = 1_000


class Session:
    """A run, where it stands, and what the reader has seen of it."""

    def __init__(self, run: Run, capacity: Capacity | None = None) -> None:
        """Open a run; the reader may open another one at any time, as far as capacity allows."""
        self._closed = threading.Event()
        self._capacity = capacity or Capacity()
        self._requests: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "open": self._open,
            "file": self._file,
            "stage": lambda request: self._stage(),
            "look": self._look,
            "step": self._step,
            "back": self._back,
            "goto": self._goto,
            "run": self._run_until,
            "activate": self._activate,
            "fault": self._fault,
            "what_if": self._what_if,
            "moves": self._moves,
            "survey": self._survey,
            "space_time": self._space_time,
            "save": self._save,
            "catalogue": lambda request: catalogue(self.run, self._known),
        }
        self._first_run = run
        own = run.options.scheduler
        self._known = None if isinstance(own, str) else own  # what the reader can choose by name
        self.survey: Survey | None = None
        self.diagram: Diagram | None = None
        self._begin(run)

    def answer(self, request: object) -> Answer:
        """Answer a request; an invalid one is answered with an error and changes nothing."""
        try:
            if not isinstance(request, dict):
                raise RequestError("a request is an object with the key 'do'")
            wanted = request.get("do")
            if not isinstance(wanted, str) or wanted not in self._requests:
                raise RequestError(f"there is no request {wanted!r}"[:200])
            return self._requests[wanted](request)
        except ValueError as error:  # refusals of shapes, runs and requests alike
            return {"kind": "error", "message": str(error)}
        except StopIteration:
            return {"kind": "error", "message": "the schedule ends here"}
        except MemoryError:
            return {"kind": "error", "message": "there is not enough memory for this"}

    def close(self) -> None:
        """Stop everything: the reader has left."""
        self._closed.set()
        self._capacity.give_back(self)
        self._stop_looking_ahead()

    # Which run it is.

    def _begin(self, run: Run) -> None:
        self._capacity.take(self, len(run.shape))
        self.simulation = self._built(run)
        self.run = run
        self._encoder = Encoder(self.simulation)
        self._look_ahead()

    def _built(self, run: Run) -> Simulation:
        """Return a run at its beginning."""
        if run.by_hand_from is not None:  # that may take seconds, and nobody is to wait for it
            return simulation_of(run, self._closed.is_set)
        with self._capacity.building:
            return simulation_of(run)

    def _stage(self) -> bytes:
        with self._capacity.building:
            return stage(self.simulation, self.run)

    def _look_ahead(self) -> None:
        """Begin a survey of the run as it is now."""
        self._stop_looking_ahead()
        if self._can_look_ahead():
            self.survey = Survey(*self._ahead())

    def _ahead(self) -> tuple[Simulation, int | None, Capacity]:
        """Return the run to look ahead, up to which round, and what it shares with other runs."""
        return self._built(self.run), self._last_round(), self._capacity

    def _stop_looking_ahead(self) -> None:
        for one in (self.survey, self.diagram):
            if one is not None:
                one.stop()
        self.survey = self.diagram = None

    def _can_look_ahead(self) -> bool:
        by_hand = self.run.by_hand_from is not None
        return not by_hand or self.simulation.system.particles <= MOST_BY_HAND

    def _last_round(self) -> int | None:
        by_hand = self.run.by_hand_from is not None
        return len(self.run.schedule) + AHEAD if by_hand else self.simulation.round_limit

    def _open(self, request: dict[str, Any]) -> Answer:
        given = request.get("run")
        self._begin(self._first_run if given is None else read_run(given, self.run, self._known))
        return self._stage()

    def _file(self, request: dict[str, Any]) -> Answer:
        name, content = text(request, "name"), text(request, "content")
        self._begin(read_file(name, content, self.run))
        return self._stage()

    def _save(self, request: dict[str, Any]) -> Answer:
        # Of a scheduler of the user's, a file has the particles that it chose.
        own = not isinstance(self.run.options.scheduler, str)
        run = runs.of(self.simulation) if own else self.run
        return {"kind": "run", "run": as_json(run), "text": run.text()}

    # Where it stands.

    def _frame(self, reached: bool = False) -> bytes:
        return self._encoder.frame(reached)

    def _look(self, request: dict[str, Any]) -> Answer:
        self._encoder = Encoder(self.simulation)
        return self._frame()

    def _step(self, request: dict[str, Any]) -> Answer:
        """Go forward by some activations, or to the ends of some rounds."""
        steps = number(request, "activations", 0, MOST)
        rounds = number(request, "rounds", 0, MOST)
        deadline = self._deadline(request)
        for _ in range(steps):
            if self._must_stop(deadline):
                break
            self.simulation.step()
        self._advance(self.simulation.rounds + rounds if rounds else 0, deadline)
        return self._frame()

    def _back(self, request: dict[str, Any]) -> Answer:
        """Go back by one activation, or to the end of the round before."""
        simulation = self.simulation
        if text(request, "unit") == "round":
            whole = simulation.position == 0
            self._jump(max(0, simulation.rounds - whole), 0)
            return self._frame()
        target = simulation.steps - 1
        if simulation.position:
            self._jump(simulation.rounds, simulation.position - 1)
        elif target >= 0:
            self._jump(simulation.rounds - 1, 0)
            simulation.step(target - simulation.steps)
        return self._frame()

    def _goto(self, request: dict[str, Any]) -> Answer:
        self._jump(number(request, "round", 0, MOST), number(request, "position", 0, MOST))
        return self._frame()

    def _run_until(self, request: dict[str, Any]) -> Answer:
        """Run until something happens, or the time is up; say in the frame whether it has."""
        until, simulation = text(request, "until"), self.simulation
        deadline = self._deadline(request)
        before = number(request, "phase", 0, 99) if "phase" in request else simulation.phase
        reached = simulation.finished
        while not reached and not self._must_stop(deadline):
            before_round = simulation.steps
            self._advance(simulation.rounds + 1, deadline)
            reached = simulation.finished or simulation.steps == before_round
            if until == "phase":
                reached |= simulation.phase != before
            elif until == "leader":
                reached |= simulation.outcome is not None
        return self._frame(reached)

    def _jump(self, rounds: int, position: int) -> None:
        """Go to a moment, by way of the nearest snapshot."""
        simulation = self.simulation
        last = 2**62
        if simulation.by_hand_from is not None:
            last = simulation.by_hand_limit
        then = self.survey.nearest(rounds, last) if self.survey else None
        now = (simulation.rounds, simulation.position)
        if then is not None and (now > (rounds, position) or then.rounds > simulation.rounds):
            simulation.restore(then)
        elif now > (rounds, position):
            simulation.goto(min(rounds, simulation.rounds), 0)
        end = time.monotonic() + LONGEST_SEEK
        self._advance(rounds, end, at_end=True)
        if not self._closed.is_set() and simulation.rounds == rounds:
            simulation.goto(rounds, position)

    def _advance(self, rounds: int, deadline: float, at_end: bool = False) -> None:
        """Run to the end of a round, in pieces, as long as there is time and the reader is there.

        ``at_end`` says whether to stop at the run's end.
        """
        simulation = self.simulation
        piece = max(1, CHUNK // max(1, len(simulation.memory)))
        stepped = simulation.by_hand_from  # from where on, if at all
        while simulation.rounds < rounds and not self._must_stop(deadline):
            if at_end and simulation.finished:
                break
            before = simulation.steps
            if stepped is not None and simulation.rounds >= stepped[0]:
                with suppress(StopIteration):
                    simulation.step()
            else:
                simulation.goto(min(rounds, simulation.rounds + (piece if stepped is None else 1)))
            if simulation.steps == before:  # everyone has terminated, or the schedule ends
                break

    def _deadline(self, request: dict[str, Any]) -> float:
        limit = number(request, "milliseconds", 0, LONGEST) or LONGEST
        return time.monotonic() + limit / 1000

    def _must_stop(self, deadline: float) -> bool:
        return time.monotonic() >= deadline or self._closed.is_set()

    # By hand.

    def _activate(self, request: dict[str, Any]) -> Answer:
        """Activate a particle of the reader's choice: from here on the run is by hand."""
        particle = self._particle(request)
        self.simulation.activate(particle, self._coins(request, particle))
        self._take_over()
        return self._frame()

    def _fault(self, request: dict[str, Any]) -> Answer:
        """Let a particle crash, or corrupt its memory: from here on the run is by hand."""
        particle, kind = self._particle(request), text(request, "kind")
        if kind not in (CRASH, CORRUPT):
            raise RequestError(f"'kind' must be {CRASH} or {CORRUPT}")
        happen = self.simulation.crash if kind == CRASH else self.simulation.corrupt
        happen(particle)
        self._take_over()
        return self._stage()

    def _take_over(self) -> None:
        """Take what the reader has done by hand for the run, and look ahead anew."""
        simulation = self.simulation
        self.run = replace(
            self.run,
            options=simulation.options,
            by_hand_from=simulation.by_hand_from,
            schedule=simulation.schedule,
            coins=runs.chosen_coins(simulation),
            note="",
        )
        runs.go_on(simulation, self.run)
        self._look_ahead()

    def _what_if(self, request: dict[str, Any]) -> Answer:
        """Say which memories an activation would change, and to what."""
        particle = self._particle(request)
        frame = self._encoder.what_if(*self.simulation.what_if(particle))
        return {
            "kind": "what_if",
            "particle": particle,
            "frame": base64.b64encode(frame).decode(),
        }

    def _moves(self, request: dict[str, Any]) -> Answer:
        """List what particles would do next, and each way their coins can fall."""
        first = number(request, "first", 0, self.simulation.system.particles)
        limit = number(request, "milliseconds", 0, LONGEST) or LONGEST_LIST
        end = time.monotonic() + limit / 1000
        return list_moves(self.simulation, self._encoder, first, lambda: self._must_stop(end))

    def _coins(self, request: dict[str, Any], particle: int) -> tuple[int, ...]:
        """Return how coins are to fall: a side for each, or nothing at all."""
        given = request.get("coins", [])
        sides = [count for count, _ in self.simulation.coins_ahead(particle)]
        if not isinstance(given, list) or len(given) not in (0, len(sides)):
            raise RequestError(f"'coins' must be a list of {len(sides)} outcomes")
        chosen = [{"outcome": outcome} for outcome in given]
        return tuple(
            number(one, "outcome", 0, count - 1) for one, count in zip(chosen, sides, strict=False)
        )

    def _particle(self, request: dict[str, Any]) -> int:
        if "particle" not in request:
            raise RequestError("'particle' is missing: which one?")
        return number(request, "particle", 0, self.simulation.system.particles - 1)

    def _survey(self, request: dict[str, Any]) -> Answer:
        if self.survey is not None:
            return self.survey.report()
        rounds = self.simulation.rounds + bool(self.simulation.position)
        return {"kind": "survey", "done": True, "rounds": rounds, "outcome": None} | {
            "milestones": {},
            "bands": [],
            "points": [],
        }

    def _space_time(self, request: dict[str, Any]) -> Answer:
        """Return the rows of the diagram that the page does not know yet; begin it if need be."""
        known, apart = number(request, "known", 0, MOST), number(request, "every", 0, MOST)
        if self.diagram is None:
            if not self._can_look_ahead():
                raise RequestError(
                    f"a run by hand is looked ahead with up to {MOST_BY_HAND:,} particles"
                )
            self.diagram = Diagram(*self._ahead())
        return self.diagram.report(known, apart)
