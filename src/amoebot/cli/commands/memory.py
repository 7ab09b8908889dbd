"""``amoebot memory``: how many bits an agent needs, read off the type of its memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from amoebot.cli.options import Json, RulesFile, print_json, read_rules

if TYPE_CHECKING:
    from rich.table import Table

    from amoebot.linking import Rules

#: A field as it is shown: its depth, name and bits, what it means, and whether it is a lane.
Line = tuple[int, str, int, str, bool]

#: Which part of the paper a field of the agent's memory serves, if not Section 2.
VARIANTS = {"second": "A.3", "frozen": "A.3"}

#: The bytes between fields, which keep every field on a multiple of its size.
SPARE = "spare"


def memory(rules: RulesFile = None, json: Json = False) -> None:
    """Show the memory of one agent in bits, lane by lane, and which variant needs it.

    Every agent of every system has just this much, however large the system is.

    \b
    Example:
      amoebot memory
    """
    from amoebot.algorithms.improved.memory import PARTICLE

    own = read_rules(rules)
    agent, particle = _describe(_agent(own)), _describe(PARTICLE)
    for name, field in agent["fields"].items():
        field["section"] = VARIANTS.get(name, "" if name == SPARE else "2")
    for name, field in particle["fields"].items():
        field["section"] = "" if name == SPARE else "A.2"
    if json:
        print_json(agent | {"particle": particle})
        return
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False)
    for title, lane in ("Agent", agent), ("Particle", particle):
        console.print(Padding(_table(title, lane), (1, 2, 0, 2), expand=False))
    for text in _sums(agent, particle):
        console.print(Padding(text, (1, 2, 0, 2), expand=False))
    console.print()


def _agent(rules: Rules | None) -> Any:
    """Return the type of an agent's memory."""
    if rules is not None:
        return rules.linked("election.memory").AGENT
    from amoebot.algorithms.improved.memory import AGENT

    return AGENT


def _sums(agent: dict[str, Any], particle: dict[str, Any]) -> Iterator[str]:
    """Say how many bits there are in all, and how many of them each variant needs."""
    bits, shared = agent["bits"], particle["bits"]
    yield (
        f"An agent has [bold]{bits} bits[/bold], a particle {shared} of its own and at most three "
        f"agents at each node it occupies: {shared} + 3 × {bits} = {shared + 3 * bits} bits, or "
        f"{shared} + 6 × {bits} = {shared + 6 * bits} if it is expanded."
    )
    section, second, spare = (
        sum(field["bits"] for field in agent["fields"].values() if field["section"] == name)
        for name in ("2", "A.3", "")
    )
    yield (
        f"Of an agent's bits, {section} serve Section 2 and {second} the almost sure variant "
        f"(A.3), spare ones in their lanes included{f'; {spare} more are spare' if spare else ''}. "
        f"Termination for all (A.2) has the particle's {shared}. Expanded particles (A.1) need "
        "none of their own."
    )


def _describe(record: Any, meaning: str = "") -> dict[str, Any]:
    """Return the bits and the fields of a record; a field that is a record is a lane.

    A field over bytes that others have already is a view of them and takes no memory of its own.
    """
    about, comments = _comments(record)
    fields: dict[str, Any] = {}
    taken: set[int] = set()
    for name, (kind, place, *_) in record.fields.items():
        bytes_of_field = set(range(place, place + kind.itemsize))
        if taken & bytes_of_field:
            continue
        taken |= bytes_of_field
        fields[name] = (
            _describe(kind, comments.get(name, ""))
            if kind.names
            else {"bits": kind.itemsize * 8, "meaning": comments.get(name, "")}
        )
    if spare := record.itemsize - len(taken):
        fields[SPARE] = {"bits": spare * 8, "meaning": "unused, for alignment"}
    return {"bits": record.itemsize * 8, "meaning": meaning or about, "fields": fields}


def _comments(record: Any) -> tuple[str, dict[str, str]]:
    """Return what the source says about a record, above it, and about its fields, beside them."""
    import inspect

    from amoebot.algorithms.improved import memory

    name = next((name for name, kind in vars(memory).items() if kind is record), "AGENT")
    try:
        source = inspect.getsource(memory)
    except OSError:  # installed without sources
        return "", {}
    pattern = rf"^#: ([^\n]*)\n{name} = _record\((.*?)^\)"
    found = re.search(pattern, source, re.DOTALL | re.MULTILINE)
    if not found:
        return "", {}
    about = found[1][0].lower() + found[1][1:].rstrip(".")
    return about, dict(re.findall(r'\("(\w+)", \w+\), *# *(.*)', found[2]))


def _table(title: str, record: dict[str, Any]) -> Table:
    """Return a line for each field; the fields of a lane are indented."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", show_footer=True)
    table.add_column(title, "sum", no_wrap=True)
    table.add_column("bits", str(record["bits"]), justify="right")
    table.add_column("section", no_wrap=True)
    table.add_column("")
    sections = {name: field["section"] for name, field in record["fields"].items()}
    for depth, name, bits, meaning, lane in _lines(record["fields"], []):
        style = "cyan" if lane else "dim" if name == SPARE else ""
        table.add_row(
            Text("  " * depth + name, style),
            Text(str(bits), style),
            sections[name] if depth == 0 else "",
            Text(meaning, "dim"),
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
