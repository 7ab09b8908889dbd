"""Files that are either whole or not there, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from filelock import FileLock, Timeout

from amoebot.errors import ExplainedError

#: Windows does not replace a file that somebody reads: how often to try, and seconds between.
ATTEMPTS, PAUSE = 50, 0.1


class FolderError(ExplainedError, ValueError):
    """Unusable folder."""

    topic = "sweeps"


def check_usable(folder: Path) -> None:
    """Refuse a folder that can be neither written to nor made, and leave nothing behind."""
    try:
        there = _nearest(folder)
        if there.is_symlink() and not there.exists():
            raise FolderError(f"{there}: this is a dangling link")
        if not there.is_dir():
            raise FolderError(f"{there}: not a directory")
        # Permissions do not tell: nobody makes anything in /proc.
        with TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise FolderError(f"{folder}: {reason_of(error)}") from None


def _nearest(folder: Path) -> Path:
    """Return the folder, or what there is of the folders around it."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            place.lstat()
            return place
    return folder


def write_whole(path: Path, content: bytes, scratch: Path) -> None:
    """Write a file under another name, flush it to the disk, and only then rename it."""
    unfinished = scratch / f"{path.name}.unfinished"
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _rename(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    settle(path.parent)


def _rename(unfinished: Path, path: Path) -> None:
    for attempt in range(ATTEMPTS):
        try:
            os.replace(unfinished, path)
            return
        except PermissionError:
            if os.name != "nt" or attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE)


def settle(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    if os.name == "nt":  # where folders cannot be opened
        return
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other sweeps out of a folder; the lock is gone when the process ends, however."""
    lock = FileLock(folder / "lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise FolderError(f"{folder}: another sweep is writing here") from None
    except NotImplementedError:  # a file system without locks
        pass
    try:
        yield
    finally:
        lock.release()


def reason_of(error: OSError) -> str:
    """Return the system's words for an error, to go into a sentence."""
    words = error.strerror or "cannot be written"
    return words[0].lower() + words[1:]
