"""A film that is one HTML file: it replays a run with the viewer's controls, offline."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from contextlib import suppress
from dataclasses import asdict

from amoebot import runs
from amoebot.render.frames import Encoder
from amoebot.render.look import is_on_nodes
from amoebot.render.stage import stage
from amoebot.runs import Run
from amoebot.simulation import Simulation
from amoebot.viewer.bundle import Look, bundled_page
from amoebot.viewer.opening import simulation_of
from amoebot.viewer.survey import Survey

#: Bytes, before they are packed, up to which every single activation, or every round, is kept.
MOST_ACTIVATIONS, MOST_ROUNDS = 9_000_000, 60_000_000

#: Frames between two that can be shown without those before them.
KEY = 64


def document(
    simulation: Simulation,
    rounds: int,
    every: int | None = None,
    beside: Simulation | None = None,
    look: Look | None = None,
) -> str:
    """Return the file. ``every`` is the number of rounds between two frames.

    ``beside`` is a run of another election on the same shape, to be shown in step.
    """
    title = f"{simulation.shape.name}, seed {simulation.seed}: amoebot"
    films = {"film": packed(simulation, rounds, every)}
    if beside is not None:
        films["beside"] = packed(beside, rounds, every)
    return bundled_page("film_page", title, **films, look=json.dumps(asdict(look or Look())))


def packed(simulation: Simulation, rounds: int, every: int | None) -> str:
    """Return the recording of a run as text."""
    recorded = record(simulation, runs.of(simulation), rounds, every)
    return base64.b64encode(gzip.compress(recorded, 9)).decode()


def record(simulation: Simulation, run: Run, rounds: int, every: int | None) -> bytes:
    """Return the stage, the survey and all frames, each after its length."""
    survey = _survey(run, rounds)
    parts = [stage(simulation, run), json.dumps(survey).encode()]
    single = every is None and _single_activations(simulation, rounds)
    size = 30 * len(simulation.memory) * max(1, rounds)
    apart = every or max(1, -(-size // MOST_ROUNDS))
    simulation.goto(0)
    encoder = Encoder(simulation)
    parts.append(encoder.frame())
    while simulation.rounds < rounds and not simulation.finished:
        before = simulation.steps
        with suppress(StopIteration):
            if single:
                simulation.step()
            else:
                simulation.goto(min(rounds, simulation.rounds + apart))
        if simulation.steps == before:  # its schedule has come to its end
            break
        if (len(parts) - 2) % KEY == 0:
            encoder = Encoder(simulation)
        parts.append(encoder.frame())
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


def _survey(run: Run, rounds: int) -> dict[str, object]:
    """Look through the run as far as the film goes, for milestones and charts."""
    survey = Survey(simulation_of(run), rounds)
    survey.wait(3600)
    return survey.report()


def _single_activations(simulation: Simulation, rounds: int) -> bool:
    """Whether the film has room for every single activation."""
    system = simulation.system
    on_nodes = is_on_nodes(simulation.options.algorithm)
    acting = system.particles if on_nodes else int((system.first_agent >= 0).sum())
    return 110 * acting * max(1, rounds) + 80 * system.particles <= MOST_ACTIVATIONS
