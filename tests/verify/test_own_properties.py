"""Properties of one's own, checked beside those of the election."""

from __future__ import annotations

import operator
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amoebot import Simulation, load, shapes
from amoebot.cli import compile_notice
from amoebot.verify import HOLDS, NOT_EXHAUSTED, VIOLATED, verify, watch
from amoebot.verify.user_properties import PropertyError, as_properties
from helpers.command import ask, check_refusal

WHP: dict[str, Any] = {"almost_sure": False, "terminate": False}


def no_leader(world: Any) -> bool:
    """There is no leader."""
    return not world.memory["leader"].any()


def at_most_one_leader(world: Any) -> bool:
    leaders = 0
    for agent in range(len(world.wiring)):
        leaders += world.memory[agent].leader
    return leaders <= 1


def any_of(values: Any) -> bool:
    return bool(values.any())


def calls_a_function(world: Any) -> bool:
    return any_of(world.memory["leader"] < 2)


def cannot_be_compiled(world: Any) -> bool:
    return "leader" in world.memory.dtype.names  # of which the compiler knows nothing


def test_a_property_that_fails_comes_with_a_shortest_schedule(tmp_path: Path) -> None:
    report = verify(shapes.line(2), properties=[at_most_one_leader, no_leader], **WHP)
    assert report.verdicts["There is no leader"] == VIOLATED
    assert report.verdicts["at most one leader"] == NOT_EXHAUSTED
    example = report.counterexample
    assert example is not None
    assert example.property == "There is no leader"
    assert len(example.schedule) == 12
    example.save(tmp_path / "run.json")
    run = load(tmp_path / "run.json")
    for _ in example.schedule[:-1]:
        run.step()
    assert run.leader is None
    run.step()
    assert run.leader is not None


def test_a_property_that_holds_is_said_to_and_needs_no_compiler() -> None:
    own = [at_most_one_leader, calls_a_function, cannot_be_compiled, tagged]
    report = verify(shapes.line(2), properties=own, **WHP)
    assert not report.violated
    assert report.verdicts["calls a function"] == HOLDS
    assert report.verdicts["at most one leader"] == HOLDS
    assert report.verdicts["cannot be compiled"] == HOLDS
    assert report.verdicts["tagged"] == HOLDS


def test_properties_are_watched_after_each_round_of_a_run() -> None:
    simulation = Simulation(shapes.hexagon(1), seed=1)
    result, findings = watch(simulation, properties=[no_leader, cannot_be_compiled])
    assert [finding.holds for finding in findings[-2:]] == [False, True]
    assert findings[-2].measured == f"not after round {result.rounds}"


def random_property(world: Any) -> bool:
    return bool(np.random.rand() < 2)


def writing_property(world: Any) -> bool:
    world.memory["leader"][:] = 0
    return True


def electing_property(world: Any) -> bool:
    me = world.memory[0]
    me.leader = 1
    return True


def noise() -> float:
    return float(np.random.rand())


def noisy_property(world: Any) -> bool:
    return noise() < 2 and len(world.memory) > 0


def forgetful_property(world: Any) -> Any:
    return world.memory["leader"].any


def pairing_property(world: Any) -> Any:
    return len(world.memory), 2


def array_property(world: Any) -> Any:
    return world.memory["leader"] < 2


def failing_property(world: Any) -> bool:
    return bool(world.memory["no such field"].any())


TABLE: Any = np.zeros(3, np.int64)
SEEN: list[int] = []


def setting(world: Any) -> bool:
    operator.setitem(TABLE, 0, TABLE[0] + 1)
    return bool(TABLE[0] < 5)


def putting(world: Any) -> bool:
    put = TABLE.put
    put(0, TABLE[0] + 1)
    return bool(TABLE[0] < 5)


def adding(world: Any) -> bool:
    np.add.at(TABLE, 0, 1)
    return bool(TABLE[0] < 5)


def borrowing() -> Any:
    import numpy as borrowed

    def random(world: Any) -> bool:
        return bool(borrowed.random.rand() < 2)

    return random


TAGS = frozenset({"leader", "frozen"})
CLOCK: Any = np.frompyfunc(lambda x: time.time_ns() % 2, 1, 1)


class Doubled(int):
    """A number with an operator of its own."""

    def __add__(self, other: int) -> int:
        return 2 * other


TWO, PAIR = Doubled(2), (Doubled(2), 1)


def clock(world: Any) -> bool:
    return bool(CLOCK(1))


def doubled(world: Any) -> bool:
    return TWO + 1 > 0


def doubled_in_pair(world: Any) -> bool:
    return PAIR[0] + 1 > 0


def doubled_anew(world: Any) -> bool:
    return Doubled(1) + 1 > 0


def tagged(world: Any) -> bool:
    return "leader" in TAGS


def ordering(world: Any) -> bool:
    first, _ = TAGS
    return first == "leader"


def remembering(world: Any) -> bool:
    SEEN.append(len(world.memory))
    return len(SEEN) < 5


