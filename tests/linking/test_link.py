"""Links: copies of the modules that run rules, which refer to each other and share the rest."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot import cache
from amoebot.algorithms import registry, termination
from amoebot.algorithms.interface import PROVIDED
from amoebot.algorithms.registry import ElectionError
from amoebot.linking import Rules, explorer, link
from amoebot.linking.link import Label, label_of
from helpers import interpreted
from helpers.command import ask, check_refusal

PACKAGE = Path(amoebot.__path__[0])


# Relative imports: what a link has a copy of is never imported by its absolute name.


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}
INTERFACE, TERMINATION = "amoebot.algorithms.interface", "amoebot.algorithms.termination"
ELECTIONS = [f"amoebot.algorithms.{name.replace('-', '_')}" for name in registry.built_in()]
SHARED = [  # rules that several elections have, and the records that these work on
    name
    for name, file in FILES.items()
    if re.fullmatch(r"amoebot\.algorithms\.\w+", name)
    and name not in (INTERFACE, TERMINATION, *ELECTIONS)
    and "from amoebot.jit import" in file.read_text()
]
UNBOUND = ("amoebot.engine.names", "amoebot.engine.state")
SUPPLIED = {"MORE_MEMORY", "*"}.union(*PROVIDED.values())  # has another value in each link


def within(module: str, *packages: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def imports(module: str, text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each import that is made when code runs: of where, of what, and if it is relative."""
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                is_package = FILES[module].name == "__init__.py"
                above = module.split(".")[: len(module.split(".")) - node.level + is_package]
                home = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{home}.{alias.name}"
                found = (full, "") if full in FILES else (home, alias.name)
                yield *found, bool(node.level)


def reached(*modules: str) -> set[str]:
    """Return modules of ``verify``, and all others of it that they import, in whichever way."""
    found: set[str] = set()
    waiting = [*modules]
    while waiting:
        module = waiting.pop()
        if module not in found and within(module, "amoebot.verify"):
            found.add(module)
            waiting += [home for home, _, _ in imports(module, FILES[module].read_text())]
    return found - {"amoebot.verify"}


def is_copied(home: str, name: str, bound: set[str]) -> bool:
    """Whether a link has something of its own under this name."""
    if home == INTERFACE:
        return name in SUPPLIED
    if home == TERMINATION:  # its records are the same everywhere
        return not isinstance(getattr(termination, name, None), type)
    if within(home, "amoebot.engine"):
        return home not in UNBOUND
    return (
        within(home, *ELECTIONS, *SHARED) or home in bound or home in ("amoebot", "amoebot.verify")
    )


def bound_to_an_election(modules: set[str]) -> set[str]:
    """Return those modules that depend on what a link has of its own."""
    found: set[str] = set()
    while True:
        more = {
            module
            for module in modules - found
            for home, name, _ in imports(module, FILES[module].read_text())
            if is_copied(home, name, found)
        }
        if not more:
            return found
        found |= more


EXPLORER = reached("amoebot.verify.checker", "amoebot.verify.exact")
BOUND = bound_to_an_election(EXPLORER)
COPIED = sorted(
    {module for module in FILES if within(module, "amoebot.engine", *ELECTIONS, *SHARED)}
    | BOUND
    | {"amoebot.browser.kernel"}
)
COPIED = [module for module in COPIED if module not in UNBOUND]


