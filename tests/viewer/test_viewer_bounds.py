"""Bounded work: nothing that a page, a link or a file asks for hangs, or fills the machine."""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image, ImageFile

from amoebot import runs, shapes
from amoebot.options import Options
from amoebot.viewer import capacity, opening
from amoebot.viewer.listening import exposure
from amoebot.viewer.session import Session
from helpers.fuzzing import check, request
from helpers.serving import Reader, head, serving

FIRST = runs.Run(shapes.hexagon(1), Options(3), shape_text="hexagon:1")


@pytest.fixture
def session() -> Iterator[Session]:
    found = Session(FIRST)
    yield found
    found.close()


def refused(session: Session, **request: Any) -> str:
    answer = session.answer(request)
    assert isinstance(answer, dict), "it was opened"
    assert answer["kind"] == "error"
    return str(answer["message"])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let schedules by hand take next to no time."""
    monkeypatch.setattr(opening, "LONGEST", 0.05)


NEVER = {"shape": "line:3", "options": {"terminate": False}, "by_hand_from": [10**12, 0]}


@pytest.mark.usefixtures("impatient")
def test_a_schedule_that_begins_too_late_is_refused(session: Session) -> None:
    assert len(json.dumps(NEVER)) < 145
    assert "it takes longer than" in refused(session, do="open", run=NEVER)
    text = json.dumps(NEVER)
    assert "it takes longer than" in refused(session, do="file", name="run.json", content=text)
    assert session.answer({"do": "look"}), "the run before is still there"


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("rounds", "pieces"), [(10**12, 3), (3 * 10**7, 81)])
def test_a_schedule_that_begins_never_is_refused_at_once(
    session: Session, monkeypatch: pytest.MonkeyPatch, rounds: int, pieces: int
) -> None:
    """The clock says that 75,000 rounds take an eighth of a second."""
    clock = count(0.0, 0.125)
    monkeypatch.setattr(opening, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    told = refused(session, do="open", run=NEVER | {"by_hand_from": [rounds, 0]})
    assert "it takes longer than 10 seconds" in told
    assert next(clock) == 0.125 * (1 + pieces)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_schedule_that_is_too_long_is_refused(session: Session) -> None:
    run = {"shape": "line:3", "schedule": [0, 1, 2] * 100_000}
    assert "it takes longer than" in refused(session, do="open", run=run)


def test_a_reader_who_leaves_ends_what_was_asked_for() -> None:
    run = runs.from_dict(NEVER)
    with pytest.raises(ValueError, match="takes longer"):
        opening.simulation_of(run, lambda: True)


def test_a_jump_ends_when_its_time_is_up(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoebot.viewer.session.LONGEST_SEEK", 0.0)
    session.survey = None  # whose snapshots would be a short cut
    frame = session.answer({"do": "goto", "round": 10**9})
    assert isinstance(frame, bytes)
    assert head(frame)["round"] == 0


HUGE: tuple[str, ...] = (
    "hexagon:+5000",
    "hexagon:5_000",
    "hexagon:5700",
    "hexagon: 5000",
    "triangle:9999",
    "comb:9999,9999",
)
HUGE += ("parallelogram:3000,3000", "swiss:2000,0.1", "line:99999999", "hexagon:" + "9" * 400)


@pytest.mark.parametrize("text", HUGE)
def test_huge_shapes_are_refused_before_they_are_made(
    session: Session, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(*_: Any) -> None:
        raise AssertionError("it was made")

    monkeypatch.setattr(runs, "parse", made)
    told = "at most 2,000,000 particles"
    assert told in refused(session, do="open", run={"shape": text})
    content = json.dumps({"shape": text})
    assert told in refused(session, do="file", name="run.json", content=content)


def test_a_small_file_with_a_huge_image_is_refused_before_it_is_unpacked(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.BytesIO()
    Image.new("1", (10_000, 10_000)).save(file, "PNG")
    assert len(file.getvalue()) < 20_000
    content = base64.b64encode(file.getvalue()).decode()

    def unpacked(*_: Any) -> None:
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(ImageFile.ImageFile, "load", unpacked)
    assert "8,000,000 pixels" in refused(session, do="file", name="dark.png", content=content)


def test_readers_share_what_a_server_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "MOST_IN_ALL", 40)
    shared = capacity.Capacity()
    sessions = [Session(FIRST, shared) for _ in range(3)]
    assert "already show 14 particles" in refused(sessions[0], do="open", run={"shape": "line:30"})
    for gone in sessions[1:]:
        gone.close()
    assert isinstance(sessions[0].answer({"do": "open", "run": {"shape": "line:30"}}), bytes)
    sessions[0].close()


def test_one_page_too_many_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "MOST_READERS", 1)
    with serving(FIRST) as address:
        first = Reader(address)
        first.ask("look")
        second = Reader(address)
        with pytest.raises(Exception, match="there is room for no more"):
            second.receive()
        first.close()


@pytest.mark.slow
@pytest.mark.compiled
def test_malformed_requests_are_answered_with_a_sentence(session: Session) -> None:
    chance = random.Random(17)
    for _ in range(3000):
        asked = request(chance)
        answer = session.answer(asked)
        if isinstance(answer, dict) and answer["kind"] == "error":
            check(answer["message"], asked)
    assert isinstance(session.answer({"do": "look"}), bytes)


@pytest.mark.parametrize(
    ("host", "told"),
    [("127.0.0.1", ""), ("localhost", ""), ("::1", ""), ("192.0.2.7", "http://192.0.2.7:8421/")],
)
def test_who_can_see_it_is_told(host: str, told: str) -> None:
    lines = "\n".join(exposure(host, 8421))
    assert told in lines
    assert ("none of its files" in lines) == bool(told)


def test_all_addresses_of_this_machine_are_told() -> None:
    first, _ = exposure("0.0.0.0", 8421)
    assert first.startswith("Others on your network can open ")
    assert "0.0.0.0" not in first


def test_runs_are_built_a_few_at_a_time_and_those_by_hand_wait_for_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared, under_way, most = capacity.Capacity(), [0], [0]

    def build(run: runs.Run, *stopped: Any) -> Any:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        sleep(0.01)  # so that others come meanwhile
        under_way[0] -= 1
        return opening.simulation_of(run, *stopped)

    monkeypatch.setattr("amoebot.viewer.session.simulation_of", build)
    with ThreadPoolExecutor(12) as threads:
        for one in [*threads.map(lambda _: Session(FIRST, shared), range(12))]:
            one.close()
    assert most[0] <= capacity.BUILT
    for _ in range(capacity.BUILT):
        assert shared.building.acquire(blocking=False), "all have been given back"
    Session(runs.from_dict({"shape": "line:3", "schedule": [0]}), shared).close()
