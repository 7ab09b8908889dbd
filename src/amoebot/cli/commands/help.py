"""``amoebot help``: the pages of the documentation, in the terminal."""

from __future__ import annotations

import difflib
import os
import sys
from shutil import get_terminal_size
from typing import Annotated

import typer

from amoebot.cli import pages
from amoebot.cli.refusing import BadInput


def help(
    context: typer.Context,
    topic: Annotated[str, typer.Argument(help="A page; without it, all are listed.")] = "",
) -> None:
    """Show a page of the documentation, or list all of them.

    \b
    Examples:
      amoebot help
      amoebot help start
    """
    known = pages.topics()
    if not topic:
        titles = {name: pages.title(page) for name, page in known.items()}
        fits = 24 + max(map(len, titles.values())) <= get_terminal_size().columns
        for name, title in titles.items():
            typer.echo(f"{name:<24}{title}" if fits else f"{name}\n  {title}")
        return
    if topic not in known:
        raise BadInput(f"there is no topic {topic!r}{_hint(topic, list(known), context)}")
    from rich.markdown import Markdown

    from amoebot.cli.console import Console

    console = Console()
    text = Markdown(pages.for_terminal(known[topic]), hyperlinks=False)
    if not sys.stdout.isatty():
        console.print(text)
        return
    # What git gives to less: quit if it fits on one screen, pass colours on, leave it there.
    os.environ.setdefault("LESS", "FRX")
    with console.pager(styles=True):
        console.print(text)


def _hint(topic: str, known: list[str], context: typer.Context) -> str:
    """Return what the user may have meant."""
    commands = getattr(context.parent and context.parent.command, "commands", {})
    if topic in commands:
        return f": about the command, see amoebot {topic} --help"
    near = difflib.get_close_matches(topic.lower(), known, 1, 0.5)
    return f": did you mean {near[0]}?" if near else ": amoebot help lists all pages"