def absolute(module: str, text: str) -> list[str]:
    """Return what a module imports by its absolute name, and must not."""
    found = [
        f"{home} {name}".strip()
        for home, name, is_relative in imports(module, text)
        if not is_relative and is_copied(home, name, BOUND)
    ]
    # The whole interface is there to make a record longer, as in ``class Watch(interface.Watch)``.
    if any(home == INTERFACE and not name for home, name, _ in imports(module, text)):
        tree = ast.parse(text)
        bases = {
            id(base)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            if ast.unparse(base).endswith(f"interface.{node.name}")
        }
        found += [
            ast.unparse(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and ast.unparse(node.value).endswith("interface")
            and node.attr in SUPPLIED
            and id(node) not in bases
        ]
    return found


def test_the_copied_modules_are_found() -> None:
    verify = {f"amoebot.verify.{name}" for name in ("checker", "explore", "model", "exact")}
    assert verify <= {*COPIED}
    assert {"amoebot.verify.report", "amoebot.verify.seeds"} <= EXPLORER - BOUND
    assert len(SHARED) == 5
    assert {"amoebot.engine.step", "amoebot.algorithms.solitude_verification"} <= {*COPIED}
    assert {f"{ELECTIONS[0]}.memory", f"{ELECTIONS[1]}.course"} <= {*COPIED}


@pytest.mark.parametrize("module", COPIED)
def test_what_a_link_copies_is_imported_relatively(module: str) -> None:
    assert absolute(module, FILES[module].read_text()) == []


@pytest.mark.parametrize("module", [*COPIED, INTERFACE])
def test_no_copy_has_classes_of_its_own_that_machine_code_refers_to(module: str) -> None:
    """Machine code is shared by links: its arguments have to be of the same classes in all."""
    tuples = [
        node.name
        for node in ast.parse(FILES[module].read_text()).body
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases)
    ]
    assert tuples in ([], ["World"] if module == INTERFACE else NEVER_COMPILED.get(module, []))


#: Tuples that are handed to no compiled function, or to none that is kept.
NEVER_COMPILED = {
    "amoebot.browser.kernel": ["Given"],
    "amoebot.verify.checker": ["Problem"],
    "amoebot.verify.counterexample": ["Way"],
    "amoebot.verify.crew": ["Found"],
}

ABSOLUTE = [
    ("engine.step", "from amoebot.engine.observer import observe_activation"),
    ("engine.step", "from amoebot.engine import observer"),
    ("engine.step", "import amoebot.engine.observer"),
    ("engine.step", "import amoebot.engine.observer as watching"),
    ("engine.step", "from amoebot import engine"),
    ("engine.step", "import amoebot"),
    ("engine.step", "from amoebot.algorithms.termination import terminate"),
    ("engine.step", "from amoebot.algorithms import termination"),
    ("engine.step", "from amoebot.algorithms.interface import NO_COIN, activate"),
    ("engine.step", "from amoebot.algorithms.interface import *"),
    ("engine.step", "from amoebot.algorithms import interface\nx = interface.activate"),
    ("engine.start", "def late():\n    from amoebot.algorithms.interface import MORE_MEMORY"),
    ("verify.checker", "from amoebot.verify.explore import explore"),
    ("verify.checker", "from amoebot.verify import liveness"),
    ("verify.explore", "from amoebot.engine.activation import activate_particle"),
    ("algorithms.improved.activation", "from amoebot.algorithms.improved.memory import Agent"),
    ("algorithms.improved.activation", "from amoebot.algorithms.improved import memory"),
    ("algorithms.erosion.activation", "from amoebot.algorithms.improved.memory import Agent"),
    ("algorithms.improved.activation", "from amoebot.algorithms.candidacy import is_idle"),
    ("algorithms.solitude_verification", "from amoebot.algorithms import candidacy"),
]

HARMLESS = [
    ("engine.step", "from amoebot.engine.names import BY_HAND"),
    ("engine.step", "from amoebot.engine import names"),
    ("engine.step", "from amoebot.algorithms.interface import NO_COIN, World"),
    ("engine.step", "from amoebot.algorithms.termination import Particle"),
    ("engine.step", "from amoebot.algorithms.records import layout"),
    ("engine.step", "from amoebot.algorithms.description import Course"),
    ("engine.step", "if TYPE_CHECKING:\n    from amoebot.engine.run import EngineRun"),
    ("engine.step", "from .observer import observe_activation"),
    ("verify.checker", "from amoebot.verify.report import Report"),
]


