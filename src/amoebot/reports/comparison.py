"""Elections side by side: what each costs on the same shapes, and which is faster from where on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from amoebot.algorithms import registry
from amoebot.algorithms.records import layout
from amoebot.algorithms.termination import Particle
from amoebot.sweeps import variants

#: What a row of the comparison is about.
SHAPE = ("family", "shape", "particles", "outer_boundary_length", "diameter")


def memory_bits(algorithm: str, options: Mapping[str, Any]) -> int:
    """Return how many bits a unit of an election has, and its particle, under these options."""
    election = registry.find(algorithm)
    record, needs = election.provides("memory", "Memory"), election.provides("memory", "NEEDS", {})
    kind = layout(record)
    places: Any = kind.fields
    unused = sum(places[name][0].itemsize for name, need in needs.items() if not options[need])
    shared = layout(Particle).itemsize if options["terminate"] else 0
    return 8 * int(kind.itemsize - unused + shared)


def named_elections(frame: pl.DataFrame, texts: Iterable[str] = ()) -> pl.DataFrame:
    """Add a column ``election``: its algorithm, with its settings where a plan names them.

    Args:
        frame: The rows of a sweep.
        texts: The elections as a plan names them, ``ELECTION`` or ``ELECTION:PRESET``.
    """
    named = pl.col("algorithm")
    settings = {text: variants.read(text) for text in dict.fromkeys(texts)}
    # The last condition is the outermost one: a row belongs to the election with most settings.
    for text, (algorithm, own) in sorted(settings.items(), key=lambda item: len(item[1][1])):
        if own:
            name = registry.find(algorithm).name
            is_it = (pl.col(option) == value for option, value in own.items())
            found = pl.all_horizontal(pl.col("algorithm") == name, *is_it)
            label = f"{name}:{variants.split(text)[1]}"
            named = pl.when(found).then(pl.lit(label)).otherwise(named)
    return frame.with_columns(named.alias("election"))


def side_by_side(frame: pl.DataFrame, paths: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a row for each shape and election: rounds, activations, memory, coins, failures.

    Means are over the elections that have a leader. Shapes come in the order of the plan.

    Args:
        frame: The rows of a sweep, with elections and options named (see ``named_elections`` and
            ``analysis.named_options``).
        paths: Where to find elections that are not known by the name in the table.
    """
    won = pl.col("outcome") == "leader"
    table = frame.group_by(*SHAPE, "election", "algorithm", "options", maintain_order=True).agg(
        pl.len().alias("elections"),
        (~won).sum().cast(pl.Int64).alias("failures"),
        *(
            getattr(pl.col("rounds").filter(won), how)().cast(pl.Float64).alias(name)
            for how, name in (("mean", "rounds"), ("min", "least"), ("max", "most"))
        ),
        pl.col("rounds_terminated").filter(won).mean(),
        pl.col("activations").filter(won).mean(),
        pl.col("coins").filter(won).mean(),
    )
    memory = _memory(frame, paths or {})
    return table.join(memory, on=["algorithm", "options"], maintain_order="left")


def _memory(frame: pl.DataFrame, paths: Mapping[str, str]) -> pl.DataFrame:
    """Return the memory of each election in the table, with its options."""
    rows = frame.unique(["algorithm", "options"], keep="first", maintain_order=True)
    bits = []
    for row in rows.iter_rows(named=True):
        algorithm = paths.get(row["algorithm"], row["algorithm"])
        own = {option.name: row[option.name] for option in registry.options_of(algorithm)}
        bits.append(memory_bits(algorithm, own))
    return rows.select("algorithm", "options", pl.Series("memory", bits, dtype=pl.Int64))


def crossings(frame: pl.DataFrame, x: str) -> pl.DataFrame:
    """Return for each family and pair of elections which takes fewer rounds, and up to which size.

    Between two sizes at which both were run, means are taken to grow by a power of the size.
    """
    means = frame.group_by("family", "election", x).agg(pl.col("rounds").mean())
    rows = []
    for (family,), group in means.sort("family").group_by(["family"], maintain_order=True):
        curves = {
            str(name): dict(part.select(x, "rounds").iter_rows())
            for (name,), part in group.sort("election").group_by(["election"], maintain_order=True)
        }
        for one, other in itertools.combinations(curves, 2):
            both = sorted(curves[one].keys() & curves[other].keys())
            gaps = [(size, math.log(curves[one][size] / curves[other][size])) for size in both]
            rows += [{"family": family, **part} for part in _stretches(gaps, one, other)]
    columns = {"family": str, "fewer rounds": str, "than": str, "from": int, "to": int}
    return pl.DataFrame(rows, schema=columns)


def _stretches(gaps: list[tuple[int, float]], one: str, other: str) -> list[dict[str, Any]]:
    """Return the ranges of sizes in which one of two elections takes fewer rounds."""
    known = [(size, gap) for size, gap in gaps if gap != 0]
    found: list[dict[str, Any]] = []
    for place, (size, gap) in enumerate(known):
        fewer, more = (one, other) if gap < 0 else (other, one)
        if found and found[-1]["fewer rounds"] == fewer:
            found[-1]["to"] = size
            continue
        start = size
        if found:
            start = _zero(known[place - 1], (size, gap))
            found[-1]["to"] = start
        found.append({"fewer rounds": fewer, "than": more, "from": start, "to": size})
    return found


def _zero(before: tuple[int, float], after: tuple[int, float]) -> int:
    """Return the size at which two curves cross, both straight in a double logarithmic plot."""
    share = before[1] / (before[1] - after[1])
    return round(math.exp(math.log(before[0]) + share * math.log(after[0] / before[0])))
