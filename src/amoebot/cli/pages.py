"""The pages of the documentation: where they are, and how they read in a terminal.

They are written for the web. Pictures become their captions, and links between pages the commands
that show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import amoebot

_MADE = re.compile(r"^<!-- \w+ -->$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_FENCE = re.compile(r"\s*(```+|~~~+)")
_MODULE = re.compile(r"^::: +([\w.]+).*$", re.MULTILINE)
_INLINE = re.compile(
    r"(?P<code>`+[^`]+`+)"
    r"|!\[(?P<picture>[^\]]*)\]\([^)]*\)"
    r"|\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)[^)]*\)"
    r"|(?<=\))\{[^}]*\}| ?\{:? ?[.#][^}]*\}"  # attributes
)


@cache
def topics() -> dict[str, Path]:
    """Return the pages by name: those of the package, or beside the sources it is made from."""
    package = Path(amoebot.__file__).parent
    places = (package / "docs", package.parents[1] / "docs")
    folder = next((place for place in places if place.is_dir()), places[0])
    pages = sorted(folder.rglob("*.md"), key=lambda page: (len(page.parts), page))
    return {_name(page, folder): page for page in pages}


def title(page: Path) -> str:
    """Return what a page is about, in one line."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def for_terminal(page: Path) -> str:
    """Return the text of a page as plain Markdown, with nothing that only the web can show."""
    text = page.read_text(encoding="utf-8")
    text = _MADE.sub("*What follows here is made when the site is built.*", text)
    return "\n".join(_plain(_COMMENT.sub("", text).splitlines()))


def _name(page: Path, folder: Path) -> str:
    """Return the name of a page: of its file, or of its folder if it is the first one there."""
    if page.stem != "index":
        return page.stem
    return "home" if page.parent == folder else page.parent.name


def _plain(lines: list[str]) -> Iterator[str]:
    """Go through a page; code stays as it is."""
    fence = ""
    # The lines since the last code: a link may begin on one of them and end on another.
    words: list[str] = []
    for line in lines:
        mark = _FENCE.match(line)
        if not (fence or mark):
            words.append(line)
            continue
        yield from _without_web(words)
        words = []
        if mark and not fence:
            fence = mark[1]
        elif line.strip() == fence:
            fence = ""
        yield line
    yield from _without_web(words)


def _without_web(lines: list[str]) -> list[str]:
    text = _MODULE.sub(r"`help(\1)` in Python shows this part.", "\n".join(lines))
    return _INLINE.sub(_words, text).split("\n") if lines else []


def _words(part: re.Match[str]) -> str:
    """Return code as it is, the caption of a picture, the words of a link, and of the rest nothing.

    A link to another page is followed by the command that shows it.
    """
    if part["code"]:
        return part[0]
    if part["picture"] is not None:
        return f"*[picture: {part['picture']}]*"
    if not part["words"]:
        return ""
    if "://" in part["target"]:
        return part[0]
    page = Path(part["target"].partition("#")[0])
    topic = page.parent.name if page.stem == "index" else page.stem
    known = page.suffix == ".md" and topic in topics()
    return f"{part['words']} (`amoebot help {topic}`)" if known else part["words"]
