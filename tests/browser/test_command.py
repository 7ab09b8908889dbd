"""``amoebot live``: what it writes and refuses, after pip install .[browser]."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import amoebot
from amoebot.algorithms import registry
from amoebot.browser import building, live
from amoebot.linking import Rules
from helpers.browsing import Tab, chromium
from helpers.command import ask
from helpers.full import FULL
from helpers.node import run_node

RULES = Path(__file__).parents[1] / "helpers" / "rules"


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    for arguments in (["-o", "live.txt"], ["--module", "-o", "live.html"], ["-o", "live.mjs"]):
        answer = ask("live", *arguments)
        assert (answer.status, answer.err.count("\n")) == (2, 1), arguments
        assert "the file must end in" in answer.err


def test_a_module_begins_with_no_shape() -> None:
    answer = ask("live", "hexagon:3", "--module", "-o", "amoebot.mjs")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert "leave out hexagon:3" in answer.err


def test_engines_of_another_linker_are_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    here = building._kept("erosion", None)
    monkeypatch.setattr(building, "version", lambda name: "another")
    assert here != building._kept("erosion", None)


def test_rules_must_come_from_a_file() -> None:
    text = (RULES / "silent.py").read_text(encoding="utf-8")
    with pytest.raises(building.BuildError, match="must be read from a file"):
        building.build("improved", Rules.parse(text, "silent"))


#: Prints a digest of the object that some of the engine's functions are compiled to.
PROGRAM = """
import hashlib
from amoebot import jit
from amoebot.browser import building, compiling
from amoebot.linking import link

kernel = link("erosion").module("browser.kernel")
functions = (kernel.shuffle, kernel.phase, kernel.survey)
first, *others = (compiling._function(jit.source(f), kernel.EXPORTS[f]) for f in functions)
for other in others:
    first.link_in(other)
