"""How the reports of ``amoebot verify`` look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.padding import Padding
from rich.table import Table

from amoebot.algorithms import registry
from amoebot.cli.console import Console
from amoebot.linking import PAPER
from amoebot.shapes.errors import count
from amoebot.verify import HOLDS, VIOLATED, Counterexample, LaneReport, Report
from amoebot.verify.any_length import PROVED, Verdict
from amoebot.verify.report import NOT_DECIDED
from amoebot.verify.windows import SHORTEST

MARKS = {HOLDS: "[green]✓[/green]", VIOLATED: "[red]✗[/red]"}


#: Columns that the table of counts needs.
WIDTH = 64


def show(reports: list[Report], output: Path | None) -> None:
    """Print the counts of every shape, the verdicts, and the counterexample if there is one."""
    console = Console()
    if reports[0].rules != PAPER:
        console.print(Padding(f"Rules: {reports[0].rules}", (1, 2, 0, 2), expand=False))
    if part := _part(reports[0]):
        console.print(Padding(part, (1, 2, 0, 2), expand=False))
    counts = _counts(reports) if console.width >= WIDTH else _count(reports)
    console.print(Padding(counts, (1, 2, 0, 2), expand=False))
    console.print(Padding(_verdicts(reports), (1, 2), expand=False))
    if interpreted := dict.fromkeys(one for report in reports for one in report.interpreted):
        words = f"Not compiled but interpreted, which takes longer: {'; '.join(interpreted)}."
        console.print(Padding(words, (0, 2, 1, 2)))
    undecided = any(NOT_DECIDED in report.verdicts.values() for report in reports)
    if not undecided and any(report.limited for report in reports):
        for words in _limit([report for report in reports if report.limited]):
            console.print(Padding(words, (0, 2, 1, 2)))
    if undecided:
        words = "Not decided: where one property of the election is lost, no other is looked at."
        if any(report.parts for report in reports):
            words = "Not decided: a part can do more than the whole. Explore it without --by-parts."
        console.print(Padding(words, (0, 2, 1, 2)))
    for report in reports:
        if report.counterexample:
            console.print(Padding(_story(report.counterexample, output), (0, 2, 1, 2)))
            console.print(Padding("How to read it: amoebot help counterexamples", (0, 2, 1, 2)))


def _limit(reports: list[Report]) -> Iterator[str]:
    """Say what a limit leaves open, and what can be asked instead."""
    words = "A limit was reached: not exhausted, and not a pass."
    if not any(report.corrupted for report in reports):
        states = sum(report.states for report in reports)
        what = "nothing else" if any(report.violated for report in reports) else "nothing"
        words += f" In the {states:,} states found, {what} is violated."
    yield words
    if any(report.crashes for report in reports):
        yield (
            "Crashes lead to no other states: what holds in every state without --crash holds with "
            "it. What happens eventually is another matter. More states: --max-states N."
        )
    if smaller := _smaller(reports[0]):
        yield f"Fewer states: {smaller}."


def _smaller(report: Report) -> str:
    """Return the option that leaves out most of an election that terminates."""
    if not report.options.get("terminate"):
        return ""
    for preset in registry.presets_of(report.algorithm):
        if "terminate" in preset.values and not any(preset.values.values()):
            flag = "" if report.algorithm in registry.built_in() else "variant "
            return f"--{flag}{preset.name} ({preset.help})"
    return "--no-terminate"


def _part(report: Report) -> str:
    """Say which part of a system's behaviour was explored, if not all of it."""
    parts = []
    if report.boundary is not None:
        which = f"Inner boundary {report.boundary}" if report.boundary else "The outer boundary"
        parts.append(f"{which} alone: boundaries do not influence each other.")
    if report.after:
        parts.append(
            f"Explored from the moment after {report.after} rounds with seed {report.seed} on."
        )
    elif report.one_order:
        parts.append(
            f"Each particle keeps to one order of its agents, as in a run with seed {report.seed}."
        )
    for title, free in dict.fromkeys((one.part, one.free) for one in report.parts):
        parts.append(f"{title[0].upper()}{title[1:]} by itself: {free}.")
    return "\n".join(parts)


def show_worst(
    name: str, rounds: dict[str, float], run: Counterexample, output: Path | None
) -> None:
    """Print how long the worst schedule takes beside others, and where it is."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("the worst fair schedule", f"{rounds['worst']:.3f}", "exactly")
    table.add_row("permutation", f"{rounds['permutation']:.3f}", "exactly")
    table.add_row("adversarial", f"{rounds['adversarial']:.2f}", "measured")
    console = Console()
    title = f"Expected rounds until the election on {name} is decided:"
    console.print(Padding(title, (1, 2, 0, 2)))
    console.print(Padding(table, (1, 2), expand=False))
    known = "No seed with its coins was found" if run.seed is None else f"Its seed is {run.seed}"
    where = f"is in {output}" if output else "could not be written"
    story = f"A worst schedule, with the coins that take longest, {where}. {known}."
    console.print(Padding(story, (0, 2, 1, 2)))


def show_search(name: str, seed: int, rounds: dict[str, int], output: Path | None) -> None:
    """Print how long the worst schedule found takes beside others, and where it is."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for scheduler, number in rounds.items():
        table.add_row("the worst found" if scheduler == "found" else scheduler, f"{number:,}")
    console = Console()
    title = f"Rounds until there is a leader on {name}, with the coins of seed {seed}:"
    console.print(Padding(title, (1, 2, 0, 2)))
    console.print(Padding(table, (1, 2), expand=False))
    where = f"is in {output}: amoebot view {output}" if output else "could not be written."
    story = f"There may be worse ones. This one {where}"
    console.print(Padding(story, (0, 2, 1, 2)))


