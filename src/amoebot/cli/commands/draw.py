"""``amoebot draw``: a picture of one moment of an election, for papers and slides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.options import Expanded, Force, Options, ShapeSeed, takes_options
from amoebot.cli.refusing import (
    BadInput,
    check_folder,
    compiling,
    free_to_write,
    refusing,
    writing,
    written,
)
from amoebot.cli.runs import RunShape, go_to, open_run

KINDS = (".svg", ".png", ".pdf")

Show = Annotated[
    list[str] | None,
    typer.Option("--show", metavar="LAYER", help="Also draw this layer; may be repeated."),
]
Hide = Annotated[
    list[str] | None,
    typer.Option("--hide", metavar="LAYER", help="Leave this layer out; may be repeated."),
]
Dark = Annotated[bool, typer.Option("--dark", help="Light on dark.")]


@takes_options()
def draw(
    shape: RunShape,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .svg, .png or .pdf.")
    ],
    round_: Annotated[
        int | None,
        typer.Option("--round", metavar="N", help="After N rounds; without it, the end."),
    ] = None,
    position: Annotated[int, typer.Option(metavar="N", help="N activations after that round.")] = 0,
    space_time: Annotated[
        bool, typer.Option("--space-time", help="The whole run: agents across, rounds down.")
    ] = False,
    show: Show = None,
    hide: Hide = None,
    dark: Dark = False,
    inches: Annotated[
        float, typer.Option(metavar="N", help="The longer side of a .png or .pdf.")
    ] = 6.0,
    dpi: Annotated[float, typer.Option(metavar="N", help="Dots per inch of a .png.")] = 200.0,
    force: Force = False,
    *,
    options: Options,
    typed: list[str],
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
) -> None:
    """Draw a moment of an election, with the layers that suit its phase.

    The layers are those of the election, or all: an unknown one is answered with their names.

    \b
    Examples:
      amoebot draw annulus:5,2 --round 20 -o figure.svg
      amoebot draw hexagon:4 --round 9 --hide bonds --show boundaries -o figure.pdf
      amoebot draw hexagon:20 --space-time -o election.pdf
    """
    if output.suffix.lower() not in KINDS:
        raise BadInput(f"{output}: a figure ends in .svg, .png or .pdf")
    if (round_ or 0) < 0 or position < 0:
        raise BadInput("--round and --position count from 0")
    if not (0.1 <= inches <= 100 and 10 <= dpi <= 2400):
        raise BadInput("--inches must be from 0.1 to 100 and --dpi from 10 to 2400")
    if space_time and (round_ is not None or position or show or hide):
        raise BadInput("--space-time shows the whole run: leave out --round, --show and --hide")
    check_folder(free_to_write(output, "", force))
    simulation = open_run(shape, shape_seed, expanded, options, typed)
    from amoebot.cli.console import Console

    status = Console(stderr=True).status("running the election")
    if space_time:
        from amoebot.render import space_time_figure

        with compiling(), writing(output), status:
            space_time_figure.save(simulation, output, dark, inches, dpi)
        typer.echo(written(output, "a space-time diagram"))
        return
    from amoebot.render import scene, svg
    from amoebot.render.look import chosen_layers

    with compiling(), status:
        go_to(simulation, round_, position)
    with refusing():
        layers = chosen_layers(simulation, show or (), hide or ())
    status.update("drawing the picture")
    with writing(output), status:
        picture = scene.picture(simulation, layers, dark)
        if output.suffix.lower() == ".svg":
            output.write_text(svg.document(picture), encoding="utf-8", newline="\n")
        else:
            from amoebot.render import figure

            figure.save(picture, output, inches, dpi)
    typer.echo(written(output, f"the moment after round {simulation.rounds:,}"))
