"""``amoebot memory``: how many bits an agent needs, read off the type of its memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from amoebot.cli.options import Json, Options, flag_of, print_json, takes_options
from amoebot.cli.refusing import refusing

if TYPE_CHECKING:
    from rich.table import Table

    from amoebot.algorithms.records import Record

#: A field as it is shown: its depth, name and bits, what it means, and whether it is a lane.
Line = tuple[int, str, int, str, bool]

#: The bytes between fields, which keep every field on a multiple of its size.
SPARE = "spare"

#: The least width of a terminal, in columns, to show what fields mean.
WIDTH = 60


@takes_options(schedule=False)
def memory(options: Options, json: Json = False) -> None:
    """Show the memory of one agent in bits, lane by lane, and which options need it.

    Every agent of every system has just this much, however large the system is.

    \b
    Examples:
      amoebot memory
      amoebot memory --rules my_rules.py
    """
    from amoebot.algorithms.termination import Particle
    from amoebot.linking import link

    with refusing():
        election = link(options.algorithm, options.rules).module("algorithms.interface")
    unit, particle = _describe(election.Memory, election.MORE_MEMORY), _describe(Particle)
    for name, field in unit["fields"].items():
        field["option"] = election.NEEDS.get(name, "")
    for name, field in particle["fields"].items():
        field["option"] = "" if name == SPARE else "terminate"
    unit["particle"] = particle
    if json:
        print_json(unit)
        return
    from rich.padding import Padding

    from amoebot.cli.console import Console

    console = Console()
    name = "node" if election.ON_NODES else "agent"
    for title, record in (name.capitalize(), unit), ("Particle", particle):
        console.print(Padding(_table(title, record, options.own), (1, 2, 0, 2), expand=False))
    for text in _sums(name, unit, options.own):
        console.print(Padding(text, (1, 2, 0, 2), expand=False))
    console.print()


def _describe(
    record: type[Record], more: Mapping[str, Any] | None = None, meaning: str = ""
) -> dict[str, Any]:
    """Return the bits and the fields of a record; a field that is a record is a lane.

    A view is of bytes that other fields have already, and takes no memory of its own.
    """
    from amoebot.algorithms.records import fields, layout

    found: dict[str, Any] = {}
    for field in fields(record):
        if field.view_of is None:
            lane = field.record and _describe(field.record, meaning=field.meaning)
            found[field.name] = lane or _field(field.kind.itemsize, field.meaning)
    for name, kind in (more or {}).items():
        found[name] = _field(kind.itemsize, "added by the rules")
    size = layout(record, **(more or {})).itemsize
    if spare := size - sum(field["bits"] for field in found.values()) // 8:
        found[SPARE] = _field(spare, "unused, for alignment")
    return _field(size, meaning) | {"fields": found}


def _field(size: int, meaning: str) -> dict[str, Any]:
    return {"bits": size * 8, "meaning": meaning}


def _sums(name: str, unit: dict[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    """Say how many bits there are in all, and how many of them each option needs."""
    bits, shared = unit["bits"], unit["particle"]["bits"]
    whose, each, agents = ("A node", 1, "")
    if name == "agent":
        whose, each, agents = "An agent", 3, " and at most three agents at each node it occupies"
    yield (
        f"{whose} has [bold]{bits} bits[/bold], a particle {shared} of its own{agents}: "
        f"{shared} + {each} × {bits} = {shared + each * bits} bits, or "
        f"{shared} + {2 * each} × {bits} = {shared + 2 * each * bits} if it is expanded."
    )
    for record in unit, unit["particle"]:
        fields = record["fields"]
        for option in sorted({field["option"] for field in fields.values()} - {""}):
            needing = [name for name, field in fields.items() if field["option"] == option]
            yield (
                f"{sum(fields[name]['bits'] for name in needing)} of {record['bits']} bits are for "
                f"{flag_of(option)}: {', '.join(needing)}."
                + ("" if own[option] else f" {flag_of(option, False)} leaves them empty.")
            )


def _table(title: str, record: dict[str, Any], own: Mapping[str, Any]) -> Table:
    """Return a line for each field; the fields of a lane are indented."""
    from rich.table import Table
    from rich.text import Text

    from amoebot.cli.console import Console

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", show_footer=True)
    table.add_column(title, "sum", no_wrap=True)
    table.add_column("bits", str(record["bits"]), justify="right", no_wrap=True, min_width=4)
    table.add_column("option", overflow="fold")
    told = Console().width >= WIDTH
    if told:
        table.add_column("")
    option = ""
    for depth, name, bits, meaning, lane in _lines(record["fields"], []):
        option = record["fields"][name]["option"] if depth == 0 else option
        unused = name == SPARE or not own.get(option, True)
        style = "dim" if unused else "cyan" if lane else ""
        table.add_row(
            Text("  " * depth + name, style),
            Text(str(bits), style),
            option if depth == 0 else "",
            *([Text(meaning, "dim")] if told else []),
        )
    return table


def _lines(fields: dict[str, Any], shown: list[Any], depth: int = 0) -> Iterator[Line]:
    """Go through the fields in order; lanes that look the same inside are shown once."""
    for name, field in fields.items():
        lane = field.get("fields")
        again = lane in shown
        meaning = "the same once more" if again else field["meaning"]
        yield depth, name, field["bits"], meaning, lane is not None
        if lane and not again:
            shown.append(lane)
            yield from _lines(lane, shown, depth + 1)
