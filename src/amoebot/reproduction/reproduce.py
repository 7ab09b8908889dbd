"""The paper reproduced: every lemma, theorem and corollary next to a measurement."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from amoebot import __version__
from amoebot.reports import correctness, running_time, standard, total_time
from amoebot.reproduction.claims import CLAIMS, Claim, Finding, Rows
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.files import FolderError, reason_of
from amoebot.reports.page import page, show, spell, write_files
from amoebot.sweeps.plan import make_plan
from amoebot.sweeps.runners import Watch
from amoebot.reports.sections import Section
from amoebot.sweeps.store import load
from amoebot.sweeps.sweeping import carry_out

#: The modules whose claims are reproduced.
MODULES = (correctness, running_time, total_time)

#: The claims in the order of the paper, and what belongs to it without having a number.
ORDER = (
    *("lemma-1", "lemma-2", "lemma-3", "theorem-1", "lemma-4", "lemma-5", "corollary-1"),
    *("lemma-6", "lemma-7", "lemma-8", "theorem-2", "corollary-2", "corollary-3"),
    *("appendix-a-1", "corollary-4", "corollary-5", "theorem-3", "schedulers"),
)

PAPER = (
    "Daymude, Gmyr, Richa, Scheideler and Strothmann: Improved Leader Election for "
    "Self-Organizing Programmable Matter"
)

#: Provides what watches a part of the plan, given the name of the part.
Watching = Callable[[str], AbstractContextManager[Watch | None]]


@dataclass
class Outcome:
    """A claim with what was found."""

    claim: Claim
    finding: Finding

    @property
    def verdict(self) -> str:
        """The verdict in one word."""
        return "holds" if self.finding.holds else "fails"

    @cached_property
    def section(self) -> Section:
        """The claim as a section of a report."""
        found, name, title = self.finding, self.claim.name, self.claim.title
        return Section(name, title, found.caption, found.figure, found.numbers, found.shown)


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
) -> tuple[Path, list[Outcome]]:
    """Run the standard plan, or what one claim needs of it; return the page and the outcomes.

    Each part of the plan is a sweep of its own in the folder: what is finished is not run again.

    Args:
        folder: Where the sweeps and the report are kept.
        full: Whether to run the large plan, which takes a night, and not the one of minutes.
        only: The name of one claim, such as "lemma-4"; by default, all of them.
        on: The address of a Dask scheduler; without it, the threads of this machine do it.
        threads: How many; by default, as many as there are cores.
        watching: Provides what watches a part of the plan, given the name of the part.

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
    outcomes = [Outcome(CLAIMS[name], CLAIMS[name].judge(rows)) for name in names]
    report = here / ("report" if only is None else f"report-{only}")
    try:
        write_files(report, [outcome.section for outcome in outcomes])
        path = report / "index.html"
        path.write_text(page("The paper, measured", _lead(rows), _body(outcomes, full)))
    except OSError as error:
        raise FolderError(f"{error.filename or report}: {reason_of(error)}") from None
    return path, outcomes


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def _lead(rows: Rows) -> str:
    elections = sum(frame.height for frame in rows.values())
    return (
        f"<p>{html.escape(PAPER)}, next to {elections:,} elections.</p>"
        f'<p class="soft">amoebot {html.escape(fingerprint())}. A verdict says whether the '
        "measurements agree with the claim; that a claim holds in general is for the proof to "
        "say. Logarithms are binary, as in the paper.</p>"
    )


def _body(outcomes: list[Outcome], full: bool) -> Iterator[str]:
    lines = [
        f'<tr><td><a href="#{o.claim.name}">{html.escape(o.claim.title)}</a></td>'
        f'<td class="words">{html.escape(o.claim.statement)}</td>'
        f'<td class="words">{html.escape(o.finding.measured)}</td>'
        f'<td><span class="verdict {o.verdict}">{o.verdict}</span></td></tr>'
        for o in outcomes
    ]
    yield (
        "<table><tr><th>claim</th><th></th><th>measured</th><th>verdict</th></tr>"
        + "".join(lines)
        + "</table>"
    )
    for o in outcomes:
        yield show(
            o.section,
            f"<p>{html.escape(o.claim.statement)}</p>"
            f"<p><strong>Measured:</strong> {html.escape(o.finding.measured)}. "
            f'<span class="verdict {o.verdict}">{o.verdict}</span></p>'
            f"<p><code>{html.escape(o.claim.command(full))}</code></p>",
        )


def write_markdown(folder: str | os.PathLike[str], outcomes: list[Outcome], full: bool) -> Path:
    """Write the report as ``reproduction.md`` with its figures, to be part of documentation."""
    here = Path(folder)
    (here / "reproduction").mkdir(parents=True, exist_ok=True)
    scale = "--full" if full else "--quick"
    lines = [
        "# The paper, measured",
        "",
        f"{PAPER}, claim by claim. `amoebot reproduce {scale}` made this page with amoebot "
        f"{__version__}. A verdict says whether the measurements agree with the claim; that a "
        "claim holds in general is for the proof to say. Logarithms are binary, as in the paper.",
        "",
        "| claim | measured | verdict |",
        "|---|---|---|",
    ]
    for o in outcomes:
        link = f"[{o.claim.title}](#{anchor(o.claim.title)})"
        lines.append(f"| {link} | {o.finding.measured} | {o.verdict} |")
    for o in outcomes:
        name = o.claim.name
        (here / "reproduction" / f"{name}.svg").write_text(o.section.svg)
        lines += [
            "",
            f"## {o.claim.title}",
            "",
            o.claim.statement,
            "",
            f"**Measured:** {o.finding.measured}. **Verdict:** {o.verdict}.",
            "",
            f"![{o.claim.title}](reproduction/{name}.svg)",
            "",
            f"*{o.finding.caption}*",
            "",
            *([] if o.finding.shown is None else [*_table(o.finding.shown), ""]),
            f"`{o.claim.command(full)}`",
        ]
    path = here / "reproduction.md"
    path.write_text("\n".join(lines) + "\n")
    return path


def _table(shown: pl.DataFrame) -> Iterator[str]:
    """Return a table as lines of Markdown."""
    for row in (shown.columns, ["---"] * shown.width, *shown.iter_rows()):
        yield f"| {' | '.join(map(spell, row))} |"


def anchor(title: str) -> str:
    """Return the anchor that a heading gets, on the site and on a code host."""
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")
