"""``amoebot film``: an election as a film, or as one HTML file to replay it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.commands.draw import Dark, Hide, Show
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
from amoebot.cli.runs import Beside, RunShape, go_to, open_beside, open_run

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
        int | None, typer.Option(metavar="N", help="Rounds between two frames; chosen by default.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", help="End after N rounds.")] = None,
    fps: Annotated[
        float, typer.Option(metavar="N", help="Frames per second, .gif and .mp4.")
    ] = 12.0,
    pixels: Annotated[int, typer.Option(metavar="N", help="The longer side, .gif and .mp4.")] = 720,
    show: Show = None,
    hide: Hide = None,
    dark: Dark = False,
    force: Force = False,
    *,
    options: Options,
    typed: list[str],
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    beside: Beside = None,
) -> None:
    """Make a film of an election; an .html file replays it with the viewer's controls, offline.

    \b
    Examples:
      amoebot film annulus:5,2 -o film.gif
      amoebot film hexagon:10 --seed 7 -o film.html
      amoebot film hexagon:5 --beside erosion -o both.mp4
    """
    if output.suffix.lower() not in KINDS:
        raise BadInput(f"{output}: a film ends in .gif, .mp4 or .html")
    if every is not None and every < 1:
        raise BadInput("--every must be 1 or more")
    if rounds is not None and rounds < 1:
        raise BadInput("--rounds must be 1 or more")
    if not (0.1 <= fps <= 60 and 100 <= pixels <= 4096):
        raise BadInput("--fps must be from 0.1 to 60, and --pixels from 100 to 4096")
    check_folder(free_to_write(output, "", force))
    from amoebot import runs
    from amoebot.cli.console import Console
    from amoebot.render import film
    from amoebot.render.look import chosen_layers

    if output.suffix.lower() == ".mp4":
        with refusing():
            film.ffmpeg()

    simulation = open_run(shape, shape_seed, expanded, options, typed)
    other = open_beside(runs.of(simulation), beside) if beside else None
    films = [one for one in (simulation, other) if one is not None]
    status = Console(stderr=True).status("running the election")
    with compiling(), status:
        for one in films:
            if rounds is None:
                go_to(one, None)
            else:
                one.run(rounds)
    last = max(one.rounds + bool(one.position) for one in films)
    with refusing():
        for one in films:
            chosen_layers(one, show or (), hide or ())
    if output.suffix.lower() == ".html":
        from amoebot.browser.live import smaller
        from amoebot.viewer.bundle import Look
        from amoebot.viewer.film_page import document

        look = Look(dark, tuple(show or ()), tuple(hide or ()), beside or "")
        status.update("making the page")
        with writing(output), status:
            text = document(simulation, last, every, other, look)
            if every is None and rounds is None:
                text = smaller(text, simulation, look)
            output.write_text(text, encoding="utf-8")
        typer.echo(written(output, f"a film of {last:,} rounds"))
        return

    def make(shown: list[int]) -> Iterator[Image]:
        each, named = pixels // len(films), len(films) > 1
        made = (film.frames(one, shown, each, show or (), hide or (), dark, named) for one in films)
        for number, image in enumerate(film.side_by_side(*made), start=1):
            status.update(f"frame {number} of {len(shown)}")
            yield image

    shown = film.moments(last, every)
    save = film.save_gif if output.suffix.lower() == ".gif" else film.save_mp4
    with writing(output), status:
        save(make, shown, output, fps)
    typer.echo(written(output, f"a film of {len(shown)} frames"))
