"""A console that lays out what it will write: in plain characters, if its stream has no others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

from amoebot.cli.streams import plain

#: Columns that a terminal is taken to have: at the least, and if COLUMNS says 0.
LEAST, UNKNOWN = 20, 80


class Console(console.Console):
    """Text that becomes longer in plain characters is wrapped by the length it then has."""

    def __init__(self, **named: Any) -> None:
        """Take what the library's console takes, and colour nothing by itself."""
        super().__init__(highlight=False, **named)
        if self.width < LEAST:
            self.width = LEAST if self.width else UNKNOWN

    def render_str(self, text: str, **named: Any) -> Text:
        """Turn a string into text, as cells of tables are."""
        return self._as_written(super().render_str(text, **named))

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Lay out what is to be printed, and each of its parts."""
        if isinstance(renderable, Text):
            renderable = self._as_written(renderable)
        return super().render(renderable, options)

    def _as_written(self, text: Text) -> Text:
        """Return a text in the characters that the stream has, with the same styles."""
        encoding = self.encoding
        if _fits(text.plain, encoding):
            return text
        written = Text(style=text.style, justify=text.justify, overflow=text.overflow)
        written.no_wrap, written.end = text.no_wrap, text.end
        for part in text.divide(range(1, len(text))):
            known = part.plain
            part.plain = known if _fits(known, encoding) else plain(known)
            part.spans = [Span(0, len(part), span.style) for span in part.spans]
            written.append_text(part)
        return written


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
