"""The types of the JavaScript interface, against its code, Python's results and the reference."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import amoebot
from amoebot.algorithms import registry
from amoebot.browser import live
from amoebot.viewer.bundle import STATIC
from helpers.node import typescript
from helpers.pages import blocks_of

PAGE = "docs/reference/javascript.md"

CONFIGURATION = {
    "compilerOptions": {
        "allowJs": True,
        "noEmit": True,
        "strict": True,
        "types": [],
        "target": "ES2022",
        "module": "ES2022",
        "moduleResolution": "bundler",
        "lib": ["ES2022", "DOM", "DOM.Iterable"],
        "paths": {"static/*": [f"{STATIC}/*"]},
    },
    "include": ["*.ts", "*.mts"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Provide a folder with the types, what is checked against them, and the page's example."""
    shutil.copy(Path(__file__).parent / "types" / "check.ts", tmp_path)
    (tmp_path / "amoebot.d.mts").write_text(live.types(), encoding="utf-8")
    result = amoebot.elect(amoebot.shapes.hexagon(1), seed=1).as_dict()
    option = [one.name for name in registry.built_in() for one in registry.options_of(name)]
    (tmp_path / "python.ts").write_text(
        f"export const result = {json.dumps(result)};\n"
        f"export declare const option: {' | '.join(map(json.dumps, option))};\n"
    )
    (example,) = (block for block in blocks_of(PAGE) if block.language == "js")
    (tmp_path / "example.mts").write_text(example.text)
    (tmp_path / "tsconfig.json").write_text(json.dumps(CONFIGURATION))
    return tmp_path


@pytest.mark.slow
def test_types_code_and_python_have_the_same_names(folder: Path) -> None:
    assert typescript("--project", str(folder)) == ""


def test_the_reference_names_what_there_is() -> None:
    text = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
    named = {
        *re.findall(r"`(?:new )?(\w+)(?:\([^`]*)?`", text.split("\n| | |\n")[1].split("\n\n")[0])
    }
    typed = {*re.findall(r"^ *(?:readonly |export function )?(\w+)\??[:(]", live.types(), re.M)}
    assert len(named) > 15
    assert named - {"Result"} <= typed
