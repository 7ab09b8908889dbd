"""Standard output and error, whatever they lead to: a terminal, a pipe, or nothing at all."""

from __future__ import annotations

import codecs
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from io import TextIOWrapper
from typing import Any
from unicodedata import normalize

#: Standard output, while everything else goes to standard error.
_for_object: ContextVar[Any] = ContextVar("for_object", default=None)

#: What is written in place of characters that a terminal does not have.
PLAIN = {
    "✓": "ok",
    "✗": "FAILED",
    "★": "*",
    "•": "*",
    "●": "o",
    "─": "-",
    "│": "|",
    "▌": "|",
    "·": ".",
    "…": "...",
    "–": "-",
    "−": "-",
    "→": "->",
    "↔": "<->",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "×": "x",
    "±": "+-",
    "√": "sqrt ",
    "ℓ": "l",
    "°": " degrees",
    "∞": "infinity",
    "Θ": "Theta",
    "µ": "u",
    "²": "^2",
    "³": "^3",
    **dict.fromkeys("▁▂▃", "."),
    **dict.fromkeys("▄▅", "+"),
    **dict.fromkeys("▆▇█", "#"),
    "╱": "/",
    "╲": "\\",
    # Braille, of which each character has up to eight dots.
    **{chr(0x2800 + dots): " .::oooo#"[dots.bit_count()] for dots in range(256)},
}


#: What Python itself sets LC_CTYPE to in the locale C (PEP 538).
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")


class Output(TextIOWrapper):
    """Standard output whose reader may go away: the work then goes on, and sets the exit status."""

    def write(self, text: str) -> int:
        """Write, if there is still somebody to read."""
        if text == "":  # a full disk would refuse it
            return 0
        try:
            return super().write(text)
        except OSError as error:
            self._expect_leaving(error)
            return len(text)

    def flush(self) -> None:
        """Hand on what has been written."""
        try:
            super().flush()
        except OSError as error:
            self._expect_leaving(error)

    def _expect_leaving(self, error: OSError) -> None:
        """Go on if the reader has left: Windows calls that an invalid argument."""
        has_left = isinstance(error, BrokenPipeError)
        if not has_left and not (os.name == "nt" and error.errno == errno.EINVAL):
            raise error
        self.lead_nowhere()

    def lead_nowhere(self) -> None:
        """Drop what is in the buffer, and all that follows."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def prepare() -> None:
    """Set up both streams so that printing raises no error except for a full disk."""
    codecs.register_error("plain", _in_plain_characters)
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:  # closed by whoever started this program
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            encoding = "ascii" if _has_plain_locale() else stream.encoding
            by_line, at_once = stream.line_buffering, stream.write_through
            stream = Output(stream.detach(), encoding, "plain", None, by_line, at_once)
        setattr(sys, name, stream)


def _has_plain_locale() -> bool:
    """Whether the locale is C or POSIX, for which Python writes UTF-8 all the same."""
    said = os.environ.get
    if said("PYTHONIOENCODING") or said("PYTHONUTF8"):
        return False
    own = said("LC_CTYPE", "")
    chosen = said("LC_ALL") or (own if own not in COERCED else "") or said("LANG")
    return chosen in ("C", "POSIX")


@contextmanager
def only_an_object() -> Iterator[None]:
    """Have everything that is printed meanwhile go to standard error, but for the object."""
    before = _for_object.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _for_object.reset(before)


def for_object() -> Any:
    """Return the stream for what a program is to read."""
    return _for_object.get() or sys.stdout


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(plain, lacking)), error.end


def plain(lacking: str) -> str:
    """Return what is written for a character: without its accent, if nothing else is known."""
    base = normalize("NFKD", lacking).encode("ascii", "ignore").decode()
    return PLAIN.get(lacking) or base or ascii(lacking).strip("'")
