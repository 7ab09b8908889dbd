"""Many seeds side by side against each by itself, and ways to break that."""

from __future__ import annotations

import sys
from typing import Any

from amoebot import shapes
from amoebot.engine.standing import Standing
from amoebot.linking import link
from amoebot.options import Options
from amoebot.shapes import Shape
from amoebot.system import build

NO_LIMIT = 1 << 40


def elections(shape: Shape, own: dict[str, Any], last_round: int = NO_LIMIT) -> Any:
    """Return elections of the linked engine that differ in their seeds alone."""
    many = link("improved").module("engine.many")
    return many.SmallElections(build(shape), "permutation", Options(own=own).own, last_round)


def ends(found: list[Standing]) -> list[tuple[bytes, ...]]:
    """Return all that is known of how elections ended."""
    return [
        (
            end._cursor.tobytes(),
            end._watch.tobytes(),
            end._withdrawals.tobytes(),
            end.watched_memory.tobytes(),
            end._draws.tobytes(),
        )
        for end in found
    ]


def first_difference(shape: Shape, own: dict[str, Any], seeds: range, last: int = NO_LIMIT) -> int:
    """Return the first seed whose election differs from the one by itself, or -1."""
    together, alone = elections(shape, own, last), elections(shape, own, last)
    together.side_by_side, alone.side_by_side = True, False
    pairs = zip(ends(together.run(seeds)), ends(alone.run(seeds)), strict=True)
    return next((seed for seed, (one, other) in zip(seeds, pairs, strict=True) if one != other), -1)


def _patched(mutant: str) -> None:
    """Break one thing of what is side by side."""
    waves = link("improved").module("engine.wavefront")
    passes = link("improved").module("engine.passes")
    side = link("improved").module("engine.side_by_side")
    module, name, broken = {
        "all flip the coins of the first": (passes, "first_unit", lambda *_: 0),
        "all have the times of the first": (
            waves,
            "start_rounds",
            _with_first_streams(waves.start_rounds),
        ),
        "one that ends is not taken back": (side, "copy_columns", lambda *_: None),
        "what happened is not told": (side, "take_note", lambda *_: None),
    }[mutant]
    setattr(module, name, broken)


def _with_first_streams(start_rounds: Any) -> Any:
    def broken(wave: Any, *others: Any) -> None:
        start_rounds(wave, *others)
        wave.streams[:] = wave.streams[:, :1]

    return broken


MUTANTS = (
    "all flip the coins of the first",
    "all have the times of the first",
    "one that ends is not taken back",
    "what happened is not told",
)

if __name__ == "__main__":
    if sys.argv[1] != "none":
        _patched(sys.argv[1])
    link("improved").module("engine.many").LEAST_SEEDS = 1
    link("improved").module("engine.side_by_side").AGENTS = 1  # two runs: one has to be replaced
    for own in ({"almost_sure": False, "terminate": False}, {"terminate": False}):
        differs = first_difference(shapes.line(6), own, range(6), 300)
        if differs >= 0:
            print("differs: seed", differs)
            break
    else:
        print("same")
