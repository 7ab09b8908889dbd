"""Run files: one line that brings a whole run back."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import amoebot
from amoebot import runs, shapes
from amoebot.options import Options
from helpers import moments
from helpers.naive import SCHEDULERS


def by_hand() -> amoebot.Simulation:
    """Return a run that was scheduled for three rounds and a bit, then by hand."""
    simulation = amoebot.Simulation(shapes.hexagon(2), seed=8, scheduler="uniform", radix=5)
    simulation.goto(3, 4)
    for particle in (0, 18, 3, 3, 9):
        simulation.activate(particle)
    return simulation


def test_a_file_of_one_line_brings_a_run_back(tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.hexagon(3), seed=2**64 - 1, almost_sure=False)
    simulation.run()
    simulation.save(tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text()
    assert text.count("\n") == 1
    assert json.loads(text)["shape"] == "hexagon:3"
    again = amoebot.load(tmp_path / "run.json")
    assert again.rounds == 0
    assert again.run() == simulation.result()


def test_what_was_activated_by_hand_comes_back_too(tmp_path: Path) -> None:
    simulation = by_hand()
    simulation.save(tmp_path / "run.json")
    again = amoebot.load(tmp_path / "run.json")
    assert (again.rounds, again.position) == (0, 0)
    again.goto(simulation.rounds, simulation.position)
    assert moments.contents(again) == moments.contents(simulation)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_round_that_was_taken_over_by_hand_ends_where_it_ended(scheduler: str) -> None:
    shape = shapes.hexagon(2)
    simulation = amoebot.Simulation(shape, 5, scheduler, radix=5)
    simulation.goto(4, 7)
    while simulation.rounds == 4:
        simulation.activate((7 * simulation.steps) % 19)
    again = runs.from_text(runs.of(simulation).text()).simulation()
    for _ in range(simulation.steps):
        again.step()
    assert moments.contents(again) == moments.contents(simulation)


def test_a_run_by_hand_from_the_start_is_saved(tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.line(3), seed=1, scheduler=[2, 0, 1, 1, 2, 0])
    simulation.run()
    simulation.save(tmp_path / "run.json")
    again = amoebot.load(tmp_path / "run.json")
    again.run()
    assert moments.contents(again) == moments.contents(simulation)


@pytest.mark.parametrize("text", ["random:40,2", "tree:30", "hexagon:2"])
def test_shapes_are_named_where_their_name_says_all(text: str) -> None:
    shape = shapes.parse(text, seed=3)
    saved = runs.of(amoebot.Simulation(shape)).as_dict()["shape"]
    assert isinstance(saved, str) == (text == "hexagon:2")
    assert runs.from_dict({"shape": saved}).shape == shape


def test_expanded_particles_and_offsets_are_kept() -> None:
    shape = shapes.Shape([[0, 0], [1, 0], [0, 1]], [[0, 1]], [3, 1, 5])
    text = runs.Run(shape).text()
    assert runs.from_text(text).shape == shape


def test_what_a_file_does_not_say_has_its_usual_value() -> None:
    run = runs.from_dict({"shape": "line:3"})
    assert (run.options, run.schedule, run.by_hand_from) == (Options(), (), None)


def test_options_are_kept() -> None:
    options = Options(7, "uniform", own={"radix": 5, "terminate": False}, max_rounds=90)
    content = runs.Run(shapes.line(3), options).as_dict()
    assert content["options"]["algorithm"] == "improved"
    assert runs.from_dict(content).options == options


def test_coins_may_be_left_to_the_seed_and_written_as_any_number() -> None:
    """JSON has one kind of number, so 1.0 is 1; the explorer writes -1 for what the seed says."""
    run = runs.from_text('{"shape": "line:3", "schedule": [0], "coins": [[1.0, -1]]}')
    assert run.coins == ([1, -1],)
    run.simulation().step()


def test_a_run_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(runs.RunError, match=r"run\.json: no such file or directory"):
        by_hand().save(tmp_path / "nowhere" / "run.json")


def test_a_run_of_another_election_is_refused(tmp_path: Path) -> None:
    """The election that was asked for was ignored."""
    (tmp_path / "mine.json").write_text('{"shape": "line:2"}')
    with pytest.raises(runs.RunError, match="this is a run of improved, and not of erosion"):
        runs.load(tmp_path / "mine.json", algorithm="erosion")


@pytest.mark.parametrize("path", ["a\0b.json", Path("a\0b.json")])
def test_a_path_has_no_zero_byte(path: str | Path) -> None:
    with pytest.raises(runs.RunError, match="is not a path: it has a zero byte"):
        amoebot.load(path)


@pytest.mark.parametrize("seed", [7, None])
def test_a_counterexample_is_a_run_with_a_schedule_and_a_note(seed: int | None) -> None:
    content = {
        "shape": {"nodes": [[0, 0], [1, 0]]},
        "seed": seed,
        "schedule": [0, 1, 0],
        "coins": [[1], [0], []],
        "options": {"scheduler": "by hand"},
        "property": "one leader",
    }
    run = runs.from_dict(content)
    assert (run.by_hand_from, run.schedule, run.coins) == ((0, 0), (0, 1, 0), ([1], [0], []))
    assert run.note.startswith("Counterexample to: one leader.")
    assert ("No seed" in run.note) == (seed is None)
    simulation = run.simulation()
    assert simulation.scheduler == "by hand"
    for particle in run.schedule:
        simulation.step()
        assert simulation.latest == particle
    with pytest.raises(StopIteration):
        simulation.step()


def test_the_latest_particle_is_the_one_whose_memory_changed() -> None:
    simulation = amoebot.Simulation(shapes.hexagon(2), seed=1)
    for _ in range(20):
        before = simulation.memory.copy()
        simulation.step()
        changed = set(simulation.system.particle[before != simulation.memory].tolist())
        assert not changed or simulation.latest in {
            *changed,
            *(int(p) for p in simulation.system.particle),
        }
    first = amoebot.Simulation(shapes.hexagon(2), seed=1)
    assert first.latest is None
    first.step()
    (only,) = {int(p) for p in first.system.particle[first.memory["candidacy"]["role"] != 0]}
    assert first.latest == only


def test_what_follows_is_fair_and_depends_on_its_number_alone() -> None:
    def first(count: int, start: int) -> list[int]:
        one_by_one = itertools.chain.from_iterable(runs.fair_schedule(7, 3, start))
        return list(itertools.islice(one_by_one, count))

    everything = first(70, 0)
    for start in (1, 6, 7, 33):
        assert first(20, start) == everything[start:][:20]
    for block in range(10):
        assert sorted(everything[7 * block :][:7]) == list(range(7))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "a run is an object"),
        ("{", "expecting"),
        ('{"shape": 3}', "shape string or an object"),
        ('{"shape": "/etc/passwd"}', "not a known shape"),
        ('{"shape": "line:3", "seed": 1.5}', "whole number"),
        ('{"shape": "line:3", "schedule": [3]}', "numbered 0 to 2"),
        ('{"shape": "line:3", "schedule": 3}', "list"),
        ('{"shape": "line:3", "options": [1]}', '"options" must be an object'),
        (
            '{"shape": "line:3", "options": {"algorithm": "/tmp/a.py"}}',
            "election /tmp/a.py: give it too",
        ),
        ('{"shape": "line:3", "options": {"algorithm": 3}}', "election 3: give it too"),
        ('{"shape": "line:3", "options": {"algorithm": "other"}}', "election other: give it too"),
        ('{"shape": "line:3", "options": {"colour": 3}}', "has no option 'colour'"),
        ('{"shape": "line:3", "options": {"max_rounds": 0}}', "max_rounds 0"),
        ('{"shape": "line:3", "options": {"almost_sure": 1}}', "neither true nor false"),
        ('{"shape": "line:3", "by_hand_from": [1]}', "two numbers"),
        ('{"shape": "line:3", "options": []}', '"options" must be an object'),
        ('{"shape": "line:3", "options": ""}', '"options" must be an object'),
        ('{"shape": "line:3", "options": 0}', '"options" must be an object'),
        ('{"shape": "line:3", "schedule": [0], "coins": 1}', '"coins" must be a list of lists'),
        ('{"shape": "line:3", "schedule": [0], "coins": ["1"]}', '"coins" must be a list of lists'),
        (
            '{"shape": "line:3", "schedule": [0], "coins": [["x"]]}',
            '"coins" must be a list of lists',
        ),
        ('{"shape": "line:3", "note": ["x"]}', '"note" must be text'),
        ('{"shape": "line:3", "property": {"x": 1}}', '"property" must be text'),
        ('{"shape": {"nodes": [[0, 0]], "name": 3}}', '"name" of a shape must be text'),
        ("ring", "this is not a run file: expecting value"),
        ('{"shape": "line:3", "note": []}', '"note" must be text'),
        ('{"shape": "line:3", "property": {}}', '"property" must be text'),
        ('{"shape": {"nodes": [[0, 0]], "name": []}}', '"name" of a shape must be text'),
        ('{"shape": "line:3", "schedule": [0], "coins": [[-2]]}', '"coins" must be'),
        ('{"shape": "line:3", "schedule": [0], "coins": [[2147483648]]}', '"coins" must be'),
        ('{"shape": "line:3", "schedule": [0], "coins": [[0.5]]}', '"coins" must be'),
        ('{"shape": "line:3", "by_hand_from": 0}', '"by_hand_from" must be a list'),
        ('{"shape": "line:3", "rules": 5}', '"rules" must be an object'),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        runs.from_text(text)
