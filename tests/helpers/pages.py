"""The pages of the documentation: their blocks, and the commands that they mention."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: The pages whose blocks run, and those that merely mention commands.
PAGES = ("README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md")))
MENTIONS = (*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")

_FENCE = re.compile(r"^( *)(`{3,})(\w*)(.*)$")
_TITLE = re.compile(r'title="([^"]+)"')
_COMMENT = re.compile(r"^<!-- (.*?) -->$")
_INLINE = re.compile(r"`(amoebot(?:\s[^`]*)?)`")


@dataclass(frozen=True)
class Block:
    """A fenced block, with the comment on the line before it."""

    language: str
    title: str | None
    text: str
    line: int  #: of its first line on the page
    comment: str


def blocks_of(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    number, comment = 0, ""
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is None:
            found = _COMMENT.match(lines[number].strip())
            if found or lines[number].strip():
                comment = found[1] if found else ""
            number += 1
            continue
        start = number = number + 1
        while lines[number].strip() != fence[2]:
            number += 1
        text = textwrap.dedent("\n".join(lines[start:number])) + "\n"
        title = _TITLE.search(fence[4])
        yield Block(fence[3], title[1] if title else None, text, start + 1, comment)
        number, comment = number + 1, ""


def commands_of(block: Block) -> Iterator[list[str]]:
    """Yield the words of each simple command of a block of shell."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    for line in lines:
        for part in re.split(r"&&|\|\||[|;]", re.sub(r"(^|\s)#.*", "", line)):
            if words := shlex.split(part):
                yield words


def inline_commands(page: str) -> Iterator[list[str]]:
    """Yield the words of each command of this package that a page mentions in a sentence."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^( *)(`{3,}).*?^ *\2$", "", text, flags=re.DOTALL | re.MULTILINE)
    for found in _INLINE.finditer(text):
        yield found[1].replace("[", "").replace("]", "").split()
