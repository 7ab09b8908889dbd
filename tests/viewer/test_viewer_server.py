"""The viewer's server: one answer for each request, and nothing that a stranger could use."""

from __future__ import annotations

import base64
import gzip
import json
import threading
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from websockets.exceptions import ConnectionClosed, InvalidStatus

import amoebot
from amoebot import Simulation, runs, shapes
from amoebot.algorithms import registry
from amoebot.algorithms.registry import options_of, presets_of
from amoebot.faults import as_faults
from amoebot.options import Options
from amoebot.render.frames import FINISHED, REACHED
from amoebot.runs import Run
from amoebot.scheduler import OwnScheduler
from amoebot.viewer import server
from amoebot.viewer.server import Guard
from amoebot.viewer.session import Session
from helpers.serving import Known, Reader, fetch, head, serving, stage_of

SHAPE = "annulus:3,1"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(runs.Run(shapes.parse(SHAPE), Options(3), shape_text=SHAPE)) as found:
        yield found


@pytest.fixture
def reader(address: str) -> Iterator[Reader]:
    found = Reader(address)
    yield found
    found.close()


def moment(frame: bytes) -> tuple[int, int]:
    found = head(frame)
    return found["round"], found["position"]


# Time.


def test_a_frame_holds_what_the_simulation_remembers(reader: Reader) -> None:
    reader.ask("open")
    simulation = Simulation(shapes.parse(SHAPE), seed=3)
    known = Known(simulation)
    known.apply(reader.ask("look"))
    for rounds in (1, 2, 3, 40, 41, 7):
        simulation.goto(rounds)
        known.apply(reader.ask("goto", round=rounds))
        assert known.agrees_with(simulation)


def test_steps_forward_and_back_lead_to_the_same_pictures(reader: Reader) -> None:
    reader.ask("goto", round=4, position=3)
    here = reader.picture()
    for forward, back in (("activations", "activation"), ("rounds", "round")):
        reader.ask("goto", round=4, position=3 if forward == "activations" else 0)
        here = reader.picture()
        reader.ask("step", **{forward: 1})
        assert reader.picture() != here
        reader.ask("back", unit=back)
        assert reader.picture() == here


def test_an_activation_back_leads_over_the_end_of_a_round(reader: Reader) -> None:
    reader.ask("goto", round=3, position=5)
    here = reader.picture()
    while moment(reader.ask("step", activations=1)) != (4, 0):
        last = reader.picture()
    assert moment(reader.ask("back", unit="activation"))[0] == 3
    assert reader.picture() == last
    assert here != last


def test_nothing_is_before_the_beginning(reader: Reader) -> None:
    reader.ask("goto", round=0)
    for unit in ("activation", "round"):
        assert moment(reader.ask("back", unit=unit)) == (0, 0)


def test_a_run_goes_on_to_the_next_phase_and_to_the_leader(reader: Reader) -> None:
    result = amoebot.elect(shapes.parse(SHAPE), seed=3)
    reader.ask("goto", round=0)
    phases = []
    while not (frame := reader.ask("run", until="phase"))[1] & FINISHED:
        if frame[1] & REACHED:  # and not only out of time
            phases.append(head(frame)["phase"])
    assert phases == sorted(set(phases))
    assert {2, 3, 4, 5, 6} <= set(phases)
    reader.ask("goto", round=0)
    frame = reader.ask("run", until="leader")
    assert head(frame)["outcome"] == 1
    assert head(frame)["round"] == result.rounds


def test_the_survey_knows_the_whole_run(reader: Reader) -> None:
    result = amoebot.elect(shapes.parse(SHAPE), seed=3)
    reader.ask("open")
    while not (survey := reader.ask("survey"))["done"]:
        time.sleep(0.01)
    assert survey["rounds"] == result.rounds_terminated
    assert survey["milestones"] == {k: v for k, v in result.milestones.items() if v}
    assert [band[0] for band in survey["bands"]] == [1, 2, 3, 4, 5, 6]
    assert survey["points"][0][1] == 0
    assert max(point[2] for point in survey["points"]) > 0


