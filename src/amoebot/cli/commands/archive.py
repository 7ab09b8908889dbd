"""``amoebot archive``: finished results as one file, ready to be published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.options import Force, Json, print_json
from amoebot.cli.refusing import free_to_write, refusing, writing


def archive(
    results: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="A finished sweep, or the folder of a reproduction."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.zip", help="By default, FOLDER.zip."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Check every file of finished results, and pack them for a repository such as Zenodo.

    The archive has the dataset with a data package description, a README, the plan, the shape
    files, the digests of all files, and the reports that are there.

    \b
    Example:
      amoebot archive results -o results.zip
    """
    from amoebot.sweeps import archive

    named = results if results.name.strip(".") else results.resolve()  # not so are . and ..
    default = named.parent / f"{named.name or 'results'}.zip"
    file = free_to_write(output or default, "", force)
    with refusing(), writing(file):
        files = archive(results, file)
    if json:
        print_json({"archive": str(file), "files": files, "bytes": file.stat().st_size})
    else:
        typer.echo(f"{file}: {files} files, {file.stat().st_size:,} bytes.")
