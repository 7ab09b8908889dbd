"""Pictures and films: what they show is what the memories say."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import amoebot
from amoebot import render, shapes
from amoebot.algorithms import pictures, registry
from amoebot.algorithms.candidacy import CANDIDATE
from amoebot.render import film, primitives, raster, scene
from amoebot.render.forms import FORMS
from amoebot.render.frames import Encoder, unit_format
from amoebot.render.geometry import geometry
from amoebot.render.look import chosen_layers, layers_of, theme
from amoebot.render.stage import stage
from helpers import looking
from helpers.command import ask, check_refusal
from helpers.serving import Known, stage_of

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


def layers_at(phase: int) -> set[str]:
    layers = layers_of(run_of().options).values()
    return {layer.id for layer in layers if layer.phases is None or phase in layer.phases}


def test_every_phase_has_the_layers_that_its_words_need() -> None:
    phases = [phase.title for phase in run_of().course.phases]
    needed = {
        "Segment setup": {"segments"},
        "Identifier setup": {"digits", "reversed", "setup"},
        "Identifier comparison": {"tokens"},
        "Solitude verification": {"extended", "verification"},
        "Boundary identification": {"identification"},
        "Termination": {"termination"},
    }
    for title, layers in needed.items():
        assert layers <= layers_at(phases.index(title))
    for number in range(len(phases)):
        assert {"particles", "boundaries", "agents", "leader"} <= layers_at(number)


def test_layers_can_be_added_and_taken_away() -> None:
    simulation, everything = at(0), {*layers_of(run_of().options)}
    usual = chosen_layers(simulation)
    assert usual == layers_at(0)
    assert chosen_layers(simulation, ["second"], ["bonds"]) == usual - {"bonds"} | {"second"}
    assert chosen_layers(simulation, ["all"], []) == everything
    assert chosen_layers(simulation, ["agents"], ["all"]) == {"agents"}
    assert chosen_layers(simulation, iter(["agents"]), iter(["all"])) == {"agents"}
    assert chosen_layers(simulation, ["all"], ["all"]) == set()
    assert chosen_layers(simulation, ["agents"], ["agents", "all"]) == set()
    with pytest.raises(ValueError, match="no layer 'nonsense'"):
        chosen_layers(simulation, ["nonsense"], [])


def test_layers_of_a_variant_are_there_only_with_it() -> None:
    plain = amoebot.Simulation(PAIRED, almost_sure=False)
    assert {*layers_of(run_of().options)} - {*layers_of(plain.options)} == {"second", "stop"}


def luminance(colour: str) -> float:
    """Return how bright a colour is, as the guidelines for accessible pages define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("dark", [False, True])
def test_what_matters_stands_out_from_the_paper(dark: bool) -> None:
    colours = theme("improved", dark)
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
        assert fills.count(theme("improved")["candidate"]) == candidates
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
    assert fills.count(theme("improved")["token"]) == sum(active for _, active, _ in held)
    written = (int(str(mark.text), 36) for mark in marks if mark.tag == f"{SVG}text")
    assert sorted(written) == sorted(digit for digit, _, _ in held)


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
        memory = at(rounds).memory
        marks = groups(render.picture(at(rounds), {"digits"})).get("digits", [])
        drawn = memory["digit"][memory["drawn"] == 1]
        assert sorted(int(str(mark.text), 36) for mark in marks) == sorted(drawn.tolist())


def test_the_leader_has_its_star_and_everyone_has_terminated() -> None:
    simulation = at(last_round())
    marks = groups(render.picture(simulation))
    assert len(marks["leader"]) == 2
    ends = {theme("improved")[name] for name in ("terminated", "message")} | {None}
    assert {mark.get("fill") for mark in marks["termination"]} <= {
        *ends,
        theme("improved")["message"],
    }


def test_crashed_particles_have_a_cross_and_corrupted_ones_a_bolt() -> None:
    simulation = amoebot.Simulation(shapes.line(4), faults="crash 0@1, corrupt 3@2")
    for rounds, marked in ((0, []), (1, ["cross"]), (2, ["cross", "bolt"])):
        simulation.goto(rounds)
        drawn = scene.picture(simulation, {"faults"}).layers["faults"]
        corners = [len(mark.points) for mark in drawn if isinstance(mark, primitives.Path)]
        assert corners == [len(FORMS[form]) for form in marked]
    assert "faults" not in layers_of(amoebot.Simulation(shapes.line(4)).options)