@pytest.mark.compiled
def test_a_jump_in_a_long_run_goes_by_snapshots(address: str) -> None:
    session = Session(runs.Run(shapes.hexagon(30), Options(2)))
    assert session.survey is not None
    session.survey.wait(60)
    last = session.survey.report()["rounds"]
    simulation = Simulation(shapes.hexagon(30), seed=2)
    for rounds in (last, last // 2, 1, last - 1):
        session.answer({"do": "goto", "round": rounds, "position": 2})
        simulation.goto(rounds, 2)
        assert (session.simulation.memory == simulation.memory).all()
    assert session.survey.nearest(last // 2, 2**62).rounds > last // 3  # type: ignore[union-attr]
    session.close()


# By hand.


def test_what_an_activation_would_do_is_what_it_does(reader: Reader) -> None:
    reader.ask("open")
    simulation = Simulation(shapes.parse(SHAPE), seed=3)
    reader.ask("goto", round=12)
    simulation.goto(12)
    before = reader.picture()
    told = reader.ask("what_if", particle=2)
    assert reader.picture() == before  # only asked, not done
    known = Known(simulation)
    known.apply(before)
    known.apply(base64.b64decode(told["frame"]))
    assert not known.agrees_with(simulation)
    simulation.activate(2)
    assert known.agrees_with(simulation)
    reader.ask("activate", particle=2)
    known.apply(reader.picture())
    assert known.agrees_with(simulation)


def test_a_run_by_hand_is_saved_and_opened_again(reader: Reader) -> None:
    reader.ask("open")
    reader.ask("goto", round=2, position=4)
    for particle in (0, 5, 0, 7):
        reader.ask("activate", particle=particle)
    here = reader.picture()
    where = moment(here)
    saved = reader.ask("save")
    assert saved["run"]["by_hand_from"] == [2, 4]
    assert saved["run"]["schedule"] == [0, 5, 0, 7]
    assert "\n" not in saved["text"].rstrip("\n")
    reader.ask("open")
    reader.ask("file", name="mine.json", content=saved["text"])
    reader.ask("goto", round=where[0], position=where[1])
    assert reader.picture() == here


@pytest.mark.slow
def test_a_run_by_hand_goes_on_and_finds_its_leader(reader: Reader) -> None:
    reader.ask("open")
    reader.ask("activate", particle=1)
    reader.ask("activate", particle=1)
    while not (frame := reader.ask("run", until="leader", milliseconds=500))[1] & REACHED:
        pass
    assert head(frame)["outcome"] == 1
    there = reader.picture()
    reader.ask("goto", round=1)
    reader.ask("goto", round=moment(there)[0])
    assert reader.picture() == there


def test_the_schedule_of_a_counterexample_is_replayed(reader: Reader) -> None:
    schedule = [0, 1, 2, 1, 0, 2, 2]
    file = {"shape": {"nodes": [[0, 0], [1, 0], [0, 1]]}, "seed": 5, "schedule": schedule}
    file |= {"options": {"almost_sure": False, "terminate": False}, "coins": [1, 0, 1], "extra": 1}
    stage = stage_of(reader.ask("file", name="found.json", content=json.dumps(file)))
    assert stage["by_hand"] == len(schedule)
    simulation = Simulation(
        shapes.Shape([[0, 0], [1, 0], [0, 1]]), 5, schedule, almost_sure=False, terminate=False
    )
    known = Known(simulation)
    reader.ask("goto", round=0)
    for _ in schedule:
        simulation.step()
        reader.ask("step", activations=1)
        known.apply(reader.picture())
        assert known.agrees_with(simulation)


# Elections.


def test_a_node_s_memory_is_sent_as_an_agent_s_is(reader: Reader) -> None:
    options = {"algorithm": "erosion"}
    stage = stage_of(reader.ask("open", run={"shape": "hexagon:2", "seed": 1, "options": options}))
    assert (stage["on_nodes"], stage["title"]) == (True, "Erosion")
    simulation = Simulation(shapes.hexagon(2), seed=1, algorithm="erosion")
    known = Known(simulation)
    known.apply(reader.ask("look"))
    for rounds in (1, 2, 4, 1):
        simulation.goto(rounds)
        known.apply(reader.ask("goto", round=rounds))
        assert known.agrees_with(simulation)


def test_the_catalogue_has_all_elections_with_their_options(reader: Reader) -> None:
    elections = {one["name"]: one for one in reader.ask("catalogue")["elections"]}
    assert [*elections] == registry.built_in()
    for name, told in elections.items():
        assert [one["name"] for one in told["options"]] == [o.name for o in options_of(name)]
        assert [one["name"] for one in told["presets"]] == [p.name for p in presets_of(name)]
        assert all(one["help"] for one in told["options"] + told["presets"])


# Making runs.


def test_any_generator_and_any_option_can_be_chosen(reader: Reader) -> None:
    catalogue = reader.ask("catalogue")
    assert [shape["name"] for shape in catalogue["shapes"]] == list(shapes.GENERATORS)
    options: dict[str, Any] = {"algorithm": "improved", "scheduler": "adversarial"}
    options |= {"almost_sure": False, "terminate": True, "radix": 3}
    seeds = str(2**64 - 2), str(2**64 - 1)
    run = {"shape": "tree:20", "shape_seed": seeds[0], "seed": seeds[1], "options": options}
    stage = stage_of(reader.ask("open", run=run))
    assert (stage["shape"], stage["shape_seed"], stage["seed"]) == ("tree:20", *seeds)
    saved = reader.ask("save")["run"]
    assert (saved["shape_seed"], saved["seed"]) == seeds
    assert stage["options"] == options
    assert stage["particles"] == 20


def test_shape_files_of_all_kinds_open(reader: Reader, tmp_path: Path) -> None:
    image = tmp_path / "disc.png"
    Image.new("L", (8, 8), 0).save(image)
    shape = shapes.hexagon(2).with_expanded(0.5, seed=1)
    shape.save(tmp_path / "pairs.json")
    shapes.hexagon(2).save(tmp_path / "plain.txt")
    for name in ("pairs.json", "plain.txt"):
        content = (tmp_path / name).read_text()
        assert stage_of(reader.ask("file", name=name, content=content))["name"] == name
    content = base64.b64encode(image.read_bytes()).decode()
    assert stage_of(reader.ask("file", name="disc.png", content=content))["particles"] > 1


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"do": "open", "run": {"shape": "/etc/passwd"}}, "not a known shape"),
        ({"do": "open", "run": {"shape": "hexagon:3", "seed": -1}}, "seed"),
        ({"do": "open", "run": {"shape": "hexagon:3", "seed": "1e9"}}, "seed"),
        ({"do": "open", "run": {"shape": "hexagon:9999"}}, "at most"),
        ({"do": "open", "run": {"shape": "hexagon:x"}}, "R must be a whole number"),
        ({"do": "open", "run": {"shape": "hexagon:3", "options": {"radix": 1}}}, "radix"),
        ({"do": "open", "run": {"shape": "hexagon:3", "options": {"colour": 1}}}, "no option"),
        ({"do": "open", "run": {"shape": "hexagon:3", "options": {"algorithm": "a.py"}}}, "a.py"),
        ({"do": "open", "run": {"shape": "hexagon:3", "options": {"scheduler": "x"}}}, "scheduler"),
        ({"do": "open", "run": {"shape": {"nodes": [[0, 0], [5, 5]]}}}, "2 separate parts"),
        ({"do": "open", "run": {"shape": {"nodes": []}}}, "nodes"),
        ({"do": "open", "run": [1]}, "object"),
        ({"do": "file", "name": "a.exe", "content": ""}, "ends in"),
        ({"do": "file", "name": "a.json", "content": "{"}, "a.json"),
        ({"do": "file", "name": "../../etc/passwd.txt", "content": "?"}, "passwd.txt"),
        ({"do": "activate", "particle": 10**6}, "particle"),
        ({"do": "activate"}, "'particle' is missing"),
        ({"do": "what_if"}, "'particle' is missing"),
        ({"do": "what_if", "particle": "x"}, "whole number"),
        ({"do": "goto", "round": -3}, "round"),
        ({"do": "step", "activations": 1.5}, "whole number"),
        ({"do": "back", "unit": 7}, "text"),
        ({"do": "format c:"}, "no request"),
        ({}, "no request"),
        (7, "object"),
    ],
)
def test_nonsense_is_refused_with_a_reason_and_changes_nothing(
    reader: Reader, request_: Any, reason: str
) -> None:
    reader.ask("goto", round=5)
    before = reader.picture()
    reader.send(json.dumps(request_))
    answer = reader.receive()
    assert answer["kind"] == "error"
    assert reason in answer["message"]
    assert reader.picture() == before


