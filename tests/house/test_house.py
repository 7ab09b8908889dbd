"""The house knows no election by name: a new one is a file, and everything works with it."""

from __future__ import annotations

import re
import shutil
import tomllib
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import pytest

import amoebot
from amoebot import runs, shapes
from amoebot.algorithms import registry
from amoebot.algorithms.description import Course
from amoebot.algorithms.interface import View
from amoebot.algorithms.records import Record, fields
from amoebot.cache import is_excluded
from amoebot.render import picture
from amoebot.viewer.session import Session
from helpers.command import ask
from helpers.pages import ROOT

SOURCE = ROOT / "src" / "amoebot"

#: Words of the improved election. Whole numbers have digits too, and so do texts.
WORDS = re.compile(
    r"almost.sure|\bradi(x|ces)\b|\bdigits?\b|_digits?\b|solitude|stop.?token|second.algorithm",
    re.IGNORECASE,
)
DIGITS_OF_NUMBERS = re.compile(r"too many digits|lose digits|as many digits|ten digits")

#: Who may use them: the elections, and what is about the paper.
ROOMS_OF_THE_PAPER = ("algorithms", "reproduction")


#: Names that elections give to things and that are ordinary words as well: others may say them.
ORDINARY = {
    *("activation", "active", "agents", "angle", "back", "carried", "coin", "coins", "comparison"),
    *("covered", "created", "drawn", "frozen", "full", "head", "heading", "held", "lane", "lead"),
    *("leader", "marked", "negative", "passive", "phase", "positive", "published", "result"),
    *("returning", "reversed", "role", "second", "segments", "setup", "stage", "state", "states"),
    *("stop", "stuck", "tokens", "turn", "verification", "x", "y"),
}

#: Where a name is one even if it is an ordinary word: a field of memories (``leader`` is
#: everybody's), a layer to draw, a variant of an election.
FIELD = r"""memory(?:\[[^]"']*\])?(?:\[["']|\.)(?!leader\b)(?:{})\b"""
LAYER = r"--(?:show|hide) (?:{})\b"
VARIANT = r"\b(?:{}):[a-z]"

#: What people type to try a command: an example names an election, or a preset of the default one.
EXAMPLE = re.compile(r"^ +amoebot \w+ ")


def names_of_elections() -> set[str]:
    """Return what the elections declare: options, presets, layers, milestones, outcomes, fields."""
    found: set[str] = set()
    for algorithm in registry.built_in():
        election = registry.find(algorithm)
        found |= {option.name for option in registry.options_of(algorithm)}
        found |= {preset.name for preset in registry.presets_of(algorithm)}
        found |= {layer.id for layer in election.provides("pictures", "PICTURES").layers}
        found |= {outcome.name for outcome in election.outcomes.values()}
        found |= {*election.course.milestones, *field_names(election.provides("memory", "Memory"))}
    return found - {registry.TERMINATE.name, *Course((), ()).milestones, *field_names(View)}


def field_names(record: type[Record]) -> set[str]:
    """Return the names of all fields, and of those within them."""
    inner = (field_names(field.record) for field in fields(record) if field.record)
    return {field.name for field in fields(record)}.union(*inner)


@cache
def pattern() -> re.Pattern[str]:
    """Return what a line looks like that knows one of these names."""
    names = names_of_elections()
    known, peculiar, elections = (
        "|".join(map(re.escape, some)) for some in (names, names - ORDINARY, registry.built_in())
    )
    word = rf"(?<![\w-])(?:--)?(?:{peculiar})(?![\w-])"
    parts = (word, FIELD.format(known), LAYER.format(known), VARIANT.format(elections))
    return re.compile("|".join(parts))


def uses(line: str) -> bool:
    """Whether a line of a source knows a name of an election."""
    text = DIGITS_OF_NUMBERS.sub("", line)
    return not EXAMPLE.match(line) and pattern().search(text) is not None


def test_nothing_outside_algorithms_has_names_of_an_election() -> None:
    assert names_of_elections() > ORDINARY  # no word is excused without need
    found = [
        f"{file.relative_to(SOURCE)}:{number}: {line.strip()}"
        for file in sources()
        if file.relative_to(SOURCE).parts[0] not in ROOMS_OF_THE_PAPER
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if uses(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        'help="Needs --whp."',
        "such as ``improved:whp``",
        "such as ``improved:full``",
        "the election was no-candidates",
        'milestones.get("candidates_set_up")',
        'simulation.memory["drawn"].all()',
        "world.memory[unit].stop",
        "hexagon:4 --round 9 --hide tokens",
        "if me.announced_waiting:",
        "if options.repaired:",
    ],
)
def test_such_names_are_noticed(line: str) -> None:
    assert uses(line)


def test_ordinary_words_are_not_such_names() -> None:
    for line in ("memory[unit].leader", "watch.leader = 1", "its state: done", "x: y", "stop()"):
        assert not uses(line), line


def sources() -> list[Path]:
    return [file for file in sorted(SOURCE.rglob("*")) if file.is_file() and file.suffix != ".pyc"]


def test_nothing_outside_algorithms_knows_the_improved_election() -> None:
    found = [
        f"{file.relative_to(SOURCE)}:{number}: {line.strip()}"
        for file in sources()
        if file.relative_to(SOURCE).parts[0] not in ROOMS_OF_THE_PAPER
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if WORDS.search(DIGITS_OF_NUMBERS.sub("", line))
    ]
    assert found == []


def test_the_words_are_noticed() -> None:
    for line in ("me.reversed_digit", "almost_sure=True", "the stop token", "--almost-sure"):
        assert WORDS.search(line), line


