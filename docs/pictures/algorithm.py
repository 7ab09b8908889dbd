"""Draw the figures of ``docs/algorithm``: each page names the command of each of its figures.

Run it as ``python docs/pictures/algorithm.py``. With ``--check`` it changes nothing, and fails
unless every figure is what its command draws now.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from amoebot import cli

DOCS = Path(__file__).resolve().parent.parent
FIGURES = DOCS / "pictures" / "algorithm"

COMMAND = re.compile(r"`amoebot (draw [^`]* -o (\S+\.svg))`")
SHOWN = re.compile(r"!\[[^\]]*\]\(\.\./pictures/algorithm/(\S+\.svg)\)")


def main() -> None:
    """Draw everything, or check it."""
    pages = sorted((DOCS / "algorithm").glob("*.md"))
    if "--check" not in sys.argv[1:]:
        FIGURES.mkdir(exist_ok=True)
        for page in pages:
            for name, command in commands(page).items():
                draw(command, FIGURES / name)
    elif problems := [problem for page in pages for problem in check(page)]:
        sys.exit("\n".join(problems))


def commands(page: Path) -> dict[str, str]:
    """Return the command of each figure that a page says how to draw."""
    text = page.read_text(encoding="utf-8")
    return {name: command for command, name in COMMAND.findall(text)}


def check(page: Path) -> list[str]:
    """Return what is wrong with the figures of a page."""
    drawn = commands(page)
    shown = set(SHOWN.findall(page.read_text(encoding="utf-8")))
    problems = [f"{page.name}: {name} is shown without its command" for name in shown - {*drawn}]
    problems += [f"{page.name}: {name} is drawn and not shown" for name in {*drawn} - shown]
    with TemporaryDirectory() as folder:
        for name, command in drawn.items():
            draw(command, Path(folder) / name)
            kept = FIGURES / name
            if not kept.exists() or kept.read_bytes() != (Path(folder) / name).read_bytes():
                problems.append(f"{page.name}: {name} is not what its command draws")
    return problems


def draw(command: str, file: Path) -> None:
    """Run a command of a page, with another place for its figure."""
    *arguments, _ = command.split()
    if cli.run([*arguments, str(file), "--force"]) != 0:
        sys.exit(f"amoebot {command}: failed")


if __name__ == "__main__":
    main()
