"""Verify rings of any length: what an election's abstractions claim, proved or not decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

from amoebot.algorithms import registry
from amoebot.algorithms.abstraction import Abstraction
from amoebot.algorithms.registry import ElectionError
from amoebot.arguments import check_function, check_seconds, whole
from amoebot.linking import Link, Rules, explaining, link, watchdog
from amoebot.options import Options
from amoebot.verify.partial_memory import UnknownFieldError
from amoebot.verify.soundness import unsound
from amoebot.verify.steps import Steps
from amoebot.verify.windows import SHORTEST, reach

#: The widths of windows that can be asked for.
LEAST_WIDTH, MOST_WIDTH = 3, 6

PROVED, NOT_DECIDED = "proved", "not decided"


@dataclass(frozen=True)
class Example:
    """Three consecutive agents for which a claim does not hold, if they ever come up."""

    agents: tuple[Mapping[str, int], ...]  #: what is known of them: predecessor, agent, successor
    after: tuple[Mapping[str, int], ...] = ()  #: and after an activation, if the claim is about it


@dataclass(frozen=True)
class Verdict:
    """What was found out about one claim."""

    claim: str
    verdict: str
    example: Example | None = None


@dataclass(frozen=True)
class LaneReport:
    """What was found out about one lane of an election, on rings of every length."""

    lane: str
    source: str
    width: int
    windows: int
    seconds: float
    verdicts: tuple[Verdict, ...]
    assumed: tuple[str, ...]
    stopped: str = ""  #: why nothing is decided, if so

    @property
    def proved(self) -> bool:
        """Whether every claim is proved for all lengths from ``SHORTEST`` on."""
        return all(one.verdict == PROVED for one in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        return {**asdict(self), "shortest": SHORTEST, "proved": self.proved}


def verify_any_length(
    algorithm: str = registry.DEFAULT,
    rules: Rules | None = None,
    width: int = LEAST_WIDTH,
    max_windows: int = 1_000_000,
    time_limit: float | None = None,
    progress: Callable[[str, int], None] | None = None,
    **options: Any,
) -> list[LaneReport]:
    """Prove what an election's abstractions claim, on rings of any length.

    ``width`` is how many consecutive agents are looked at together: wider windows tell more apart.
    """
    whole(width, "width", LEAST_WIDTH, MOST_WIDTH)
    whole(max_windows, "max_windows", 1, 2**62)
    check_seconds(time_limit)
    check_function(progress)
    explored = registry.find(algorithm).explored
    chosen = Options(algorithm=algorithm, own={**explored, **options}, rules=rules)
    reports = []
    with explaining(rules):
        linked = link(algorithm, rules, plain=True)
        for one in abstractions_of(linked):
            reason = unsound(linked, one, rules)
            if reason and rules is None:
                raise ElectionError(f"the abstraction of {one.title} is unsound: {reason}")
            steps = Steps(linked, one, SimpleNamespace(**{**chosen.own, **one.options}))

            def tell(windows: int, lane: str = one.title) -> None:
                if progress is not None:
                    progress(lane, windows)

            reports.append(verify_lane(steps, one, width, max_windows, time_limit, tell, reason))
    return reports


def abstractions_of(linked: Link) -> tuple[Abstraction, ...]:
    """Return the abstractions of an election; raise an error if it declares none."""
    found: tuple[Abstraction, ...] = getattr(linked.part("abstractions"), "ABSTRACTIONS", ())
    if not found:
        raise ElectionError(
            f"{linked.election.name} claims nothing about rings of any length: "
            "it declares no abstractions"
        )
    return found


def verify_lane(
    steps: Steps,
    abstraction: Abstraction,
    width: int,
    most: int,
    time_limit: float | None,
    tell: Callable[[int], None],
    stopped: str = "",
) -> LaneReport:
    """Go through all windows of one lane, unless it is known why that would prove nothing."""
    windows, seconds = 0, 0.0
    try:
        if not stopped:
            with steps.bound(), watchdog.calling():
                found = reach(steps, width, most, time_limit, tell)
            windows, seconds = found.windows, found.seconds
            stopped = "" if found.finished else "a limit was reached"
    except UnknownFieldError as error:
        stopped = f"the rules look at {error}, of which the abstraction says nothing"
    sentences = [claim.sentence for claim in abstraction.claims]
    return LaneReport(
        lane=abstraction.title,
        source=abstraction.source,
        width=width,
        windows=windows,
        seconds=seconds,
        verdicts=tuple(
            verdict_on(sentence, steps, bool(stopped))
            for sentence in (*sentences, abstraction.in_range)
        ),
        assumed=tuple(sorted(assumptions(abstraction))),
        stopped=stopped,
    )


def assumptions(abstraction: Abstraction) -> set[str]:
    """Return what a lane takes from others."""
    functions = {one.assumed for one in abstraction.left_out.values()}
    return (functions | {one.assumed for one in abstraction.fields.values()}) - {""}


def verdict_on(sentence: str, steps: Steps, stopped: bool) -> Verdict:
    """Return what was found out about a claim."""
    if sentence not in steps.broken:
        return Verdict(sentence, NOT_DECIDED if stopped else PROVED)
    before, after = steps.broken[sentence]
    then = () if after is None else steps.told(after)
    return Verdict(sentence, NOT_DECIDED, Example(steps.told(before), then))
