"""The account of an election: what took part, when each phase was reached, and who won."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from amoebot.algorithms.description import Finding
from amoebot.cli.console import Console
from amoebot.cli.options import flag_of
from amoebot.cli.pictures import LEADER, OUTER, facts, portrait
from amoebot.results import Result
from amoebot.shapes.errors import count
from amoebot.simulation import Simulation

#: How a claim fared: it held, it did not, or there was nothing to judge.
MARKS = {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "·"}

#: The least width of a terminal, in columns, to draw when milestones were reached.
WIDTH = 56

_LEVELS = "▁▂▃▄▅▆▇█"


def show(simulation: Simulation, result: Result) -> None:
    """Print the whole account."""
    console = Console()
    width = console.width - 4
    picture = portrait(simulation.system, simulation.leader_particle, width, console.height - 1)
    parts: list[RenderableType] = [picture, _facts(simulation)]
    if result.candidates or result.leader:
        parts.append(_timeline(result, simulation.course.titles, min(width, 96)))
    if result.candidates:
        parts.append(Text(_dwindling(result), "dim"))
    sign, style = LEADER if result.leader else ("✗", "bold red")
    parts.append(Text(f"{sign} {outcome_of(result, simulation.schedule_has_ended)}", style))
    for part in parts:
        console.print(Padding(part, (1, 2, 0, 2), expand=False))
    console.print()


def outcome_of(result: Result, schedule_has_ended: bool = False) -> str:
    """Return in one sentence how an election ended."""
    if result.leader:
        where = " and ".join(f"({x}, {y})" for x, y in result.leader)
        return f"The particle at {where} is the leader, declared in {_round(result)}."
    known = result.options.election.outcomes
    for outcome in known.values():
        if outcome.name == result.outcome:
            return f"No leader: {outcome.sentence}. {outcome.advice}".rstrip()
    left = count(result.candidates[-1][1] if result.candidates else 0, "candidate")
    if result.rounds_terminated:
        when = _as_round(result.rounds_terminated, result)
        return f"No leader: all particles had terminated by {when}, with {left} left."
    how = "the schedule ended in" if schedule_has_ended else "the run was stopped after"
    return f"No leader yet: {how} {_round(result)}, with {left} left."


def _round(result: Result) -> str:
    return _as_round(result.rounds, result)


def _as_round(number: int, result: Result) -> str:
    """Return a round as a number, and as a multiple of the outer boundary's length."""
    length = result.outer_boundary_length
    return f"round {number:,}" + (f" = {number / length:.2f} L" if length else "")


def _facts(simulation: Simulation) -> Table:
    """Return what took part in the election, and how it was run."""
    table = facts(simulation.system)
    options = simulation.options
    own = " ".join(flag_of(name, value) for name, value in options.own.items())
    table.add_row("Algorithm", Text(f"{options.election.title}: {own}"))
    table.add_row("Run", f"seed {simulation.seed}, {simulation.scheduler} scheduler")
    if simulation.rules is not None:
        table.add_row("Rules", simulation.rules.name)
    if simulation.faults:
        table.add_row("Faults", _faults(simulation))
    return table


def _faults(simulation: Simulation) -> str:
    """Return all faults of a run, and which of them came too late for it."""
    happened = len(simulation.faults_so_far)
    return ", ".join(
        f"{fault}" if number < happened else f"{fault} (not reached)"
        for number, fault in enumerate(simulation.faults)
    )


def _timeline(result: Result, titles: dict[str, str], width: int) -> Table:
    """Return a line for each milestone, in the order of the rounds, and one for the candidates."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Milestone")
    table.add_column("round", justify="right")
    table.add_column("/ L", justify="right")
    drawn = width >= WIDTH
    if drawn:
        table.add_column("when in the run")
    last = max(1, result.rounds, result.rounds_terminated or 0)
    used = 13 + max(map(len, titles.values())) + max(5, len(f"{last:,}"))
    track = max(10, width - used)
    length = result.outer_boundary_length
    reached = {name: number for name, number in result.milestones.items() if number}
    for name, number in sorted(reached.items(), key=lambda item: item[1]):
        place = (number - 1) * (track - 1) // max(1, last - 1)
        line = Text("─" * track, style="bright_black")
        line = Text.assemble(line[:place], ("●", OUTER), line[place + 1 :])
        share = f"{number / length:.2f}" if length else ""
        table.add_row(titles[name], f"{number:,}", share, *([line] if drawn else []))
    if result.candidates and drawn:
        table.add_row("Candidates left", "", "", Text(_sparkline(result, last, track), style=OUTER))
    return table


def _sparkline(result: Result, last: int, columns: int) -> str:
    """Return the candidates left over the rounds, as bars."""
    most = result.candidates[0][1]
    bars, left = "", most
    changes = iter((*result.candidates[1:], (last + 1, 0)))
    change = next(changes)
    for column in range(columns):
        while change[0] <= 1 + column * last // columns:
            left = change[1]
            change = next(changes)
        # Rounded up, so that one candidate is still seen among thousands.
        bars += _LEVELS[-(-left * len(_LEVELS) // most) - 1] if left else " "
    return bars


def _dwindling(result: Result) -> str:
    """Return in one sentence when the number of candidates had halved, and again, and so on."""
    (_, most), *changes = result.candidates
    # A sentence lists no more than about eight numbers.
    factor = max(2.0, most ** (1 / 8))
    told = most
    steps = [f"{count(most, 'candidate')} in round 1"]
    for number, left in changes:
        if left * factor <= told:
            steps.append(f"{left:,} by round {number:,}")
            told = left
    return ", ".join(steps) + "."


def show_findings(findings: list[Finding]) -> None:
    """Print a line for each claim, with what was measured."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        table.add_row(MARKS[finding.holds], finding.claim, f"[dim]{finding.measured}[/dim]")
    Console().print(Padding(table, (0, 2, 1, 2), expand=False))