def test_the_same_moment_is_the_same_picture_whichever_way_it_was_reached() -> None:
    there = render.picture(at(17))
    at(40)
    assert render.picture(at(17)) == there
    assert render.picture(at(18)) != there


def test_every_layer_can_be_drawn_at_every_moment() -> None:
    simulation = run_of()
    everything, place = [*layers_of(simulation.options)], geometry(simulation)
    for rounds in range(0, last_round() + 1, 5):
        picture = scene.picture(at(rounds), everything, rounds % 2 == 0, place)
        assert list(picture.layers) == everything
        for mark in picture.marks:
            for x, y in getattr(mark, "points", None) or [mark.centre]:  # type: ignore[union-attr]
                assert picture.left <= x <= picture.left + picture.width
                assert picture.top <= y <= picture.top + picture.height


@pytest.mark.parametrize("name", ["line:1", "line:2", "spiral:20"])
def test_small_and_winding_shapes_have_pictures(name: str) -> None:
    simulation = amoebot.Simulation(shapes.parse(name), seed=1)
    for _ in range(3):
        assert groups(render.picture(simulation, {*layers_of(simulation.options)}))
        simulation.round()


@pytest.mark.compiled
def test_a_large_shape_is_drawn_as_rows() -> None:
    simulation = amoebot.Simulation(shapes.hexagon(90))
    picture = scene.picture(simulation, {"bonds", "particles"})
    assert len(picture.layers["particles"]) == 181


def test_notebooks_show_shapes_simulations_and_results() -> None:
    simulation = at(10)
    result = simulation.result()
    # The last one twice: a module once took the place of the function that had imported it.
    for thing in (shapes.hexagon(2), simulation, result, result):
        assert ElementTree.fromstring(thing._repr_svg_()).tag == f"{SVG}svg"


# Other elections.


def test_a_picture_of_nodes_shows_the_state_of_each() -> None:
    simulation = amoebot.Simulation(shapes.hexagon(3), seed=1, algorithm="erosion")
    colours = theme("erosion")
    for rounds in (0, 1, 3, 6):
        simulation.goto(rounds)
        marks = groups(render.picture(simulation, {"states"}))["states"]
        fills = [mark.get("fill") for mark in marks]
        for state, name in enumerate(("null", "candidate", "eroded", "leader")):
            there = np.count_nonzero(simulation.memory["state"] == state)
            assert fills.count(colours[name]) == there
    assert "boundaries" not in chosen_layers(simulation)


@pytest.mark.compiled
def test_many_nodes_are_drawn_as_rows_of_a_colour() -> None:
    simulation = amoebot.Simulation(shapes.hexagon(90), seed=1, algorithm="erosion")
    simulation.goto(1)
    tiles = scene.picture(simulation, {"states"}).layers["states"]
    assert len(tiles) == 181
    simulation.goto(2)
    fills = {tile.fill for tile in scene.picture(simulation, {"states"}).layers["states"]}
    assert fills == {theme("erosion")["candidate"], theme("erosion")["eroded"]}


TOY = """
from typing import Annotated
from amoebot.algorithms.records import BYTE, Record

class Memory(Record):
    colour: Annotated[int, BYTE, "what it is painted"]
    leader: Annotated[int, BYTE, "has told its particle"]

def activate(me, pred, succ, view, coins, options):
    return 0
"""


def test_an_election_that_declares_nothing_is_drawn_by_its_first_field(tmp_path: Path) -> None:
    file = tmp_path / "painted.py"
    file.write_text(TOY)
    simulation = amoebot.Simulation(shapes.line(3), seed=1, algorithm=str(file))
    simulation._run.memory["colour"] = np.arange(simulation.system.agents)  # as rules would
    marks = groups(render.picture(simulation))["units"]
    colours = theme(str(file))
    painted = [colours[f"state_{value}"] for value in simulation.memory["colour"]]
    assert sorted(m.get("fill") or "" for m in marks if m.tag == f"{SVG}circle") == sorted(painted)
    (lane,) = stage_of(stage(simulation))["lanes"]
    assert [(row["name"], row["hint"]) for row in lane["rows"]] == [
        ("colour", "what it is painted"),
        ("leader", "has told its particle"),
    ]