def show_any_length(reports: list[LaneReport]) -> None:
    """Print what is proved of each lane on rings of every length, and what that rests on."""
    console = Console()
    for report in reports:
        windows = f"{report.windows:,} windows of {report.width} agents, {report.seconds:,.1f} s"
        title = f"[bold]{report.lane}[/bold] ({report.source}): {windows}"
        console.print(Padding(title, (1, 2, 0, 2)))
        table = Table(box=None, pad_edge=False, show_header=False)
        for one in report.verdicts:
            note = "" if one.verdict == PROVED else one.verdict
            table.add_row(MARKS[HOLDS] if not note else "·", one.claim, f"[dim]{note}[/dim]")
        console.print(Padding(table, (0, 2), expand=False))
        for one in report.verdicts:
            if one.example is not None:
                console.print(Padding(_example(one), (1, 2, 0, 2)))
        if report.stopped:
            console.print(Padding(f"Not all windows were found: {report.stopped}.", (1, 2, 0, 2)))
        assumed = "; ".join(report.assumed)
        console.print(Padding(f"[dim]Other lanes may do anything, but: {assumed}.[/dim]", (0, 2)))
    if all(report.proved for report in reports):
        story = f"Proved for every ring of {SHORTEST} agents or more."
    else:
        story = (
            "What is not decided may hold all the same: the example may not come up on any ring. "
            "Wider windows (--width) tell more apart."
        )
    console.print(Padding(story, (1, 2)))


def _example(verdict: Verdict) -> str:
    """Tell three agents for which a claim does not hold."""
    assert verdict.example is not None
    told = _agents(verdict.example.agents)
    if verdict.example.after:
        told += f", and then {_agents(verdict.example.after)}"
    return f'Against "{verdict.claim}": {told}.'


def _agents(agents: Sequence[Mapping[str, int]]) -> str:
    """Tell what is known of consecutive agents."""
    told = (", ".join(f"{name} {value}" for name, value in one.items()) or "-" for one in agents)
    return " | ".join(told)


def _counts(reports: list[Report]) -> Table:
    table = Table("shape", box=None, pad_edge=False, header_style="dim")
    for title in ("agents", "states", "transitions", "depth", "MB", "seconds"):
        table.add_column(title, justify="right")
    for report in reports:
        table.add_row(
            report.shape,
            str(report.agents),
            f"{report.states:,}",
            f"{report.transitions:,}",
            str(report.depth),
            f"{report.memory / 1e6:,.0f}",
            f"{report.seconds:,.1f}",
        )
    return table


def _count(reports: list[Report]) -> str:
    """Return the counts of every shape as sentences, where there is no room for a table."""
    return "\n".join(
        f"{report.shape}: {report.agents} agents, {report.states:,} states, "
        f"{report.transitions:,} transitions, depth {report.depth}, "
        f"{report.memory / 1e6:,.0f} MB, {report.seconds:,.1f} s"
        for report in reports
    )


def _verdicts(reports: list[Report]) -> Table:
    """Return a line for each property; with several shapes, how many it holds on."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for sentence in reports[0].verdicts:
        verdicts = [report.verdicts[sentence] for report in reports]
        worst = max(verdicts, key=lambda verdict: (verdict == VIOLATED, verdict != HOLDS))
        note = "" if worst == HOLDS else worst
        if len(reports) > 1:
            note = f"{verdicts.count(HOLDS)} of {len(reports)} shapes {note}".rstrip()
        table.add_row(MARKS.get(worst, "·"), sentence, f"[dim]{note}[/dim]")
    return table


def _story(example: Counterexample, output: Path | None) -> str:
    """Tell the shortest schedule: who is activated, and what coins it flips."""
    steps = [
        f"{particle}" + (f" (coins {', '.join(map(str, coins))})" if coins else "")
        for particle, coins in zip(example.schedule, example.coins, strict=True)
    ]
    story = f'Against "{example.property}", before the first activation.'
    if steps:
        many = count(len(steps), "activation")
        story = f'Against "{example.property}", in {many} of particles: {"; ".join(steps)}.'
    if example.faults:
        story += f" On the way: {example.faults}."
    if example.cycle is not None:
        which = f"The part from activation {example.cycle + 1} on" if example.cycle else "All of it"
        story += f" {which} can be repeated for ever."
    if example.seed is None:
        where = f"; the schedule is in {output}" if output else ""
        return f"{story} No seed with these coins was found{where}."
    where = f", written to {output}" if output else ""
    return f"{story} With seed {example.seed} this is a run{where}."
