"""A film that is one HTML file: it replays a run with the viewer's controls, offline."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from html import escape

from amoebot import runs
from amoebot.render.frames import Encoder
from amoebot.render.stage import stage
from amoebot.runs import Run
from amoebot.simulation import Simulation
from amoebot.viewer.bundle import bundle, style
from amoebot.viewer.survey import Survey

#: Bytes, before they are packed, up to which every single activation, or every round, is kept.
MOST_ACTIVATIONS, MOST_ROUNDS = 9_000_000, 60_000_000

#: Frames between two that can be shown without those before them.
KEY = 64


def document(simulation: Simulation, rounds: int, every: int | None = None) -> str:
    """Return the file. ``every`` is the number of rounds between two frames."""
    run = runs.of(simulation)
    film = base64.b64encode(gzip.compress(record(simulation, run, rounds, every), 9)).decode()
    # A closing tag within a string would end the script.
    script = bundle("film_page").replace("</script", "<\\/script")
    title = escape(f"{simulation.shape.name}, seed {simulation.seed}: amoebot")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n"
        f'<script type="text/plain" id="film">{film}</script>\n'
        f'<script type="module">\n{script}\n</script>\n</body>\n</html>\n'
    )


def record(simulation: Simulation, run: Run, rounds: int, every: int | None) -> bytes:
    """Return the stage, the survey and all frames, each after its length."""
    survey = _survey(run, rounds)
    parts = [stage(simulation, run), json.dumps(survey).encode()]
    single = every is None and _single_activations(simulation, rounds)
    size = 30 * simulation.system.agents * max(1, rounds)
    apart = every or max(1, -(-size // MOST_ROUNDS))
    simulation.goto(0)
    encoder = Encoder()
    parts.append(encoder.frame(simulation))
    while simulation.rounds < rounds and not simulation.finished:
        if single:
            simulation.step()
        else:
            simulation.goto(min(rounds, simulation.rounds + apart))
        if (len(parts) - 2) % KEY == 0:
            encoder = Encoder()
        parts.append(encoder.frame(simulation))
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


def _survey(run: Run, rounds: int) -> dict[str, object]:
    """Look through the run as far as the film goes, for milestones and charts."""
    ahead = run.simulation()
    if run.by_hand_from is not None:
        ahead.follow(
            runs.fair_schedule(ahead.system.particles, run.options.seed, len(run.schedule))
        )
    survey = Survey(ahead, rounds)
    survey.wait(3600)
    return survey.report()


def _single_activations(simulation: Simulation, rounds: int) -> bool:
    """Whether the film has room for every single activation."""
    boundary = int((simulation.system.first_agent >= 0).sum())
    return 110 * boundary * max(1, rounds) + 80 * simulation.system.particles <= MOST_ACTIVATIONS
