"""The paper reproduced: every lemma, theorem and corollary beside a measurement."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amoebot.arguments import check_function, check_truth
from amoebot.files import as_path
from amoebot.linking import Rules, RulesError
from amoebot.reports.page import render, write_files
from amoebot.reports.sections import Section
from amoebot.reproduction import correctness, running_time, standard, total_time
from amoebot.reproduction.claims import CLAIMS, Claim, Measurement, Rows
from amoebot.reproduction.probes import PROBES
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.files import FolderError, reason_of
from amoebot.sweeps.plan_files import make_plan
from amoebot.sweeps.runners import Watch
from amoebot.sweeps.store import load
from amoebot.sweeps.sweeping import carry_out

#: The modules whose claims are reproduced.
MODULES = (correctness, running_time, total_time)

#: The claims in the order of the paper, and those that have no number there.
ORDER = (
    *("lemma-1", "lemma-2", "lemma-3", "theorem-1", "lemma-4", "lemma-5", "corollary-1"),
    *("lemma-6", "lemma-7", "lemma-8", "theorem-2", "corollary-2", "corollary-3"),
    *("appendix-a-1", "corollary-4", "corollary-5", "theorem-3", "appendix-a-4", "schedulers"),
    "tails",
)

#: The head of both pages.
TITLE = "The paper, measured"
PAPER = (
    "Daymude, Gmyr, Richa, Scheideler and Strothmann: Improved Leader Election for "
    "Self-Organizing Programmable Matter"
)
REMARK = (
    "Each claim has one test, stated here before it is run, and one of three verdicts: it holds, "
    "it "
    "fails, or it is undecided, with the number of elections that would decide it. Limits of "
    "one-sided 99 % intervals decide, not estimates: a claim fails if one of its checks is "
    "refuted, "
    "with Holm's correction for their number, and holds if each is shown. That a claim holds in "
    "general is for the proof to say. Logarithms are binary, as in the paper."
)

#: Makes the observer of a part of the plan, given the name of the part.
Watching = Callable[[str], AbstractContextManager[Watch | None]]


@dataclass
class Verdict:
    """A claim with its measurement."""

    claim: Claim
    measurement: Measurement

    @property
    def word(self) -> str:
        """The verdict in one word: holds, fails or undecided."""
        return self.measurement.decision.word

    @property
    def reason(self) -> str:
        """What is refuted or not shown; empty if the claim holds."""
        return self.measurement.decision.reason

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict with its checks, ready for JSON."""
        decision = self.measurement.decision
        return {
            "verdict": decision.word,
            "reason": decision.reason,
            "more_elections": decision.more,
            "measured": self.measurement.measured,
            "test": self.claim.test,
            "checks": [
                {
                    name: _finite(value)
                    for name, value in check.as_dict(len(decision.checks)).items()
                }
                for check in decision.checks
            ],
        }

    @cached_property
    def section(self) -> Section:
        """The claim as a section of a report."""
        made, name, title = self.measurement, self.claim.name, self.claim.title
        numbers = made.numbers | {f"{name}-checks": made.decision.table()}
        return Section(name, title, made.caption, made.figure, numbers, made.shown)


@dataclass
class Reproduction:
    """All verdicts, and what it took to reach them."""

    page: Path
    verdicts: list[Verdict]
    full: bool
    elections: int
    processor_minutes: float  #: of all elections, whenever they were run
    minutes: float  #: of this call
    made_by: str  #: the version, and the rules if they are changed

    @property
    def name(self) -> str:
        """The name of the page in the documentation."""
        return page_name(self.full)


def page_name(full: bool) -> str:
    """Return the name of the page in the documentation."""
    return "reproduction-full" if full else "reproduction"


def _finite(value: Any) -> Any:
    """Return a value as JSON has it, where there is no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check_claim(name: str) -> str:
    """Return the name of a claim, or say which there are."""
    if not isinstance(name, str) or name not in CLAIMS:
        raise ValueError(f"there is no claim {name!r}: choose from {', '.join(ORDER)}")
    return name


def reproduce(
    folder: str | os.PathLike[str],
    *,
    full: bool = False,
    only: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    on: str | None = None,
    threads: int | None = None,
    watching: Watching | None = None,
) -> Reproduction:
    """Run the standard plan, or what one claim needs of it; return the verdicts and their page.

    Each part of the plan is a sweep of its own in the folder: what is finished is not run again.

    Args:
        folder: Where the sweeps and the report are kept.
        full: Whether to run the large plan, with four times as many elections.
        only: The name of one claim, such as "lemma-4"; by default, all of them.
        rules: A Python file with rules of one's own, which take the place of the paper's.
        on: The address of a Dask scheduler; without it, the threads of this machine are used.
        threads: How many; by default, as many as there are cores.
        watching: Makes the observer of a part of the plan, given the name of the part.

    Raises:
        ValueError: If there is no such claim.
        FolderError: If the folder holds something else, or the report cannot be written.
        SweepError: If a sweep has to stop; what is finished is kept.
    """
    check_truth(full, "full")
    check_function(watching, "watching")
    with_own = {} if rules is None else {"rules": os.fspath(as_path(rules, RulesError))}
    here, start = as_path(folder, FolderError), time.monotonic()
    if (here / "sweep.json").exists():
        raise FolderError(f"{here} is the folder of a sweep: choose another one")
    names = [check_claim(only)] if only else list(ORDER)
    needed = {part for name in names for part in CLAIMS[name].parts}
    rows: Rows = {}
    for part, content in standard.plans(full).items():
        if part in needed:
            plan = make_plan({**content, **with_own})
            with (watching or _unwatched)(part) as watch:
                carry_out(plan, here / part, on=on, threads=threads, watch=watch)
            rows[part] = load(here / part).collect()
    own = None if rules is None else Rules.read(rules)
    rows |= {name: probe(full, own) for name, probe in PROBES.items() if name in needed}
    verdicts = [Verdict(CLAIMS[name], CLAIMS[name].measured(rows)) for name in names]
    report = here / ("report" if only is None else f"report-{only}")
    with_rules = "" if rules is None else f", with the rules of {Path(rules).name}"
    frames = [frame for frame in rows.values() if "seconds" in frame.columns]
    made = Reproduction(
        report / "index.html",
        verdicts,
        full,
        elections=sum(frame.height for frame in frames),
        processor_minutes=sum(float(frame["seconds"].sum()) for frame in frames) / 60,
        minutes=(time.monotonic() - start) / 60,
        made_by=f"{fingerprint()}{with_rules}",
    )
    try:
        write_files(report, [verdict.section for verdict in verdicts])
        made.page.write_text(_render("html", made), encoding="utf-8")
    except OSError as error:
        raise FolderError(f"{error.filename or report}: {reason_of(error)}") from None
    return made


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def write_markdown(folder: str | os.PathLike[str], made: Reproduction) -> Path:
    """Write the report as a page with figures in a folder of its name, for the documentation."""
    path = Path(folder) / f"{made.name}.md"
    figures = path.with_suffix("")
    figures.mkdir(parents=True, exist_ok=True)
    for verdict in made.verdicts:
        file = figures / f"{verdict.claim.name}.svg"
        file.write_text(verdict.section.svg, encoding="utf-8")
    path.write_text(_render("md", made), encoding="utf-8")
    return path


def _render(kind: str, made: Reproduction) -> str:
    return render(
        f"reproduction.{kind}",
        "amoebot.reproduction",
        title=f"{TITLE} in full" if made.full else TITLE,
        paper=PAPER,
        remark=REMARK,
        made=made,
        verdicts=made.verdicts,
        full=made.full,
    )