@pytest.mark.parametrize(("module", "line"), ABSOLUTE)
def test_an_absolute_import_is_noticed(module: str, line: str) -> None:
    module = f"amoebot.{module}"
    assert absolute(module, f"{FILES[module].read_text()}\n{line}\n")


@pytest.mark.parametrize(("module", "line"), HARMLESS)
def test_what_is_shared_may_be_imported_either_way(module: str, line: str) -> None:
    module = f"amoebot.{module}"
    assert not absolute(module, f"{FILES[module].read_text()}\n{line}\n")


# Copies do not pile up, and those that have been dropped still work.

LINKS = """
import sys
import numpy as np
from amoebot import Rules, Simulation, shapes
from amoebot.linking import link
MOST = sys.modules["amoebot.linking.link"].MOST_LINKS

def rules(number):
    return Rules.parse(f"def sign(heading):\\n    return {number}\\n", "mine")

def push():
    for number in range(1, MOST + 2):
        link("improved", rules(number))

def packages():
    return [name for name in sys.modules if name.startswith("amoebot_linked_")
        and "." not in name]
"""

GOES_ON = """
papers = Simulation(shapes.line(3), seed=2)
(PAPERS,) = packages()
unused = Simulation(shapes.line(3), seed=2)
papers.round()
push()
assert len(packages()) == MOST, packages()
assert not [name for name in packages() if name == PAPERS]
fresh = Simulation(shapes.line(3), seed=2)
results = [simulation.run() for simulation in (papers, unused, fresh)]
assert results[0] == results[1] == results[2]
assert results[0].outcome == "leader"
push()
assert len(packages()) == MOST, packages()
assert not [name for name in sys.modules if name.startswith(f"{PAPERS}.")]
"""

COMPILES = """
from amoebot.algorithms.records import layout
from amoebot.algorithms.termination import Particle

def use(function):
    memory = np.zeros(1, layout(Particle))
    function(memory[0])
    return memory[0].tolist()

first = link("improved", rules(0)).module("algorithms.termination")
assert use(first.terminate) == (0, 1)
push()
second = link("improved", rules(0)).module("algorithms.termination")
assert second is not first
push()
assert use(first.declare_particle) == (1, 0)  # is compiled, and nobody is to load it
assert use(second.terminate) == (0, 1)  # is in the cache, under a module that is gone
third = link("improved", rules(0)).module("algorithms.termination")
assert use(third.declare_particle) == (1, 0)
assert use(third.pass_message) == (1, 0)
assert sum(third.pass_message.stats.cache_hits.values()) == int(sys.argv[1])
"""


def test_copies_do_not_pile_up_and_dropped_ones_go_on() -> None:
    told = interpreted.python("-c", LINKS + GOES_ON)
    assert told.returncode == 0, told.stderr


