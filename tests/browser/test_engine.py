"""The engine as WebAssembly: the same bytes as here, after every round."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import amoebot
from amoebot.browser import live
from helpers.browsing import chromium
from helpers.full import FULL
from helpers.hosting import hosting
from helpers.node import run_node
from helpers.pages import blocks_of
from helpers.reruns import STRINGS, all_cases, rerun

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a folder with the module, and what runs it in Node."""
    made = tmp_path_factory.mktemp("engine")
    shutil.copytree(HERE / "js", made, dirs_exist_ok=True)
    (made / "package.json").write_text('{"type": "module"}')
    (made / "amoebot.mjs").write_text(live.module(live.packed()), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def runs() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Provide runs as they are described, each with what Python makes of it."""
    return [(case, rerun(case)) for case in all_cases(random.Random(18), 3 if FULL else 1)]


def check(runs: list[tuple[dict[str, Any], dict[str, Any]]], found: list[dict[str, Any]]) -> None:
    """See that JavaScript makes the same of them."""
    assert len(runs) > 250
    for (case, ours), theirs in zip(runs, found, strict=True):
        assert theirs["found"] == ours["found"], case
        assert theirs["result"] == ours["result"] | {"seed": None}, case


@pytest.mark.slow
def test_node_gives_the_same_bytes(folder: Path, runs: Any) -> None:
    cases = [case for case, _ in runs]
    (folder / "cases.json").write_text(json.dumps({"cases": cases, "shapes": STRINGS}))
    run_node(folder, "main.js")
    found = json.loads((folder / "found.json").read_text())
    check(runs, found["cases"])
    for (text, seed), nodes in zip(STRINGS, found["shapes"], strict=True):
        assert nodes == amoebot.shapes.parse(text, int(seed)).nodes.ravel().tolist(), text


@pytest.mark.slow
def test_chromium_gives_the_same_bytes(folder: Path, runs: Any) -> None:
    (folder / "compare.html").write_text("<!doctype html><title>compare</title>")
    with chromium() as browser, hosting(folder) as host:
        page = browser.new_page()
        page.goto(f"{host}/compare.html")
        found = page.evaluate(
            """async (cases) => {
                const { load } = await import("./amoebot.mjs");
                const { rerun } = await import("./compare.js");
                const amoebot = await load();
                return cases.map((one) => rerun(amoebot, one));
            }""",
            [case for case, _ in runs],
        )
    check(runs, found)


@pytest.mark.slow
def test_the_example_of_the_reference_says_what_is_true(folder: Path) -> None:
    """The page says that this file runs the next block as it stands."""
    (example,) = (b.text for b in blocks_of("docs/reference/javascript.md") if b.language == "js")
    told = re.compile(r"^(\w+\.\w+); +// ([^…\n]*)$", re.MULTILINE)
    assert len(told.findall(example)) == 2
    checked = told.sub(r"deepStrictEqual(\1, \2);", example)
    script = f'import {{ deepStrictEqual }} from "node:assert";\n{checked}'
    (folder / "example.mjs").write_text(script, encoding="utf-8")
    run_node(folder, "example.mjs")


REFUSED = {
    "simulation.goto(1.5)": "there is no moment",
    "simulation.goto('3')": "there is no moment",
    "simulation.goto(0, -1)": "there is no moment",
    "simulation.run(1.5)": "is not a whole number",
    "simulation.run('x')": "is not a whole number",
    "simulation.activate(99999)": "there is no particle 99999",
    "simulation.activate(0); simulation.follow([99999]); simulation.step()": "no particle 99999",
    "simulation.follow(7)": "a schedule is a list",
    "amoebot.elect('line:3', 7)": "options are an object",
    "amoebot.elect('line:3', null)": "options are an object",
    "amoebot.elect('line:3', [7])": "options are an object",
    "amoebot.elect('line:3', { seed: '' })": "the seed must be a whole number",
    "amoebot.elect('line:3', { seed: '0x7' })": "the seed must be a whole number",
    "amoebot.elect('line:3', { seed: [] })": "the seed must be a whole number",
    "amoebot.elect('line:3', { seed: 2 ** 53 })": "the seed must be a whole number",
    "amoebot.elect('random:9', { shape_seed: '' })": "the shape seed must be a whole number",
    "amoebot.elect(null)": "a shape is a string, or an object",
    "amoebot.elect({ nodes: [[0, 0]], expanded: 7 })": "must be a list of pairs",
    "amoebot.elect({ nodes: [[0, 0]], offsets: 7 })": 'one entry of "offsets" for each node',
}


@pytest.mark.slow
def test_nonsense_is_refused_as_in_python(folder: Path) -> None:
    """Half a round once ran for ever, and a particle that is not there was written to."""
    calls = ",\n".join(f"() => {{ {call}; }}" for call in REFUSED)
    script = f"""
import {{ load }} from "./amoebot.mjs";
const amoebot = await load(), simulation = new amoebot.Simulation("line:3", {{ seed: 1 }});
const told = [{calls}].map((call) => {{
  try {{ call(); return "nothing"; }} catch (error) {{ return error.message; }}
}});
console.log(JSON.stringify(told));
"""
    (folder / "refused.mjs").write_text(script, encoding="utf-8")
    for (call, words), told in zip(
        REFUSED.items(), json.loads(run_node(folder, "refused.mjs")), strict=True
    ):
        assert words in told, call
