"""How a run ended.

The problem is that of Section 1.3: exactly one particle declares itself the leader, for good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from amoebot.options import Options

if TYPE_CHECKING:
    import polars as pl

#: The outcome of a run that was stopped before it had one.
ROUND_LIMIT = "round-limit"


@dataclass(frozen=True)
class Result:
    """How a run ended. Its options are attributes too, such as ``seed``.

    Attributes:
        outcome: "leader", or why there is none: "round-limit" if the run was stopped before, or
            what the election says.
        leader: The nodes (x, y) of the leader particle: one, or two if it is expanded.
        leaders: How many particles declared themselves the leader: 1, if the rules are right.
        rounds: The round, counted from 1, in which the leader was declared, or the last one run.
        rounds_terminated: The round in which the last particle terminated. None if not all have.
        particles: The number of particles, n.
        agents: The number of agents on all boundaries.
        outer_boundary_length: The number of agents on the outer boundary, L.
        inner_boundaries: The number of inner boundaries.
        inner_boundary_lengths: The number of agents on each of them.
        milestones: The round by which each milestone was reached; None for those that were not.
        candidates: How the candidates dwindled: (round, candidates left).
        shape: The name of the shape.
        rules: "paper", or the name of rules that were changed.
        scheduler: The name of the scheduler; "by hand" for a list of particles.
        options: All options of the run.
    """

    outcome: str
    leader: tuple[tuple[int, int], ...] | None
    leaders: int
    rounds: int
    rounds_terminated: int | None
    particles: int
    agents: int
    outer_boundary_length: int
    inner_boundaries: int
    inner_boundary_lengths: tuple[int, ...]
    milestones: dict[str, int | None]
    candidates: tuple[tuple[int, int], ...]
    shape: str
    rules: str
    scheduler: str
    options: Options

    def __getattr__(self, name: str) -> Any:
        """Return an option of the run."""
        if name.startswith("_") or "options" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["options"], name)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields and options, ready for JSON."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "options"}
        return self.options.as_dict() | {"seed": self.options.seed} | own

    def _repr_svg_(self) -> str:
        """Show in a notebook how the candidates dwindled."""
        from amoebot.render import summary

        return str(summary(self))


def frame(results: Iterable[Result]) -> pl.DataFrame:
    """Return results as a data frame, one row each: inputs, results and milestones.

    Raises:
        ValueError: If these are not results.
    """
    import polars as pl

    rows = []
    for result in results if isinstance(results, Iterable) else [results]:
        if not isinstance(result, Result):
            raise ValueError(f"{result!r} is not a result of an election: give a list of results")
        row = result.as_dict()
        (x, y), *_ = row.pop("leader") or ((None, None),)
        rows.append(row | {"leader_x": x, "leader_y": y} | row.pop("milestones"))
    return pl.DataFrame(rows, infer_schema_length=None)
