"""Sweeps over schedulers, faults, shapes and measurements of one's own."""

from __future__ import annotations

import itertools
import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot.cli.refusing import BadInput
from amoebot.errors import SchedulerError
from amoebot.faults import FaultError
from amoebot.files import run_file
from amoebot.measurements import MeasurementError, built_in, collect
from amoebot.sweeps import PlanError, load, make_plan, read_plan, sweep
from amoebot.sweeps.costs import Costs
from amoebot.sweeps.store import Store
from helpers import looking
from helpers.command import ask, check_refusal

SHAPE = amoebot.shapes.hexagon(1)

PLAN = """
shapes = "hexagon:1"
seeds = 2
schedulers = ["round-robin", "lowest.py"]
faults = ["", "crash 0@0"]
measures = ["candidates", "mine.py"]
max_rounds = 60
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lowest = "def scheduler(simulation):\n    return min(simulation.waiting)\n"
    (tmp_path / "lowest.py").write_text(lowest)
    mine = "def done(simulation):\n    return simulation.rounds + simulation.finished\n"
    (tmp_path / "mine.py").write_text(mine)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_a_plan_names_schedulers_faults_and_measurements(folder: Path) -> None:
    plan = read_plan(folder / "plan.toml")
    assert pickle.loads(pickle.dumps([*plan.cells])) == [*plan.cells]  # as workers get them
    for file in ("lowest.py", "mine.py"):
        (folder / file).unlink()  # the plan is complete without them
    table = sweep(plan, folder / "results").collect()
    assert table.height == 8
    by_scheduler = {name: part for (name,), part in table.group_by("scheduler")}
    assert set(by_scheduler) == {"round-robin", "lowest"}
    same = ["seed", "faults", "outcome", "rounds", "candidates_by_round", "done_by_round"]
    one, other = (part.select(same).sort("seed", "faults") for part in by_scheduler.values())
    assert one.equals(other)
    crashed = table.filter(table["faults"] == "crash 0@0")
    assert crashed["outcome"].unique().to_list() == ["round-limit"]
    row = table.filter((table["faults"] == "") & (table["seed"] == 1)).row(0, named=True)
    simulation = amoebot.Simulation(SHAPE, 1, "round-robin")
    frame = amoebot.measure(simulation, ["candidates"])
    assert row["candidates_by_round"] == frame["candidates"].to_list()
    assert sweep(plan, folder / "results").collect().height == 8  # and nothing is run again


def test_an_estimate_knows_that_python_is_slow(folder: Path) -> None:
    plan = read_plan(folder / "plan.toml")
    costs = Costs(plan)
    plain = replace(next(iter(plan.cells)), measures=())
    assert plain.scheduler == plain.template.faults_written == ""
    for cell in plan.cells:
        assert costs.seconds(cell) > 2 * costs.seconds(plain)


def test_files_in_a_plan_may_be_paths(folder: Path) -> None:
    plan = make_plan({"shapes": "line:3", "schedulers": [folder / "lowest.py"]})
    assert [cell.scheduler for cell in plan.cells] == ["lowest"]


def highest(simulation: amoebot.Simulation) -> int:
    return int(np.max(simulation.waiting))


def one_by_one(simulation: amoebot.Simulation) -> Iterator[int]:
    while True:
        yield from range(simulation.system.particles)


def half_the_rounds(simulation: amoebot.Simulation) -> float:
    return simulation.rounds / 2


def test_functions_in_a_plan_are_kept_as_text(tmp_path: Path) -> None:
    functions = {"schedulers": [highest, one_by_one], "measures": [half_the_rounds, "coins"]}
    content = {"shapes": [SHAPE], "seeds": 2, **functions}
    table = sweep(content, tmp_path).collect()
    for row in table.iter_rows(named=True):
        scheduler = {"highest": highest, "one_by_one": one_by_one}[row["scheduler"]]
        assert row["rounds"] == amoebot.elect(SHAPE, row["seed"], scheduler).rounds
        assert row["half_the_rounds_by_round"][:3] == [0.5, 1, 1.5]
    assert sweep(content, tmp_path).collect().height == 4  # and nothing is run again
    other = run_file("def highest(simulation):\n    return 0\n", "other", ValueError).highest
    with pytest.raises(PlanError, match="highest"):  # of the same name, with another text
        sweep(content | {"schedulers": [other, one_by_one]}, tmp_path)


def test_a_scheduler_may_be_particles_in_a_row(folder: Path) -> None:
    rows: list[object] = [[*range(7)] * 60, np.tile(range(7), 60), (*range(7),) * 60, range(7)]
    table = sweep({"shapes": "hexagon:1", "schedulers": ["round-robin", *rows]}).collect()
    rounds = table.group_by("scheduler").agg("rounds", "outcome").sort("scheduler").rows()
    assert rounds[-1] == ("round-robin", rounds[1][1], ["leader"])
    assert rounds[0][2] != rounds[1][2]
    (folder / "plan.toml").write_text('shapes = "hexagon:1"\nschedulers = [[0, 1, 2, 3, 4, 5, 6]]')
    assert sweep(read_plan(folder / "plan.toml")).collect()["outcome"].to_list() == ["round-limit"]


@pytest.mark.parametrize("row", [[1.5], [-1], ["line:3"], [True], [[0, 1]]])
def test_a_row_of_anything_else_is_refused(row: object) -> None:
    with pytest.raises(PlanError, match="is not a whole number"):
        make_plan({"shapes": "line:3", "schedulers": [row]})


@pytest.mark.parametrize("empty", [[], (), np.zeros(0, int)])
def test_an_empty_row_is_refused(empty: object) -> None:
    with pytest.raises(PlanError, match="a scheduler needs at least one particle"):
        make_plan({"shapes": "line:3", "schedulers": [empty]})


@pytest.mark.parametrize("given", [iter([0]), itertools.cycle([0, 1]), itertools.repeat(0, 9)])
def test_what_can_be_read_only_once_has_no_place_in_a_plan(given: object) -> None:
    words = "can be read only once: give particles in a list, or a function that yields them"
    with pytest.raises(PlanError, match=words):
        make_plan({"shapes": "line:3", "schedulers": [given]})


def test_a_particle_that_is_none_is_told_with_its_shape(folder: Path) -> None:
    content = {"shapes": ["line:8", "line:3"], "schedulers": [[0, 1, 2, 7]], "seeds": 2}
    with pytest.raises(SchedulerError, match=r"^line:3: .*there is no particle 7"):
        sweep(content)
    faulty = {"shapes": ["line:8", "line:3"], "faults": "crash 5@1"}
    with pytest.raises(FaultError, match=r"^line:3: crash 5@1: the particles are numbered 0 to 2"):
        sweep(faulty)
    (folder / "plan.toml").write_text('shapes = "line:3"\nschedulers = [[0, 1, 2, 7]]')
    answer = ask("sweep", str(folder / "plan.toml"), "-o", str(folder / "out"))
    check_refusal(answer)
    assert f"{folder / 'plan.toml'}: line:3: " in answer.err
    (folder / "mine.py").write_text("def half(simulation):\n    return 1 / 0\n")
    (folder / "plan.toml").write_text('shapes = "line:3"\nmeasures = "mine.py"')
    for rest in (["-o", str(folder / "out")], ["--dry-run"]):
        answer = ask("sweep", str(folder / "plan.toml"), *rest)
        check_refusal(answer)
        assert "plan.toml: line:3: the measurement half failed: mine.py, line 2: " in answer.err


def test_one_election_is_one_election(folder: Path) -> None:
    (folder / "plan.toml").write_text('shapes = "line:3"')
    plan = str(folder / "plan.toml")
    assert ask("sweep", plan, "--dry-run").out.startswith("1 election (1 combination of inputs),")
    assert ": 1 election, 1 run now" in ask("sweep", plan, "-o", str(folder / "out")).out


@pytest.mark.parametrize("given", [5, ["a"], [amoebot.shapes.hexagon(1)], "ab"])
def test_what_is_no_result_has_no_place_in_a_data_frame(given: Any) -> None:
    with pytest.raises(ValueError, match="is not a result of an election"):
        amoebot.frame(given)


def refers(simulation: amoebot.Simulation) -> int:
    return len(SHAPE)


def with_default(simulation: amoebot.Simulation, particle: int = 0) -> int:
    return particle


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (min, "min is not a function of a module"),
        (lambda simulation: 0, "<lambda> is not a function of a module"),
        (refers, "refers refers to SHAPE outside of it"),
        (with_default, "with_default is not a function without decorators and defaults"),
    ],
)
def test_a_function_that_is_not_complete_by_itself_is_refused(function: object, words: str) -> None:
    with pytest.raises(PlanError, match=f"{words}: write it into a Python file and give its name"):
        make_plan({"shapes": "line:3", "schedulers": [function]})
    with pytest.raises(PlanError, match=words):
        make_plan({"shapes": "line:3", "measures": [function]})


@pytest.mark.parametrize(
    ("file", "name"), [("lowest.py", "scheduler lowest"), ("mine.py", "measurement done")]
)
def test_a_file_that_has_changed_since_is_named(file: str, name: str, folder: Path) -> None:
    """It was told as another plan, without elections that the plan named all the same."""
    sweep(folder / "plan.toml", folder / "results")
    with (folder / file).open("a") as text:
        text.write("# changed\n")
    words = f"the text of the {name} has changed since {folder / 'results'} was made: choose"
    with pytest.raises(PlanError, match=re.escape(words)):
        sweep(folder / "plan.toml", folder / "results")


def test_faults_that_stop_nobody_do_not_make_an_estimate_longer() -> None:
    """All elections with faults were taken to run to their limit, one step at a time."""
    plan = make_plan({"shapes": "hexagon:2", "faults": ["corrupt 0@100000", "crash 0@0"]})
    costs = Costs(plan)
    harmless, stuck = (costs.seconds(cell) for cell in plan.cells)
    assert [costs.stuck[costs._kind(cell)] for cell in plan.cells] == [0, 1]
    assert 10 * harmless < stuck


def test_two_schedulers_have_two_names(folder: Path) -> None:
    (folder / "uniform.py").write_text((folder / "lowest.py").read_text())
    with pytest.raises(PlanError, match="2 different schedulers are called uniform"):
        make_plan({"shapes": "line:3", "schedulers": ["uniform", folder / "uniform.py"]})


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_a_sweep_without_threads_is_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=f"elections need at least 1 thread, not {threads!r}"):
        sweep({"shapes": "line:3"}, threads=threads)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, BaseException])
def test_a_measurement_cannot_end_the_program(error: type[BaseException]) -> None:
    def ends_everything(simulation: amoebot.Simulation) -> float:
        raise error

    words = rf"ends_everything failed: test_own\.py, line \d+: {error.__name__}"
    with pytest.raises(MeasurementError, match=words):
        amoebot.measure(amoebot.Simulation(SHAPE, seed=1), [ends_everything])


def test_ctrl_c_in_a_measurement_is_ctrl_c() -> None:
    def interrupted(simulation: amoebot.Simulation) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        amoebot.measure(amoebot.Simulation(SHAPE, seed=1), [interrupted])


def steps(simulation: amoebot.Simulation) -> float:
    simulation.step()
    return 0


def goes_back(simulation: amoebot.Simulation) -> float:
    simulation.goto(0)
    return 0


def chooses(simulation: amoebot.Simulation) -> float:
    simulation.activate(0)
    return 0


def crashes(simulation: amoebot.Simulation) -> float:
    simulation.crash(0)
    return 0


def follows(simulation: amoebot.Simulation) -> float:
    simulation.follow([0])
    return 0


def goes_back_without_return(simulation: amoebot.Simulation) -> float:
    return simulation.goto(0)  # type: ignore[func-returns-value,return-value]


MOVING = [steps, goes_back, chooses, crashes, follows, goes_back_without_return]


@pytest.mark.parametrize("moves", MOVING)
def test_a_measurement_that_moves_the_simulation_is_refused(moves: Any) -> None:
    """One that went back never ended, and others changed the run without a word."""
    words = f"the measurement {moves.__name__} moves the simulation: it may only look"
    with pytest.raises(MeasurementError, match=words):
        amoebot.measure(amoebot.Simulation(SHAPE, seed=1), [moves])
    with pytest.raises(MeasurementError, match=words):
        sweep({"shapes": "line:3", "measures": [moves]})


@pytest.mark.parametrize("found", [None, "many", "3", b"3", 1j, [1, 2]])
def test_a_measurement_returns_a_number(found: Any) -> None:
    def mine(simulation: amoebot.Simulation) -> float:
        return found  # type: ignore[no-any-return]

    words = f"the measurement mine must return a number, and not {found!r}"
    with pytest.raises(MeasurementError, match=re.escape(words)):
        amoebot.measure(amoebot.Simulation("line:3"), [mine])


def test_a_measurement_whose_parameter_has_another_name_is_not_left_out_silently(
    folder: Path,
) -> None:
    """Only functions that the file itself uses are taken to be there for others."""
    helper = "def half(number):\n    return number / 2\n\n\n"
    mine = "def done(simulation):\n    return half(simulation.rounds)\n\n\n"
    (folder / "mine.py").write_text(helper + mine)
    assert [*read_plan(folder / "plan.toml").measures] == ["candidates", "done"]
    (folder / "mine.py").write_text(helper + mine + "def left(sim):\n    return sim.candidates\n")
    words = "mine.py, line 9: left takes sim: call it simulation, if this is a measurement"
    with pytest.raises(PlanError, match=re.escape(words)):
        read_plan(folder / "plan.toml")


def not_finite(simulation: amoebot.Simulation) -> float:
    return float(["nan", "inf", "-inf", "0.1"][simulation.rounds % 4])


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_numbers_that_are_not_finite_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their sweep died with a traceback, and its folder could not go on."""
    expected = amoebot.measure(amoebot.Simulation(SHAPE, 0), [not_finite])["not_finite"].to_list()
    assert [*map(repr, expected)][:5] == ["inf", "-inf", "0.1", "nan", "inf"]
    plan: dict[str, Any] = {"shapes": [SHAPE], "measures": [not_finite, "coins"]}
    column = "not_finite_by_round"
    rows = [sweep(plan).collect()[column].to_list()[0]]

    def kill(*given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(Store, "_complete", kill)
        with pytest.raises(KeyboardInterrupt):
            sweep(plan, tmp_path)
    (journal,) = tmp_path.glob("journal/*.ndjson")
    for line in journal.read_text().splitlines():
        json.loads(line, parse_constant=refuse)
    rows.append(load(tmp_path).collect()[column].to_list()[0])
    rows.append(sweep(plan, tmp_path).collect()[column].to_list()[0])
    for row in rows:
        assert [*map(repr, row)] == [*map(repr, expected)]


def candidates(simulation: amoebot.Simulation) -> float:
    return 0


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ([type("Made", (), {"__call__": lambda *_: 0, "__name__": "round"})()], "round"),
        ([lambda simulation: 0, lambda simulation: 1], "<lambda>"),
        (["candidates", candidates], "candidates"),
        ([candidates, "candidates"], "candidates"),
    ],
)
def test_measurements_have_columns_of_their_own(given: Any, name: str) -> None:
    """One took the place of another, or of the numbers of the rounds."""
    with pytest.raises(MeasurementError, match=f"two columns would be called {name}: give the"):
        amoebot.measure(amoebot.Simulation("line:3"), given)


