"""``amoebot verify``: explore every activation order and every coin of a small system."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.cli.options import (
    BadInput,
    Json,
    RulesFile,
    ShapeSeed,
    print_json,
    read_rules,
    refusing,
)

if TYPE_CHECKING:
    from amoebot.shapes import Shape
    from amoebot.verify import Report


def verify(
    shape: Annotated[str, typer.Argument(help="A shape string or a file.")] = "",
    up_to: Annotated[
        int, typer.Option(metavar="N", help="All connected shapes of up to N particles.")
    ] = 0,
    whp: Annotated[bool, typer.Option("--whp", help="Section 2 alone.")] = False,
    almost_sure: Annotated[
        bool, typer.Option("--almost-sure", help="Almost sure, but without termination.")
    ] = False,
    radix: Annotated[int, typer.Option(metavar="R", help="Radix of the identifiers.")] = 2,
    max_states: Annotated[
        int, typer.Option(metavar="N", min=1, help="Stop after so many states, for each shape.")
    ] = 50_000_000,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Stop after so many seconds, for each shape."),
    ] = None,
    rules: RulesFile = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Where a counterexample is written.")
    ] = Path("counterexample.json"),
    shape_seed: ShapeSeed = 0,
    json: Json = False,
) -> int:
    """Explore every activation order and every coin of a small system.

    Exit status: 0 all properties hold; 1 a limit was reached, which is never a pass, or a property
    is violated, and then a shortest schedule to where it shows is written to a file.

    \b
    Examples:
      amoebot verify line:2
      amoebot verify triangle:2 --whp --radix 3
      amoebot verify --up-to 3 --whp
      amoebot verify line:3 --whp --rules my_rules.py
    """
    if whp and almost_sure:
        raise BadInput("--whp and --almost-sure exclude each other")
    if bool(shape) == bool(up_to):
        raise BadInput("give either one shape or --up-to N")
    from amoebot.verify.checker import check_input

    with refusing():
        wanted = list(_shapes(shape, up_to, shape_seed))
        options = {
            "almost_sure": not whp,
            "terminate": not (whp or almost_sure),
            "radix": radix,
            "max_states": max_states,
            "time_limit": time_limit,
        }
        for one in wanted:
            check_input(one, radix)
        reports = _verify_all(wanted, rules, options)
    failed = next((report for report in reports if report.counterexample), None)
    if failed and failed.counterexample:
        failed.counterexample.save(output)
    if json:
        print_json({"reports": [report.as_dict() for report in reports]})
    else:
        from amoebot.cli.verdicts import show

        show(reports, output)
    return 0 if all(report.exhausted and not report.violated for report in reports) else 1


def _shapes(shape: str, up_to: int, seed: int) -> Iterable[Shape]:
    from amoebot.shapes import parse
    from amoebot.verify import all_shapes

    if shape:
        return [parse(shape, seed=seed)]
    if not 1 <= up_to <= 5:
        raise ValueError(f"--up-to {up_to}: a number from 1 to 5 is expected")
    return [small for size in range(1, up_to + 1) for small in all_shapes(size)]


def _verify_all(wanted: list[Shape], rules: Path | None, options: dict[str, Any]) -> list[Report]:
    """Verify shapes one after another, up to the first violation."""
    from rich.console import Console

    from amoebot.jit import announce_compilation
    from amoebot.shapes import line
    from amoebot.verify import verify as verify_shape

    with announce_compilation():
        options["rules"] = read_rules(rules)
        verify_shape(line(2), **options | {"max_states": 1})
    reports = []
    with Console(stderr=True).status("exploring") as status:
        for number, shape in enumerate(wanted, start=1):

            def tell(report: Report, number: int = number) -> None:
                status.update(
                    f"{report.shape} ({number} of {len(wanted)}): {report.states:,} states, "
                    f"{report.transitions:,} transitions, depth {report.depth}, "
                    f"{report.memory / 1e6:,.0f} MB, {report.seconds:,.0f} s"
                )

            reports.append(verify_shape(shape, progress=tell, **options))
            if reports[-1].violated:
                break
    return reports
