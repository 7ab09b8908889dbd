"""The command line. Each command is a module of its own, and imports what is heavy when it runs."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import cache
from typing import Annotated, Any

import typer

from amoebot import __version__
from amoebot.cli import first_election, narrow, streams
from amoebot.cli.commands import (
    archive,
    bench,
    compare,
    draw,
    elect,
    film,
    help,
    live,
    memory,
    report,
    reproduce,
    ring,
    shapes,
    sweep,
    verify,
    view,
)
from amoebot.cli.refusing import sparing_inputs

#: What a shell reports for a program that was stopped with Ctrl-C.
INTERRUPTED = 130

app = typer.Typer(
    name="amoebot",
    rich_markup_mode=None,  # plain help needs no rich, and so appears at once
    pretty_exceptions_enable=False,
)

COMMANDS = (
    elect.elect,
    compare.compare,
    view.view,
    draw.draw,
    film.film,
    live.live,
    sweep.sweep,
    report.report,
    archive.archive,
    reproduce.reproduce,
    shapes.shapes,
    memory.memory,
    verify.verify,
    ring.ring,
    bench.bench,
    help.help,
)

for command in COMMANDS:
    # Without its first line given here, a command's line in the list would be cut off.
    app.command(short_help=(command.__doc__ or "").partition("\n")[0])(sparing_inputs(command))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"amoebot {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Leader election for self-organizing programmable matter.

    Exit status: 0 done, 1 the run ended without a leader or a check failed, 2 bad input.

    \b
    Example:
      amoebot elect hexagon:10 --seed 7
    """


def main() -> None:
    """Run the command that the user typed, and leave with its exit status."""
    streams.prepare()
    # Without a command, say which ones there are.
    arguments = sys.argv[1:] or ["--help"]
    first_election.prepare(arguments)
    words = {one.partition("=")[0] for one in arguments}
    own = {"--rules", "--algorithm", "--scheduler", "--properties", "sweep"}
    if words & own and "--help" not in words:
        from amoebot.linking import watchdog

        watchdog.end_with_ctrl_c()
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; what goes wrong becomes one line of text."""
    try:
        is_for_program = "--json" in arguments and "--help" not in arguments
        with streams.only_an_object() if is_for_program else nullcontext():
            status = _command()(arguments, prog_name="amoebot", standalone_mode=False) or 0
        sys.stdout.flush()
        if status != INTERRUPTED:
            _finish_compiling()
    except typer.TyperException as error:
        return _say(_in_one_line(error), error.exit_code)
    except MemoryError:
        return _say("there is not enough memory for this", 2)
    except OSError as error:  # such as a full disk behind standard output
        if isinstance(sys.stdout, streams.Output):
            sys.stdout.lead_nowhere()
        return _say((error.strerror or str(error)).lower(), 2)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        _forget_limit()
    return _say("interrupted", INTERRUPTED) if status == INTERRUPTED else int(status)


def _forget_limit() -> None:
    """Let a program that runs commands go on for longer than ``--time-limit``."""
    watchdog = sys.modules.get("amoebot.linking.watchdog")
    if watchdog is not None:
        watchdog.give_up_after(None)


def _finish_compiling() -> None:
    """Wait for what other processes compile, if any do. The command is done, so Ctrl-C is fine."""
    notice = sys.modules.get("amoebot.cli.compile_notice")
    if notice is not None and notice.are_elections_under_way():
        if isinstance(sys.stdout, streams.Output):
            sys.stdout.lead_nowhere()  # whoever reads it need not wait
        try:
            notice.finish_elections()
        except KeyboardInterrupt:
            notice.leave_elections()


@cache
def _command() -> Any:
    """Return all commands; making them takes a while, and a program may run several."""
    made = typer.main.get_command(app)
    narrow.make_readable(made)
    return made


def _in_one_line(error: typer.TyperException) -> str:
    """Return what is wrong and, if a command was not called as it should be, where to read on."""
    message = _about_a_number(error) or " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    return f"{message.rstrip('.')} (see {context.command_path} --help)" if context else message


def _about_a_number(error: typer.TyperException) -> str:
    """Return why a number is refused, in our words instead of those of the library; or nothing."""
    found = getattr(error.__cause__, "errors", None)
    if found is None:
        return ""
    (first, *_), option = found(), getattr(error, "param", None)
    limits = first.get("ctx", {})
    if "ge" in limits:
        words = f"must be {limits['ge']:g} or more"
    elif "le" in limits:
        words = f"must be {limits['le']} or less"
    elif str(first["type"]).startswith(("int", "float")):
        words = f"is not a {'whole ' if str(first['type']).startswith('int') else ''}number"
    else:
        return ""
    return f"{max(option.opts, key=len) if option else ''} {first['input']} {words}".strip()


def _say(message: str, status: int) -> int:
    try:
        print(f"amoebot: {message}", file=sys.stderr, flush=True)
    except OSError:  # nobody can be told, and the status is the same
        if isinstance(sys.stderr, streams.Output):
            sys.stderr.lead_nowhere()
    return status
