"""Pictures and films: what they show is what the memories say."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import amoebot
from helpers import looking
from amoebot import jit, render, shapes
from amoebot.algorithms.improved.memory import CANDIDATE
from amoebot.render import film, scene
from amoebot.render.frames import RECORD, Encoder, pack_agents, pack_particles
from amoebot.render.geometry import geometry
from amoebot.render.look import chosen_layers, default_layers, layer_names, look, theme
from amoebot.render.phases import bands, phase
from helpers.command import ask, check_refusal
from helpers.serving import apply, stage_of

SVG = "{http://www.w3.org/2000/svg}"
PAIRED = shapes.annulus(3, 1).with_expanded(0.4, seed=2)


@cache
def run_of(seed: int = 3) -> amoebot.Simulation:
    simulation = amoebot.Simulation(PAIRED, seed=seed)
    simulation.run()
    return simulation


def last_round() -> int:
    return amoebot.elect(PAIRED, seed=3).rounds_terminated or 0


def at(rounds: int) -> amoebot.Simulation:
    run_of().goto(rounds)
    return run_of()


def groups(svg: str) -> dict[str, list[ElementTree.Element]]:
    """Return the marks of each layer."""
    return {
        str(group.get("id")): list(group) for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
    }


# The look.


def test_every_phase_has_the_layers_that_its_words_need() -> None:
    assert "segments" in default_layers(1)
    assert {"digits", "reversed", "setup"} <= default_layers(2)
    assert "tokens" in default_layers(3)
    assert {"extended", "verification"} <= default_layers(4)
    assert "identification" in default_layers(5)
    assert "termination" in default_layers(6)
    for number in range(8):
        assert {"particles", "boundaries", "agents", "leader"} <= default_layers(number)


def test_layers_can_be_added_and_taken_away() -> None:
    assert chosen_layers(0, ["second"], ["bonds"]) == default_layers(0) - {"bonds"} | {"second"}
    assert chosen_layers(0, ["all"], []) == set(layer_names())
    assert chosen_layers(0, ["agents"], ["all"]) == {"agents"}
    with pytest.raises(ValueError, match="no layer 'nonsense'"):
        chosen_layers(0, ["nonsense"], [])


def luminance(colour: str) -> float:
    """Return how bright a colour is, as the guidelines for accessible pages define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("dark", [False, True])
def test_what_matters_stands_out_from_the_paper(dark: bool) -> None:
    colours = theme(dark)
    paper = luminance(colours["paper"])
    for name in ("ink", "muted", "outer", "inner", "candidate", "token", "x", "y", "stop"):
        bright, faint = sorted([paper, luminance(colours[name])], reverse=True)
        assert (bright + 0.05) / (faint + 0.05) > 3, name


# Pictures.


def test_a_picture_shows_each_candidate_and_each_particle() -> None:
    for rounds in (0, 1, 9, 30):
        simulation = at(rounds)
        marks = groups(render.picture(simulation, {"particles", "agents"}))
        fills = [mark.get("fill") for mark in marks["agents"]]
        candidates = np.count_nonzero(simulation.memory["candidacy"]["role"] == CANDIDATE)
        assert fills.count(theme()["candidate"]) == candidates
        assert len(fills) == simulation.system.agents
        contracted = [mark for mark in marks["particles"] if mark.tag == f"{SVG}circle"]
        assert len(contracted) == len(PAIRED) - 2 * len(PAIRED.expanded)


def test_a_picture_shows_each_digit_token_in_its_form() -> None:
    simulation = at(20)
    marks = groups(render.picture(simulation, {"tokens"}))["tokens"]
    fills = [mark.get("fill") for mark in marks if mark.tag == f"{SVG}path"]
    held = [
        token
        for agent in range(simulation.system.agents)
        for token in looking.digit_tokens(simulation.memory, agent)
    ]
    assert len(fills) == len(held)
    assert fills.count(theme()["token"]) == sum(active for _, active, _ in held)
    digits = sorted(str(digit) for digit, _, _ in held)
    assert sorted(str(mark.text) for mark in marks if mark.tag == f"{SVG}text") == digits


def test_segments_cover_each_boundary_without_gaps_or_overlaps() -> None:
    simulation = at(1)
    picture = scene.picture(simulation, {"segments"})
    covered = sum(
        len(mark.points) if hasattr(mark, "points") else 1 for mark in picture.layers["segments"]
    )
    with_heads = [
        b.length
        for b in simulation.system.boundaries
        if simulation.memory["head"][b.first : b.first + b.length].any()
    ]
    assert covered == sum(with_heads)


def test_digits_appear_as_they_are_drawn() -> None:
    for rounds in (1, 2, 3, 5, 8):
        simulation = at(rounds)
        marks = groups(render.picture(simulation, {"digits"})).get("digits", [])
        drawn = np.flatnonzero(simulation.memory["digit"])
        assert len(marks) >= len(drawn)  # a digit may be zero
        shown = sorted(int(str(mark.text)) for mark in marks if str(mark.text) != "0")
        assert shown == sorted(simulation.memory["digit"][drawn].tolist())


