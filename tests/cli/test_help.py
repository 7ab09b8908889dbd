"""``help(amoebot)``: the first page that a Python user reads."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import amoebot

#: The modules that Python users meet.
PUBLIC = (
    "amoebot",
    "amoebot.batch",
    "amoebot.render",
    "amoebot.reports",
    "amoebot.reproduction",
    "amoebot.results",
    "amoebot.linking",
    "amoebot.runs",
    "amoebot.shapes",
    "amoebot.simulation",
    "amoebot.sweeps",
    "amoebot.verify",
)

#: What has several parameters: its docstring says what each of them means.
EXPLAINED = (
    amoebot.Rules.__init__,
    amoebot.Simulation.__init__,
    amoebot.elect,
    amoebot.elect_many,
    amoebot.sweeps.make_plan,
    amoebot.sweeps.sweep,
    amoebot.shapes.parse,
    amoebot.verify.verify,
    amoebot.reports.report,
    amoebot.reproduction.reproduce,
    *(generator.function for generator in amoebot.shapes.GENERATORS.values()),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_in_docstrings_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_the_tour_leads_past_everything_that_the_package_offers() -> None:
    tour = amoebot.__doc__ or ""
    for name in amoebot.__all__:
        assert name in tour or name in ("Result", "__version__")
    assert doctest.DocTestFinder().find(amoebot, "amoebot")[0].examples


@pytest.mark.slow
def test_help_shows_signatures_although_nothing_is_imported_yet() -> None:
    program = "import amoebot, pydoc; print(pydoc.render_doc(amoebot, renderer=pydoc.plaintext))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    for name in ("elect", "elect_many", "load", "Simulation", "Result"):
        assert f"\n    {name}{inspect.signature(getattr(amoebot, name))}" in answer.stdout.replace(
            " |  ", ""
        )
    assert "\n    __getattr__" not in answer.stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = "import sys, amoebot; dir(amoebot); print({'numba', 'numpy'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "set()\n"


@pytest.mark.slow
def test_everything_is_there_after_a_plain_import() -> None:
    program = "import amoebot\nfor name in amoebot.__all__: getattr(amoebot, name)"
    subprocess.run([sys.executable, "-c", program], check=True)
    program = "import amoebot; print(amoebot.verify.verify(amoebot.shapes.line(1)).violated)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "False\n"


@pytest.mark.parametrize("function", EXPLAINED, ids=lambda function: function.__qualname__)
def test_every_parameter_is_explained(function: object) -> None:
    text = inspect.getdoc(function) or ""
    explained = text.partition("\nArgs:\n")[2].partition("\nRaises:\n")[0]
    for name in inspect.signature(function).parameters:  # type: ignore[arg-type]
        assert name == "self" or re.search(rf"^    \*{{0,2}}{name}: ", explained, re.MULTILINE)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_begin_with_one_sentence_on_one_line(name: str) -> None:
    module = importlib.import_module(name)
    things = [getattr(module, key) for key in dir(module) if key[0] != "_"]
    for thing in things:
        if getattr(thing, "__module__", "").startswith("amoebot"):
            first, _, rest = (inspect.getdoc(thing) or "").partition("\n")
            assert first.endswith("."), f"{thing}: {first}"
            assert rest == "" or rest.startswith("\n"), f"{thing}: {rest}"
