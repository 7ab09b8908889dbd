"""The account of an election: what took part, when each phase was reached, and who won."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from amoebot.cli.pictures import LEADER, OUTER, facts, portrait
from amoebot.results import Result
from amoebot.shapes.errors import count
from amoebot.simulation import Simulation

#: What each milestone is called in the account.
LABELS = {
    "identifiers_set_up": "Identifiers set up",
    "digit_tokens_created": "Digit tokens created",
    "first_solitude_verification": "First solitude verification",
    "last_rival_gone": "Last rival withdraws",
    "last_solitude_verification": "Last solitude verification",
    "boundary_identification": "Boundary identification",
    "stop_token_sent": "Stop token sent",
    "leader_declared": "Leader declared",
    "all_terminated": "All particles terminated",
}

#: How each failure reads.
FAILURES = {
    "no-candidates": "nobody on the outer boundary flipped heads, so there is no candidate",
    "tied-identifiers": "the highest identifier on the outer boundary is not unique",
}

#: The algorithm without its variants.
WHP = "Section 2 alone (w.h.p.)"

_LEVELS = "▁▂▃▄▅▆▇█"


def show(simulation: Simulation, result: Result) -> None:
    """Print the whole account."""
    console = Console(highlight=False)
    width = console.width - 4
    picture = portrait(simulation.system, simulation.leader_particle, width, console.height - 1)
    parts: list[RenderableType] = [picture, _facts(simulation)]
    if result.candidates or result.leader:
        parts.append(_timeline(result, min(width, 96)))
    if result.candidates:
        parts.append(Text(_dwindling(result), "dim"))
    sign, style = LEADER if result.leader else ("✗", "bold red")
    parts.append(Text(f"{sign} {outcome_of(result)}", style))
    for part in parts:
        console.print(Padding(part, (1, 2, 0, 2), expand=False))
    console.print()


def outcome_of(result: Result) -> str:
    """Return in one sentence how an election ended."""
    if result.leader:
        where = " and ".join(f"({x}, {y})" for x, y in result.leader)
        return f"The particle at {where} is the leader, declared in {_round(result)}."
    if result.outcome in FAILURES:
        return (
            f"No leader: {FAILURES[result.outcome]}. Section 2 alone fails like this with a "
            "probability that is small on long boundaries; try another seed."
        )
    left = count(result.candidates[-1][1] if result.candidates else 0, "candidate")
    return (
        f"No leader yet: the run was stopped after {_round(result)}, "
        f"with {left} left on the outer boundary."
    )


def _round(result: Result) -> str:
    """Return the last round as a number, and as a multiple of the outer boundary's length."""
    length = result.outer_boundary_length
    return f"round {result.rounds:,}" + (f" = {result.rounds / length:.2f} L" if length else "")


def _facts(simulation: Simulation) -> Table:
    """Return what took part in the election, and how it was run."""
    variants = {
        "almost sure (A.3)": simulation.almost_sure,
        "termination for all (A.2)": simulation.terminate,
    }
    extra = [name for name, chosen in variants.items() if chosen]
    table = facts(simulation.system)
    table.add_row("Algorithm", " + ".join(["Section 2", *extra]) if extra else WHP)
    table.add_row(
        "Run",
        f"seed {simulation.seed}, {simulation.scheduler} scheduler, radix {simulation.radix}",
    )
    if simulation.rules is not None:
        table.add_row("Rules", simulation.rules.name)
    return table


def _timeline(result: Result, width: int) -> Table:
    """Return a line for each milestone, in the order of the rounds, and one for the candidates."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Milestone")
    table.add_column("round", justify="right")
    table.add_column("/ L", justify="right")
    table.add_column("when in the run")
    last = max(1, result.rounds, result.rounds_terminated or 0)
    track = max(10, width - 40 - max(5, len(f"{last:,}")))
    length = result.outer_boundary_length
    reached = {name: number for name, number in result.milestones.items() if number}
    for name, number in sorted(reached.items(), key=lambda item: item[1]):
        label = LABELS.get(name, name.replace("_", " ").capitalize())
        place = (number - 1) * (track - 1) // max(1, last - 1)
        line = Text("─" * track, style="bright_black")
        line = Text.assemble(line[:place], ("●", OUTER), line[place + 1 :])
        share = f"{number / length:.2f}" if length else ""
        table.add_row(label, f"{number:,}", share, line)
    if result.candidates:
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
