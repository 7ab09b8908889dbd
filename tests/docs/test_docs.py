"""What the documentation shows runs, and shows what it says: one test for each page.

Written here rather than taken from a library: those that were looked at collect one test for each
block, which parallel workers would run in different processes, and know no files and no shell.
"""

from __future__ import annotations

import ast
import doctest
import io
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import tomllib
import urllib.request
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import typer

from amoebot import cli
from amoebot.algorithms import registry
from helpers.pages import MENTIONS, PAGES, ROOT, Block, blocks_of, commands_of, inline_commands

TIME = re.compile(r"[\d.,]+ ?(?:ns|µs|ms|s|seconds?|min|minutes?|hours?)\b")

COMMANDS = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]


class Reader:
    """Somebody who follows a page from top to bottom, in a folder that is empty at first."""

    def __init__(self, page: str, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.output: str | None = None
        tools = folder.parent / f"{folder.name}-tools"
        tools.mkdir()
        for name, module in {"amoebot": "-m amoebot", "python": "", "python3": ""}.items():
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            (tools / name).chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "BROWSER": "true",  # a browser that opens nothing
        }

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.title and block.title.startswith("src/"):
            check_excerpt(block.text, (ROOT / block.title).read_text(encoding="utf-8"))
        elif block.title:
            mode = "a" if block.comment == "added to the file" else "w"
            with (self.folder / block.title).open(mode, encoding="utf-8") as file:
                file.write(block.text)
        elif block.language == "python":
            self.run_python(block)
        elif block.language == "pycon":
            self.run_session(block)
        elif "runs until Ctrl-C" in block.comment:
            self.visit(shell(block))
        elif block.language == "sh":
            self.output = self.run_shell(shell(block), status_of(block))
        elif block.language == "console":
            self.run_console(block)
        elif block.language == "text":
            assert self.output is not None, "text is a file, with a title, or what was printed"
            check_output(block.text, self.output)
        elif block.language in PARSERS:
            PARSERS[block.language](block.text)
        else:
            raise AssertionError(f"nobody knows how to run {block.language or 'this'}: say why not")

    def run_python(self, block: Block) -> None:
        """Run a block from a file with the page's line numbers, which tracebacks can show."""
        file = self.folder.parent / f"{Path(self.page).stem}-{block.line}.py"
        file.write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), self.names)
        self.output = printed.getvalue()

    def run_session(self, block: Block) -> None:
        """Run what was typed at the prompt, and compare what it answered."""
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, self.page, self.page, block.line
        )
        told = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=told.write, clear_globs=False)
        self.names |= test.globs
        assert not runner.failures, told.getvalue()

    def run_shell(self, text: str, status: int) -> str:
        """Run commands; return all that they print."""
        ran = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", text],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        assert ran.returncode == status, f"status {ran.returncode}:\n{ran.stdout}"
        return ran.stdout

    def visit(self, text: str) -> None:
        """Run a command that serves a page, look at the page, and press Ctrl-C."""
        server = subprocess.Popen(
            ["bash", "-eu", "-c", f"trap - INT; {text}"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        try:
            assert server.stdout is not None
            told = ""
            while (address := re.search(r"http://\S+", told)) is None:
                line = server.stdout.readline()
                assert line, f"it ended:\n{told}"
                told += line
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                assert answer.status == 200
            os.killpg(server.pid, signal.SIGINT)
            assert server.wait(60) in (0, 130)
        finally:
            server.kill()
            server.communicate()

    def run_console(self, block: Block) -> None:
        """Run each command, and compare what the page shows below it."""
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        assert not parts[0].strip(), "console begins with a command"
        for place, part in enumerate(parts[1:], start=2):
            lines = part.splitlines()
            size = 1 + next(i for i, line in enumerate(lines) if not line.endswith("\\"))
            status = status_of(block) if place == len(parts) else 0
            self.output = self.run_shell("\n".join(lines[:size]), status)
            check_output("\n".join(lines[size:]), self.output)


def status_of(block: Block) -> int:
    """Return the exit status that a block announces."""
    found = re.match(r"exits with (\d+)", block.comment)
    return int(found[1]) if found else 0


def shell(block: Block) -> str:
    """Return the commands of a block, to be run without the compiler where it would take longest.

    What is printed is the same; changed rules are compiled in the tests of linking.
    """
    if block.comment.endswith("without the compiler"):
        return "export NUMBA_DISABLE_JIT=1; " + block.text
    return block.text


def check_output(shown: str, printed: str) -> None:
    """Check that each line shown was printed, in this order; spaces and times may differ."""
    left = [" ".join(line.split()) for line in printed.splitlines()]
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines())):
        pattern = "".join(
            ".*" if part == "…" else TIME.pattern if TIME.fullmatch(part) else re.escape(part)
            for part in re.split(f"(…|{TIME.pattern})", line)
        )
        places = [i for i, other in enumerate(left) if re.fullmatch(pattern, other)]
        assert line == "…" or places, f"not printed here: {line}\n\nprinted:\n{printed}"
        left = left if line == "…" else left[places[0] + 1 :]


