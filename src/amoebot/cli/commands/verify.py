"""``amoebot verify``: explore every activation order and every coin of a small system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.cli.options import (
    Expanded,
    Force,
    Json,
    Options,
    PropertiesFile,
    ShapeSeed,
    print_json,
    read_shape,
    takes_options,
)
from amoebot.cli.refusing import BadInput, compiling, free_to_write, refusing, writing

#: Elections over which the mean rounds of a scheduler are measured.
MEASURED = 2_000

if TYPE_CHECKING:
    from amoebot.shapes import Shape
    from amoebot.simulation import Simulation
    from amoebot.verify import Counterexample, Report
    from amoebot.verify.user_properties import OwnProperty


@takes_options(schedule=False, explored=True)
def verify(
    *,
    shape: Annotated[str, typer.Argument(help="A shape string or a file.")] = "",
    up_to: Annotated[
        int, typer.Option(metavar="N", help="All connected shapes of up to N particles.")
    ] = 0,
    options: Options,
    max_states: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Stop after N states, for each shape or part: 50,000,000 by default.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Stop after S seconds, for each shape."),
    ] = None,
    worst: Annotated[
        bool,
        typer.Option(
            "--worst", help="Compute how many rounds the worst fair schedule takes, and write it."
        ),
    ] = False,
    search: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="With --worst: search among N schedules, on any shape."
        ),
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="With --search, --after or --one-order."),
    ] = None,
    boundary: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Explore one boundary alone: 0 is the outer one. Needs --no-terminate.",
        ),
    ] = None,
    after: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Begin after N rounds of an election with --seed.",
        ),
    ] = 0,
    one_order: Annotated[
        bool,
        typer.Option(
            "--one-order",
            help="Particles keep to one order of their agents, as in a run with --seed.",
        ),
    ] = False,
    by_parts: Annotated[
        bool,
        typer.Option(
            "--by-parts",
            help="Explore each part of the election by itself: far fewer states.",
        ),
    ] = False,
    any_length: Annotated[
        bool,
        typer.Option("--any-length", help="Prove claims for rings of every length, not one shape."),
    ] = False,
    width: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=3,
            max=6,
            help="With --any-length: consecutive agents in a window; by default, 3.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write a counterexample or schedule to this file."),
    ] = None,
    force: Force = False,
    crash: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Let up to N particles crash, at any moment."),
    ] = 0,
    corrupt: Annotated[
        str,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Set a field of one agent to a value, at any one moment: see help faults.",
        ),
    ] = "",
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    properties: PropertiesFile = None,
    json: Json = False,
) -> int:
    """Explore every activation order and every coin of a small system.

    Options of the election have the defaults with the fewest states. Exit status: 0 all properties
    hold; 1 a limit was reached, which is never a pass, or a property is violated, and then a
    shortest schedule to where it shows is written to a file.

    \b
    Examples:
      amoebot verify line:2
      amoebot verify --up-to 3 --whp
      amoebot verify line:3 --whp --rules my_rules.py
      amoebot verify line:3 --whp --expanded 1
      amoebot verify line:4 --whp --expanded 1 --one-order --seed 1
      amoebot verify triangle:2 --whp --worst
      amoebot verify line:3 --whp --properties my_properties.py
      amoebot verify hexagon:2 --worst --search 1000
      amoebot verify line:3 --by-parts
      amoebot verify --any-length
      amoebot verify line:3 --whp --crash 1
      amoebot verify line:2 --whp --corrupt leader=1
      amoebot verify annulus:1,0 --whp --boundary 1 --after 8 --seed 3
    """
    from amoebot.linking import watchdog
    from amoebot.verify.any_length import LEAST_WIDTH

    if time_limit is not None and (options.has_own_rules or properties):
        watchdog.give_up_after(time_limit)
    if any_length:
        about_shapes = (shape, up_to, worst, output, properties, crash, corrupt, after, by_parts)
        if any(about_shapes) or one_order or expanded is not None or boundary is not None:
            raise BadInput("--any-length is about rings of all lengths: it takes no shape or file")
        return _show_any_length(options, width or LEAST_WIDTH, time_limit, json)
    if width is not None:
        raise BadInput("--width is about windows: give --any-length too")
    if seed is not None and not (search or after or one_order):
        raise BadInput("--seed goes with --search, --after or --one-order: all coins are tried")
    exact = worst and not search
    _refuse_contradictions(bool(shape), bool(up_to), expanded is not None, exact, time_limit)
    if search and not worst:
        raise BadInput("--search looks for the worst schedule: give --worst too")
    file = free_to_write(output, "worst.json" if worst else "counterexample.json", force)
    if worst and (properties is not None or crash or corrupt):
        raise BadInput("--worst measures rounds: it takes no --properties, --crash or --corrupt")
    changes = options.has_own_rules or properties or crash or corrupt
    narrowed = after or one_order or boundary is not None
    if by_parts and (worst or changes or narrowed):
        others = "--rules, --properties, --crash, --corrupt, --after, --boundary, --one-order or "
        others += "--worst"
        raise BadInput(f"--by-parts takes no {others}")
    if worst and one_order:
        raise BadInput("--worst takes no --one-order: it tries each order, and keeps the worst")
    if (worst or up_to) and (boundary is not None or after):
        raise BadInput("--boundary and --after are about what is explored of one shape")
    if worst:
        given = read_shape(shape, shape_seed, expanded)
        if search:
            return _search(given, options, seed or 0, search, time_limit, file, json)
        return _show_worst(given, options, file, json)
    from amoebot.verify.user_properties import as_properties

    with refusing():
        wanted = [read_shape(shape, shape_seed, expanded)] if shape else _shapes(up_to)
        limits: dict[str, Any] = {"max_states": max_states, "time_limit": time_limit}
        limits |= {"crashes": crash, "corrupt": corrupt}
        limits |= {"boundary": boundary, "after": after, "seed": seed or 0}
        limits |= {"by_parts": by_parts, "one_order": one_order}
        own = as_properties(properties or (), options.algorithm)
        reports = _verify_all(wanted, options, limits, own)
    example = next((one.counterexample for one in reports if one.counterexample), None)
    refusal = _save(example, file) if example else None
    written = file if example and not refusal else None
    if json:
        told = {"reports": [report.as_dict() for report in reports]}
        print_json({**told, "file": written and str(written)})
    else:
        from amoebot.cli.verdicts import show

        show(reports, written)
    if refusal:
        raise refusal
    return 0 if all(report.holds for report in reports) else 1


def _arguments(options: Options) -> dict[str, Any]:
    """Return the election, its rules and its options, as the Python interface takes them."""
    return {"algorithm": options.algorithm, "rules": options.rules, **options.own}


def _save(run: Counterexample | Simulation, file: Path) -> BadInput | None:
    """Write a run, or return why it cannot be written: that is said after what was found."""
    try:
        with writing(file):
            run.save(file)
    except BadInput as refusal:
        return refusal
    return None


def _refuse_contradictions(
    shape: bool, up_to: bool, expanded: bool, worst: bool, time_limit: float | None
) -> None:
    """Refuse combinations of options that contradict each other."""
    if shape == up_to:
        raise BadInput("give either one shape or --up-to N")
    if up_to and expanded:
        raise BadInput("--up-to N makes contracted particles: give a shape to --expanded")
    if worst and up_to:
        raise BadInput("--worst is about one shape: give it instead of --up-to N")
    if worst and time_limit is not None:
        raise BadInput("--worst explores all states: it takes no --time-limit")


def _show_worst(shape: Shape, options: Options, output: Path, json: bool) -> int:
    """Compute the worst fair schedule, and set it beside others."""
    from statistics import fmean

    from amoebot.batch import elect_many
    from amoebot.verify import worst_case

    chosen = _arguments(options)
    with compiling():
        found = worst_case(shape, **chosen)
        results = [*elect_many(shape, range(MEASURED), scheduler="adversarial", **chosen)]
    told = {
        "worst": found.rounds,
        "permutation": found.permutation,
        "adversarial": fmean(result.rounds for result in results),
    }
    refusal = _save(found.schedule, output)
    written = None if refusal else output
    if json:
        found_in = {"shape": shape.name, "particles": shape.particles}
        print_json({**found_in, "file": written and str(written), "rounds": told})
    else:
        from amoebot.cli.verdicts import show_worst

        show_worst(shape.name, told, found.schedule, written)
    if refusal:
        raise refusal
    return 0


def _search(
    shape: Shape,
    options: Options,
    seed: int,
    tries: int,
    time_limit: float | None,
    output: Path,
    json: bool,
) -> int:
    """Search for a schedule that takes long, and set it beside others."""
    from amoebot.batch import warm_up
    from amoebot.cli.console import Console
    from amoebot.verify import search_worst

    chosen = _arguments(options)
    with compiling():
        warm_up(options)
    with compiling(), Console(stderr=True).status("searching") as status:
        found = search_worst(
            shape,
            seed,
            tries=tries,
            time_limit=time_limit,
            progress=lambda tried, most: status.update(f"{tried:,} of {tries:,}: {most} rounds"),
            **chosen,
        )
    rounds = {"found": found.rounds, **found.others}
    refusal = _save(found.run, output)
    written = None if refusal else output
    if json:
        found_in = {"shape": shape.name, "particles": shape.particles, "seed": seed}
        print_json({**found_in, "rounds": rounds, "file": written and str(written)})
    else:
        from amoebot.cli.verdicts import show_search

        show_search(shape.name, seed, rounds, written)
    if refusal:
        raise refusal
    return 0


def _show_any_length(options: Options, width: int, time_limit: float | None, json: bool) -> int:
    """Prove what holds on rings of every length."""
    from amoebot.cli.console import Console
    from amoebot.verify import verify_any_length

    chosen = _arguments(options)
    with compiling(), Console(stderr=True).status("looking for windows") as status:
        reports = verify_any_length(
            **chosen,
            width=width,
            time_limit=time_limit,
            progress=lambda lane, windows: status.update(f"{lane}: {windows:,} windows"),
        )
    if json:
        print_json({"lanes": [report.as_dict() for report in reports]})
    else:
        from amoebot.cli.verdicts import show_any_length

        show_any_length(reports)
    return 0 if all(report.proved for report in reports) else 1


def _shapes(up_to: int) -> list[Shape]:
    from amoebot.verify import all_shapes

    if not 1 <= up_to <= 5:
        raise ValueError(f"--up-to {up_to}: a number from 1 to 5 is expected")
    return [small for size in range(1, up_to + 1) for small in all_shapes(size)]


def _verify_all(
    wanted: list[Shape], options: Options, limits: dict[str, Any], own: list[OwnProperty]
) -> list[Report]:
    """Verify shapes one after another, up to the first violation."""
    from amoebot.cli.compile_notice import announce_compilation
    from amoebot.cli.console import Console
    from amoebot.shapes import line
    from amoebot.verify import verify as verify_shape
    from amoebot.verify.verifying import check_input

    chosen = _arguments(options)
    for shape in wanted:
        check_input(shape, **chosen)
    with compiling():
        verify_shape(line(2), **chosen, max_states=2, by_parts=limits["by_parts"])
    reports = []
    # What explains a counterexample is compiled when there is one.
    with announce_compilation(), Console(stderr=True).status("exploring") as status:
        for number, shape in enumerate(wanted, start=1):

            def tell(report: Report, number: int = number) -> None:
                status.update(
                    f"{report.shape} ({number} of {len(wanted)}): {report.states:,} states, "
                    f"{report.transitions:,} transitions, depth {report.depth}, "
                    f"{(report.memory - report.disk) / 1e6:,.0f} MB, "
                    + (f"{report.disk / 1e6:,.0f} MB on disk, " if report.disk else "")
                    + f"{report.seconds:,.0f} s"
                )

            found = verify_shape(shape, **chosen, **limits, progress=tell, properties=own)
            reports.append(found)
            if reports[-1].violated:
                break
    return reports
