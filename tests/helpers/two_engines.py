"""The sequential engine and the wavefront side by side, and ways to break either."""

from __future__ import annotations

import os
import sys
from itertools import cycle
from typing import Any

import numpy as np

from amoebot import shapes
from amoebot.linking import link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build

VARIANTS: tuple[dict[str, Any], ...] = (
    {"almost_sure": False, "terminate": False},
    {"almost_sure": True, "terminate": False},
    {"almost_sure": True, "terminate": True},
    {"almost_sure": False, "terminate": False, "radix": 3},
)


def shape_of(case: int) -> Shape:
    """Return a shape with or without holes and expanded particles, thin or solid."""
    drawn = np.random.default_rng(case)
    size = int(drawn.integers(12, 60))
    kind = case % 6
    if kind == 0:
        shape = shapes.random(48 + 4 * size, holes=int(drawn.integers(1, 4)), seed=case)
    elif kind == 1:
        shape = shapes.tree(size, seed=case)
    elif kind == 2:
        shape = shapes.line(int(drawn.integers(2, 40)))
    elif kind == 3:
        shape = shapes.annulus(5, 2)
    elif kind == 4:
        shape = shapes.swiss(6, 0.3, seed=case)
    else:
        shape = shapes.hexagon(int(drawn.integers(1, 5)))
    return shape.with_expanded(0.5, seed=case) if drawn.random() < 0.5 else shape