def test_pictures_of_a_field_that_does_not_exist_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    declared = "from amoebot.algorithms.expressions import me\n"
    declared += "from amoebot.algorithms.pictures import Layer, Mark, Pictures\n"
    declared += 'PICTURES = Pictures((Layer("a", "A", (Mark("disc", 0.1, me.nonsense),)),))\n'
    file.write_text(TOY + declared)
    with pytest.raises(ValueError, match="the pictures of wrong mention nonsense: no such field"):
        render.picture(amoebot.Simulation(shapes.line(3), algorithm=str(file)))


def test_every_form_has_corners() -> None:
    assert {"disc", "label", *FORMS} == {*pictures.FORMS}
    for corners in FORMS.values():
        assert all(abs(x) <= 1 and abs(y) <= 1 for x, y in corners)


# Frames.


@pytest.mark.parametrize("algorithm", registry.built_in())
def test_frames_add_up_to_the_memories(algorithm: str) -> None:
    simulation = amoebot.Simulation(shapes.hexagon(2), seed=3, algorithm=algorithm)
    known, encoder = Known(simulation), Encoder(simulation)
    kinds = set()
    while not simulation.finished:
        frame = encoder.frame()
        kinds.add(frame[0])
        known.apply(frame)
        assert known.agrees_with(simulation)
        simulation.step()
    assert kinds == {1, 2}


def test_packed_memories_lose_nothing() -> None:
    """Two memories that differ anywhere are packed into different bytes."""
    met: dict[bytes, object] = {}
    for rounds in range(0, last_round(), 3):
        memory = at(rounds).memory
        packed = unit_format(run_of()).pack(memory)
        for row, record in zip(packed, memory.tolist(), strict=True):
            assert met.setdefault(row.tobytes(), record) == record


def test_the_stage_says_where_each_field_is() -> None:
    simulation = at(20)
    fields = stage_of(stage(simulation))["formats"]["unit"]
    packed = unit_format(simulation).pack(simulation.memory)
    for path, kind, offset in fields:
        found: Any = simulation.memory
        for name in path.split("."):
            found = found[name]
        sent = packed[:, offset : offset + int(kind[1])].copy().view(f"<{kind}")[:, 0]
        assert (sent == found).all(), path


def test_fields_that_changed_rules_add_are_sent_and_told() -> None:
    def judge(me, longer, match, difference):  # type: ignore[no-untyped-def]
        return 0

    rules = amoebot.Rules(judge, memory={"third": np.uint16})
    told = stage_of(stage(amoebot.Simulation(shapes.line(3), rules=rules)))
    assert [kind for path, kind, _ in told["formats"]["unit"] if path == "third"] == ["u2"]
    assert [row["name"] for row in told["lanes"][-1]["rows"]] == ["third"]


# The command line.