def test_measurements_in_a_sweep_have_columns_of_their_own(folder: Path) -> None:
    (folder / "mine.py").write_text("def candidates(simulation):\n    return 0\n")
    for own in (candidates, folder / "mine.py"):
        with pytest.raises(PlanError, match="2 different measurements are called candidates"):
            make_plan({"shapes": "line:3", "measures": ["candidates", own]})
        tables = [{"shapes": "line:3", "measures": one} for one in ("candidates", own)]
        with pytest.raises(PlanError, match="2 different measurements are called candidates"):
            make_plan({"sweep": tables})


def looks_ahead(simulation: amoebot.Simulation) -> float:
    move = simulation.next_move
    return 0 if move is None else simulation.what_if(move[0])[0]["leader"].sum()


def test_a_measurement_may_look_ahead() -> None:
    looked, plain = (amoebot.Simulation(SHAPE, seed=1) for _ in range(2))
    frame = amoebot.measure(looked, ["candidates", looks_ahead])
    assert frame.select("round", "candidates").equals(amoebot.measure(plain, ["candidates"]))


def test_shapes_may_be_objects() -> None:
    paired = amoebot.shapes.hexagon(1).with_expanded(0.6, seed=1)
    table = sweep({"shapes": [SHAPE, paired], "seeds": 2}).collect()
    assert table["shape"][0] == "hexagon:1"
    expected = [amoebot.elect(paired, seed).rounds for seed in range(2)]
    assert table["rounds"].to_list()[2:] == expected


