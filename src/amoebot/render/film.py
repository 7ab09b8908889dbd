"""Films of runs: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from PIL import Image

from amoebot.render import scene
from amoebot.render.geometry import geometry
from amoebot.render.look import chosen_layers, theme
from amoebot.render.raster import Rasterizer
from amoebot.simulation import Simulation

#: Frames of a film, if the user does not say how many rounds lie between two of them.
FRAMES = 240

#: Seconds for which the last moment stays.
HOLD = 2.0


#: Colours of a GIF that are exactly those of the pictures, and others; and how far they are apart.
EXACT, MIXED, NEAR = 64, 64, 9

#: What makes the images of some rounds.
Maker = Callable[[list[int]], Iterator[Image.Image]]


class NoFfmpegError(ValueError):
    """MP4 films need ffmpeg, which is not installed."""


def moments(rounds: int, every: int | None) -> list[int]:
    """Return the rounds to show: all of a short run, evenly chosen ones of a long run."""
    apart = every or max(1, -(-rounds // FRAMES))
    shown = list(range(0, rounds + 1, apart))
    return shown if shown[-1] == rounds else [*shown, rounds]


def frames(
    simulation: Simulation,
    shown: list[int],
    pixels: int,
    show: Iterable[str] = (),
    hide: Iterable[str] = (),
    dark: bool = False,
    named: bool = False,
) -> Iterator[Image.Image]:
    """Yield one image for each of the given rounds, with the layers of its phase.

    ``named`` asks for the name of the election, where there are several.
    """
    place, ink = geometry(simulation), theme(simulation.options.algorithm, dark)["muted"]
    painter: Rasterizer | None = None
    for rounds in shown:
        simulation.goto(rounds)
        layers = chosen_layers(simulation, show, hide)
        picture = scene.picture(simulation, layers, dark, place)
        painter = painter or Rasterizer(picture, pixels, lines=2 if named else 1)
        title = simulation.course.phases[simulation.phase].title
        now = min(rounds, simulation.rounds + bool(simulation.position))  # it may have ended before
        name = f"{simulation.options.election.title}\n" if named else ""
        yield painter.image(picture, f"{name}Round {now:,}: {title}", ink)


def side_by_side(*films: Iterator[Image.Image]) -> Iterator[Image.Image]:
    """Yield the images of several films, one beside the other."""
    for images in zip(*films, strict=True):
        width, height = sum(one.width for one in images), max(one.height for one in images)
        made = Image.new(images[0].mode, (width, height), images[0].getpixel((0, 0)))
        left = 0
        for one in images:
            made.paste(one, (left, 0))
            left += one.width
        yield made


def save_gif(make: Maker, shown: list[int], file: Path, rate: float) -> None:
    """Write an animated GIF at ``rate`` frames a second.

    All frames share one palette: then what stays the same from frame to frame costs no space.
    """
    palette = common_palette(make(sorted({shown[i * (len(shown) - 1) // 5] for i in range(6)})))
    small = [
        image.quantize(palette=palette, dither=Image.Dither.NONE).copy() for image in make(shown)
    ]
    each = round(1000 / rate)
    durations = [each] * (len(small) - 1) + [each + round(1000 * HOLD)]
    small[0].save(file, save_all=True, append_images=small[1:], duration=durations, loop=0)


def common_palette(images: Iterator[Image.Image]) -> Image.Image:
    """Return an image whose palette suits all of the given ones.

    What is painted in one colour keeps exactly that: these are the colours that occur most. The
    rest of the palette is for edges, where two of them mix.
    """
    samples = list(images)
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for number, image in enumerate(samples):
        sheet.paste(image, (0, number * height))
    counts = sheet.getcolors(sheet.width * sheet.height) or []
    frequent: list[Any] = [colour for _, colour in sorted(counts, reverse=True)[: 4 * EXACT]]
    mixed = sheet.quantize(MIXED, Image.Quantize.MEDIANCUT).getpalette() or []
    found: list[Any] = []
    # Pillow takes any colour that is near: where there is one only, it is the right one.
    for colour in [*frequent, *zip(*(iter(mixed[: 3 * MIXED]),) * 3, strict=True)]:
        if all(max(abs(a - b) for a, b in zip(colour, one, strict=True)) > NEAR for one in found):
            found.append(colour)
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in found[:256] for part in colour])
    return made


def _packaged_ffmpeg() -> str | None:
    """Return the program that the package imageio-ffmpeg brings, if that is installed."""
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except ImportError:
        return None


def ffmpeg() -> str:
    """Return the program that makes MP4 films, or say how to get it."""
    program = shutil.which("ffmpeg") or _packaged_ffmpeg()
    if program is None:
        raise NoFfmpegError(
            "an .mp4 film needs ffmpeg: pip install imageio-ffmpeg, or make a .gif or .html film"
        )
    return program


def save_mp4(make: Maker, shown: list[int], file: Path, rate: float) -> None:
    """Write an MP4 film at ``rate`` frames a second."""
    images = make(shown)
    program = ffmpeg()
    first = next(images)
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{first.width}x{first.height}", "-r", str(rate), "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        image = first
        try:
            process.stdin.write(first.tobytes())
            for image in images:
                process.stdin.write(image.tobytes())
            for _ in range(round(HOLD * rate)):
                process.stdin.write(image.tobytes())
        except BrokenPipeError:  # ffmpeg has ended, and says why
            pass
        _, said = process.communicate()
    if process.returncode:
        raise OSError(0, " ".join(said.decode(errors="replace").split())[-300:])
