"""``amoebot elect``: run one election, and show how it went."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.cli.options import (
    BadInput,
    Expanded,
    Json,
    RulesFile,
    Seed,
    ShapeSeed,
    compiled_rules,
    print_json,
    read_shape,
    refusing,
)

if TYPE_CHECKING:
    from amoebot.results import Result
    from amoebot.simulation import Simulation
    from amoebot.algorithms.improved.monitors import Finding

#: The names in ``engine.SCHEDULERS``, which cannot be imported without the compiler.
SCHEDULERS = "permutation, uniform, round-robin, with-cycle, against-cycle, adversarial"


def elect(
    shape: Annotated[
        str,
        typer.Argument(metavar="SHAPE", help="Such as hexagon:10, or a file: see amoebot shapes."),
    ],
    seed: Seed = 0,
    scheduler: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {SCHEDULERS}.")
    ] = "permutation",
    radix: Annotated[
        int, typer.Option(metavar="R", help="Values that a digit can take, 2 to 256.")
    ] = 16,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Stop after so many rounds; by default never, or with --rules after 100 (L + n).",
        ),
    ] = None,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    whp: Annotated[
        bool, typer.Option("--whp", help="Section 2 alone, which succeeds with high probability.")
    ] = False,
    rules: RulesFile = None,
    check: Annotated[
        bool, typer.Option("--check", help="Watch the paper's lemmas during the run.")
    ] = False,
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
      amoebot elect hexagon:6 --expanded 0.5
      amoebot elect hexagon:10 --rules my_rules.py
    """
    if max_rounds is not None and max_rounds < 1:
        raise BadInput(f"--max-rounds {max_rounds} leaves no round to run: it must be 1 or more")
    from amoebot.cli.progress import watching

    simulation = _prepare(
        shape,
        shape_seed,
        expanded,
        rules,
        seed=seed,
        scheduler=scheduler,
        almost_sure=not whp,
        terminate=not whp,
        radix=radix,
    )
    findings: list[Finding] = []
    max_rounds = max_rounds or simulation.patience
    with watching() as look:
        if check:
            from amoebot.cli.checks import run_checked

            result, findings = run_checked(simulation, max_rounds, look)
        else:
            result = simulation.run(max_rounds, look)
    _tell(simulation, result, findings, json, quiet)
    wrong = any(finding.holds is False for finding in findings)
    raise typer.Exit(0 if result.outcome == "leader" and not wrong else 1)


def _prepare(
    shape: str, shape_seed: int, expanded: float | None, rules: Path | None, **options: Any
) -> Simulation:
    """Return a run that can start at once: everything it needs is compiled."""
    from amoebot.jit import announce_compilation
    from amoebot.simulation import Simulation

    with announce_compilation():
        given = read_shape(shape, shape_seed, expanded)
        compiled = compiled_rules(rules)
        with refusing():
            return Simulation(given, rules=compiled, **options)


def _tell(
    simulation: Simulation, result: Result, findings: list[Finding], json: bool, quiet: bool
) -> None:
    """Print how the run ended, for a program, in one sentence, or in full."""
    if json:
        checks = {"checks": [asdict(finding) for finding in findings]} if findings else {}
        print_json(result.as_dict() | checks)
        return
    from amoebot.cli.account import outcome_of, show

    if quiet:
        typer.echo(outcome_of(result))
    else:
        show(simulation, result)
    if findings:
        from amoebot.cli.checks import show_findings

        show_findings(findings)