def test_results_become_a_data_frame_in_one_call() -> None:
    results = [*amoebot.elect_many(SHAPE, range(3))]
    frame = amoebot.frame(results)
    assert frame["seed"].to_list() == [0, 1, 2]
    assert frame["rounds"].to_list() == [result.rounds for result in results]
    assert frame["leader_declared"].to_list() == frame["rounds"].to_list()


def test_a_measurement_sees_the_run_after_each_round() -> None:
    series = collect(amoebot.Simulation(SHAPE, 1), {"rounds": lambda one: one.rounds})
    assert series["rounds"][:3] == [1, 2, 3]


def activate_one_by_one(simulation: amoebot.Simulation) -> tuple[int, int]:
    """Go to the end of the round; return how many were activated, and the outer agents' coins."""
    activated, coins, before = 0, 0, simulation.rounds
    outer = {*simulation.system.particle[: simulation.system.outer_boundary_length].tolist()}
    while simulation.rounds == before and (move := simulation.next_move) is not None:
        coins += len(simulation.coins_ahead(move[0])) if move[0] in outer else 0
        simulation.step()
        activated += 1
    return activated, coins


@pytest.mark.parametrize("shape", ["annulus:3,1", "line:4"])
def test_built_in_measurements_are_what_can_be_counted(shape: str) -> None:
    measured = amoebot.measure(amoebot.Simulation(shape, 1), built_in())
    simulation = amoebot.Simulation(shape, 1)
    length = simulation.system.outer_boundary_length
    activations = coins = 0
    for row in measured.iter_rows(named=True):
        activated, flipped = activate_one_by_one(simulation)
        activations += activated
        coins += flipped
        memory = simulation.memory
        on_the_way = (
            looking.setup_tokens(memory),
            looking.activation_tokens(memory),
            looking.identification_tokens(memory),
        )
        assert (
            row
            == {
                "round": simulation.rounds + bool(simulation.position),  # the last may end early
                "candidates": looking.candidates(memory)[:length].sum(),
                "activations": activations,
                "coins": coins,
                "digit_tokens": looking.digit_tokens_held(memory).sum(),
                "sign_tokens": looking.sign_tokens(memory)[0].sum(),
                "other_tokens": sum(map(np.sum, on_the_way)) + len(looking.stop_tokens(memory)),
            }
        )
    assert simulation.finished
    assert all(measured[name].max() for name in measured.columns)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("measures", "temperature", "there is no measurement 'temperature': choose from cand"),
        ("measures", "no.py", "no.py: no such file or directory"),
        ("schedulers", "no.py", "no.py: no such file or directory"),
        ("schedulers", "nobody", "there is no scheduler 'nobody'"),
        ("faults", "melt 3@1", "'melt 3@1' is not a fault"),
        ("faults", 3, "faults = 3 must be text"),
        ("seeds", [1, 2], "seeds \\[1, 2\\] is not a whole number from 1 to 1000000000"),
        ("first_seed", [1], "first_seed \\[1\\] is not a whole number from 0 to"),
        ("max_rounds", [10], "max_rounds \\[10\\] is not a whole number from 1 to"),
        ("seeds", 10**30, "is not a whole number from 1 to 1000000000"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_a_true_sentence(
    key: str, value: object, words: str
) -> None:
    with pytest.raises(PlanError, match=words):
        make_plan({"shapes": "line:3", key: value})


def test_a_measurement_that_fails_says_so() -> None:
    with pytest.raises(MeasurementError, match=r"failed: test_own\.py, line \d+: Zero"):
        amoebot.measure(amoebot.Simulation(SHAPE), [lambda simulation: 1 // 0])


def test_a_cluster_without_a_port_is_refused_at_once(folder: Path) -> None:
    results = folder / "results"
    answer = ask("sweep", str(folder / "plan.toml"), "-o", str(results), "--on", "nonsense")
    check_refusal(answer)
    assert "'nonsense' is not the address of a scheduler" in answer.err
    assert not results.exists()


#: What takes long in making a picture, by the command, and the file.
RENDERING = {
    ("draw line:2", "x.svg"): "amoebot.cli.commands.draw.go_to",
    ("draw line:2 --space-time", "x.pdf"): "amoebot.render.space_time_figure.save",
    ("film line:2", "x.gif"): "amoebot.cli.commands.film.go_to",
    ("film line:2", "x.html"): "amoebot.cli.commands.film.go_to",
}


@pytest.mark.parametrize(("command", "name"), RENDERING)
def test_pictures_check_the_folder_before_they_are_made(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def render(*given: Any) -> None:
        raise BadInput("rendering has begun")

    monkeypatch.setattr(RENDERING[command, name], render)
    for folder, words in (tmp_path / "missing", "there is no folder"), (tmp_path, "has begun"):
        refused = ask(*command.split(), "-o", str(folder / name))
        check_refusal(refused)
        assert words in refused.err


@pytest.mark.parametrize(("command", "name"), RENDERING)
def test_pictures_say_what_they_wrote(command: str, name: str, tmp_path: Path) -> None:
    answer = ask(*command.split(), "-o", str(tmp_path / name))
    assert answer.status == 0
    assert answer.out.startswith(f"{tmp_path / name}: ")
    assert (tmp_path / name).stat().st_size > 0
