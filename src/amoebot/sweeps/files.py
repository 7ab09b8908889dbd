"""Files that are either whole or not there, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from amoebot.errors import ExplainedError

try:
    import fcntl
except ImportError:  # not on Windows: there, nobody keeps two sweeps from one folder
    fcntl = None  # type: ignore[assignment]


class FolderError(ExplainedError, ValueError):
    """A folder that cannot be used: one sentence that says which and why."""

    topic = "sweeps"


def write_whole(path: Path, content: bytes, scratch: Path) -> None:
    """Write a file under another name, see it on the disk, and only then give it its name."""
    unfinished = scratch / f"{path.name}.unfinished"
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    settle(path.parent)


def settle(folder: Path) -> None:
    """See the names in a folder on the disk."""
    if os.name == "nt":
        return
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other sweeps out of a folder; the system lets go when the process ends, however."""
    with open(folder / "lock", "ab") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FolderError(f"{folder}: another sweep is writing here") from None
        yield


def reason_of(error: OSError) -> str:
    """Return what went wrong in the words of the system, to go into a sentence."""
    words = error.strerror or "cannot be written"
    return words[0].lower() + words[1:]
