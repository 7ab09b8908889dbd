"""The page of all commands, made of what the program itself says about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from amoebot import cli

MARK = "<!-- commands -->"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put all commands in the place of the mark."""
    page = files.get_file_from_path("reference/commands.md")
    assert page is not None
    assert MARK in page.content_string
    page.content_string = page.content_string.replace(MARK, "\n".join(all_commands()))
    return files


def all_commands() -> Iterator[str]:
    """Yield Markdown about each command, in the order of ``amoebot --help``."""
    program: Any = typer.main.get_command(cli.app)
    with program.make_context("amoebot", ["--help"], resilient_parsing=True) as outer:
        for name, command in program.commands.items():
            with command.make_context(name, [], parent=outer, resilient_parsing=True) as context:
                yield from one_command(command, context)


def one_command(command: Any, context: Any) -> Iterator[str]:
    """Yield a heading, how to call it, what it does, examples, and its options."""
    # A backspace tells the program not to wrap the lines that follow.
    text, _, examples = command.help.replace("\b", "").partition("\nExample")
    yield f"\n## {context.command_path}\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```\n"
    yield f"{text.strip()}\n"
    lines = [line.strip() for line in examples.partition("\n")[2].splitlines()]
    yield "```sh\n" + "\n".join(filter(None, lines)) + "\n```\n"
    yield "| | |\n|---|---|"
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            name, meaning = re.sub(r" <\w+>$", "", record[0]), record[1].replace("  [", " [")
            yield "| `{}` | {} |".format(*(part.replace("|", "\\|") for part in (name, meaning)))