def test_imports_are_not_hidden_in_strings() -> None:
    """Late imports are statements, which the contract of the layers sees."""
    hidden = [
        str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        if re.search(r"""import_module\(f?["']amoebot""", file.read_text(encoding="utf-8"))
    ]
    assert hidden in ([], ["linking/rules.py"])  # which looks for the rules of an election


def rooms() -> set[str]:
    """Return the packages and modules of the house."""
    inside = {path.stem for path in SOURCE.iterdir() if path.is_dir() or path.suffix == ".py"}
    return {name for name in inside if not name.startswith("__")}


def test_every_room_has_a_layer() -> None:
    """A module that no layer has could import anything."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = " ".join(contracts["contracts"][0]["layers"])
    assert {*re.findall(r"amoebot\.(\w+)", layers)} == rooms()


def test_contributing_shows_every_room() -> None:
    house = (ROOT / "CONTRIBUTING.md").read_text().partition("## The house")[2].partition("## ")[0]
    shown = [line.split("|")[1] for line in house.splitlines() if line.startswith("| `")]
    assert {*re.findall(r"`(\w+)`", " ".join(shown))} == rooms()


def test_the_digest_of_sources_leaves_out_no_more_than_it_says() -> None:
    """A module of another room may have the name of one that is left out."""
    assert is_excluded(PurePath("algorithms/improved/words.py"))
    assert is_excluded(PurePath("viewer/session.py"))
    for place in (
        "engine/words.py",
        "algorithms/improved/pictures.py",
        "shapes/errors.py",
        "algorithms/cli/activation.py",
    ):
        assert not is_excluded(PurePath(place)), place


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An election that is no part of the package."""
    file = tmp_path_factory.mktemp("toy") / "line_coins.py"
    shutil.copy(Path(__file__).parent / "toy_election.py", file)
    assert len(file.read_text().splitlines()) < 80
    return str(file)


@pytest.mark.slow
def test_a_toy_elects(toy: str) -> None:
    result = amoebot.elect(shapes.line(7), seed=3, algorithm=toy)
    assert (result.outcome, result.leaders) == ("leader", 1)
    assert result.candidates[0][1] <= 7
    assert result.candidates[-1][1] == 1
    assert result.rounds_terminated is not None
    assert amoebot.elect(shapes.line(7), seed=3, algorithm=toy, sides=6).rounds > 0
    with pytest.raises(ValueError, match="sides 7 is not a whole number from 2 to 6"):
        amoebot.elect(shapes.line(7), algorithm=toy, sides=7)


@pytest.mark.slow
def test_a_toy_is_rewound_and_saved(toy: str, tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.line(9), 5, algorithm=toy)
    simulation.goto(6)
    then = simulation.memory.copy()
    simulation.run()
    simulation.goto(6)
    assert (simulation.memory == then).all()
    simulation.save(tmp_path / "run.json")
    with pytest.raises(ValueError, match="give it too"):
        amoebot.load(tmp_path / "run.json")
    again = amoebot.load(tmp_path / "run.json", algorithm=toy)
    again.goto(6)
    assert (again.memory == then).all()


@pytest.mark.slow
def test_a_toy_is_verified(toy: str) -> None:
    report = amoebot.verify.verify(shapes.line(3), algorithm=toy)
    assert report.exhausted
    assert not report.violated
    assert "somebody is left" in report.verdicts


@pytest.mark.slow
def test_a_toy_with_a_broken_rule_is_caught(toy: str) -> None:
    rules = amoebot.Rules.parse(BROKEN, "hasty", algorithm=toy)
    report = amoebot.verify.verify(shapes.line(3), algorithm=toy, rules=rules)
    assert report.violated
    assert report.counterexample is not None


#: Whoever is at the end withdraws, though it may be the last one.
BROKEN = """
from amoebot.algorithms.interface import DECLARED, FIRST_OWN_EVENT, NO_COIN

def activate(me, around, view, coins, options):
    if me.withdrawn or me.leader or coins[0] == NO_COIN:
        return 0
    if coins[0] == 0:
        me.withdrawn = 1
        return FIRST_OWN_EVENT
    me.leader = 1
    return DECLARED
"""


@pytest.mark.slow
def test_a_toy_is_swept(toy: str) -> None:
    plan = {"shapes": "line:3..5", "algorithms": [toy], "sides": [2, 3], "seeds": 4}
    table = amoebot.sweeps.sweep(plan).collect()
    assert table.height == 3 * 2 * 4
    assert set(table["outcome"]) == {"leader"}
    assert set(table["sides"]) == {2, 3}


@pytest.mark.slow
def test_a_toy_is_drawn(toy: str, tmp_path: Path) -> None:
    simulation = amoebot.Simulation(shapes.line(5), 1, algorithm=toy)
    simulation.goto(3)
    assert "<svg" in picture(simulation)
    assert ask("draw", "line:5", "--algorithm", toy, "-o", str(tmp_path / "toy.png")).status == 0
    assert (tmp_path / "toy.png").stat().st_size > 1000


@pytest.mark.slow
def test_a_toy_is_viewed(toy: str) -> None:
    session = Session(runs.of(amoebot.Simulation(shapes.line(5), 1, algorithm=toy)))
    try:
        stage = session.answer({"do": "stage"})
        assert isinstance(stage, bytes)
        assert b"withdrawn" in stage
        frame: Any = session.answer({"do": "step", "rounds": 2})
        assert isinstance(frame, bytes)
        deeds: Any = session.answer({"do": "what_if", "particle": 0})
        assert deeds["kind"] == "what_if"
    finally:
        session.close()


@pytest.mark.slow
def test_a_toy_on_the_command_line(toy: str) -> None:
    answer = ask("elect", "line:6", "--algorithm", toy, "-O", "sides=3", "--json").json
    assert (answer["outcome"], answer["sides"]) == ("leader", 3)