def enclosed(tables: Any) -> Any:
    def counting(world: Any) -> bool:
        put = tables[0].put
        put(0, 1)
        return bool(tables[0][0] < 5)

    return counting


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (setting, r"line \d+: setting uses operator\.setitem, and a property changes nothing"),
        (putting, r"putting failed: test_own_properties\.py, line \d+: .*read-only"),
        (adding, r"line \d+: adding uses np\.add\.at, and a property changes nothing"),
        (enclosed((TABLE,)), r"counting failed: test_own_properties\.py, line \d+: .*read-only"),
        (enclosed([TABLE]), "counting refers to tables, which may not stay the same"),
        (borrowing(), r"line \d+: random uses borrowed\.random, and whether a property holds is"),
        (ordering, r"line \d+: ordering uses a set, whose order may differ from run to run"),
        (clock, r"line \d+: clock uses CLOCK, and whether a property holds is decided by"),
        (doubled, r"line \d+: doubled uses TWO, of a class that is not Python's or NumPy's"),
        (doubled_in_pair, r"line \d+: doubled_in_pair uses PAIR, and whether a property holds"),
        (doubled_anew, r"line \d+: doubled_anew uses Doubled, a class that is not Python's or"),
        (remembering, "remembering refers to SEEN, which may not stay the same"),
    ],
)
def test_a_property_changes_nothing_even_if_its_source_does_not_show_it(
    given: Any, words: str
) -> None:
    with pytest.raises(PropertyError, match=words):
        watch(Simulation(shapes.line(2)), properties=[given])
    assert not TABLE.any()
    assert not SEEN


def also_no_leader(world: Any) -> bool:
    """There is no leader."""
    return True


def two_leaders(world: Any) -> bool:
    """Never two leaders."""
    return True


def always_elects(world: Any) -> bool:
    """every fair schedule elects with probability one"""
    return True


@pytest.mark.parametrize(
    "given", [[no_leader, also_no_leader], [two_leaders], [always_elects], [no_leader, no_leader]]
)
def test_a_property_has_a_line_of_its_own_in_reports(given: Any) -> None:
    """It took the line of another one, and so hid its verdict."""
    with pytest.raises(PropertyError, match=r"there is a property called '.*' already"):
        verify("line:2", properties=given, **WHP)
    with pytest.raises(PropertyError, match=r"there is a property called '.*' already"):
        watch(Simulation(shapes.line(2)), properties=given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (random_property, "uses np.random, and whether a property holds is decided by the records"),
        (noisy_property, "noise uses np.random, and whether a property holds is decided by"),
        (writing_property, "must not change what it looks at: line .* changes world"),
        (electing_property, "must not change what it looks at: line .* changes me"),
        (failing_property, r"failed: test_own_properties\.py, line \d+: .*no such field"),
        (forgetful_property, "forgetful_property failed: .*which is neither true nor false"),
        (pairing_property, r"pairing_property must return a number or a truth value, not \("),
        (array_property, "array_property failed: .*which is neither true nor false"),
        (lambda one, two: True, "must be a function of one argument"),
        (7, "a property is a function, not 7"),
    ],
)
def test_what_is_no_property_is_refused_with_one_sentence(given: Any, words: str) -> None:
    with pytest.raises(PropertyError, match=words):
        watch(Simulation(shapes.line(2)), properties=[given])


def test_the_functions_of_a_world_in_a_file_are_properties(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def helper(memory):\n    return memory\n\n"
        "def no_leader(world):\n    return not helper(world.memory)['leader'].any()\n"
    )
    assert [one.sentence for one in as_properties(file)] == ["no leader"]
    answer = ask("elect", "line:2", "--check", "--quiet", "--properties", str(file))
    assert answer.status == 1
    assert "no leader" in answer.out
    file.write_text("x = 1\n")
    check_refusal(ask("verify", "line:2", "--properties", str(file)))
    check_refusal(ask("elect", "line:2", "--properties", str(file)))


def test_what_is_wrong_with_a_property_in_a_file_is_told_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for text, words in {
        "    return world.memory['nothing'].any()": "mine.py, line 2: ",
        "    world.memory['leader'] = 1\n    return True": "mine.py: the property holds must not",
        "    return hash(world)": "mine.py: line 2: holds uses hash",
        "    if len(world.memory):\n        raise GeneratorExit\n    return True": "GeneratorExit",
        "    return True\n\nraise BaseException('x')": "mine.py, line 4: BaseException: x",
    }.items():
        file.write_text(f"def holds(world):\n{text}\n")
        answer = ask("elect", "line:2", "--check", "--properties", str(file))
        check_refusal(answer)
        assert words in answer.err


def test_a_property_that_never_held_is_told_without_a_schedule(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def never(world):\n    return len(world.memory) == 0\n")
    own = ("--properties", str(tmp_path / "mine.py"), "-o", str(tmp_path / "run.json"))
    answer = ask("verify", "line:2", "--whp", *own)
    assert answer.status == 1
    assert 'Against "never", before the first activation.' in answer.out


@pytest.mark.compiled
def test_what_is_compiled_to_explain_a_counterexample_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def never(world):\n    return len(world.memory) == 0\n")
    own = ("--properties", str(tmp_path / "mine.py"), "-o", str(tmp_path / "run.json"), "--force")
    ask("verify", "line:2", "--whp", *own)
    monkeypatch.setattr(compile_notice, "SHORT", 0.0)
    answer = ask("verify", "line:2", "--whp", *own)  # its own functions are compiled each time
    assert answer.err.startswith("Compiled small functions")


@pytest.mark.slow
def test_a_report_is_never_lost_and_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def no_leader(world):\n    return not world.memory['leader'].any()\n"
    )
    verify = ["verify", "line:2", "--whp", "--properties", str(tmp_path / "mine.py"), "-o"]
    shape = tmp_path / "ring.txt"
    shape.write_text("o o\n")
    refused = ask(*verify, str(shape))
    check_refusal(refused)
    assert "ring.txt exists: choose another name, or add --force" in refused.err
    assert shape.read_text() == "o o\n"
    assert ask(*verify, str(shape), "--force").status == 1
    assert "schedule" in shape.read_text()
    lost = ask(*verify, str(tmp_path / "missing" / "run.json"))
    assert lost.status == 2
    assert 'Against "no leader"' in lost.out
    assert "written to" not in lost.out
    assert lost.err.endswith("run.json: no such file or directory\n")