def options_of(case: int) -> Options:
    """Return a variant of the election, and one of the schedulers whose runs can be in waves."""
    scheduler = ("permutation", "uniform")[(case + case // 24) % 2]
    return Options(case, scheduler, own=VARIANTS[case // 6 % len(VARIANTS)])


def new_run(shape: Shape, options: Options) -> Any:
    """Return a run of the linked engine, as elections and simulations use it."""
    engine = link(options.algorithm).module("engine.run")
    system = build(shape, options.seed)
    return engine.EngineRun(system, options.seed, options.scheduler, options.own)


def everything(run: Any) -> dict[str, Any]:
    """Return all that must not differ between two orders of work."""
    state = run.state
    return {
        "memory": state.world.memory.tobytes(),
        "particles": state.world.particles.tobytes(),
        "draws": state.draws.tobytes(),
        "watch": state.watch.tobytes(),
        "withdrawals": state.withdrawals.tobytes(),
        "cursor": (run.rounds, run.position, run.activations, run.latest),
    }


def first_difference(
    shape: Shape,
    options: Options,
    rounds_at_a_time: tuple[int, ...] = (1,),
    most_rounds: int = 4000,
    threads: int = 1,
) -> tuple[str, int]:
    """Run an election with both engines until it ends, in waves on some threads.

    Return what differs first and where, if anything, and how often lanes were used.
    """
    waves = link("improved").module("engine.wavefront")
    new_wave = link("improved").module("engine.wave").new_wave
    one, other = new_run(shape, options), new_run(shape, options)
    boundaries = build(shape, options.seed).boundaries
    rings = np.array([(ring.first, ring.length) for ring in boundaries])
    first, length = rings[:, 0], rings[:, 1]
    ready = waves.lanes_are_ready
    wave = new_wave(other.state, rings, threads)
    assert len(wave.shares) == threads
    # However busy the machine is, they do not lose patience for a good while.
    wave.arrivals.reshape(threads, -1)[:, 1] = -2000
    used = 0
    for rounds in cycle(rounds_at_a_time):
        memory = other.state.world.memory
        last = one.rounds + rounds
        one.in_waves = other.in_waves = False
        one.advance(last)
        if other.outcome is None and all(
            ready(memory, a, a + n) for a, n in zip(first, length, strict=True)
        ):
            other._advance_together(wave, last)
            used += 1
        other.advance(last)
        expected, found = everything(one), everything(other)
        for name, value in expected.items():
            if found[name] != value:
                return f"{name} of {shape.name}, seed {options.seed}, in round {last}", used
        if one.outcome is not None or one.rounds >= most_rounds:
            break
    return "", used


def _patched(mutant: str) -> None:
    """Break one thing in one of the engines."""
    waves = link("improved").module("engine.wavefront")
    passes = link("improved").module("engine.passes")
    places = link("improved").module("engine.wave")
    log = link("improved").module("engine.log")
    clocks = link("improved").module("engine.clock_order")
    lanes = link("improved").module("algorithms.improved.lanes")
    second = link("improved").module("algorithms.improved.second_lanes")
    sequential = link("improved").module("engine.sequential")
    module, name, broken = {
        "waves: agents two away are not waited for": (
            passes,
            "is_first",
            lambda *_: True,
        ),
        "waves: equal times in no order": (
            places,
            "ranks",
            lambda particle, *_: np.zeros(len(particle), dtype=np.int64),
        ),
        "waves: nobody acts alone": (waves, "mark_of", lambda *_: waves.PLAIN),
        "waves: what happened is told in no order": (log, "is_before", lambda *_: False),
        "waves: nobody waits until there is room for more of the order": (
            waves,
            "least_in",
            lambda *_: waves.NEVER_BEHIND,
        ),
        "threads: agents do not wait for those that have to catch up": (
            waves,
            "swap",
            lambda edges, place, word: word,
        ),
        "waves: a stretch that ends is not run again": (waves, "restore", lambda *_: None),
        "waves: tokens that cross the end of a boundary are lost": (places, "AT_PRED", 0),
        "waves: coins that cross the end of a boundary are lost": (places, "AT_SUCC", 0),
        "lanes: heads activate no tokens": (lanes, "as_sent", lambda token, head: token),
        "lanes: candidates do not judge": (lanes, "DELIMITER_BIT", 15),
        "lanes: settled tokens are not waited for": (
            lanes,
            "settle_or_move",
            lambda *planes: _moves_only(*planes),
        ),
        "lanes: frozen agents forward tokens": (
            lanes,
            "mark_tokens",
            _nobody_is_frozen(lanes.mark_tokens, 1 << lanes.FROZEN_BIT),
        ),
        "lanes: coins overtake each other": (
            lanes,
            "compete_on_lanes",
            _overtaking(lanes.compete_on_lanes),
        ),
        "lanes: tails between two heads stay": (second, "HEADS", 3),
        "lanes: the boundary does not turn under activation tokens": (
            lanes,
            "walk_on_lanes",
            _straight_on(lanes.walk_on_lanes, 7 << second.TURN_BITS),
        ),
        "lanes: activation tokens do not wait for those that gather": (
            lanes,
            "walk_on_lanes",
            _impatient(lanes.walk_on_lanes, lanes.ONE_SETTLED),
        ),
        "lanes: whoever may be alone starts over": (
            lanes,
            "mark_second",
            _never_alone(lanes.mark_second, second.ALL_STATES * second.AXES),
        ),
        "waves: coins are not flipped": (passes, "flip_on_lanes", lambda *_: None),
        "clocks: a slice with too many ticks is not made shorter": (
            clocks,
            "note_ticks",
            _always(clocks.note_ticks),
        ),
        "clocks: ticks that are taken back are drawn anew": (clocks, "take_back", lambda *_: None),
        "clocks: agents of a particle in no order": (clocks, "merge_row", _unordered(clocks)),
        "clocks: the last activation of a round is forgotten": (
            clocks,
            "start_clocks",
            _too_short(clocks.start_clocks),
        ),
        "sequential: coins of a round later": (
            sequential,
            "draw_coins",
            _second_flip(sequential.draw_coins),
        ),
    }[mutant]
    setattr(module, name, broken)
    waves.is_left_in = _noticing(waves.is_left_in)
    waves.least_in = _noticing(waves.least_in)


def _nobody_is_frozen(mark_tokens: Any, frozen: int) -> Any:
    def broken(oldest: Any, newest: Any, standing: Any, ahead: Any, marks: Any) -> Any:
        return mark_tokens(oldest, newest, standing & ~np.uint16(frozen), ahead, marks)

    return broken


def _moves_only(*planes: Any) -> tuple[Any, Any]:
    one, two, one_settled, two_settled, two_ahead, _, at_candidate = planes
    waiting = (one ^ one_settled) | (two ^ two_settled)
    settle = np.uint16(waiting & at_candidate)
    return settle, np.uint16(waiting & ~np.uint16(settle | two_ahead))


def _overtaking(compete: Any) -> Any:
    def broken(*arguments: Any) -> None:
        forth, back, standing, out, forth_behind, back_ahead, marks = arguments
        before = back_ahead.copy()
        back_ahead[:] = 0
        compete(forth, back, standing, out, forth_behind, back_ahead, marks)
        back_ahead[:] = np.where(back_ahead, back_ahead, before)

    return broken


def _straight_on(walk: Any, turn: int) -> Any:
    def broken(*arguments: Any) -> None:
        *others, behind, marks = arguments
        walk(*others, behind & ~np.uint16(turn), marks)

    return broken


def _impatient(walk: Any, settled: int) -> Any:
    def broken(out: Any, home: Any, tokens: Any, *others: Any) -> None:
        tokens |= tokens << settled
        walk(out, home, tokens, *others)

    return broken


def _never_alone(mark_second: Any, states: int) -> Any:
    def broken(*arguments: Any) -> Any:
        *others, home, tokens, marks = arguments
        return mark_second(*others, home & ~np.uint16(states), tokens, marks)

    return broken


def _always(note_ticks: Any) -> Any:
    def broken(*arguments: Any) -> bool:
        note_ticks(*arguments)
        return True

    return broken


def _unordered(clocks: Any) -> Any:
    merge_row = clocks.merge_row

    def broken(actor: Any, succ: Any, own: Any, earlier: Any, *more: Any) -> None:
        merge_row(actor, succ, own, np.zeros_like(earlier), *more)

    return broken


def _noticing(look: Any) -> Any:
    """Notice when nobody acts between many looks at how far all are: they wait in a circle."""
    before, looks = [b""], [0]

    def watched(wave: Any, *ranges: Any) -> Any:
        now = wave.done.tobytes() + wave.slice.tobytes()
        looks[0] = looks[0] + 1 if now == before[0] else 0
        before[0] = now
        if looks[0] == 30:
            print("differs: everybody waits", flush=True)
            os._exit(0)  # threads that wait for each other would never end
        return look(wave, *ranges)

    return watched


def _too_short(start_clocks: Any) -> Any:
    def broken(cursor: Any, *more: Any) -> None:
        start_clocks(cursor, *more)
        cursor.end -= 1

    return broken


def _second_flip(draw_coins: Any) -> Any:
    def broken(
        addresses: Any, unit: int, memory: Any, wiring: Any, options: Any, seed: Any, *more: Any
    ) -> Any:
        other = seed ^ np.uint64(memory[unit].created)
        return draw_coins(addresses, unit, memory, wiring, options, other, *more)

    return broken


MUTANTS = (
    "waves: agents two away are not waited for",
    "waves: equal times in no order",
    "waves: nobody acts alone",
    "waves: what happened is told in no order",
    "waves: a stretch that ends is not run again",
    "waves: nobody waits until there is room for more of the order",
    "threads: agents do not wait for those that have to catch up",
    "waves: tokens that cross the end of a boundary are lost",
    "waves: coins that cross the end of a boundary are lost",
    "lanes: heads activate no tokens",
    "lanes: candidates do not judge",
    "lanes: settled tokens are not waited for",
    "lanes: frozen agents forward tokens",
    "lanes: coins overtake each other",
    "lanes: tails between two heads stay",
    "lanes: the boundary does not turn under activation tokens",
    "lanes: activation tokens do not wait for those that gather",
    "lanes: whoever may be alone starts over",
    "waves: coins are not flipped",
    "clocks: a slice with too many ticks is not made shorter",
    "clocks: ticks that are taken back are drawn anew",
    "clocks: agents of a particle in no order",
    "clocks: the last activation of a round is forgotten",
    "sequential: coins of a round later",
)

#: One of each kind, which show themselves at once.
QUICK = (
    "waves: agents two away are not waited for",
    "waves: nobody acts alone",
    "threads: agents do not wait for those that have to catch up",
    "lanes: heads activate no tokens",
    "lanes: the boundary does not turn under activation tokens",
    "clocks: ticks that are taken back are drawn anew",
    "sequential: coins of a round later",
)

#: Small elections that show all of these: agents two away from each other that both act on the one
#: between them, two withdrawals far apart, a stop token, expanded particles, a long verification,
#: a candidate of the second algorithm that is alone.
SMALL = (
    (shapes.line(20), 32, {"almost_sure": False, "terminate": False, "radix": 2}, (4,)),
    (shapes.line(5), 1, VARIANTS[0], (5, 64, 1)),
    (shapes.line(5), 37, VARIANTS[1], (5,)),
    (shapes.line(6).with_expanded(1, seed=1), 2, VARIANTS[1], (5,)),
    (shapes.line(12), 4, VARIANTS[0], (5, 64, 1)),
    (shapes.line(2), 17, VARIANTS[1], (2,)),
)

#: One whose clocks sometimes tick more often in a slice of time than there is room for.
TICKING = shapes.line(6).with_expanded(1, seed=1), Options(2, "uniform", own=VARIANTS[1]), 8

#: One for two threads. Interpreted, agents are counted in bytes: there must be less than 256.
TOGETHER = shapes.line(120), Options(1, own=VARIANTS[1])


def together() -> str:
    """Return what differs where two threads run a small election, however long each waits.

    Small vectors, and steps of a round each, make room for some steps.
    """
    for name, value in (("VECTOR", 4), ("REFILL", 1), ("LEAST_SHARE", 8)):
        for module in ("wave", "wavefront", "passes"):
            setattr(link("improved").module(f"engine.{module}"), name, value)
    return first_difference(*TOGETHER, (5, 4), most_rounds=60, threads=2)[0]


if __name__ == "__main__":
    if sys.argv[1] == "stuck":
        link("improved").module("engine.wavefront").MOST_LOOKS = 1
    elif sys.argv[1] != "none":
        _patched(sys.argv[1])
    found = ""
    for small, seed, own, rounds in SMALL:
        found = found or first_difference(small, Options(seed, own=own), rounds, most_rounds=80)[0]
    link("improved").module("engine.wave").MOST_TICKS = TICKING[2]
    found = found or first_difference(*TICKING[:2], (5,), most_rounds=80)[0]
    found = found or together()
    print(f"differs: {found}" if found else "same")
