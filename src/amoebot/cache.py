"""Where compiled code is kept, and the digest of the sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path, PurePath
from tempfile import TemporaryFile

#: Left out of the digest: sources that have no influence on runs.
ROOMS_WITHOUT_PART = (
    *("bench", "browser", "cli", "render", "reports", "reproduction", "sweeps", "viewer"),
    *("errors.py", "ring.py", "terminal.py"),
)
#: The same within ``algorithms``: the words for elections. Pictures have a part: the lines of their
#: charts are what sweeps can measure.
TEXT_MODULES = ("words.py", "tour.py")

#: Folders of a kind that are kept.
MOST_FOLDERS = 12

_FOLDER = re.compile("[0-9a-f]{16}")


def is_excluded(source: PurePath) -> bool:
    """Whether a source, by its place in the package, has no influence on runs."""
    room = source.parts[0]
    return room in ROOMS_WITHOUT_PART or (room == "algorithms" and source.name in TEXT_MODULES)


@cache
def digest_of_sources() -> str:
    """Return a digest of all sources of the package that have a part in how a run goes."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        place = source.relative_to(package)
        if not is_excluded(place):
            digest.update(place.as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder(made_of: str, kind: str) -> Path | None:
    """Return the folder for what is made of these sources and something more.

    There is none where no folder can be written to: then it is made anew each time.
    Folders of a kind are kept apart from others, which cannot push them out.
    """
    return _folder(digest_of_sources() + made_of, kind)


@cache
def code_folder() -> Path | None:
    """Return the folder of machine code, named after what compiles it (see ``machine_code``)."""
    own = "".join(
        hashlib.sha256((Path(__file__).parent / name).read_bytes()).hexdigest()
        for name in ("by_address.py", "jit.py", "machine_code.py", "fingerprint.py")
    )
    return _folder(own + "".join(map(version, ("numba", "llvmlite", "numpy"))), "")


def _folder(made_of: str, kind: str) -> Path | None:
    name = hashlib.sha256(made_of.encode()).hexdigest()
    try:
        folder = _cache_home() / kind / name[:16]
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _drop_old_folders(folder)
        os.utime(folder)  # the time of its last use
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # read-only or full, or a user without a home
        return None


def _drop_old_folders(new: Path) -> None:
    """Remove what has not been used for longest, so that versions and rules do not pile up."""
    last_used: dict[Path, float] = {}
    for path in new.parent.iterdir():
        with suppress(OSError):  # another process may have removed it meanwhile
            if _FOLDER.fullmatch(path.name):
                last_used[path] = path.stat().st_mtime
    for old in sorted(last_used, key=lambda path: -last_used[path])[MOST_FOLDERS:]:
        if old != new:
            shutil.rmtree(old, ignore_errors=True)


def _cache_home() -> Path:
    if own := os.environ.get("AMOEBOT_CACHE"):
        return Path(own).absolute()
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "amoebot" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "amoebot"
