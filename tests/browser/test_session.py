"""The page's requests without a server: the same answers, byte by byte, as a server gives."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from amoebot import runs
from amoebot.browser import live
from amoebot.viewer.bundle import STATIC
from amoebot.viewer.session import Session
from helpers.node import run_node

HERE = Path(__file__).parent

FIRST = {"shape": "annulus:3,1", "seed": 3, "options": {"algorithm": "improved"}}

#: What a reader does: to and fro in time, by hand, other elections, files.
REQUESTS: list[dict[str, Any]] = [
    {"do": "catalogue"},
    {"do": "stage"},
    {"do": "look"},
    {"do": "step", "activations": 5},
    {"do": "step", "rounds": 3},
    {"do": "back", "unit": "activation"},
    {"do": "back", "unit": "round"},
    {"do": "survey"},
    {"do": "space_time"},
    {"do": "space_time", "known": 3, "every": 1},
    {"do": "goto", "round": 40, "position": 3},
    {"do": "goto", "round": 12},
    {"do": "what_if", "particle": 4},
    {"do": "moves", "milliseconds": 2000},
    {"do": "moves", "first": 7, "milliseconds": 2000},
    {"do": "run", "until": "phase"},
    {"do": "run", "until": "leader"},
    {"do": "run", "until": "end"},
    {"do": "goto", "round": 7},
    {"do": "activate", "particle": 2},
    {"do": "activate", "particle": 20},
    {"do": "activate", "particle": 20, "coins": [0, 1, 2, 3]},
    {"do": "moves", "milliseconds": 2000},
    {"do": "step", "activations": 50},
    {"do": "back", "unit": "activation"},
    {"do": "survey"},
    {"do": "save"},
    {"do": "open", "run": {"shape": "hexagon:3", "seed": "7", "options": {"algorithm": "erosion"}}},
    {"do": "look"},
    {"do": "step", "rounds": 2},
    {"do": "open", "run": {"shape": "random:30", "shape_seed": "5", "seed": str(2**64 - 1)}},
    {"do": "step", "rounds": 30},
    {"do": "save"},
    {"do": "file", "name": "drawn.txt", "content": " o o\no o o\n"},
    {"do": "look"},
    {
        "do": "file",
        "name": "shape.json",
        "content": '{"nodes": [[0, 0], [1, 0]], "expanded": [[[0, 1], [0, 2]]]}',
    },
    {"do": "step", "rounds": 9},
    {"do": "file", "name": "run.json", "content": json.dumps({**FIRST, "schedule": [3, 1, 4, 1]})},
    {"do": "look"},
    {"do": "goto", "round": 2},
    {"do": "open", "run": {"shape": "line:3", "schedule": [1.0], "coins": [[1.0, -1]]}},
    {"do": "save"},
    {"do": "open", "run": {"shape": "line:3", "schedule": [1, 0], "by_hand_from": None}},
    {"do": "save"},
    {"do": "open", "run": {"shape": "line:3", "seed": 1, "schedule": [1, 0], "coins": [[1, 0], 7]}},
    {"do": "moves", "milliseconds": 2000},
    {"do": "step", "activations": 1},
    {"do": "activate", "particle": 0, "coins": [0, 0]},
    {"do": "moves", "milliseconds": 2000},
    {"do": "save"},
    {"do": "goto", "round": 40},
    {"do": "open", "run": {"shape": "hexagon:2", "options": {"faults": "crash 3@2, corrupt ?@4"}}},
    {"do": "look"},
    {"do": "survey"},
    {"do": "step", "rounds": 9},
    {"do": "goto", "round": 3, "position": 2},
    {"do": "fault", "particle": 5, "kind": "crash"},
    {"do": "moves", "milliseconds": 2000},
    {"do": "fault", "particle": 6, "kind": "corrupt"},
    {"do": "step", "rounds": 4},
    {"do": "fault", "particle": 6, "kind": "melt"},
    {"do": "activate", "particle": 5},
    {"do": "save"},
    {"do": "goto", "round": 1},
    {"do": "open"},
    {"do": "look"},
]

#: Runs that neither side opens.
REFUSED = {
    '"options" must be an object': {"shape": "line:3", "options": 7},
    '"by_hand_from" must be two numbers': {"shape": "line:3", "by_hand_from": [1]},
    '"coins" must be a list of lists': {"shape": "line:3", "schedule": [0], "coins": ["1"]},
    '"note" must be text': {"shape": "line:3", "note": ["x"]},
    '"property" must be text': {"shape": "line:3", "property": {"x": 1}},
    '"name" of a shape must be text': {"shape": {"nodes": [[0, 0]], "name": 3}},
    '"note" must be': {"shape": "line:3", "note": []},
    '"property" must be': {"shape": "line:3", "property": {}},
    'the "name" of a shape must be text': {"shape": {"nodes": [[0, 0]], "name": []}},
    '"coins" must': {"shape": "line:3", "schedule": [0], "coins": [[-2]]},
    '"coins" must be': {"shape": "line:3", "schedule": [0], "coins": [[2**31]]},
    '"coins" must be a list': {"shape": "line:3", "schedule": [0], "coins": [[0.5]]},
    '"rules" must be an object': {"shape": "line:3", "rules": 5},
    '"rules" must be': {"shape": "line:3", "rules": False},
    "this is a run with changed rules, mine": {"shape": "line:3", "rules": {"name": "mine"}},
    '"by_hand_from" must be a list': {"shape": "line:3", "by_hand_from": 0},
    '"by_hand_from" must be': {"shape": "line:3", "by_hand_from": False},
    "'melt 3@1' is not a fault": {"shape": "line:3", "options": {"faults": "melt 3@1"}},
    "numbered 0 to 2": {"shape": "line:3", "options": {"faults": "crash 3@1"}},
    "crash 3@1: the only particle is number 0": {
        "shape": "line:1",
        "options": {"faults": "crash 3@1"},
    },
    "crash ?@2: each ? is a different particle, and none is left": {
        "shape": "line:1",
        "options": {"faults": "crash ?@1, crash ?@2"},
    },
    "there is no field lead": {"shape": "line:3", "options": {"faults": "corrupt 0@1 lead=1"}},
    "can be 0 to 255": {"shape": "line:3", "options": {"faults": "corrupt 0@1 leader=256"}},
    "there is no request": None,
}
REQUESTS += [{"do": "open", "run": run} if run else {"do": None} for run in REFUSED.values()]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Any, Any]]:
    """Provide requests, each with Python's answer and with that of JavaScript."""
    folder = tmp_path_factory.mktemp("session")
    shutil.copytree(HERE / "js", folder, dirs_exist_ok=True)
    shutil.copytree(STATIC, folder / "static")
    (folder / "package.json").write_text('{"type": "module"}')
    content = {"packed": live.packed(), "first": FIRST, "requests": REQUESTS}
    (folder / "requests.json").write_text(json.dumps(content))
    run_node(folder, "session.js")
    theirs = json.loads((folder / "answers.json").read_text())
    session, ours = Session(runs.from_dict(FIRST)), []
    for request in REQUESTS:
        if request["do"] == "survey" and session.survey:
            session.survey.wait(600)
        if request["do"] == "space_time":
            session.answer(request)  # which begins it
            assert session.diagram
            session.diagram.wait(600)
        answer = session.answer(request)
        ours.append(base64.b64encode(answer).decode() if isinstance(answer, bytes) else answer)
    session.close()
    return [*zip(REQUESTS, ours, theirs, strict=True)]


