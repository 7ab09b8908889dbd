"""The pages of the documentation: where they are, and how they read in a terminal.

They are written for the web. Pictures become their captions, links between pages the commands that
show them, and boxes and tabs, which only the web has, quotations and headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import amoebot

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FENCE = re.compile(r"\s*(```+|~~~+)")
_BOX = re.compile(r'(?:!!!|\?\?\?\+?) +(\w+)[^"]*(?:"(.*)")?\s*$')
_TAB = re.compile(r'===[!+]? +"(.*)"\s*$')
_MODULE = re.compile(r"::: +([\w.]+)")
_CODE = re.compile(r"(`+[^`]+`+)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)[^)]*\)")
_ATTRIBUTES = re.compile(r"(?<=\))\{[^}]*\}| ?\{:? ?[.#][^}]*\}")


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
    text = _FRONT_MATTER.sub("", page.read_text(encoding="utf-8"))
    return "\n".join(_plain(_COMMENT.sub("", text).splitlines()))


def _name(page: Path, folder: Path) -> str:
    """Return the name of a page: of its file, or of its folder if it is the first one there."""
    if page.stem != "index":
        return page.stem
    return "home" if page.parent == folder else page.parent.name


def _plain(lines: list[str]) -> Iterator[str]:
    """Go through a page line by line; code stays as it is."""
    fence = ""
    rest = iter(lines)
    for line in rest:
        mark = _FENCE.match(line)
        if fence or mark:
            if mark and not fence:
                fence = mark[1]
            elif line.strip() == fence:
                fence = ""
            yield line
        elif box := _BOX.match(line):
            body, following = _indented(rest)
            yield f"> **{box[2] or box[1].capitalize()}**"
            yield ">"
            yield from (f"> {inside}" for inside in _plain(body))
            yield ""
            yield from _plain(following)
        elif tab := _TAB.match(line):
            body, following = _indented(rest)
            yield f"**{tab[1]}**"
            yield ""
            yield from _plain(body)
            yield from _plain(following)
        elif module := _MODULE.match(line):
            yield f"`help({module[1]})` in Python shows this part."
        else:
            yield "".join(_words(part) for part in _CODE.split(line))


def _indented(rest: Iterator[str]) -> tuple[list[str], list[str]]:
    """Return the indented lines that come next, without their indentation, and all the others."""
    body: list[str] = []
    for line in rest:
        if line.strip() and not line.startswith("    "):
            return body, [line, *rest]
        body.append(line[4:])
    return body, []


def _words(text: str) -> str:
    """Return a part of a line that is not code, without pictures, attributes and local links."""
    if text.startswith("`"):
        return text
    text = _ATTRIBUTES.sub("", text)
    return _LINK.sub(_link, _PICTURE.sub(r"*[picture: \1]*", text))


def _link(link: re.Match[str]) -> str:
    """Return a link as words, with the command that shows its page if there is one."""
    words, target = link[1], link[2].partition("#")[0]
    if "://" in target:
        return link[0]
    page = Path(target)
    topic = page.parent.name if page.stem == "index" else page.stem
    known = page.suffix == ".md" and topic in topics()
    return f"{words} (`amoebot help {topic}`)" if known else words
