"""Schedulers of one's own: iterables, functions that react, and files."""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import Simulation, cli, elect, elect_many, shapes
from amoebot.browser import live
from amoebot.errors import SchedulerError
from amoebot.linking import link
from amoebot.scheduler import as_scheduler
from helpers import moments
from helpers.command import ask, check_refusal

SHAPE = shapes.hexagon(2)

LOWEST_FIRST = "def scheduler(simulation):\n    return min(simulation.waiting)\n"


def lowest_first(simulation: Simulation) -> int:
    return min(simulation.waiting)


def again_and_again(simulation: Simulation) -> Iterator[int]:
    while True:
        yield from range(simulation.system.particles)


def moving(simulation: Simulation) -> Iterator[int]:
    yield 0
    simulation.round()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lowest.py"
    path.write_text(LOWEST_FIRST)
    return path


@pytest.mark.parametrize("scheduler", [lowest_first, again_and_again])
def test_a_function_that_repeats_a_scheduler_gives_the_same_run(scheduler: object) -> None:
    own = Simulation(SHAPE, 3, scheduler)  # type: ignore[arg-type]
    named = Simulation(SHAPE, 3, "round-robin")
    result, other = own.run(), named.run()
    assert result.scheduler == getattr(scheduler, "__name__", "")
    assert (result.leader, result.rounds, result.milestones) == (
        other.leader,
        other.rounds,
        other.milestones,
    )
    assert (own.memory == named.memory).all()


def test_many_elections_each_begin_an_iterable_anew() -> None:
    once = itertools.cycle(range(SHAPE.particles))
    rounds = [result.rounds for result in elect_many(SHAPE, range(4), scheduler=once)]
    assert rounds == [elect(SHAPE, seed, lowest_first).rounds for seed in range(4)]


def test_a_function_sees_who_is_still_waiting_in_the_round() -> None:
    seen: list[list[int]] = []

    def highest_first(simulation: Simulation) -> int:
        seen.append(simulation.waiting)
        return simulation.waiting[-1]

    Simulation(shapes.line(3), 1, highest_first).run(max_rounds=2)
    assert seen == [[0, 1, 2], [0, 1], [0]] * 2


def test_who_is_waiting_is_known_under_every_scheduler() -> None:
    simulation = Simulation(shapes.line(3), 1, "round-robin")
    simulation.step()
    assert simulation.waiting == [1, 2]
    simulation.activate(2)
    assert simulation.waiting == [1]


def test_a_run_by_a_function_can_be_rewound_and_saved(tmp_path: Path) -> None:
    def hindering(simulation: Simulation) -> int:
        """Choose, by looking ahead, somebody who does nothing."""
        now = simulation.memory.tobytes()
        waiting = simulation.waiting
        idle = (one for one in waiting if simulation.what_if(one)[0].tobytes() == now)
        return next(idle, waiting[0])

    simulation = Simulation(shapes.line(3), 1, hindering)
    simulation.goto(9)
    then = moments.contents(simulation)
    simulation.goto(4)
    simulation.goto(9)
    assert moments.contents(simulation) == then
    simulation.save(tmp_path / "run.json")
    replayed = amoebot.load(tmp_path / "run.json")
    replayed.goto(9)
    assert moments.contents(replayed) == then


