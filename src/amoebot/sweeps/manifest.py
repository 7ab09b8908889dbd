"""Digests of all files of a finished dataset, so that damage is noticed before it is read.

``manifest.json`` has the SHA-256 of every file but itself and ``sweep.json``; these two have, in
their last line, the digest of all that comes before.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from amoebot.sweeps.files import FolderError, reason_of, write_whole

NAME = "manifest.json"

#: What a sweep does about a file that is missing, by the folder it is in.
AGAIN = {"elections": "runs its elections again", "shapes": "copies it again"}


def seal(content: dict[str, Any]) -> bytes:
    """Return the text of a JSON file that ends with its own digest."""
    body = json.dumps(content, indent=1, ensure_ascii=False)
    return _sealed(body, hashlib.sha256(body.encode()).hexdigest())


def _sealed(body: str, digest: str) -> bytes:
    return f'{body[:-2]},\n "sha256": "{digest}"\n}}\n'.encode()


def unseal(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file that ends with its own digest.

    Raises:
        FolderError: If it is not what was written.
    """
    written = path.read_bytes()
    try:
        content = json.loads(written)
        digest = content.pop("sha256")
        intact = seal(content) == written and isinstance(digest, str)
    except (ValueError, KeyError, AttributeError, TypeError):
        intact = False
    if not intact:
        raise FolderError(f"{path.parent}: {path.name} is damaged or has been changed by hand")
    return dict(content)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Manifest:
    """The files of a folder, each with its digest and size."""

    def __init__(self, folder: Path) -> None:
        """Read what the folder has, if it has one."""
        self.folder = folder
        path = folder / NAME
        self.files: dict[str, dict[str, Any]] = unseal(path)["files"] if path.exists() else {}

    def add(self, scratch: Path, *names: str) -> None:
        """Note files that have been written, and write the manifest."""
        for name in names:
            path = self.folder / name
            self.files[name] = {"sha256": digest_of(path), "bytes": path.stat().st_size}
        self.write(scratch)

    def write(self, scratch: Path) -> None:
        """Write the manifest."""
        content = {"files": dict(sorted(self.files.items()))}
        write_whole(self.folder / NAME, seal(content), scratch)

    def has(self, name: str) -> bool:
        """Whether a file is noted, and whole."""
        path = self.folder / name
        noted = name in self.files and path.exists()
        return noted and digest_of(path) == self.files[name]["sha256"]

    def check(self, name: str) -> None:
        """Compare a file with its digest.

        Raises:
            FolderError: If it is missing or damaged.
        """
        again = AGAIN.get(name.partition("/")[0], "writes it again")
        try:
            found = digest_of(self.folder / name)
        except FileNotFoundError:
            raise FolderError(f"{self.folder / name} is missing: the same sweep {again}") from None
        except OSError as error:
            raise FolderError(f"{self.folder / name}: {reason_of(error)}") from None
        if found != self.files[name]["sha256"]:
            raise FolderError(
                f"{self.folder / name} is damaged (its SHA-256 is not that in {NAME}): delete it, "
                f"and the same sweep {again}"
            )