def is_stage(answer: Any) -> bool:
    return isinstance(answer, str) and b'"kind":"stage"' in base64.b64decode(answer)[:30]


@pytest.mark.slow
def test_frames_are_the_same_bytes(answers: list[tuple[Any, Any, Any]]) -> None:
    compared = 0
    for request, ours, theirs in answers:
        if isinstance(ours, str) and not is_stage(ours):
            assert theirs == ours, request
            compared += 1
    assert compared > 15


@pytest.mark.slow
def test_stages_and_other_answers_say_the_same(answers: list[tuple[Any, Any, Any]]) -> None:
    for request, ours, theirs in answers:
        if is_stage(ours):
            assert stage(theirs) == stage(ours), request
        elif not isinstance(ours, str):
            told = json.loads(json.dumps(ours))
            for name in {*told} - {"text", "run", "shapes", "message"}:
                assert theirs[name] == told[name], (request, name)


@pytest.mark.slow
def test_runs_that_make_no_sense_are_refused_on_both_sides(
    answers: list[tuple[Any, Any, Any]],
) -> None:
    for words, (_, ours, theirs) in zip(REFUSED, answers[-len(REFUSED) :], strict=True):
        assert words in ours["message"]
        assert words in theirs["message"]


@pytest.mark.slow
def test_a_saved_run_is_the_same_run_in_python(answers: list[tuple[Any, Any, Any]]) -> None:
    saved = [(ours, theirs) for request, ours, theirs in answers if request["do"] == "save"]
    for ours, theirs in saved:
        assert runs.from_text(theirs["text"]).as_dict() == runs.from_text(ours["text"]).as_dict()


def stage(answer: str) -> tuple[dict[str, Any], bytes]:
    """Return what a stage says, and its arrays."""
    content = base64.b64decode(answer)
    length = int.from_bytes(content[:4], "little")
    told = json.loads(content[4 : 4 + length])
    arrays = content[-(-(4 + length) // 8) * 8 :]
    return told, arrays
