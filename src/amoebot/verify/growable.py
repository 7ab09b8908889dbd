"""Arrays that grow, large ones in temporary files that are mapped into memory.

What is written from end to end and read in order need not be in memory all the time: the operating
system keeps as much of it there as there is room for.
"""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.verify.report import NotExploredError

#: An array of more bytes than this goes into a file.
LARGE = 1 << 30

#: Zeros are written to files in blocks of this many bytes.
_BLOCK = 1 << 26

#: The files of arrays, by name.
Files = dict[str, IO[bytes]]


def lengthen(array: NDArray[Any], length: int) -> None:
    """Add zeros to an array, of which there are no views."""
    array.resize((length, *array.shape[1:]), refcheck=False)


def lengthened(array: NDArray[Any], length: int, name: str, files: Files) -> NDArray[Any]:
    """Return an array with zeros added, in a file if it is large; it is the same one if it can be.

    The file is written rather than left with holes: on a full disk that is an error here, and not
    the end of the program later.
    """
    size = length * array.itemsize
    if size <= LARGE and name not in files:
        lengthen(array, length)
        return array
    try:
        if name not in files:
            files[name] = TemporaryFile(prefix="amoebot-")  # noqa: SIM115 (closed with the crew)
            array.tofile(files[name])
        file = files[name]
        at = file.seek(0, 2)
        while at < size:
            at += file.write(bytes(min(_BLOCK, size - at)))
        file.flush()
    except OSError as error:
        raise NotExploredError(f"no room on the disk for what was found: {error}") from error
    return np.asarray(np.memmap(file, array.dtype, "r+", shape=(length,)))


def on_disk(array: NDArray[Any]) -> bool:
    """Whether an array is in a file."""
    return isinstance(array.base, np.memmap)
