"""``amoebot view``: watch an election in the browser."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from amoebot.cli.options import BadInput, Expanded, RulesFile, Seed, ShapeSeed
from amoebot.cli.runs import Radix, Scheduler, Whp, describe

#: Where the page is found unless that port is taken.
PORT = 8421


def view(
    shape: Annotated[
        str,
        typer.Argument(metavar="[SHAPE | FILE]", help="A shape, a shape file or a run file."),
    ] = "annulus:6,2",
    seed: Seed = 0,
    scheduler: Scheduler = "permutation",
    radix: Radix = 16,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    whp: Whp = False,
    rules: RulesFile = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Listen here; others can then see it too.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Without it 8421, or a free one.")
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Watch an election in the browser, step by step, forwards and backwards.

    \b
    Examples:
      amoebot view
      amoebot view random:500,3 --shape-seed 1 --seed 7
      amoebot view counterexample.json
    """
    from amoebot.jit import announce_compilation

    with announce_compilation():
        run = describe(shape, shape_seed, expanded, seed, scheduler, radix, whp, rules)
    from amoebot.viewer.listening import listen, run_server

    try:
        socket = listen(host, PORT if port is None else port, or_any=port is None)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot listen on {host}: {reason.lower()}") from None
    with suppress(KeyboardInterrupt):  # which is how the reader ends it
        run_server(run, host, socket, open_browser=not no_browser)