def check_excerpt(shown: str, source: str) -> None:
    """Check that what is shown are lines of the source, in order; "..." stands for others."""
    lines = source.splitlines()
    parts = re.split(r"^ *(?:# )?(?:\.\.\.|…)\n", shown, flags=re.MULTILINE)
    for wanted in filter(None, (textwrap.dedent(part).strip("\n") for part in parts)):
        size = wanted.count("\n") + 1
        found = (
            start
            for start in range(len(lines) - size + 1)
            if textwrap.dedent("\n".join(lines[start : start + size])) == wanted
        )
        start = next(found, None)
        assert start is not None, f"the source does not say, or not here:\n{wanted}"
        lines = lines[start + size :]


PARSERS = {"json": json.loads, "toml": tomllib.loads}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES)
def test_page_runs_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    reader = Reader(page, folder)
    for block in blocks_of(page):
        try:
            if not is_run_elsewhere(block):
                reader.follow(block)
        except BaseException as error:
            error.add_note(f"{page}, line {block.line}")
            raise


@pytest.mark.slow
@pytest.mark.compiled
def test_python_in_the_readme_needs_no_extra_packages(tmp_path: Path) -> None:
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = given["optional-dependencies"]
    names = [re.split("[^a-z]", one)[0] for name in NOT_INSTALLED for one in extras[name]]
    (block,) = (block for block in blocks_of("README.md") if block.language == "python")
    missing = f"import sys\nsys.modules |= dict.fromkeys({names})\n"
    subprocess.run([sys.executable, "-c", missing + block.text], cwd=tmp_path, check=True)


#: Extras that ``pip install .`` leaves out, with packages called as they are imported.
NOT_INSTALLED = ("cluster", "notebook", "graphs")


def is_run_elsewhere(block: Block) -> bool:
    """Whether a block leaves its running to another file, which must be one that does it."""
    if found := re.fullmatch(r"(\S+) runs the next block as it stands\.", block.comment):
        assert "runs the next block as it stands" in (ROOT / found[1]).read_text(encoding="utf-8")
        return True
    if found := re.fullmatch(r"runs elsewhere: (\S+)", block.comment):
        text = (ROOT / found[1]).read_text(encoding="utf-8")
        words = set(re.findall(r"[\w-]+", text))
        missing = sorted(essential_words(block) - words)
        assert not missing, f"{found[1]} does not run {', '.join(missing)}"
        return True
    return False


def essential_words(block: Block) -> set[str]:
    """Return what a file that runs a block must mention: commands, their options, imports."""
    if block.language == "python":
        tree = ast.walk(ast.parse(block.text))
        return {a.name for n in tree if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}
    words = set()
    for program, *rest in commands_of(block):
        first = [word for word in rest if not word.startswith("-")][:1]
        name = [] if program == "amoebot" else [Path(program).name]
        words |= {*name, *first, *(word for word in rest if word.startswith("--"))}
    return words


