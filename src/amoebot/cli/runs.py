"""What the commands that show runs share: their options, and how a run is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.commands.elect import SCHEDULERS
from amoebot.cli.options import BadInput, compiled_rules, read_shape, refusing

if TYPE_CHECKING:
    from amoebot.runs import Run
    from amoebot.simulation import Simulation

RunShape = Annotated[
    str,
    typer.Argument(
        metavar="SHAPE",
        help="Such as hexagon:10, a shape file, or a run file (see amoebot shapes).",
    ),
]
Scheduler = Annotated[str, typer.Option(metavar="NAME", help=f"One of {SCHEDULERS}.")]
Radix = Annotated[int, typer.Option(metavar="R", help="Values that a digit can take, 2 to 256.")]
Whp = Annotated[
    bool, typer.Option("--whp", help="Section 2 alone, which succeeds with high probability.")
]


def describe(
    shape: str,
    shape_seed: int,
    expanded: float | None,
    seed: int,
    scheduler: str,
    radix: int,
    whp: bool,
    rules: Path | None,
) -> Run:
    """Return the run that the user asked for, with everything compiled.

    A run file says all of it but its rules; a shape needs options.
    """
    from amoebot import runs, shapes
    from amoebot.engine import check_scheduler
    from amoebot.results import check_options

    path = Path(shape)
    compiled = compiled_rules(rules)
    with refusing():
        if path.suffix.lower() == ".json" and path.is_file():
            with suppress(UnicodeDecodeError, OSError):
                if runs.looks_like_run(path.read_text(encoding="utf-8-sig")):
                    return runs.read(path, compiled)
        check_scheduler(scheduler)
        options = {
            "scheduler": scheduler,
            "almost_sure": not whp,
            "terminate": not whp,
            "radix": radix,
        }
        found = read_shape(shape, shape_seed, expanded)
        check_options(seed, radix)
        known = expanded is None and shape.partition(":")[0] in shapes.GENERATORS
        return runs.Run(
            found,
            seed,
            options,
            shape_text=shape if known else None,
            shape_seed=shape_seed if known else 0,
            rules=compiled,
        )


def open_run(
    shape: str,
    shape_seed: int,
    expanded: float | None,
    seed: int,
    scheduler: str,
    radix: int,
    whp: bool,
    rules: Path | None,
) -> Simulation:
    """Return the simulation that the user asked for, with everything compiled."""
    from amoebot import runs
    from amoebot.jit import announce_compilation

    with announce_compilation():
        run = describe(shape, shape_seed, expanded, seed, scheduler, radix, whp, rules)
        with refusing():
            simulation = run.simulation()
    if run.by_hand_from is not None:
        simulation.follow(runs.fair_turns(simulation.system.particles, run.seed, len(run.turns)))
    return simulation


def go_to(simulation: Simulation, rounds: int | None, position: int = 0) -> None:
    """Go to a moment, or to the end of the run, which for one by hand is its last turn.

    After that it goes on with fair turns, and a counterexample may then go on for ever.
    """
    if rounds is None and simulation.by_hand_from is not None:
        last = simulation.by_hand_limit
        simulation.goto(*simulation.by_hand_from)
        while simulation.activations < last:
            simulation.step()
    elif rounds is None:
        simulation.run(simulation.patience)
    else:
        simulation.goto(rounds, position)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what goes wrong when a file is written into one line."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None
