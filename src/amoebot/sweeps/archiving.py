"""Archives of finished results, for a repository such as Zenodo."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from amoebot.files import as_path
from amoebot.sweeps import manifest
from amoebot.sweeps.files import FolderError
from amoebot.sweeps.store import check

#: The date of all files in an archive, so that the same results give the same archive.
EPOCH = (1980, 1, 1, 0, 0, 0)


def archive(folder: str | os.PathLike[str], file: str | os.PathLike[str]) -> int:
    """Write finished results as one ZIP file, after checking all of them; return how many files.

    Args:
        folder: A finished sweep, or a folder with several, such as that of ``amoebot reproduce``.
        file: The archive.

    Raises:
        FolderError: If there is no sweep, one is not finished, or a file is damaged.
    """
    here, target = as_path(folder, FolderError), as_path(file, FolderError)
    sweeps = [path.parent for path in sorted(here.glob("sweep.json"))]
    sweeps = sweeps or [path.parent for path in sorted(here.glob("*/sweep.json"))]
    if not sweeps:
        raise FolderError(f"{here}: there is no sweep here (no sweep.json)")
    paths: list[Path] = []
    for sweep in sweeps:
        kept = check(sweep)
        if "datapackage.json" not in kept.files:
            raise FolderError(f"{sweep}: the sweep is not finished; run it to its end first")
        names = ("sweep.json", manifest.NAME, *kept.files)
        paths += [sweep / name for name in sorted(names)]
    paths += [path for path in sorted(here.glob("report*/**/*")) if path.is_file()]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for path in paths:
            entry = zipfile.ZipInfo(f"{target.stem}/{path.relative_to(here).as_posix()}", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            made.writestr(entry, path.read_bytes())
    return len(paths)
