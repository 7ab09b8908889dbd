"""``amoebot elect``: run one election, and show how it went."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli import first_election
from amoebot.cli.options import (
    Expanded,
    Json,
    Options,
    PropertiesFile,
    ShapeSeed,
    Threads,
    print_json,
    read_shape,
    takes_options,
)
from amoebot.cli.refusing import BadInput, compiling

if TYPE_CHECKING:
    from amoebot.algorithms.description import Finding
    from amoebot.results import Result
    from amoebot.simulation import Simulation


@takes_options()
def elect(
    shape: Annotated[
        str,
        typer.Argument(metavar="SHAPE", help="Such as hexagon:10, or a file: see amoebot shapes."),
    ],
    options: Options,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Stop after N rounds; by default never, or after 100 (L + n) with --rules or an "
            "election of your own.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="Stop after S seconds.")
    ] = None,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Watch the election's claims, and --properties, each round."),
    ] = False,
    properties: PropertiesFile = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but the outcome.")
    ] = False,
) -> None:
    """Elect a leader on a shape, and show when each phase was reached.

    The exit status is 0 with a leader, 1 without one or if a check failed.

    \b
    Examples:
      amoebot elect hexagon:10 --seed 7
      amoebot elect random:500,3 --shape-seed 1 --scheduler adversarial
      amoebot elect hexagon:30 --check
      amoebot elect hexagon:30 --check --properties my_properties.py
      amoebot elect hexagon:6 --expanded 0.5
      amoebot elect hexagon:10 --rules my_rules.py
      amoebot elect hexagon:10 --algorithm my_election.py
    """
    if properties is not None and not check:
        raise BadInput("--properties are watched with --check: add it")
    from amoebot.batch import warm_up
    from amoebot.cli.compile_notice import announce_compilation
    from amoebot.cli.progress import stopped_after, watching
    from amoebot.linking import watchdog
    from amoebot.simulation import Simulation

    if time_limit is not None:
        watchdog.give_up_after(time_limit)
    with compiling():
        given = read_shape(shape, shape_seed, expanded)
        first_election.restart_if_large(given)
        simulation = Simulation.of(given, options.with_(max_rounds=max_rounds), threads)
        warm_up(options, simulation.system.agents)
    findings: list[Finding] = []
    with announce_compilation(), watching() as bar, watchdog.calling("the election"):
        look = bar if time_limit is None else stopped_after(time_limit, bar)
        if check:
            from amoebot.verify import watch

            result, findings = watch(simulation, progress=look, properties=properties or ())
        else:
            with suppress(TimeoutError):
                simulation.run(progress=look)
            result = simulation.result()
    _tell(simulation, result, findings, json, quiet)
    wrong = any(finding.holds is False for finding in findings)
    raise typer.Exit(0 if result.outcome == "leader" and not wrong else 1)


def _tell(
    simulation: Simulation, result: Result, findings: list[Finding], json: bool, quiet: bool
) -> None:
    """Print how the run ended, for a program, in one sentence, or in full."""
    if json:
        checks = {"checks": [asdict(finding) for finding in findings]} if findings else {}
        late = [str(fault) for fault in simulation.faults[len(simulation.faults_so_far) :]]
        faults = {"faults_not_reached": late} if simulation.faults else {}
        print_json(result.as_dict() | faults | checks)
        return
    from amoebot.cli.account import outcome_of, show, show_findings

    if quiet:
        typer.echo(outcome_of(result, simulation.schedule_has_ended))
    else:
        show(simulation, result)
    if findings:
        show_findings(findings)
