"""``amoebot film``: an election as a film, or as one HTML file to replay it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.commands.draw import Dark, Hide, Show
from amoebot.cli.options import Expanded, Options, ShapeSeed, takes_options
from amoebot.cli.refusing import BadInput, refusing, writing
from amoebot.cli.runs import RunShape, go_to, open_run

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS = (".gif", ".mp4", ".html")


@takes_options()
def film(
    shape: RunShape,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .gif, .mp4 or .html.")
    ],
    every: Annotated[
        int | None, typer.Option(metavar="N", help="Rounds between two frames; else as fits.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", help="End after N rounds.")] = None,
    fps: Annotated[float, typer.Option(metavar="N", help="Frames a second, .gif and .mp4.")] = 12.0,
    pixels: Annotated[int, typer.Option(metavar="N", help="The longer side, .gif and .mp4.")] = 720,
    show: Show = None,
    hide: Hide = None,
    dark: Dark = False,
    *,
    options: Options,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
) -> None:
    """Make a film of an election; an .html file replays it with the viewer's controls, offline.

    \b
    Examples:
      amoebot film annulus:5,2 -o film.gif
      amoebot film hexagon:10 --seed 7 -o film.html
    """
    if output.suffix.lower() not in KINDS:
        raise BadInput(f"{output}: a film ends in .gif, .mp4 or .html")
    if every is not None and every < 1:
        raise BadInput("--every must be 1 or more")
    if rounds is not None and rounds < 1:
        raise BadInput("--rounds must be 1 or more")
    if not (0.1 <= fps <= 60 and 100 <= pixels <= 4096):
        raise BadInput("--fps must be from 0.1 to 60, and --pixels from 100 to 4096")
    simulation = open_run(shape, shape_seed, expanded, options)
    if rounds is None:
        go_to(simulation, None)
    else:
        simulation.run(rounds)
    last = simulation.rounds + bool(simulation.position)
    if output.suffix.lower() == ".html":
        from amoebot.viewer.film_page import document

        with writing(output):
            output.write_text(document(simulation, last, every), encoding="utf-8")
        return
    from amoebot.render import film
    from amoebot.render.look import chosen_layers

    with refusing():
        chosen_layers(simulation, show or (), hide or ())

    def make(shown: list[int]) -> Iterator[Image]:
        return film.frames(simulation, shown, pixels, show or (), hide or (), dark)

    shown = film.moments(last, every)
    save = film.save_gif if output.suffix.lower() == ".gif" else film.save_mp4
    try:
        with writing(output):
            save(make, shown, output, fps)
    except film.NoFfmpegError as error:
        raise BadInput(str(error)) from None
