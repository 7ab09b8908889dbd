"""``amoebot live``: one file with the engine inside, for browsers and for JavaScript."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.options import Expanded, Force, Options, ShapeSeed, takes_options
from amoebot.cli.refusing import BadInput, check_folder, compiling, free_to_write, writing, written
from amoebot.cli.runs import check_faults, describe

if TYPE_CHECKING:
    from amoebot.runs import Run
    from amoebot.simulation import Simulation

#: Those of a scheduler of the user's that a page can hold, as a list.
MOST_ACTIVATIONS = 1_000_000

#: The default shape of the page.
FIRST = "annulus:6,2"

#: The suffixes of JavaScript modules, each with that of its type declarations.
OF_TYPES = {".mjs": ".d.mts", ".js": ".d.ts"}


@takes_options()
def live(
    shape: Annotated[
        str | None,
        typer.Argument(
            metavar="[SHAPE | FILE]",
            help="A shape, a shape file or a run file; annulus:6,2 without it.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: live.html or amoebot.mjs."),
    ] = None,
    module: Annotated[
        bool, typer.Option("--module", help="Write a module for JavaScript (.mjs), and its types.")
    ] = False,
    force: Force = False,
    *,
    options: Options,
    typed: list[str],
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
) -> None:
    """Write the viewer with a live engine as one file, for any browser, without a server.

    It needs the builder's tools: pip install '.[browser]'. To open it, a browser is enough.

    \b
    Examples:
      amoebot live annulus:5,2 --seed 7 -o live.html
      amoebot live --rules early.py -o early.html
      amoebot live --module -o amoebot.mjs
    """
    named = output or Path("amoebot.mjs" if module else "live.html")
    ending = named.suffix.lower()
    if ending not in (OF_TYPES if module else (".html",)):
        endings = "in .mjs or .js" if module else "in .html (or give --module)"
        raise BadInput(f"{output}: the file must end {endings}")
    file = free_to_write(output, named, force)
    types = file.with_suffix(OF_TYPES[ending]) if module else file
    for one in {file, types}:
        check_folder(free_to_write(one, "", force))
    if module and shape is not None:
        raise BadInput(f"--module writes no run: leave out {shape}")
    run = describe(FIRST if shape is None else shape, shape_seed, expanded, options, typed)
    check_faults(run)
    from amoebot.browser import live

    with compiling():
        if not isinstance(run.options.scheduler, str):
            run = with_schedule(run)
        packed = live.packed(run.options.algorithm, run.options.rules)
    with writing(file):
        if module:
            file.write_text(live.module(packed), encoding="utf-8")
            types.write_text(live.types(), encoding="utf-8")
        else:
            file.write_text(live.page(packed, run), encoding="utf-8")
    typer.echo(written(file, "a module and its types" if module else "the viewer and its engine"))


def with_schedule(run: Run) -> Run:
    """Run it here, and return it with the particles that a scheduler of the user's chose."""
    from amoebot import runs

    simulation = run.simulation()
    simulation.run(progress=check_length)
    chosen = runs.of(simulation)
    return replace(chosen, shape_text=run.shape_text, shape_seed=run.shape_seed)


def check_length(simulation: Simulation) -> None:
    """Refuse runs with which a page would be too large."""
    if simulation.steps > MOST_ACTIVATIONS:
        raise BadInput(f"a page has no room for over {MOST_ACTIVATIONS:,} activations: film it")