@pytest.mark.parametrize(
    ("scheduler", "words"),
    [
        (itertools.repeat(0), "is not fair: it has left out particle 1 and 1 more in the last"),
        (lambda simulation: 1, "is not fair: it has left out particle 0 and 1 more in the last"),
        (
            lambda simulation: 1 // simulation.rounds,
            r"failed: test_scheduler\.py, line .*: ZeroDivisionError",
        ),
        (lambda simulation: simulation.step(), "the scheduler <lambda> moves the simulation: it m"),
        (lambda simulation: simulation.run(), "<lambda> moves the simulation: it may only look"),
        (lambda simulation: simulation.activate(0) or 0, "<lambda> moves the simulation"),
        (lambda simulation: simulation.crash(0) or 0, "<lambda> moves the simulation"),
        (lambda simulation: simulation.follow([0, 1, 2] * 9) or 0, "<lambda> moves the simulation"),
        (
            lambda simulation: (simulation.position and simulation.goto(0)) or 0,
            "<lambda> moves the simulation: it may only look",
        ),
        (moving, "the scheduler moving moves the simulation: it may only look"),
        (eval("lambda simulation: 1 // 0"), r"failed: <string>, line 1: ZeroDivisionError"),
        (lambda simulation: sys.exit(0), r"failed: test_scheduler\.py, line .*: SystemExit: 0"),
        (lambda simulation: None, "the scheduler <lambda>: there is no particle None: .* a return"),
        (lambda simulation: [], "has named 3,000 times in a row nobody who can be activated"),
        ({}, "a scheduler is a function, or particles in a list, and not {}"),
        ({0, 1, 2}, "a scheduler is a function, or particles in a list, and not {0, 1, 2}"),
        ([], "a scheduler needs at least one particle to activate"),
        (np.array(5), r"and not array\(5\)"),
        ([0, 1, 2.5], "there is no particle 2.5: they are numbered 0 to 2"),
        (b"permutation", "particles in a list, and not b'permutation'"),
        (bytearray(3), "particles in a list, and not bytearray"),
        (7, "there is no scheduler 7: choose from permutation"),
        ("nothing.py", "nothing.py: no such file or directory"),
    ],
)
def test_a_scheduler_that_cannot_be_is_refused_with_one_sentence(
    scheduler: object, words: str
) -> None:
    with pytest.raises(SchedulerError, match=words):
        elect(shapes.line(3), scheduler=scheduler)  # type: ignore[arg-type]