# Strangers, floods, and several readers.


def test_what_is_not_json_and_what_is_too_long_is_answered(reader: Reader) -> None:
    for nonsense in ("{", "\0", "[" * 100_000, "NaN " * 10, "x" * 8_000_001):
        reader.send(nonsense)
        assert reader.receive()["kind"] == "error"
    assert len(reader.picture()) > 40


def test_a_message_beyond_all_bounds_ends_only_its_own_connection(address: str) -> None:
    greedy, other = Reader(address), Reader(address)

    def ask_for_too_much() -> None:
        greedy.send("x" * 40_000_000)
        greedy.receive()

    with pytest.raises(ConnectionClosed):
        ask_for_too_much()
    assert len(other.picture()) > 40
    other.close()


@pytest.mark.slow
def test_a_flood_is_answered_one_by_one(address: str) -> None:
    flooding, other = Reader(address), Reader(address)

    def flood() -> None:
        for _ in range(1000):
            flooding.send('{"do": "step", "activations": 1}')

    sender = threading.Thread(target=flood)
    sender.start()
    assert len(other.picture()) > 40  # meanwhile
    answers = [flooding.receive() for _ in range(1000)]
    sender.join()
    assert head(answers[-1])["activations"] == 1000
    flooding.close()
    other.close()


def test_several_readers_do_not_disturb_each_other(address: str) -> None:
    one, two = Reader(address), Reader(address)
    one.ask("goto", round=9)
    here = one.picture()
    two.ask("open", run={"shape": "line:5", "seed": 1})
    two.ask("goto", round=30)
    assert one.picture() == here
    one.close()
    two.close()