@pytest.mark.parametrize(
    ("name", "magic"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")]
)
def test_a_figure_is_drawn_as_what_its_name_ends_in(
    tmp_path: Path, name: str, magic: bytes
) -> None:
    options = ["--round", "5", "--seed", "3", "--dark", "--inches", "2", "--dpi", "50"]
    answer = ask("draw", "annulus:2,1", "-o", str(tmp_path / name), *options)
    assert (answer.status, answer.err) == (0, "")
    assert f"{name}: the moment after round 5" in answer.out
    content = (tmp_path / name).read_bytes()
    assert content.startswith(magic)
    assert b"/Type3" not in content  # which publishers refuse


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


def test_a_film_of_two_elections_shows_them_beside_each_other(tmp_path: Path) -> None:
    file = tmp_path / "two.gif"
    given = ("film", "hexagon:2", "-o", str(file), "--rounds", "9", "--pixels", "400")
    assert ask(*given, "--beside", "erosion").status == 0
    with Image.open(file) as two:
        assert two.n_frames == 10  # type: ignore[attr-defined]
        assert two.width == 400
        left, right = (two.crop(box).tobytes() for box in ((0, 0, 200, 200), (200, 0, 400, 200)))
    assert left != right


def test_what_is_said_below_a_film_is_not_cut_off() -> None:
    """In a film of two elections, the name of one and its phase were wider than half of it."""
    simulation = amoebot.Simulation(shapes.hexagon(2), 1)
    column = shapes.Shape([(0, y) for y in range(12)])
    narrow = amoebot.Simulation(column, 1)
    images = [
        *film.frames(simulation, list(range(30)), 360, named=True),
        *film.frames(simulation, list(range(30)), 200, named=True),
        *film.frames(narrow, [0, 9], 720),
    ]
    for image in images:
        below = image.crop((0, image.height - raster.STRIP, image.width, image.height))
        paper = below.getpixel((0, 0))
        edges = [below.crop((x, 0, x + 2, below.height)) for x in (0, below.width - 2)]
        assert all(edge.getcolors() == [(2 * below.height, paper)] for edge in edges)
        assert len(below.getcolors(10**6) or []) > 2


# Films.


def test_a_film_has_a_frame_for_each_moment(tmp_path: Path) -> None:
    file = tmp_path / "a.gif"
    assert ask("film", "line:3", "-o", str(file), "--every", "9", "--pixels", "120").status == 0
    rounds = amoebot.elect(shapes.line(3)).rounds_terminated or 0
    with Image.open(file) as image:
        assert image.n_frames <= len(film.moments(rounds, 9))  # type: ignore[attr-defined]
        assert image.n_frames > 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "rest",
    [
        ["draw", "-o", "a.svg", "--round", "9"],
        ["draw", "-o", "b.svg", "--space-time"],
        ["film", "-o", "a.gif", "--pixels", "100"],
        ["film", "-o", "a.html"],
        ["film", "-o", "b.html", "--every", "2"],
    ],
)
def test_a_schedule_that_ends_can_be_shown(
    rest: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("three.py").write_text("scheduler = [0, 1, 2, 0]\n")
    command, *others = rest
    assert ask(command, "line:3", "--scheduler", "three.py", *others).status == 0
    assert Path(others[1]).stat().st_size > 100


def test_a_film_has_the_palette_s_own_colours(tmp_path: Path) -> None:
    file = tmp_path / "a.gif"
    given = ("film", "hexagon:2", "-o", str(file), "--rounds", "2", "--pixels", "300")
    assert ask(*given, "--hide", "bonds").status == 0
    with Image.open(file) as image:
        image.seek(1)
        counts = image.convert("RGB").getcolors(10**6) or []
    there = {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in counts}  # type: ignore[misc]
    colours = theme("improved")
    for name in ("paper", "particle", "candidate"):
        assert colours[name] in there, name


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
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)  # as if it were not installed
    monkeypatch.setattr(amoebot.Simulation, "run", None)  # it is told before the election is run
    answer = ask("film", "line:2", "-o", str(tmp_path / "a.mp4"))
    check_refusal(answer)
    assert "needs ffmpeg" in answer.err


def test_the_ffmpeg_of_a_package_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "ffmpeg"
    fake.write_text('#!/bin/sh\ncat > /dev/null\nfor file; do :; done\necho film > "$file"\n')
    fake.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: None)
    brought = SimpleNamespace(get_ffmpeg_exe=lambda: fake)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", brought)
    assert ask("film", "line:2", "-o", str(tmp_path / "a.mp4"), "--pixels", "100").status == 0
    assert (tmp_path / "a.mp4").read_text() == "film\n"


def test_what_ffmpeg_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "ffmpeg"
    fake.write_text('#!/bin/sh\ncat > /dev/null\necho "no such encoder" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(fake))
    answer = ask("film", "line:2", "-o", str(tmp_path / "a.mp4"), "--pixels", "100")
    check_refusal(answer)
    assert "no such encoder" in answer.err


@pytest.mark.slow
@pytest.mark.compiled
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