def test_milestones_are_called_the_same_in_the_documentation() -> None:
    text = (ROOT / "docs" / "how-to" / "sweeps.md").read_text(encoding="utf-8")
    table = text.partition("| milestone | elections |")[2].partition("\n\n")[0]
    shown = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE))
    of = {name: registry.find(name).course.milestones for name in registry.built_in()}
    every = {milestone for milestones in of.values() for milestone in milestones}
    assert shown.keys() == every
    for milestone, elections in shown.items():
        having = {name for name in of if milestone in of[name]}
        assert having == ({*of} if elections == "all" else {*re.findall("[\\w-]+", elections)})


@pytest.mark.parametrize("page", MENTIONS)
def test_commands_and_options_exist(page: str) -> None:
    shown = [words for b in blocks_of(page) if b.language in SHELL for words in commands_of(b)]
    for words in [*shown, *inline_commands(page)]:
        check_command(words)


def check_command(words: list[str]) -> None:
    """Check that a command of this package, and each of its options, exist."""
    program, name, *rest = [*words, "--help"]
    if program != "amoebot" or name in ("COMMAND", "--help", "--version", "--install-completion"):
        return
    assert name in COMMANDS, f"there is no command amoebot {name}"
    options = {"--help"}.union(*((*p.opts, *p.secondary_opts) for p in COMMANDS[name].params))
    used = {word.partition("=")[0].rstrip(".,;") for word in rest if re.match("--?[a-z]", word)}
    assert used <= options, f"amoebot {name} has no {', '.join(used - options)}"


SHELL = ("sh", "console")


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_in_the_help_use_options_that_exist(name: str) -> None:
    lines = [line.strip() for line in COMMANDS[name].help.splitlines()]
    examples = [line.split() for line in lines if line.startswith("amoebot ")]
    assert examples
    for words in examples:
        check_command(words)


# The checks above can fail.


def test_output_that_was_not_printed_is_noticed() -> None:
    check_output("a   1\n…\nc in 5 s", "a 1\nb\nc in 0.2 s\n")
    check_output("seed … wins", "first\nseed 17 wins\n")
    for wrong in ("b\na", "a 2", "c"):
        with pytest.raises(AssertionError, match="not printed here"):
            check_output(wrong, "a 1\nb\nc in 0.2 s\n")


def test_source_that_has_changed_is_noticed() -> None:
    source = "class A:\n    def f(x):\n        y = x\n        return y\n"
    check_excerpt("def f(x):\n    ...\n    return y\n", source)
    check_excerpt("class A:\n    # ...\n", source)
    for wrong in ("def g(x):\n", "return y\n...\ny = x\n", "def f(x):\n    return y\n"):
        with pytest.raises(AssertionError, match="does not say"):
            check_excerpt(wrong, source)


def test_a_command_that_does_not_exist_is_noticed() -> None:
    check_command(["amoebot", "verify", "SHAPE", "--up-to", "3"])
    for wrong in ("amoebot vote hexagon:1", "amoebot verify --upto 3", "amoebot draw -x a.svg"):
        with pytest.raises(AssertionError, match=r"there is no command|has no"):
            check_command(wrong.split())


def test_a_file_that_runs_something_else_is_noticed() -> None:
    def block(command: str) -> Block:
        return Block(
            "sh", None, command, 1, "runs elsewhere: tests/reproduction/test_reproduction.py"
        )

    assert is_run_elsewhere(block("amoebot reproduce --only lemma-2\n"))
    with pytest.raises(AssertionError, match="does not run"):
        is_run_elsewhere(block("amoebot reproduce --on tcp://scheduler:8786\n"))


def test_pages_agree_on_the_rounds_of_erosion() -> None:
    """Its own page once had other numbers than the page that compares it."""
    compared: dict[str, list[str]] = {}
    kind = ""
    for row in table_rows("docs/which-election.md", "| | n | L | elections |"):
        kind = row[0].rstrip("s") or kind
        compared.setdefault(kind, []).append(row[-1].strip("*"))
    own = table_rows("docs/algorithm/erosion.md", "| rounds until the leader |")
    assert {row[0].split(" (")[0]: row[1:-1] for row in own} == compared


def table_rows(page: str, head: str) -> list[list[str]]:
    """Return the cells of the table on a page that begins with these words."""
    _, _, text = (ROOT / page).read_text(encoding="utf-8").partition(head)
    lines = text.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