text = building._retargeted(str(first))
made = building._object(text, [jit.source(f).__name__ for f in functions])
print(hashlib.sha256(made).hexdigest())
"""


def compiled_in(folder: Path) -> str:
    """Return the digest of functions of a copy of the package, compiled in a folder of its own."""
    package = Path(amoebot.__file__).parent
    shutil.copytree(package, folder / "amoebot", ignore=shutil.ignore_patterns("__pycache__"))
    own = {"PYTHONPATH": str(folder), "AMOEBOT_CACHE": str(folder / "cache"), "HOME": str(folder)}
    environment = os.environ | building.SETTINGS | own
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_same_sources_give_the_same_object_wherever_they_are(tmp_path: Path) -> None:
    found = []
    for name in ("here", "and/far/away/there"):
        (tmp_path / name).mkdir(parents=True)
        found.append(compiled_in(tmp_path / name))
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="some minutes")
def test_the_same_sources_give_the_same_bytes() -> None:
    for algorithm in registry.built_in():
        assert building.build(algorithm) == building.engine(algorithm)


def test_where_objects_and_sources_were_leaves_no_trace() -> None:
    text = (
        '@.const.pickledata.{1:040x} = internal constant [9 x i8] c"File \\22{0}.py"\n'
        '@.const.pickledata.{1:040x}.sha1 = internal constant [20 x i8] c"{2}"\n'
        "@.const.picklebuf.{1:040x} = internal constant {{ ptr, i32 }} "
        "{{ ptr @.const.pickledata.{1:040x}, i32 {2} }}\n"
        "@numba.dynamic.globals.{0:x} = linkonce global ptr inttoptr (i64 {0} to ptr)\n"
        "@array_expr_0x{1:x}B3v75 = common global ptr null\n"
        "@array_expr_0x{2:x}B3v75 = common global ptr null\n"
    )
    here, there = (building._retargeted(text.format(a, a + 64, a + 8)) for a in (2**46, 2**45))
    assert here == there
    assert len(set(here.splitlines())) == len(here.splitlines())  # names stay different


@pytest.mark.slow
def test_a_page_and_a_module_are_written(tmp_path: Path) -> None:
    assert ask("live", "annulus:5,2", "--seed", "7", "-o", str(tmp_path / "live.html")).status == 0
    assert "annulus:5,2, seed 7" in (tmp_path / "live.html").read_text(encoding="utf-8")
    assert ask("live", "--module", "-o", str(tmp_path / "amoebot.mjs")).status == 0
    assert "export function load()" in (tmp_path / "amoebot.d.mts").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_film_that_outgrows_the_page_becomes_the_page() -> None:
    simulation = amoebot.Simulation(amoebot.shapes.hexagon(3), seed=1)
    assert live.smaller("a short film", simulation) == "a short film"
    page = live.smaller("a long film " * 100_000, simulation)
    assert "hexagon:3, seed 1" in page
    assert len(page) < 500_000


def test_a_film_is_kept_where_the_page_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise building.BuildError("no linker")

    monkeypatch.setattr(live, "packed", fail)
    monkeypatch.setattr(live, "find_spec", lambda name: "here")
    film = "a long film " * 100_000
    assert live.smaller(film, amoebot.Simulation(amoebot.shapes.hexagon(3))) == film


#: An election is built in half a minute if it is a small one: here, nobody becomes the leader.
SHY = "def declare(me):\n    return 0\n"

CHANGED = [("erosion", SHY)]
CHANGED += [("improved", (RULES / "silent.py").read_text(encoding="utf-8"))] if FULL else []


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "rules"), CHANGED, ids=lambda one: one.partition("\n")[0])
def test_changed_rules_are_inside(tmp_path: Path, algorithm: str, rules: str) -> None:
    (tmp_path / "early.py").write_text(rules, encoding="utf-8")
    changed = ("--algorithm", algorithm, "--rules", str(tmp_path / "early.py"))
    module = str(tmp_path / "amoebot.mjs")
    assert ask("live", *changed, "--module", "-o", module).status == 0
    (tmp_path / "main.mjs").write_text(
        'import { load } from "./amoebot.mjs";\n'
        'const { rules, rounds, outcome } = (await load()).elect("hexagon:2", { seed: 1 });\n'
        "console.log(JSON.stringify({ rules, rounds, outcome }));\n"
    )
    theirs = json.loads(run_node(tmp_path, "main.mjs"))
    ours = ask("elect", "hexagon:2", "--seed", "1", *changed, "--json").json
    assert theirs == {name: ours[name] for name in ("rules", "rounds", "outcome")}
    assert theirs["rules"] == "early"
    page = tmp_path / "early.html"
    assert ask("live", "hexagon:2", "--seed", "1", *changed, "-o", str(page)).status == 0
    with chromium() as browser:
        tab = Tab(browser, page.as_uri())
        assert "Rules: early." in tab.text("notice")
        tab.wait("app.survey?.done")
        assert tab.page.evaluate("amoebot.app.survey.outcome") == (
            None if theirs["outcome"] == "round-limit" else theirs["outcome"]
        )
        tab.close()


@pytest.mark.slow
def test_a_scheduler_of_ones_own_has_chosen_before(tmp_path: Path) -> None:
    (tmp_path / "backwards.py").write_text(
        "def scheduler(simulation):\n"
        "    while True:\n"
        "        yield from reversed(range(simulation.system.particles))\n"
    )
    run = ("hexagon:2", "--seed", "1", "--scheduler", str(tmp_path / "backwards.py"))
    page = tmp_path / "live.html"
    assert ask("live", *run, "-o", str(page)).status == 0
    with chromium() as browser:
        tab = Tab(browser, page.as_uri())
        tab.wait("app.survey?.done")
        reached = tab.page.evaluate("amoebot.app.survey.milestones")
        tab.close()
    milestones = ask("elect", *run, "--json").json["milestones"]
    assert reached == {name: number for name, number in milestones.items() if number}
