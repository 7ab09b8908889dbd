"""The space-time diagram: what it records of a run, and what is drawn of that."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import amoebot
from amoebot import shapes
from amoebot.algorithms import registry
from amoebot.algorithms.improved.memory import Agent
from amoebot.algorithms.pictures import completed
from amoebot.render.look import theme
from amoebot.render.space_time import SpaceTime
from amoebot.render.space_time_figure import image
from helpers.command import ask
from helpers.looking import candidates


def recorded(shape: shapes.Shape, columns: int, rows: int, **options: object) -> SpaceTime:
    made = SpaceTime(amoebot.Simulation(shape, seed=7, **options), columns, rows)  # type: ignore[arg-type]
    made.run()
    return made


def number_of(made: SpaceTime, name: str) -> int:
    return [trace.name for trace in made.traces].index(name)


@pytest.fixture(scope="module")
def whole() -> SpaceTime:
    """Provide a run of which every agent and every round is recorded."""
    return recorded(shapes.annulus(3, 1), 1000, 1000)


def test_every_round_has_what_the_agents_hold_after_it(whole: SpaceTime) -> None:
    simulation = amoebot.Simulation(shapes.annulus(3, 1), seed=7)
    trace = number_of(whole, "candidate")
    assert whole.rounds == list(range(len(whole.rounds)))
    for rounds in (0, 1, 12, 40):
        simulation.goto(rounds)
        there = whole.rows[rounds][trace] == 255
        assert there.tolist() == candidates(simulation.memory).tolist()


def test_the_run_is_recorded_to_its_end(whole: SpaceTime) -> None:
    result = amoebot.elect(shapes.annulus(3, 1), seed=7)
    assert whole.rounds[-1] == result.rounds_terminated


def test_a_long_run_is_thinned_out_and_keeps_single_marks() -> None:
    few = recorded(shapes.line(30), 10, 20)
    every = recorded(shapes.line(30), 1000, 1000)
    assert few.columns == 10
    assert 20 <= len(few.rows) <= 40 < len(every.rows)
    assert np.diff(few.rounds[:-1]).tolist() == [few.every] * (len(few.rounds) - 2)
    for rounds, row in zip(few.rounds[:-1], few.rows, strict=False):
        ends = np.arange(11) * every.columns // 10
        for column in range(10):
            there = every.rows[rounds][:, ends[column] : ends[column + 1]]
            assert ((row[:, column] > 0) == (there > 0).any(axis=1)).all()


@pytest.mark.parametrize("algorithm", registry.built_in())
def test_every_election_shows_candidates_and_has_colours_for_all(algorithm: str) -> None:
    made = recorded(shapes.hexagon(2), 100, 100, algorithm=algorithm)
    trace = number_of(made, "candidate")
    shown = [int((row[trace] > 0).sum()) for row in made.rows]
    assert max(shown) > 1
    assert shown[-1] <= 1
    for dark in (False, True):
        assert {one.colour for one in made.traces} <= {*theme(algorithm, dark)}


def test_a_candidate_s_line_has_its_colour_until_it_withdraws(whole: SpaceTime) -> None:
    colours = theme("improved")
    pixels, trace = image(whole, colours), number_of(whole, "candidate")
    wide, high = pixels.shape[1] // whole.columns, pixels.shape[0] // len(whole.rows)
    above = [n for n in range(len(whole.traces)) if n > trace]
    checked = 0
    for rounds in (3, 30, 60):
        row = whole.rows[rounds]
        for agent in np.flatnonzero(~row[above].any(axis=0)):
            centre = pixels[rounds * high + high // 2, agent * wide + wide // 2]
            assert np.allclose(centre, to_rgb(colours["candidate"])) == bool(row[trace, agent])
            checked += 1
    assert checked > 20


def test_an_election_without_pictures_shows_its_first_field_and_its_leader() -> None:
    made = completed(None, Agent, on_nodes=False)
    assert [trace.name for trace in made.traces][::5] == ["oldest 1", "leader"]
    assert {trace.colour for trace in made.traces} - {"leader"} <= {*made.colours}


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_command_writes_a_figure_with_axes(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"election.{ending}"
    answer = ask("draw", "hexagon:2", "--seed", "7", "--space-time", "-o", str(file))
    assert (answer.status, answer.err) == (0, "")
    if ending == "svg":
        words = re.sub(r"<[^>]+>", "", file.read_text(encoding="utf-8"))
        for word in ("Round", "Agent along the outer boundary", "candidate", "hexagon:2, L = 12"):
            assert word in words
    elif ending == "pdf":
        assert b"/Type3" not in file.read_bytes()


def test_what_makes_no_sense_with_it_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "election.svg")
    for arguments in (["hexagon:2", "--round", "3"], ["hexagon:2", "--hide", "bonds"], ["line:1"]):
        answer = ask("draw", *arguments, "--space-time", "-o", file)
        assert (answer.status, answer.err.count("\n")) == (2, 1), arguments