def test_the_leader_has_its_star_and_everyone_has_terminated() -> None:
    simulation = at(last_round())
    marks = groups(render.picture(simulation))
    assert len(marks["leader"]) == 2
    ends = {theme()["terminated"], None}
    assert {mark.get("fill") for mark in marks["termination"]} <= {*ends, theme()["message"]}


def test_the_same_moment_is_the_same_picture_whichever_way_it_was_reached() -> None:
    there = render.picture(at(17))
    at(40)
    assert render.picture(at(17)) == there
    assert render.picture(at(18)) != there


def test_every_layer_can_be_drawn_at_every_moment() -> None:
    simulation = run_of()
    everything, place = set(layer_names()), geometry(simulation.system)
    for rounds in range(0, last_round() + 1, 5):
        picture = scene.picture(at(rounds), everything, rounds % 2 == 0, place)
        assert list(picture.layers) == list(layer_names())
        for mark in picture.marks:
            for x, y in getattr(mark, "points", None) or [mark.centre]:  # type: ignore[union-attr]
                assert picture.left <= x <= picture.left + picture.width
                assert picture.top <= y <= picture.top + picture.height


@pytest.mark.parametrize("name", ["line:1", "line:2", "spiral:20"])
def test_small_and_winding_shapes_have_pictures(name: str) -> None:
    simulation = amoebot.Simulation(shapes.parse(name), seed=1)
    for _ in range(3):
        assert groups(render.picture(simulation, set(layer_names())))
        simulation.round()


@pytest.mark.skipif(jit.INTERPRETED, reason="too slow without the compiler")
def test_a_large_shape_is_drawn_as_rows() -> None:
    simulation = amoebot.Simulation(shapes.hexagon(90))
    picture = scene.picture(simulation, {"bonds", "particles"})
    assert len(picture.layers["particles"]) == 181


def test_notebooks_show_shapes_simulations_and_results() -> None:
    simulation = at(10)
    result = simulation.result()
    # The last one twice: a module once took the place of the function that had imported it.
    for thing in (amoebot.shapes.hexagon(2), simulation, result, result):
        assert ElementTree.fromstring(thing._repr_svg_()).tag == f"{SVG}svg"  # type: ignore[union-attr]


# Phases.


def test_phases_follow_one_another() -> None:
    simulation = amoebot.Simulation(PAIRED, seed=3)
    seen = [phase(simulation)]
    while not simulation.finished:
        simulation.step()
        seen.append(phase(simulation))
    assert seen == sorted(seen)
    assert set(seen) == set(range(len(look()["phases"])))


def test_the_bands_of_a_chart_cover_the_whole_run() -> None:
    result = amoebot.elect(PAIRED, seed=3)
    found = bands(result.milestones, result.rounds_terminated or 0)
    assert found[0][1] == 0
    assert found[-1][2] == result.rounds_terminated
    for (_, _, end), (_, begin, _) in pairwise(found):
        assert end == begin


# Frames.


def test_frames_add_up_to_the_memories() -> None:
    simulation = amoebot.Simulation(PAIRED, seed=3)
    agents = np.zeros((simulation.system.agents, RECORD), np.uint8)
    particles = np.zeros(simulation.system.particles, np.uint8)
    encoder = Encoder()
    kinds = set()
    while not simulation.finished:
        frame = encoder.frame(simulation)
        kinds.add(frame[0])
        apply(frame, agents, particles)
        assert (agents == pack_agents(simulation.memory)).all()
        assert (particles == pack_particles(simulation)).all()
        simulation.step()
    assert kinds == {1, 2}


def test_packed_memories_lose_nothing() -> None:
    """Two memories that differ anywhere are packed into different bytes."""
    met: dict[bytes, object] = {}
    for rounds in range(0, last_round(), 3):
        memory = at(rounds).memory
        for packed, record in zip(pack_agents(memory), memory.tolist(), strict=True):
            assert met.setdefault(packed.tobytes(), record) == record


def test_the_page_reads_the_header_that_is_written() -> None:
    from amoebot.render.frames import HEADER
    from amoebot.viewer.server import STATIC

    source = (STATIC / "moment.js").read_text(encoding="utf-8")
    assert f"HEADER = {HEADER.itemsize}" in source
    assert f"RECORD = {RECORD}" in source
    for name in ("round", "position", "candidates", "leader", "latest", "activations"):
        offset = (HEADER.fields or {})[name][1]
        assert re.search(rf"{name}: view\.get\w+\({offset}\b", source), name


# The command line.