@pytest.mark.slow
@pytest.mark.compiled
def test_what_has_been_dropped_still_compiles_and_leaves_the_cache_alone(tmp_path: Path) -> None:
    """Once it saved machine code that belonged to no module, which no process could load."""
    for hits in ("0", "1"):  # the second process finds what the first one has saved
        told = subprocess.run(
            [sys.executable, "-c", LINKS + COMPILES, hits],
            env=os.environ | {"AMOEBOT_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert told.returncode == 0, told.stderr


# What the line about compiling says.


def test_a_link_knows_how_long_its_machine_code_is_good_for() -> None:
    mine = Rules.parse("def sign(heading):\n    return 0\n", "mine")
    text = 'MEMORY = {"third": "u1", "fourth": "u8"}\ndef sign(heading):\n    return 0\n'
    wide = Rules.parse(text, "wide")
    toy = str(Path(__file__).parents[1] / "house" / "toy_election.py")
    labels = {
        link("improved"): Label("improved", "this version", "improved", ""),
        link("improved", mine): Label(
            "improved with changed rules", "this version", "improved", "mine"
        ),
        link("improved", wide): Label(
            "improved with more memory", "rules with as much", "", "wide"
        ),
        explorer("improved"): Label("improved", "this version", "improved", ""),
        link(toy): Label("toy_election", "this file", "", ""),
    }
    for linked, label in labels.items():
        assert label_of(linked.module("engine.run").advance) == label
    assert label_of(termination.terminate) is None


# Folders of compiled code.


def test_folders_that_have_not_been_used_for_longest_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AMOEBOT_CACHE", str(tmp_path))
    foreign = [tmp_path / name for name in ("notes", "deadbeef", "0123456789abcdeg", "f" * 17)]
    for folder in foreign:
        folder.mkdir()
        (folder / "kept.txt").write_text("mine")
        os.utime(folder, (0, 0))
    (tmp_path / ("a" * 16)).write_text("a file")
    os.utime(tmp_path / ("a" * 16), (0, 0))
    folder_of: Any = partial(cache.cache_folder.__wrapped__, kind="")
    of_another_kind = folder_of("0", kind="engines")
    os.utime(of_another_kind, (0, 0))
    made: list[Path] = []
    for number in range(cache.MOST_FOLDERS):
        made.append(folder_of(str(number)))
        (made[-1] / "code").write_text("compiled")
        os.utime(made[-1], (1000 + number, 1000 + number))
    assert folder_of("0") == made[0]  # used once more, so that it is the latest
    assert all(folder.is_dir() for folder in made)
    made += [folder_of(f"more {number}") for number in range(3)]
    kept = [folder for folder in made if folder.exists()]
    assert kept == [made[0], *made[4:]]
    assert len(kept) == cache.MOST_FOLDERS
    assert of_another_kind.is_dir()
    assert all((folder / "kept.txt").read_text() == "mine" for folder in foreign)
    assert (tmp_path / ("a" * 16)).read_text() == "a file"


# Elections that lack something.

MEMORY = """
from typing import Annotated
from amoebot.algorithms.records import BYTE, Record

class Memory(Record):
    {field}: Annotated[int, BYTE, "anything"]
"""
ACTIVATE = "\ndef activate(me, pred, succ, view, coins, options):\n    return 0\n"
INCOMPLETE = {
    "idle": (MEMORY.format(field="leader"), "the election idle provides no activate"),
    "flat": (MEMORY.format(field="state") + ACTIVATE, "the memory of flat has no field leader"),
}


@pytest.mark.parametrize("name", INCOMPLETE)
@pytest.mark.parametrize("is_package", [False, True])
def test_an_incomplete_election_gets_one_sentence(
    tmp_path: Path, name: str, is_package: bool
) -> None:
    text, sentence = INCOMPLETE[name]
    file = tmp_path / f"{name}.py"
    if is_package:
        file = tmp_path / name
        file.mkdir()
        (file / "__init__.py").touch()
        memory, _, rest = text.partition("\ndef ")
        (file / "memory.py").write_text(memory)
        (file / "activation.py").write_text(f"def {rest}" if rest else "")
    else:
        file.write_text(text)
    before = {*sys.modules}
    with pytest.raises(ElectionError) as error:
        link(str(file))
    assert str(error.value) == sentence
    assert not [name for name in {*sys.modules} - before if name.startswith("amoebot_linked_")]
    answer = ask("elect", "line:2", "--algorithm", str(file))
    check_refusal(answer)
    assert sentence in answer.err


def test_threads_that_need_the_same_file_all_get_the_whole_of_it(tmp_path: Path) -> None:
    file = tmp_path / "slowly.py"
    file.write_text(
        "from time import sleep\n"
        "from amoebot.algorithms.description import Flag\n"
        "sleep(0.2)\n"
        "OPTIONS = (Flag('early', True, 'an option'),)\n"
    )
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(registry.options_of, [str(file)] * 4)]
    assert {tuple(one.name for one in options) for options in found} == {("early", "terminate")}
