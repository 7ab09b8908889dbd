"""How bad input is refused: one line, and exit status 2."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from amoebot.errors import ExplainedError

if TYPE_CHECKING:
    from amoebot.options import Options


class BadInput(typer.TyperException):
    """Invalid input: one line, no traceback."""

    exit_code = 2


@contextmanager
def refusing() -> Iterator[None]:
    """Turn the refusal of a shape or an option into one line for the user."""
    try:
        yield
    except ValueError as error:
        raise BadInput(in_one_line(error)) from None


@contextmanager
def refusing_late() -> Iterator[None]:
    """Say in one line what is wrong with the user's rules or scheduler, whenever that shows."""
    try:
        yield
    except ExplainedError as error:
        raise BadInput(in_one_line(error)) from None


@contextmanager
def compiling() -> Iterator[None]:
    """Refuse bad input, and say so where rules have to be compiled."""
    from amoebot.cli.compile_notice import announce_compilation

    with announce_compilation(), refusing():
        yield


@contextmanager
def explaining_election(options: Options) -> Iterator[None]:
    """Say in one line why an election from elsewhere cannot be compiled or run."""
    try:
        yield
    except (typer.TyperException, typer.Exit, MemoryError, BrokenPipeError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever is in it
        if options.election.is_built_in:
            raise
        from amoebot.jit import reason

        raise BadInput(f"{options.algorithm} does not run: {reason(error)}") from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a file that cannot be written into one line; leave no part of it behind."""
    was_there = path.exists()
    try:
        yield
    except BaseException as error:
        if not was_there:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise BadInput(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None


def check_folder(path: Path) -> None:
    """Refuse a file that could not be written, before the work for it begins."""
    folder = path.parent
    if not folder.is_dir():
        raise BadInput(f"{path}: there is no folder {folder}")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise BadInput(f"{path}: this file cannot be written")


def sparing_inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse to write over a file that a command reads."""

    @wraps(command)
    def run(**values: Any) -> Any:
        output = values.get("output")
        if isinstance(output, Path) and output.is_file():
            others = [value for name, value in values.items() if name != "output"]
            files = [one for one in others if isinstance(one, str | Path) and os.path.isfile(one)]
            folders = [Path(one) for one in others if isinstance(one, Path) and one.is_dir()]
            inside = any(output.resolve().is_relative_to(one.resolve()) for one in folders)
            if inside or any(map(output.samefile, files)):
                raise BadInput(f"{output} is what this command reads: choose another name")
        return command(**values)

    return run


def written(path: Path, what: str) -> str:
    """Return in one line what was written."""
    size = path.stat().st_size / 1e3
    return (
        f"{path}: {what}, {size:,.0f} kB" if size < 1e3 else f"{path}: {what}, {size / 1e3:,.1f} MB"
    )


def free_to_write(path: Path | None, default: str | Path, force: bool) -> Path:
    """Return where to write: never over what is there, unless that is asked for."""
    if path is None:
        first = Path(default)
        others = (first.with_stem(f"{first.stem}-{number}") for number in count(2))
        return first if force or not first.exists() else next(p for p in others if not p.exists())
    is_empty_folder = path.is_dir() and not any(path.iterdir())
    if path.exists() and not is_empty_folder and not force:
        raise BadInput(f"{path} exists: choose another name, or add --force")
    return path


def in_one_line(error: Exception) -> str:
    """Return what an error says and, if there is a page about it, how to read that."""
    page = f" (amoebot help {error.topic})" if isinstance(error, ExplainedError) else ""
    return f"{error}{page}"
