"""``amoebot live``: what it writes and refuses, after pip install amoebot[browser]."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import amoebot
from amoebot.browser import building, live
from amoebot.linking import Rules
from helpers.command import ask
from helpers.node import run_node

RULES = Path(__file__).parents[1] / "helpers" / "rules"


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    for arguments in (["-o", "live.txt"], ["--module", "-o", "live.html"], ["-o", "live.mjs"]):
        answer = ask("live", *arguments)
        assert (answer.status, answer.err.count("\n")) == (2, 1), arguments
        assert "the file must end in" in answer.err


def test_rules_must_come_from_a_file() -> None:
    text = (RULES / "silent.py").read_text(encoding="utf-8")
    with pytest.raises(building.BuildError, match="must be read from a file"):
        building.build("improved", Rules.parse(text, "silent"))


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


@pytest.mark.slow
@pytest.mark.skipif("AMOEBOT_FULL" not in os.environ, reason="some minutes")
def test_changed_rules_are_inside(tmp_path: Path) -> None:
    shutil.copy(RULES / "silent.py", tmp_path / "early.py")
    rules, module = str(tmp_path / "early.py"), str(tmp_path / "amoebot.mjs")
    assert ask("live", "--rules", rules, "--module", "-o", module).status == 0
    (tmp_path / "main.mjs").write_text(
        'import { load } from "./amoebot.mjs";\n'
        'const { rules, rounds, outcome } = (await load()).elect("hexagon:2", { seed: 1 });\n'
        "console.log(JSON.stringify({ rules, rounds, outcome }));\n"
    )
    theirs = json.loads(run_node(tmp_path, "main.mjs"))
    ours = ask("elect", "hexagon:2", "--seed", "1", "--rules", rules, "--json").json
    assert theirs == {name: ours[name] for name in ("rules", "rounds", "outcome")}
