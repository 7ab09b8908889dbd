"""The paper reproduced: every lemma, theorem and corollary beside a measurement."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from amoebot import __version__
from amoebot.reports.page import render, write_files
from amoebot.reports.sections import Section
from amoebot.reproduction import correctness, running_time, standard, total_time
from amoebot.reproduction.claims import CLAIMS, Claim, Measurement, Rows
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.files import FolderError, reason_of
from amoebot.sweeps.plan import make_plan
from amoebot.sweeps.runners import Watch
from amoebot.sweeps.store import load
from amoebot.sweeps.sweeping import carry_out

#: The modules whose claims are reproduced.
MODULES = (correctness, running_time, total_time)

#: The claims in the order of the paper, and those that have no number there.
ORDER = (
    *("lemma-1", "lemma-2", "lemma-3", "theorem-1", "lemma-4", "lemma-5", "corollary-1"),
    *("lemma-6", "lemma-7", "lemma-8", "theorem-2", "corollary-2", "corollary-3"),
    *("appendix-a-1", "corollary-4", "corollary-5", "theorem-3", "schedulers"),
)

#: The head of both pages.
TITLE = "The paper, measured"
PAPER = (
    "Daymude, Gmyr, Richa, Scheideler and Strothmann: Improved Leader Election for "
    "Self-Organizing Programmable Matter"
)
REMARK = (
    "A verdict says whether the measurements agree with the claim; that a claim holds in general "
    "is for the proof to say. Logarithms are binary, as in the paper."
)

#: Makes the observer of a part of the plan, given the name of the part.
Watching = Callable[[str], AbstractContextManager[Watch | None]]


@dataclass
class Verdict:
    """A claim with its measurement."""

    claim: Claim
    measurement: Measurement

    @property
    def holds(self) -> bool:
        """Whether the measurements agree with the claim."""
        return self.measurement.holds

    @property
    def word(self) -> str:
        """The verdict in one word."""
        return "holds" if self.holds else "fails"

    @cached_property
    def section(self) -> Section:
        """The claim as a section of a report."""
        made, name, title = self.measurement, self.claim.name, self.claim.title
        return Section(name, title, made.caption, made.figure, made.numbers, made.shown)


def check_claim(name: str) -> str:
    """Return the name of a claim, or say which there are."""
    if name not in CLAIMS:
        raise ValueError(f"there is no claim {name!r}: choose from {', '.join(ORDER)}")
    return name


def reproduce(
    folder: str | os.PathLike[str],
    *,
    full: bool = False,
    only: str | None = None,
    on: str | None = None,
    threads: int | None = None,
    watching: Watching | None = None,
) -> tuple[Path, list[Verdict]]:
    """Run the standard plan, or what one claim needs of it; return the page and the verdicts.

    Each part of the plan is a sweep of its own in the folder: what is finished is not run again.

    Args:
        folder: Where the sweeps and the report are kept.
        full: Whether to run the large plan, which takes a night, and not the one of minutes.
        only: The name of one claim, such as "lemma-4"; by default, all of them.
        on: The address of a Dask scheduler; without it, the threads of this machine are used.
        threads: How many; by default, as many as there are cores.
        watching: Makes the observer of a part of the plan, given the name of the part.

    Raises:
        ValueError: If there is no such claim.
        FolderError: If the folder holds something else, or the report cannot be written.
        SweepError: If a sweep has to stop; what is finished is kept.
    """
    here = Path(folder)
    names = [check_claim(only)] if only else list(ORDER)
    needed = {part for name in names for part in CLAIMS[name].parts}
    rows: Rows = {}
    for part, content in standard.plans(full).items():
        if part in needed:
            with (watching or _unwatched)(part) as watch:
                carry_out(make_plan(content), here / part, on=on, threads=threads, watch=watch)
            rows[part] = load(here / part).collect()
    verdicts = [Verdict(CLAIMS[name], CLAIMS[name].measure(rows)) for name in names]
    report = here / ("report" if only is None else f"report-{only}")
    elections = sum(frame.height for frame in rows.values())
    page = _render("html", verdicts, full, elections=elections, made_by=fingerprint())
    try:
        write_files(report, [verdict.section for verdict in verdicts])
        path = report / "index.html"
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FolderError(f"{error.filename or report}: {reason_of(error)}") from None
    return path, verdicts


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def write_markdown(folder: str | os.PathLike[str], verdicts: list[Verdict], full: bool) -> Path:
    """Write the report as ``reproduction.md`` with its figures, for the documentation."""
    here = Path(folder)
    (here / "reproduction").mkdir(parents=True, exist_ok=True)
    for verdict in verdicts:
        file = here / "reproduction" / f"{verdict.claim.name}.svg"
        file.write_text(verdict.section.svg, encoding="utf-8")
    path = here / "reproduction.md"
    path.write_text(_render("md", verdicts, full, version=__version__), encoding="utf-8")
    return path


def _render(kind: str, verdicts: list[Verdict], full: bool, **content: object) -> str:
    return render(
        f"reproduction.{kind}",
        "amoebot.reproduction",
        title=TITLE,
        paper=PAPER,
        remark=REMARK,
        verdicts=verdicts,
        full=full,
        **content,
    )
