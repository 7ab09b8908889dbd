"""``amoebot view``: watch an election in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from amoebot.cli.options import Expanded, Options, ShapeSeed, takes_options
from amoebot.cli.refusing import BadInput
from amoebot.cli.runs import Beside, check_faults, describe, describe_beside

#: Where the page is found unless that port is taken.
PORT = 8421


@takes_options()
def view(
    shape: Annotated[
        str,
        typer.Argument(metavar="[SHAPE | FILE]", help="A shape, a shape file or a run file."),
    ] = "annulus:6,2",
    *,
    options: Options,
    typed: list[str],
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    beside: Beside = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Listen on this address, for others to watch.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", help="By default 8421, or a free one.")
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
      amoebot view hexagon:6 --beside erosion
    """
    run = describe(shape, shape_seed, expanded, options, typed)
    check_faults(run)
    other = describe_beside(run, beside) if beside else None
    from amoebot.cli.compile_notice import announce_compilation, leave_elections
    from amoebot.viewer.listening import listen, run_server

    try:
        socket = listen(host, PORT if port is None else port, or_any=port is None)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot listen on {host}: {reason.lower()}") from None
    name = other.options.election.name if other else ""
    with announce_compilation():
        run_server(run, host, socket, open_browser=not no_browser, beside=name)
    leave_elections()
