"""Figures that run: what follows a comment ``<!-- live: what to watch for -->``.

One that follows ``<!-- live, by itself: … -->`` begins to play once it is seen.

The figure's command, in the paragraph below it or in a comment ``<!-- run: … -->`` before it, says
which moment of which run it shows. On the site the run goes on from there, in the reader's
browser; where that is not possible, the figure stays what it is. The page *Try it* leads to the
viewer with its engine inside, as ``amoebot live`` writes it.
"""

from __future__ import annotations

import html
import json
import re
from typing import Annotated, Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from amoebot.browser import live
from amoebot.cli.options import Expanded, Options, ShapeSeed, read_shape, takes_options
from amoebot.runs import Run
from amoebot.shapes import GENERATORS
from amoebot.viewer.bundle import style
from amoebot.viewer.opening import as_json

LIVE = re.compile(
    r"<!-- live(?P<plays>, by itself)?: (?P<watch>[^\n]*?) -->\n"
    r"(?:<!-- run: (?P<run>[^\n]*?) -->\n)?\n?"
    r"(?P<still>!\[[^\n]*\)\n)(?P<caption>\n\*[^\n]*`amoebot draw (?P<draw>[^`]*)`)?"
)

#: Where the parts are that pages with such figures load.
SCRIPT, STYLE, VIEWER = "assets/live.js", "assets/viewer.css", "live.html"

#: What *Try it* begins with.
FIRST = ("annulus:6,2", "--seed", "7")

app = typer.Typer()


@app.command()
@takes_options()
def figure(
    shape: str,
    rounds: Annotated[int, typer.Option("--round")] = 0,
    position: int = 0,
    show: list[str] | None = None,
    hide: list[str] | None = None,
    output: Annotated[str, typer.Option("--output", "-o")] = "",
    *,
    options: Options,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
) -> dict[str, Any]:
    """Return the run and the moment that ``amoebot draw`` draws."""
    found = read_shape(shape, shape_seed, expanded)
    known = expanded is None and shape.partition(":")[0] in GENERATORS
    run = Run(found, options, shape_text=shape if known else None, shape_seed=shape_seed)
    told = {"round": rounds, "position": position, "show": show or [], "hide": hide or []}
    return {"run": run, **told}


def read(command: str) -> dict[str, Any]:
    """Return what the words after ``amoebot draw`` ask for."""
    made: dict[str, Any] = typer.main.get_command(app).main(command.split(), standalone_mode=False)
    return made


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what figures load, and the viewer."""
    packed = live.packed()
    first = read(" ".join(FIRST))["run"]
    for uri, content in (
        (SCRIPT, live.figures(packed)),
        (STYLE, style()),
        (VIEWER, live.page(packed, first)),
    ):
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Wrap figures, so that the script finds them."""
    return LIVE.sub(wrapped, markdown)


def wrapped(found: re.Match[str]) -> str:
    """Return a figure with the run that it is a moment of, and the sentence below it."""
    told = read(found["run"] or found["draw"])
    told |= {"run": as_json(told["run"]), "plays": found["plays"] is not None}
    data = html.escape(json.dumps(told), quote=True)
    kind = "live first" if told["plays"] else "live"
    return (
        f'<div class="{kind}" data-live="{data}" markdown="1">\n\n{found["still"]}\n</div>\n\n'
        f'<p class="watch">{html.escape(found["watch"])}</p>\n{found["caption"] or ""}'
    )


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Let pages with such figures load what they need."""
    if "data-live=" not in output:
        return output
    root = "../" * page.url.count("/")
    parts = (
        f'<link rel="stylesheet" href="{root}{STYLE}"><script defer src="{root}{SCRIPT}"></script>'
    )
    return output.replace("</head>", f"{parts}</head>", 1)