def test_a_run_file_never_runs_the_scheduler_that_it_names(file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    options = f'{{"scheduler": {str(file)!r}}}'.replace("'", '"')
    run.write_text(f'{{"shape": "line:3", "options": {options}}}')
    with pytest.raises(ValueError, match="there is no scheduler"):
        amoebot.load(run)


def test_commands_take_a_file(file: Path) -> None:
    asked = ["elect", "hexagon:2", "--seed", "3", "--json", "--scheduler"]
    own, named = ask(*asked, str(file)).json, ask(*asked, "round-robin").json
    assert own.pop("scheduler") == "lowest"
    assert named.pop("scheduler") == "round-robin"
    assert own == named


#: A call of each command that has ``--scheduler`` and ends by itself.
SCHEDULED = {
    "elect": "elect line:3",
    "draw": "draw line:3 -o {}/end.svg",
    "film": "film line:3 --rounds 2 -o {}/film.gif",
    "compare": "compare line:3 --seeds 1 --algorithms improved",
    "live": "live line:3 -o {}/live.html",
}


@pytest.mark.parametrize("command", SCHEDULED)
def test_every_command_with_a_schedule_takes_a_file(
    command: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    file.write_text(
        "from pathlib import Path\n\n\ndef scheduler(simulation):\n"
        f"    Path({str(asked)!r}).touch()\n    return min(simulation.waiting)\n"
    )
    monkeypatch.setattr(live, "packed", lambda *given: "")  # it takes long to build an engine
    call = SCHEDULED[command].format(tmp_path).split()
    assert ask(*call, "--scheduler", str(file)).status == 0
    assert asked.exists()


def test_every_command_with_a_schedule_is_tried() -> None:
    names = [command.__name__ for command in cli.COMMANDS]
    scheduled = {name for name in names if "--scheduler" in ask(name, "--help").out}
    assert scheduled == {*SCHEDULED, "view"}  # which goes on until somebody ends it


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import itertools\nscheduler = itertools.repeat(0)\n", "is not fair"),
        (
            "import itertools\ndef scheduler(simulation):\n    return itertools.repeat(0)\n",
            "numbered 0 to 2; to activate all that it gives, write yield from",
        ),
        ("def scheduler(simulation):\n    return 1 // 0\n", "lowest.py, line 2: ZeroDivisionError"),
        ("def scheduler(simulation):\n    return {}[7]\n", "lowest.py, line 2: KeyError: 7"),
        (
            "scheduler = 5\n",
            "lowest.py: a scheduler is a function, or particles in a list, and not 5",
        ),
        ("scheduler = []\n", "lowest.py: a scheduler needs at least one particle to activate"),
        ("def schedule(simulation):\n    return 1\n", "it defines no function called scheduler"),
        ("def scheduler(\n", "line 1"),
        ("raise BaseException('x')\n", "lowest.py, line 1: BaseException: x"),
        ("raise GeneratorExit\n", "lowest.py, line 1: GeneratorExit ("),
        (
            "def scheduler(simulation):\n    raise BaseException('x')\n",
            "the scheduler lowest failed: lowest.py, line 2: BaseException: x",
        ),
        (
            "def scheduler(simulation):\n    yield 0\n    raise GeneratorExit\n",
            "the scheduler lowest failed: lowest.py, line 3: GeneratorExit",
        ),
    ],
)
def test_commands_refuse_a_bad_file_with_one_line(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    answer = ask("elect", "line:3", "--scheduler", str(file))
    check_refusal(answer)
    assert words in answer.err


def test_the_end_of_a_schedule_is_told_as_such(file: Path) -> None:
    """It was told as if a limit had been reached."""
    file.write_text("def scheduler(simulation):\n    yield 0\n")
    for more in ((), ("--quiet",)):
        answer = ask("elect", "line:3", "--scheduler", str(file), *more)
        assert answer.status == 1
        assert "No leader yet: the schedule ended in round 1 = " in " ".join(answer.out.split())
    answer = ask("elect", "line:3", "--max-rounds", "1", "--quiet")
    assert "No leader yet: the run was stopped after round 1 = " in answer.out
    simulation = Simulation("line:3", scheduler=[0, 1])
    simulation.run()
    assert simulation.schedule_has_ended
    simulation.goto(0, 1)
    assert not simulation.schedule_has_ended


def in_itself() -> list[Any]:
    """Return a list that has itself as an element."""
    made: list[Any] = [0]
    made.append(made)
    return made


def nobody(simulation: Simulation) -> Iterator[int]:
    yield from ()


@pytest.mark.parametrize("empty", [(k for k in [*range(0)]), iter([]), nobody])
def test_a_schedule_without_particles_is_refused(empty: Any) -> None:
    with pytest.raises(SchedulerError, match="a scheduler needs at least one particle to activate"):
        elect("line:3", scheduler=empty)


@pytest.mark.parametrize(
    "given",
    [
        [1.5],
        (0, 9),
        range(5),
        range(-1, 2),
        np.array([0, 3]),
        np.array([0.0]),
        np.array([[0, 1], [2, 3]]),
        np.array([[[0, 1, 2]]]),
        [0, [1, -1]],
        [0, [1, [2]]],
        [np.array(0)],
        in_itself(),
        ["0"],
    ],
)
def test_particles_that_are_known_beforehand_are_checked_at_once(given: Any) -> None:
    with pytest.raises(SchedulerError, match=r"there is no particle .*: they are numbered 0 to 2"):
        Simulation("line:3", scheduler=given)
    simulation = Simulation("line:3")
    with pytest.raises(SchedulerError, match=r"there is no particle .*: they are numbered 0 to 2"):
        simulation.follow(given)


@pytest.mark.parametrize(
    "given",
    [
        [0, [1, 2]] * 100,
        [[0, 1, 2]] * 100,
        ([0], (1,), range(0), [], np.array([2])) * 100,
        np.array([[0, 1, 2]] * 100),
        np.array([0, [1, 2]] * 100, object),
    ],
)
def test_in_the_place_of_a_particle_there_can_be_several(given: Any) -> None:
    """They were taken at first, and refused when their turn came."""
    flat, nested = Simulation("line:3", 5, [0, 1, 2] * 100), Simulation("line:3", 5, given)
    assert nested.run().outcome == flat.run().outcome == "leader"
    assert nested.activations == flat.activations
    assert moments.contents(nested) == moments.contents(flat)
    followed = Simulation("line:3", 5, [0, 1, 2])
    followed.follow(given)
    followed.step(7)
    assert followed.schedule[:7] == (0, 1, 2) * 2 + (0,)


# Many particles at once, and functions that are compiled.


def in_order(seed: int, rounds: int = 300) -> list[int]:
    """Everyone in a random order, again and again, with some twice."""
    draw, everyone, found = random.Random(seed), [*range(SHAPE.particles)], []
    for _ in range(rounds):
        draw.shuffle(everyone)
        found += everyone[:5] + everyone
    return found


def one_by_one(order: list[int]) -> Iterator[int]:
    yield from order


def in_pieces(pieces: Iterator[object]) -> object:
    return lambda simulation: next(pieces)


FORMS: dict[str, Callable[[list[int]], Any]] = {
    "a list": lambda order: order,
    "a tuple": tuple,
    "an array": np.array,
    "a cycle": itertools.cycle,
    "lists": lambda order: iter([order[:7], order[7:300], [], order[300:]]),
    "by a function": lambda order: in_pieces(iter(np.array(order).reshape(-1, 100))),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("faults", ["", "crash 3@2+4, corrupt 5@3, crash ?@6+1"])
def test_many_particles_at_once_are_the_same_run(form: str, faults: str) -> None:
    order = in_order(1)
    runs = [
        Simulation(SHAPE, 3, scheduler, faults=faults)
        for scheduler in (one_by_one(order), FORMS[form](order))
    ]
    for _ in range(3):
        for run in runs:
            run.step(7)
        assert_equal(*runs)
    for run in runs:
        run.run(60)
    assert_equal(*runs)
    assert runs[0].schedule == runs[1].schedule
    for run in runs:
        run.goto(5, 3)
        run.goto(40)
    assert_equal(*runs)


def assert_equal(one: Simulation, two: Simulation) -> None:
    assert moments.contents(one) == moments.contents(two)
    assert (one.activations, one.waiting) == (two.activations, two.waiting)


HOLDERS_LAST = """
IDLE = 0

def is_idle(world, unit):
    return unit < 0 or world.memory[unit].setup == IDLE

def scheduler(world, waiting):
    found = -1
    for particle in range(len(waiting)):
        if waiting[particle]:
            if is_idle(world, world.first_unit[particle]):
                return particle
            found = particle
    return found
"""


def holders_last(simulation: Simulation) -> int:
    first, setup = simulation.system.first_agent, simulation.memory["setup"]
    waiting = simulation.waiting
    idle = [one for one in waiting if first[one] < 0 or setup[first[one]] == 0]
    return idle[0] if idle else waiting[-1]


NEIGHBOURS = """
def scheduler(world, waiting):
    for particle in range(len(waiting)):
        node = world.nodes[particle, 0]
        if waiting[particle] and world.neighbours[node, 0] >= 0:
            return particle
    for particle in range(len(waiting)):
        if waiting[particle]:
            return particle
    return -1
"""


@pytest.mark.slow
def test_a_function_of_arrays_can_look_at_neighbours(tmp_path: Path) -> None:
    """Both arrays have a row for each node or particle."""
    (tmp_path / "near.py").write_text(NEIGHBOURS)
    run = Simulation(SHAPE, 3, tmp_path / "near.py")
    run.round()
    around = run.system.neighbouring_particles()[run.system.first_nodes(), 0]
    order = [*np.flatnonzero(around >= 0), *np.flatnonzero(around < 0)]
    assert [*run.schedule] == order


@pytest.mark.slow
def test_a_function_of_arrays_is_compiled_and_chooses_the_same(tmp_path: Path) -> None:
    (tmp_path / "last.py").write_text(HOLDERS_LAST)
    for faults in ("", "crash 3@2+4, corrupt 5@3"):
        runs = [
            Simulation(SHAPE, 3, scheduler, faults=faults)
            for scheduler in (holders_last, tmp_path / "last.py")
        ]
        for run in runs:
            run.step(11)
        assert_equal(*runs)
        for run in runs:
            run.run(80)
        assert_equal(*runs)
        assert runs[0].schedule == runs[1].schedule
        for run in runs:
            run.goto(3, 2)
            run.goto(12)
        assert_equal(*runs)


@pytest.mark.slow
@pytest.mark.compiled
def test_whatever_whole_number_a_compiled_function_returns_the_engine_stays_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "small.py").write_text(HOLDERS_LAST.replace("return found", "return waiting[0]"))
    Simulation(SHAPE, 3, tmp_path / "small.py").round()
    by_hand = link("improved").module("engine.sequential").activate_by_hand
    assert len(by_hand.signatures) <= 1


#: Bodies of functions that write to what they look at, each with what it changes and where.
WRITING = {
    "waiting[0] = 0": "line 3 changes waiting",
    "world.memory[0].leader = 1": "line 3 changes world",
    'world.memory[0]["leader"] = 1': "line 3 changes world",
    "world.memory[0].leader += 1": "line 3 changes world",
    'mine = world.memory[0]\n    mine["leader"] = 1': "line 4 changes mine",
    "for mine in world.memory:\n        mine.leader = 1": "line 4 changes mine",
    "for n, mine in enumerate(world.memory):\n        mine.leader = n": "line 4 changes mine",
    "one, two = world.memory[:2]\n    two.leader = 1": "line 4 changes two",
    "np.asarray(world.memory)[0].leader = 1": "line 3 changes",
    "(mine := world.memory[0]).leader = 1": "line 3 changes",
    "poke(world.memory[0])": "line 7 changes record",
}


@pytest.mark.parametrize("body", WRITING)
def test_a_function_that_writes_to_what_it_looks_at_is_refused_when_it_is_read(
    body: str, tmp_path: Path
) -> None:
    text = f"import numpy as np\ndef scheduler(world, waiting):\n    {body}\n    return 0\n\n"
    (tmp_path / "own.py").write_text(f"{text}def poke(record):\n    record.leader = 1\n")
    words = f"the scheduler own must not change what it looks at: {WRITING[body]}"
    with pytest.raises(SchedulerError, match=words):
        as_scheduler(tmp_path / "own.py")


@pytest.mark.parametrize(
    "body",
    [
        "met = np.zeros(len(waiting))\n    met[0] = 1\n    return 0",
        "mine = waiting.copy()\n    mine[0] = 1\n    return 0",
        "order = np.flatnonzero(waiting)\n    order[0] = 1\n    return order[0]",
        "most = [0]\n    for one in world.memory:\n        most[0] = one.setup\n    return 0",
    ],
)
def test_a_function_may_write_to_what_is_its_own(body: str, tmp_path: Path) -> None:
    text = f"import numpy as np\ndef scheduler(world, waiting):\n    {body}\n"
    (tmp_path / "own.py").write_text(text)
    assert as_scheduler(tmp_path / "own.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1", "is not fair: it has left out particle 0 and 1 more in the last"),
        ("return 7", "there is no particle 7: they are numbered 0 to 2"),
        ("return waiting[3]", "failed: .*IndexError"),
        ("return world.nothing", "Unknown attribute 'nothing'|no attribute 'nothing'"),
    ],
)
def test_a_compiled_function_that_cannot_be_is_refused_with_one_sentence(
    body: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(f"def scheduler(world, waiting):\n    {body}\n")
    answer = ask("elect", "line:3", "--scheduler", str(tmp_path / "own.py"))
    check_refusal(answer)
    assert re.search(words, answer.err)


IN_A_LIST = "ORDER = [0, 1, 2]\n\n\ndef scheduler(world, waiting):\n    return ORDER[0]\n"

ENDLESS = (
    "def down(waiting, one):\n    return down(waiting, one + 1)\n\n\n"
    "def scheduler(world, waiting):\n    return down(waiting, 0)\n"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (IN_A_LIST, r"compiled: own\.py, line 5: scheduler refers to ORDER, which may not stay"),
        (ENDLESS, "compiled: .*line 2: down calls itself: write a loop"),
    ],
    ids=["list", "recursion"],
)
def test_what_a_compiled_function_must_not_do_is_told_with_its_line(
    text: str, words: str, tmp_path: Path
) -> None:
    """A list was told without a file, and as no error of a scheduler's."""
    (tmp_path / "own.py").write_text(text)
    with pytest.raises(SchedulerError, match=words) as refused:
        amoebot.elect("line:3", scheduler=tmp_path / "own.py")
    assert refused.value.__notes__ == ["See amoebot help schedulers"]


def test_a_compiled_function_can_refer_to_constants_of_an_enumeration(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from enum import IntEnum\n\n\nclass State(IntEnum):\n    IDLE = 0\n    DUE = 1\n\n\n"
        "FIRST = State.IDLE\n\n\n"
        "def scheduler(world, waiting):\n"
        "    for particle in range(FIRST, len(waiting)):\n"
        "        if waiting[particle] == State.DUE:\n            return particle\n    return 0\n"
    )
    result = amoebot.elect("line:3", scheduler=tmp_path / "own.py")
    assert result.rounds == amoebot.elect("line:3", scheduler="round-robin").rounds
