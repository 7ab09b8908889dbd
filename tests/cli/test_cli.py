"""The command line: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import cli
from amoebot.algorithms import registry
from amoebot.algorithms.records import fields, layout
from amoebot.algorithms.termination import Particle
from amoebot.cli import account, progress
from helpers.command import FOR_PROGRAMS, ask

#: Elections on rings and on nodes.
ELECTIONS = ("improved", "erosion", "segments-2015")

#: What users of ``--json`` rely on.
CONTRACT = {
    "outcome",
    "leader",
    "rounds",
    "rounds_terminated",
    "particles",
    "agents",
    "outer_boundary_length",
    "inner_boundaries",
    "milestones",
}

LARGE = ("hexagon:30", "swiss:12,0.3", "tree:400")


def seed_with(outcome: str, shape: str, **options: Any) -> str:
    """Return a seed whose run of Section 2 alone ends like this."""
    options |= {"almost_sure": False, "terminate": False}
    for seed in range(200):
        if amoebot.elect(amoebot.shapes.parse(shape), seed, **options).outcome == outcome:
            return str(seed)
    raise AssertionError(f"no seed below 200 ends in {outcome}")


# Elections.


def test_an_election_is_told_from_the_shape_to_the_leader() -> None:
    answer = ask("elect", "annulus:5,2", "--seed", "7")
    result = amoebot.elect(amoebot.shapes.annulus(5, 2), seed=7)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.count("★") == 2  # in the picture and before the outcome
    assert f"L = {result.outer_boundary_length}" in answer.out
    assert f"1, of length {result.inner_boundary_lengths[0]}" in answer.out
    told = answer.out.lower()
    for name, number in result.milestones.items():
        assert (name.replace("_", " ") in told) == (number is not None)
    assert account.outcome_of(result) in " ".join(answer.out.split())


def test_the_outcome_names_the_leader_and_its_round() -> None:
    result = amoebot.elect(amoebot.shapes.hexagon(3), seed=1)
    ((x, y),) = result.leader or ()
    lengths = result.rounds / result.outer_boundary_length
    assert ask("elect", "hexagon:3", "--seed", "1", "--quiet").out == (
        f"The particle at ({x}, {y}) is the leader, "
        f"declared in round {result.rounds} = {lengths:.2f} L.\n"
    )


def test_an_expanded_leader_has_two_nodes(tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    file.write_text('{"nodes": [[0, 0], [1, 0]], "expanded": [[[0, 0], [1, 0]]]}')
    answer = ask("elect", str(file))
    assert answer.status == 0
    assert "The particle at (0, 0) and (1, 0) is the leader" in answer.out


@pytest.mark.parametrize(
    "shape",
    [
        "line:1",
        "line:2",
        "swiss:5,0.3",
        *(pytest.param(s, marks=pytest.mark.compiled) for s in LARGE),
    ],
)
def test_any_shape_can_be_shown(shape: str) -> None:
    assert ask("elect", shape).status == 0
    assert ask("shapes", shape).status == 0


def test_json_is_the_result_and_nothing_else() -> None:
    answer = ask("elect", "hexagon:4", "--seed", "3", "--json")
    result = amoebot.elect(amoebot.shapes.hexagon(4), seed=3)
    assert (answer.status, answer.err) == (0, "")
    assert answer.json == json.loads(json.dumps(result.as_dict()))
    assert set(answer.json) >= CONTRACT
    course = registry.find(result.algorithm).provides("course", "COURSE")
    assert tuple(answer.json["milestones"]) == course.milestones
    assert isinstance(answer.json["leader"][0], list)


def test_options_reach_the_run() -> None:
    options = {"seed": 5, "scheduler": "uniform", "radix": 3}
    arguments = [f"--{name}={value}" for name, value in options.items()]
    answer = ask("elect", "random:40,1", "--shape-seed=9", "--whp", "--json", *arguments)
    assert {name: answer.json[name] for name in options} == options
    shape = amoebot.shapes.random(40, 1, seed=9)
    result = amoebot.elect(shape, almost_sure=False, terminate=False, **options)  # type: ignore[arg-type]
    assert answer.json == json.loads(json.dumps(result.as_dict()))


@pytest.mark.slow
def test_the_account_says_which_algorithm_ran() -> None:
    for algorithm in ELECTIONS:
        told = " ".join(
            ask("elect", "hexagon:2", "--algorithm", algorithm, "--no-terminate").out.split()
        )
        assert registry.find(algorithm).title in told
        assert "--no-terminate" in told
    seed = seed_with("leader", "hexagon:2")
    told = " ".join(ask("elect", "hexagon:2", "--whp", "--seed", seed).out.split())
    assert "--no-almost-sure --radix 16 --no-terminate" in told


@pytest.mark.parametrize("algorithm", ELECTIONS)
def test_any_election_can_be_run(algorithm: str) -> None:
    answer = ask("elect", "hexagon:3", "--seed", "3", "--algorithm", algorithm, "--json")
    result = amoebot.elect(amoebot.shapes.hexagon(3), 3, algorithm=algorithm)
    assert answer.status == 0
    assert answer.json == json.loads(json.dumps(result.as_dict()))
    assert answer.json["algorithm"] == algorithm


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ELECTIONS)
def test_any_election_can_be_drawn_and_filmed(algorithm: str, tmp_path: Path) -> None:
    for command, file in ("draw", "moment.svg"), ("film", "film.gif"), ("film", "film.html"):
        output = tmp_path / file
        answer = ask(command, "hexagon:1", "-o", str(output), "--algorithm", algorithm)
        assert answer.status == 0
        assert answer.out.startswith(f"{output}: ")
        assert output.stat().st_size > 1000


def test_how_an_election_can_fail_it_says_itself() -> None:
    answer = ask("elect", "annulus:3,1", "--algorithm", "erosion", "--quiet")
    assert answer.status == 1
    (outcome,) = registry.find("erosion").provides("course", "OUTCOMES").values()
    assert answer.out == f"No leader: {outcome.sentence}. {outcome.advice}\n"


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("no-candidates", "nobody on the outer boundary flipped heads"),
        ("tied-identifiers", "not unique"),
    ],
)
def test_failures_are_told_in_plain_words(outcome: str, words: str) -> None:
    seed = seed_with(outcome, "line:3", radix=2)
    arguments = ("elect", "line:3", "--whp", "--radix", "2", "--seed", seed)
    answer = ask(*arguments)
    assert answer.status == 1
    assert words in " ".join(answer.out.split())
    assert "★" not in answer.out
    machine = ask(*arguments, "--json")
    assert (machine.status, machine.json["outcome"], machine.json["leader"]) == (1, outcome, None)


def test_a_run_can_be_stopped() -> None:
    answer = ask("elect", "hexagon:5", "--max-rounds", "9", "--json")
    assert (answer.status, answer.json["outcome"], answer.json["rounds"]) == (1, "round-limit", 9)
    assert "stopped after round 9" in ask("elect", "hexagon:5", "--max-rounds", "9").out


@pytest.mark.parametrize("algorithm", ELECTIONS)
def test_the_progress_of_a_run_never_goes_back(algorithm: str) -> None:
    simulation = amoebot.Simulation(amoebot.shapes.hexagon(4), algorithm=algorithm)
    seen = [progress.standing(simulation)]
    while not simulation.finished:
        simulation.step()
        seen.append(progress.standing(simulation))
    assert all(a["completed"] <= b["completed"] for a, b in pairwise(seen))
    titles = {phase.title.lower() for phase in simulation.course.phases[:-1]}
    assert {standing["phase"] for standing in seen} <= titles
    assert seen[0]["completed"] == 0
    assert seen[-1]["completed"] == seen[-1]["total"]


def test_progress_without_termination_ends_with_the_leader() -> None:
    simulation = amoebot.Simulation(amoebot.shapes.hexagon(3), terminate=False)
    simulation.run()
    standing = progress.standing(simulation)
    assert standing["completed"] == standing["total"] == simulation.course.termination


# Shapes and memory.


def test_all_generators_are_listed() -> None:
    answer = ask("shapes")
    assert answer.status == 0
    for generator in amoebot.shapes.GENERATORS.values():
        assert generator.signature in answer.out
        assert generator.example in answer.out
    listed = ask("shapes", "--json").json["shapes"]
    assert [shape["name"] for shape in listed] == list(amoebot.shapes.GENERATORS)


def test_a_shape_has_the_numbers_of_its_election() -> None:
    numbers = ask("shapes", "swiss:8,0.3", "--shape-seed", "2", "--json").json
    result = ask("elect", "swiss:8,0.3", "--shape-seed", "2", "--json").json
    assert numbers == {name: result[name] for name in numbers}


@pytest.mark.parametrize("ending", [".txt", ".json"])
def test_a_saved_shape_is_the_same_shape(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"blob{ending}"
    assert ask("shapes", "random:50,2", "--shape-seed", "4", "-o", str(file)).status == 0
    saved, first = amoebot.shapes.parse(file), amoebot.shapes.random(50, 2, seed=4)
    assert len(saved) == len(first)
    assert (saved.nodes - saved.nodes[0]).tolist() == (first.nodes - first.nodes[0]).tolist()


def check_bits(lane: dict[str, Any]) -> None:
    fields = lane["fields"].values()
    assert lane["bits"] == sum(field["bits"] for field in fields)
    for field in fields:
        if "fields" in field:
            check_bits(field)


@pytest.mark.parametrize("algorithm", ELECTIONS)
def test_memory_is_read_off_the_type(algorithm: str) -> None:
    memory = ask("memory", "--algorithm", algorithm, "--json").json
    record = registry.find(algorithm).provides("memory", "Memory")
    for told, kind in (memory, record), (memory["particle"], Particle):
        assert told["bits"] == layout(kind).itemsize * 8
        own = {field.name: field.meaning for field in fields(kind) if field.view_of is None}
        meanings = {name: field["meaning"] for name, field in told["fields"].items()}
        meanings.pop("spare", None)
        assert meanings == own
        check_bits(told)
    assert f"{memory['bits']} bits" in ask("memory", "--algorithm", algorithm).out


def test_views_of_other_fields_are_no_memory() -> None:
    fields = ask("memory", "--json").json["fields"]
    candidacy, second = fields["candidacy"]["fields"], fields["second"]["fields"]
    assert not {"lane", "under_way", "coins"} & {*candidacy, *candidacy["x"]["fields"], *second}
    assert "under_way" not in ask("memory").out


def test_memory_knows_which_options_need_it() -> None:
    memory = ask("memory", "--json").json
    needs = registry.find(registry.DEFAULT).provides("memory", "NEEDS")
    assert needs
    options = {name: field["option"] for name, field in memory["fields"].items()}
    assert {name: option for name, option in options.items() if option} == needs
    assert {field["option"] for field in memory["particle"]["fields"].values()} == {"terminate"}
    told = " ".join(ask("memory", "--whp").out.split())
    for option in set(needs.values()):
        bits = sum(memory["fields"][name]["bits"] for name in needs if needs[name] == option)
        flag = option.replace("_", "-")
        assert f"{bits} of {memory['bits']} bits are for --{flag}" in told
        assert f"--no-{flag} leaves them empty" in told


# Expanded particles.


def test_any_shape_can_have_expanded_particles() -> None:
    shape = amoebot.shapes.random(40, 1, seed=3).with_expanded(0.5, seed=3)
    result = amoebot.elect(shape, seed=2)
    arguments = ("random:40,1", "--shape-seed", "3", "--expanded", "0.5")
    answer = ask("elect", *arguments, "--seed", "2", "--json")
    assert answer.json == json.loads(json.dumps(result.as_dict()))
    assert answer.json["particles"] == 30
    shown = ask("shapes", *arguments).out
    assert "30 particles (10 expanded)" in shown
    assert any(stroke in shown for stroke in "╱─╲")
    assert any(stroke in ask("elect", *arguments).out.partition("Milestone")[0] for stroke in "╱╲")


def test_expanded_particles_of_a_file_stay_unless_others_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "shape.json"
    assert ask("shapes", "hexagon:3", "--expanded", "1", "-o", str(file)).status == 0
    saved = amoebot.shapes.parse(file)
    assert saved == amoebot.shapes.hexagon(3).with_expanded(1)
    assert ask("shapes", str(file), "--json").json["particles"] == saved.particles
    assert ask("shapes", str(file), "--expanded", "0", "--json").json["particles"] == 37


# Help.


COMMANDS = [command.__name__ for command in cli.COMMANDS]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_an_example(command: str) -> None:
    answer = ask(command, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert f"  amoebot {command}" in answer.out.partition("Example")[2]


def test_all_commands_are_listed_with_a_whole_sentence() -> None:
    answer = ask("--help")
    assert "..." not in answer.out.partition("Commands:")[2]
    for command in cli.COMMANDS:
        assert (command.__doc__ or "").partition("\n")[0] in " ".join(answer.out.split())


# For programs to read.


@pytest.mark.slow
@pytest.mark.parametrize("call", FOR_PROGRAMS)
def test_json_is_one_object_and_nothing_else(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text('shapes = "hexagon:2..4"\nseeds = 5\n')
    if call in ("report", "archive"):
        assert ask("sweep", "plan.toml", "-o", "results").status == 0
    answer = ask(*FOR_PROGRAMS[call].split(), "--json")
    assert answer.status == 0
    assert answer.json
    assert not answer.err or answer.err.startswith("Compiled ")


def test_every_command_for_programs_is_tried() -> None:
    with_json = {name for name in COMMANDS if "--json" in ask(name, "--help").out}
    tried = {call.split()[0] for call in FOR_PROGRAMS.values()}
    assert with_json == tried | {"bench"}  # which has tests of its own
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    (without,) = re.findall(r"all but (.*?) have `--json`", readme, re.DOTALL)
    assert {*COMMANDS} - with_json == {*re.findall(r"`(\w+)`", without)}


# Checks.


def test_a_small_system_is_verified() -> None:
    answer = ask("verify", "line:2", "--whp")
    assert answer.status == 0
    assert "505" in answer.out
    assert answer.out.count("✓") == 28
    report = ask("verify", "line:2", "--whp", "--json").json["reports"][0]
    assert report["exhausted"]
    assert report["states"] == 505


def test_a_limit_is_no_pass(tmp_path: Path) -> None:
    answer = ask("verify", "line:3", "--whp", "--max-states", "100")
    assert answer.status == 1
    assert "not exhausted" in answer.out
    assert "nothing is violated" in answer.out
    assert "Fewer states" not in answer.out
    file = str(tmp_path / "run.json")
    crash = ask("verify", "line:3", "--crash", "1", "--max-states", "3000", "-o", file)
    said = " ".join(crash.out.split())
    assert "✗ every fair schedule elects with probability one violated" in said
    assert "nothing else is violated" in said
    assert "what holds in every state without --crash holds with it" in said
    assert "Fewer states: --whp (Section 2 alone" in said
    erosion = ask("verify", "line:4", "--algorithm", "erosion", "--max-states", "3")
    assert "Fewer states: --no-terminate." in erosion.out


def test_all_shapes_up_to_a_size_are_one_table() -> None:
    answer = ask("verify", "--up-to", "2", "--whp")
    assert answer.status == 0
    assert "2 of 2 shapes" in answer.out


def test_checks_have_a_line_for_each_claim() -> None:
    answer = ask("elect", "hexagon:8", "--check")
    assert answer.status == 0
    assert answer.out.count("✓") + answer.out.count("·") >= 8
    assert "Theorem 2" in answer.out
    assert len(ask("elect", "hexagon:8", "--check", "--json").json["checks"]) >= 8


@pytest.mark.parametrize("algorithm", ELECTIONS)
def test_every_election_is_checked_for_one_leader(algorithm: str) -> None:
    answer = ask("elect", "hexagon:3", "--check", "--algorithm", algorithm, "--json")
    assert answer.status == 0
    checks = {check["claim"]: check["holds"] for check in answer.json["checks"]}
    assert checks["Section 1.3: exactly one particle ever declares itself the leader"]


def test_the_account_of_a_run_names_its_faults() -> None:
    """They were not told at all, nor that one came too late for the run."""
    run = ["elect", "hexagon:2", "--seed", "1", "--faults"]
    words = " ".join(ask(*run, "corrupt 0@5, crash ?@1000").out.split())
    assert re.search(r"Faults corrupt 0@5, crash \d+@1000 \(not reached\)", words)
    (late,) = json.loads(ask(*run, "corrupt 0@5, crash ?@1000", "--json").out)["faults_not_reached"]
    assert re.fullmatch(r"crash \d+@1000", late)
    assert "Faults" not in ask("elect", "hexagon:2").out


def test_a_run_in_which_all_have_terminated_is_not_told_to_go_on() -> None:
    answer = ask(
        *("elect", "hexagon:2", "--seed", "1", "--quiet"),
        *("--faults", "corrupt 0.0@5 leader=1", "--max-rounds", "200"),
    )
    assert answer.status == 1
    words = (
        r"No leader: all particles had terminated by round 9 = 0\.75 L, with \d+ candidates left"
    )
    assert re.match(words, answer.out)