@pytest.mark.parametrize(
    ("name", "magic"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")]
)
def test_a_figure_is_drawn_as_what_its_name_ends_in(
    tmp_path: Path, name: str, magic: bytes
) -> None:
    options = ["--round", "5", "--seed", "3", "--dark", "--inches", "2", "--dpi", "50"]
    answer = ask("draw", "annulus:2,1", "-o", str(tmp_path / name), *options)
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_a_figure_without_a_round_shows_the_end(tmp_path: Path) -> None:
    options = ["--show", "second", "--hide", "bonds", "--expanded", "0.5"]
    ask("draw", "hexagon:2", "-o", str(tmp_path / "a.svg"), *options)
    layers = groups((tmp_path / "a.svg").read_text())
    assert "leader" in layers
    assert any(mark.tag == f"{SVG}path" for mark in layers["particles"])  # an expanded one
    assert "bonds" not in layers


def test_a_run_file_can_be_drawn(tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.hexagon(1), seed=4)
    for particle in (3, 2, 2):
        simulation.activate(particle)
    simulation.save(tmp_path / "run.json")
    ask(
        "draw",
        str(tmp_path / "run.json"),
        "--round",
        "0",
        "--position",
        "3",
        "-o",
        str(tmp_path / "a.svg"),
    )
    drawn = groups((tmp_path / "a.svg").read_text())
    expected = groups(render.picture(simulation))
    assert [m.attrib for m in drawn["agents"]] == [m.attrib for m in expected["agents"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ("draw", "hexagon:2", "-o", "a.doc"),
        ("draw", "hexagon:2", "-o", "/nowhere/a.svg"),
        ("draw", "hexagon:2", "-o", "a.svg", "--round", "-1"),
        ("draw", "hexagon:2", "-o", "a.svg", "--show", "nonsense"),
        ("draw", "hexagon:2", "-o", "a.svg", "--scheduler", "nonsense"),
        ("draw", "nonsense", "-o", "a.svg"),
        ("film", "hexagon:2", "-o", "a.avi"),
        ("film", "hexagon:2", "-o", "a.gif", "--every", "0"),
        ("film", "hexagon:2", "-o", "a.gif", "--hide", "nonsense"),
        ("film", "hexagon:2", "-o", "/nowhere/a.html"),
        ("view", "nonsense"),
        ("view", "hexagon:2", "--port", "99999", "--no-browser"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...]) -> None:
    check_refusal(ask(*arguments))
    assert not Path(arguments[3 if len(arguments) > 3 else 1]).exists()


# Films.


def test_a_film_has_a_frame_for_each_moment(tmp_path: Path) -> None:
    file = tmp_path / "a.gif"
    assert ask("film", "line:3", "-o", str(file), "--every", "9", "--pixels", "120").status == 0
    rounds = amoebot.elect(shapes.line(3)).rounds_terminated or 0
    with Image.open(file) as image:
        assert image.n_frames <= len(film.moments(rounds, 9))  # type: ignore[attr-defined]
        assert image.n_frames > 3  # type: ignore[attr-defined]


def test_the_moments_of_a_film_reach_from_beginning_to_end() -> None:
    for rounds in (0, 1, 239, 240, 241, 5000):
        shown = film.moments(rounds, None)
        assert (shown[0], shown[-1]) == (0, rounds)
        assert len(shown) <= film.FRAMES + 2
    assert film.moments(10, 4) == [0, 4, 8, 10]


def test_without_ffmpeg_an_mp4_film_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    answer = ask("film", "line:2", "-o", str(tmp_path / "a.mp4"))
    check_refusal(answer)
    assert "needs ffmpeg" in answer.err


def test_what_ffmpeg_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "ffmpeg"
    fake.write_text('#!/bin/sh\ncat > /dev/null\necho "no such encoder" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(fake))
    answer = ask("film", "line:2", "-o", str(tmp_path / "a.mp4"), "--pixels", "100")
    check_refusal(answer)
    assert "no such encoder" in answer.err


@pytest.mark.skipif(jit.INTERPRETED, reason="too slow without the compiler")
def test_an_html_film_of_331_particles_is_one_small_file(tmp_path: Path) -> None:
    file = tmp_path / "film.html"
    assert ask("film", "hexagon:10", "-o", str(file)).status == 0
    text = file.read_text(encoding="utf-8")
    assert len(text) < 5_000_000
    assert "src=" not in text
    assert "<link" not in text


def test_the_widget_answers_as_the_server_does() -> None:
    pytest.importorskip("anywidget")
    from amoebot.viewer import widget

    simulation = amoebot.Simulation(shapes.hexagon(2), seed=1)
    simulation.goto(5)
    shown = simulation.view()
    assert "render" in shown._esm
    sent = []

    class Page:
        def send(self, content: object, buffers: object = None) -> None:
            sent.append((content, buffers))

    from amoebot import runs
    from amoebot.viewer.session import Session

    session = Session(runs.of(simulation))
    widget.answer(Page(), session, {"to": "p", "number": 1, "request": {"do": "stage"}})
    widget.answer(Page(), session, {"to": "p", "number": 2, "request": {"do": "nonsense"}})
    widget.answer(Page(), session, "nonsense")
    session.close()
    (first, buffers), (second, _) = sent
    assert first == {"to": "p", "number": 1}
    assert stage_of(buffers[0])["particles"] == 19  # type: ignore[index]
    assert second["answer"]["kind"] == "error"  # type: ignore[index]