@pytest.mark.slow
def test_busy_readers_leave_the_others_their_turn(address: str) -> None:
    busy = [Reader(address) for _ in range(8)]
    run = {"shape": "hexagon:4", "seed": 1, "options": {"almost_sure": False, "terminate": False}}
    for reader in busy:
        reader.ask("open", run=run)
        reader.send({"do": "step", "rounds": 10**9})
    other = Reader(address)
    assert len(other.picture()) > 40
    for reader in (other, *busy):
        reader.close()


def test_no_moment_lies_after_the_end_of_a_run(reader: Reader) -> None:
    run = {"shape": "hexagon:2", "seed": 1, "options": {"almost_sure": False, "terminate": False}}
    reader.ask("open", run=run)
    frame = reader.ask("goto", round=10**9)
    assert head(frame)["outcome"]
    assert moment(frame)[0] < 10**6


def test_a_closed_page_stops_its_simulation() -> None:
    session = Session(runs.Run(shapes.hexagon(12), Options(1)))
    survey = session.survey
    assert survey is not None
    session.close()
    survey.wait(30)
    assert survey.stopped.is_set()
    session.answer({"do": "goto", "round": 10**6})
    assert session.simulation.rounds <= survey.simulation.rounds
    assert not session.simulation.finished


def test_the_page_and_its_parts_are_served_and_nothing_else(address: str) -> None:
    status, page = fetch(address, "/")
    assert (status, "page.js" in page) == (200, True)
    assert fetch(address, "/static/page.js")[0] == 200
    for path in (
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/etc/passwd",
        "/static//etc/passwd",
    ):
        assert fetch(address, path)[0] in (404, 405)


def test_the_page_asks_no_other_machine_for_anything() -> None:
    from amoebot.viewer.bundle import STATIC

    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text
        assert "https://" not in text


def test_foreign_hosts_and_origins_are_refused(address: str) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        status, reason = fetch(address, "/", **headers)
        assert (status, reason.startswith("refused")) == (403, True)
        with pytest.raises(InvalidStatus):
            Reader(address, additional_headers=headers)
    assert fetch(address, "/", Origin=f"http://{address}")[0] == 200


@pytest.mark.parametrize(
    ("host", "called", "origin", "fine"),
    [
        ("127.0.0.1", "localhost:8421", None, True),
        ("127.0.0.1", "localhost:8421", "http://localhost:8421", True),
        ("127.0.0.1", "localhost:8421", "http://localhost:9999", False),
        ("127.0.0.1", "localhost:8421", "null", False),
        ("127.0.0.1", "192.168.0.7:8421", None, False),
        ("127.0.0.1", "localhost.evil.example:8421", None, False),
        ("127.0.0.1", "", None, False),
        ("[::1]", "[::1]:8421", "http://[::1]:8421", True),
        ("0.0.0.0", "192.168.0.7:8421", "http://192.168.0.7:8421", True),
        ("0.0.0.0", "evil.example:8421", None, False),
        ("lab.example", "lab.example:80", None, True),
    ],
)
def test_who_is_let_in(host: str, called: str, origin: str | None, fine: bool) -> None:
    guard = Guard(None, host)  # type: ignore[arg-type]
    assert (guard.objection(called, origin) is None) == fine


def test_a_scheduler_of_ones_own_and_faults_can_be_watched() -> None:
    def lowest_first(simulation: Simulation) -> int:
        return min(simulation.waiting)

    session = Session(Run(shapes.line(3), Options(0, OwnScheduler(lowest_first))))
    assert isinstance(session.answer({"do": "step", "rounds": 2}), bytes)
    saved = session.answer({"do": "save"})
    assert isinstance(saved, dict)
    assert saved["run"]["schedule"] == [0, 1, 2] * 2
    session.close()
    session = Session(Run(shapes.line(3), Options(faults=as_faults("crash 1@1"))))
    assert isinstance(session.answer({"do": "goto", "round": 4}), bytes)
    assert session.simulation.crashed == {1}
    session.close()


