"""``amoebot help``: the documentation in the terminal, and the errors that lead to it."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

import amoebot
from amoebot import cli
from amoebot.cli import pages
from amoebot.errors import ExplainedError
from helpers.command import ask, check_refusal, finish, start

DOCS = Path(__file__).parents[2] / "docs"

#: What is wrong, and the page that says how it would be right.
MISTAKES = {
    "elect nope": "shapes",
    "elect annulus:2,2": "shapes",
    "elect hexagon:2 --scheduler frob": "schedulers",
    "draw hexagon:2 -o x.svg --hide frob": "figures",
    "view broken.json": "run-files",
    "draw broken.json -o x.svg": "run-files",
    "sweep broken.toml -o results": "sweeps",
    "sweep missing.toml -o results": "sweeps",
    "report missing": "sweeps",
    "elect hexagon:2 --rules broken.py": "own-rule",
    "verify line:2 --rules missing.py": "own-rule",
}


def all_errors(kind: type[ExplainedError] = ExplainedError) -> list[type[ExplainedError]]:
    """Return every error of the package that names a page."""
    for module in pkgutil.walk_packages(amoebot.__path__, "amoebot."):
        if not module.name.endswith(("__main__", "widget")):
            importlib.import_module(module.name)
    return [*kind.__subclasses__(), *(e for k in kind.__subclasses__() for e in all_errors(k))]


def show(text: str, folder: Path) -> str:
    page = folder / "page.md"
    page.write_text(text)
    return pages.for_terminal(page)


@pytest.mark.parametrize("command", ["", *(one.__name__ for one in cli.COMMANDS)])
def test_help_fits_a_terminal_of_40_columns_without_breaking_words(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    wide = ask(*command.split(), "--help").out
    known = {*wide.split(), *re.sub(r"-\n +", "-", wide).split()}  # there, hyphens end lines
    monkeypatch.setenv("COLUMNS", "40")
    narrow = ask(*command.split(), "--help").out
    assert all(len(line) <= 40 for line in narrow.splitlines() if len(line.split()) > 1)
    assert {*narrow.split()} - {"\\"} <= known


def test_the_list_of_pages_fits_a_terminal_of_40_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = ask("help").out
    monkeypatch.setenv("COLUMNS", "40")
    narrow = ask("help").out
    assert all(len(line) <= 40 for line in narrow.splitlines())
    assert narrow.split() == wide.split()


def test_all_pages_are_listed_with_their_titles() -> None:
    answer = ask("help")
    assert answer.status == 0
    lines = answer.out.splitlines()
    assert len(lines) == len(list(DOCS.rglob("*.md")))  # so no two pages have the same name
    assert f"{'verified':<24}What has been verified" in lines
    assert all(len(line.split()) > 1 for line in lines)


@pytest.mark.parametrize("topic", pages.topics())
def test_every_page_reads_well(topic: str) -> None:
    answer = ask("help", topic)
    assert (answer.status, answer.err) == (0, "")
    assert pages.title(pages.topics()[topic]).split()[0] in answer.out
    text = pages.for_terminal(pages.topics()[topic])
    outside = "".join(text.split("```")[::2])
    for web in ("![", "!!! ", "](#", ".md)", ".md#", "<!--", "\n::: ", "{ ."):
        assert web not in outside


def test_a_terminal_gets_a_pager(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\necho "pager with LESS=$LESS"\ncat\n')
    pager.chmod(0o755)
    ours, theirs = pytest.importorskip("pty").openpty()
    environment = os.environ | {"PAGER": str(pager), "TERM": "xterm"}
    environment.pop("LESS", None)
    process = start("help", "verified", stdin=theirs, stdout=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while b"\x1b[1m" not in seen:  # a bold heading
        seen += os.read(ours, 4096)
    os.close(ours)
    process.kill()
    finish(process)
    assert seen.startswith(b"pager with LESS=FRX")
    assert b"What has been verified" in seen


def test_an_unknown_topic_gets_one_line_with_a_near_one() -> None:
    answer = ask("help", "verifed")
    check_refusal(answer)
    assert answer.err == "amoebot: there is no topic 'verifed': did you mean verified?\n"
    answer = ask("help", "elect")
    check_refusal(answer)
    assert "amoebot elect --help" in answer.err
    answer = ask("help", "qqqqqqqq")
    check_refusal(answer)
    assert "amoebot help lists all" in answer.err


def test_what_only_the_web_can_show_becomes_words(tmp_path: Path) -> None:
    text = show(
        '<!-- seen\nby nobody -->\n# Page\n\n![A hexagon](a.svg){ width="3" }\n\n'
        "::: amoebot.batch\n<!-- table -->\n",
        tmp_path,
    )
    assert text.splitlines() == [
        "# Page",
        "",
        "*[picture: A hexagon]*",
        "",
        "`help(amoebot.batch)` in Python shows this part.",
        "*What follows here is made when the site is built.*",
    ]


def test_links_between_pages_become_commands(tmp_path: Path) -> None:
    text = show(
        "[a](../verified.md#x), [b](#here), [c](https://example.org/), [d](../LICENSE), "
        "[e](../benchmarks/README.md), `[f](verified.md)`, [`h`](verified.md#y)\n"
        "```\n[g](verified.md)\n```\n",
        tmp_path,
    )
    assert text.splitlines() == [
        "a (`amoebot help verified`), b, [c](https://example.org/), d, e, "
        "`[f](verified.md)`, `h` (`amoebot help verified`)",
        *("```", "[g](verified.md)", "```"),
    ]


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_leads_to_the_page_that_explains_it(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text('{"shape": 3}')
    Path("broken.toml").write_text("frob = 1")
    Path("broken.py").write_text("def frob(): pass")
    answer = ask(*arguments.split())
    check_refusal(answer)
    assert answer.err.endswith(f" (amoebot help {MISTAKES[arguments]})\n")
    assert answer.err.count("amoebot help") == 1


def test_a_missing_cluster_leads_to_its_page(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "line:2"')
    answer = ask("sweep", str(plan), "-o", str(tmp_path / "results"), "--on", "frob://nowhere")
    assert answer.status == 2
    assert answer.err.endswith("(amoebot help cluster)\n")
    assert answer.err.count("\n") == 1


def test_every_page_that_an_error_names_is_there() -> None:
    errors = all_errors()
    assert {"ShapeError", "PlanError", "RunError", "FolderError", "ClusterError"} <= {
        error.__name__ for error in errors
    }
    for error in errors:
        assert error.topic in pages.topics(), f"{error.__name__} names {error.topic}"
    assert "counterexamples" in pages.topics()


def test_python_users_are_told_once() -> None:
    with pytest.raises(amoebot.shapes.ShapeError) as refusal:
        amoebot.shapes.parse("hexagon:-1")
    assert refusal.value.__notes__ == ["See amoebot help shapes"]
