"""Help in terminals too narrow for two columns: what an option does stands below it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

#: Columns below which help has one column: the library takes this many in any case.
LEAST = 50

#: By how much that which belongs to the line above is indented.
INDENT = 4


def make_readable(group: Any) -> None:
    """Let all help of a group of commands fit the terminal, however narrow."""
    for command in (group, *group.commands.values()):
        known = command.context_class
        formatter = type("Formatter", (_Narrow, known.formatter_class), {})
        command.context_class = type("Context", (known,), {"formatter_class": formatter})


class _Narrow:
    """What help does in another way where there is little room."""

    width: int
    current_indent: int

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        room = shutil.get_terminal_size().columns - 2
        self._is_narrow = room < LEAST
        if self._is_narrow:
            self.width = max(room, 20)

    def write(self, string: str) -> None:
        super().write(string)  # type: ignore[misc]

    def write_dl(self, rows: Sequence[tuple[str, str]], *given: Any, **named: Any) -> None:
        """Write terms, and what each means below it."""
        if not self._is_narrow:
            super().write_dl(rows, *given, **named)  # type: ignore[misc]
            return
        for term, meaning in rows:
            self._write_wrapped(term, self.current_indent)
            self._write_wrapped(meaning, self.current_indent + INDENT)

    def write_text(self, text: str) -> None:
        """Write paragraphs; lines to be typed go on after a backslash."""
        if not self._is_narrow:
            super().write_text(text)  # type: ignore[misc]
            return
        paragraphs = [part for part in text.split("\n\n") if part.strip()]
        for number, paragraph in enumerate(paragraphs):
            self.write("\n" if number else "")
            first, *lines = paragraph.strip("\n").split("\n")
            if first.strip() != "\b":
                self._write_wrapped(" ".join(paragraph.split()), self.current_indent)
                continue
            for line in lines:
                indent = self.current_indent + len(line) - len(line.lstrip())
                is_command = line.strip().startswith("amoebot ")
                self._write_wrapped(line.strip(), indent, " \\" if is_command else "")

    def _write_wrapped(self, text: str, indent: int, goes_on: str = "") -> None:
        """Write text in as many lines as it takes, without breaking words."""
        room = max(10, self.width - indent - len(goes_on) - (2 if goes_on else 0))
        lines = wrap(text, room, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines):
            more = indent + (2 if goes_on and number else 0)
            end = goes_on if number < len(lines) - 1 else ""
            self.write(f"{' ' * more}{line}{end}\n")
