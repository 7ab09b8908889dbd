"""How the commands that show runs open them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.algorithms import registry
from amoebot.cli.options import read_shape
from amoebot.cli.refusing import BadInput, compiling

if TYPE_CHECKING:
    from amoebot.options import Options
    from amoebot.runs import Run
    from amoebot.simulation import Simulation

RunShape = Annotated[
    str,
    typer.Argument(
        metavar="SHAPE",
        help="Such as hexagon:10, a shape file, or a run file (see amoebot shapes).",
    ),
]


Beside = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Another election on the same shape, beside this one and in step: "
        f"{', '.join(registry.built_in())}.",
    ),
]


def describe(
    shape: str, shape_seed: int, expanded: float | None, options: Options, typed: list[str]
) -> Run:
    """Return the run that the user asked for, with everything compiled.

    A run file says all of it, but only names its rules and its election; a shape needs options.
    """
    from amoebot import runs, shapes
    from amoebot.batch import warm_up

    path = Path(shape)
    with compiling():
        if path.suffix.lower() == ".json" and path.is_file():
            with suppress(UnicodeDecodeError, OSError):
                if runs.looks_like_run(path.read_text(encoding="utf-8-sig")):
                    _check_typed(shape, typed)
                    given = options.algorithm if "--algorithm" in typed else None
                    run = runs.read(path, options.rules, given)
                    warm_up(run.options)
                    return run
        found = read_shape(shape, shape_seed, expanded)
        warm_up(options)
    known = expanded is None and shape.partition(":")[0] in shapes.GENERATORS
    text, seed = (shape, shape_seed) if known else (None, 0)
    return runs.Run(found, options, shape_text=text, shape_seed=seed)


def _check_typed(file: str, typed: list[str]) -> None:
    """Refuse options that a run file would override."""
    if others := [option for option in typed if option not in ("--algorithm", "--rules")]:
        raise BadInput(f"{file} is a run, with options of its own: leave out {', '.join(others)}")


def check_faults(run: Run) -> None:
    """Refuse faults of particles or agents that the shape does not have."""
    from amoebot.simulation import Simulation

    if run.options.faults:
        with compiling():
            Simulation.of(run.shape, run.options)


def describe_beside(run: Run, algorithm: str) -> Run:
    """Return the run of another election on the same shape, seed and schedule."""
    from amoebot.batch import warm_up
    from amoebot.options import Options
    from amoebot.runs import Run

    if algorithm not in registry.built_in():
        raise BadInput(f"--beside {algorithm}: choose from {', '.join(registry.built_in())}")
    if run.by_hand_from is not None:
        raise BadInput("--beside needs a schedule that other elections have too, none by hand")
    given = run.options
    own = {"terminate": given.own["terminate"]}
    with compiling():
        options = Options(given.seed, given.scheduler, algorithm, own)
        warm_up(options)
    return Run(run.shape, options, shape_text=run.shape_text, shape_seed=run.shape_seed)


def open_run(
    shape: str, shape_seed: int, expanded: float | None, options: Options, typed: list[str]
) -> Simulation:
    """Return the simulation that the user asked for, with everything compiled."""
    from amoebot.runs import go_on

    run = describe(shape, shape_seed, expanded, options, typed)
    with compiling():
        simulation = run.simulation()
    go_on(simulation, run)
    return simulation


def open_beside(run: Run, algorithm: str) -> Simulation:
    """Return the simulation of another election on the same shape, seed and schedule."""
    other = describe_beside(run, algorithm)
    with compiling():
        return other.simulation()


def go_to(simulation: Simulation, rounds: int | None, position: int = 0) -> None:
    """Go to a moment, or to the end of the run: for one by hand, the end of its schedule.

    After that it goes on with a fair schedule, and a counterexample may then go on for ever.
    """
    stepped = simulation.options.is_stepped
    if rounds is None and not stepped and simulation.by_hand_from is not None:
        last = simulation.by_hand_limit
        simulation.goto(*simulation.by_hand_from)
        while simulation.steps < last:
            simulation.step()
    elif rounds is None:
        simulation.run()
    else:
        simulation.goto(rounds, position)