def test_a_scheduler_of_ones_own_goes_on_after_what_the_reader_does_by_hand() -> None:
    """A fair schedule took its place, with the scheduler's name still in the title."""

    def lowest_first(simulation: Simulation) -> int:
        return min(simulation.waiting)

    session = Session(Run(shapes.line(3), Options(0, OwnScheduler(lowest_first))))
    session.answer({"do": "step", "rounds": 1})
    session.answer({"do": "activate", "particle": 2})
    session.answer({"do": "step", "rounds": 2})
    session.answer({"do": "fault", "kind": "crash", "particle": 0})
    session.answer({"do": "step", "rounds": 2})
    saved = session.answer({"do": "save"})
    assert isinstance(saved, dict)
    assert saved["run"]["schedule"] == [0, 1, 2, 2, 0, 1, 0, 1, 2, 1, 2, 1, 2]
    session.close()


def test_a_scheduler_of_ones_own_is_kept_for_another_seed() -> None:
    def lowest_first(simulation: Simulation) -> int:
        return min(simulation.waiting)

    session = Session(Run(shapes.line(3), Options(0, OwnScheduler(lowest_first))))
    catalogue = session.answer({"do": "catalogue"})
    assert isinstance(catalogue, dict)
    assert "lowest_first" in catalogue["schedulers"]
    for scheduler, kept in (("uniform", "uniform"), ("lowest_first", "lowest_first")):
        options = {"scheduler": scheduler}
        session.answer({"do": "open", "run": {"shape": "line:3", "seed": 5, "options": options}})
        assert (session.simulation.seed, session.simulation.scheduler) == (5, kept)
    session.close()


def test_a_reader_can_let_particles_fail() -> None:
    session = Session(Run(shapes.line(3), Options(1)))
    session.answer({"do": "goto", "round": 2})
    answer = session.answer({"do": "fault", "kind": "crash", "particle": 1})
    assert isinstance(answer, bytes)
    assert b'"faults":[["crash",1,2,0]]' in answer
    session.answer({"do": "fault", "kind": "corrupt", "particle": 0})
    session.answer({"do": "step", "rounds": 2})
    assert session.simulation.crashed == {1}
    saved = session.answer({"do": "save"})
    assert isinstance(saved, dict)
    assert saved["run"]["options"]["faults"] == "crash 1@2, corrupt 0@2"
    refused = session.answer({"do": "fault", "kind": "melt", "particle": 0})
    assert isinstance(refused, dict)
    assert refused["kind"] == "error"
    session.close()


def test_a_schedule_that_ends_can_be_watched_to_its_end() -> None:
    session = Session(Run(shapes.line(3), Options(0, OwnScheduler([0, 1, 2, 0]))))
    for request in ({"do": "run", "until": "leader"}, {"do": "goto", "round": 9}):
        session.answer({"do": "goto", "round": 0})
        for _ in range(100):  # an answer has a limit of time, and the machine may be slow
            assert isinstance(session.answer(request), bytes)
        assert (session.simulation.rounds, session.simulation.position) == (1, 1)
    answer = session.answer({"do": "step", "activations": 1})
    assert answer == {"kind": "error", "message": "the schedule ends here"}
    session.close()


@pytest.mark.slow
def test_a_scheduler_that_never_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread cannot be ended: the page hears why its connection is, and others go on."""
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    end = threading.Event()

    def waits(simulation: Simulation) -> int:
        end.wait(60)
        return 0

    try:
        with serving(Run(shapes.line(3), Options(1, OwnScheduler(waits)))) as address:
            reader = Reader(address)
            reader.send({"do": "step", "activations": 1})
            with pytest.raises(ConnectionClosed) as closed:
                reader.receive()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.reason == "the scheduler waits does not end"
            end.set()
    finally:
        end.set()


def test_an_unfair_scheduler_is_told_in_one_sentence() -> None:
    session = Session(Run(shapes.line(3), Options(0, OwnScheduler(repeat(0)))))
    for _ in range(100):  # an answer has a limit of time, and the machine may be slow
        answer = session.answer({"do": "step", "rounds": 1})
        if isinstance(answer, dict):
            break
    assert isinstance(answer, dict)
    assert "is not fair" in answer["message"]
    session.close()


def test_moments_are_packed_only_for_who_asks_for_it(address: str) -> None:
    near, far = Reader(address), Reader(address, subprotocols=["gzip"])
    assert gzip.decompress(far.picture()) == near.picture()
    assert far.ask("survey")["kind"] == "survey"
    near.close()
    far.close()
