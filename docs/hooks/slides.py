"""Slides for a talk, as one HTML file with the site's own figures: ``slides.html``.

Arrow keys, space and clicks go through them, and each prints as a page.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import tomllib
from functools import reduce
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

SCRIPT = """
  const slides = [...document.querySelectorAll("section")];
  const number = () => Math.min(Math.max(Number(location.hash.slice(1)) || 1, 1), slides.length);
  const show = () => slides.forEach((one, i) => one.classList.toggle("shown", i + 1 === number()));
  const go = (steps) => {
    location.hash = Math.min(Math.max(number() + steps, 1), slides.length);
  };
  const keys = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1,
                 ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e9, End: 1e9 };
  addEventListener("keydown", (event) => event.key in keys && go(keys[event.key]));
  addEventListener("click", (event) => go(event.clientX < innerWidth / 3 ? -1 : 1));
  addEventListener("hashchange", show);
  show();
"""

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:;
  style-src 'unsafe-inline'; script-src 'self' 'sha256-{digest}'">
<title>Leader election in programmable matter</title>
<style>
  body { margin: 0; background: #fff; color: #17202c; font: 22px/1.4 system-ui, sans-serif }
  section { height: 100vh; box-sizing: border-box; padding: 4vh 6vw; display: none;
            flex-direction: column; gap: 2vh; break-after: page }
  section.shown { display: flex }
  h1 { margin: 0; font-size: 1.6em }
  img { flex: 1; min-height: 0; object-fit: contain }
  p { margin: 0 auto; max-width: 60em; text-align: center }
  small { text-align: right; color: #5b6876 }
  @media print { section { display: flex } }
</style>
{slides}
<script>{script}</script>
</html>
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the slides to the site."""
    files.append(File.generated(config, "slides.html", content=page(Path(config.docs_dir))))
    return files


def page(docs: Path) -> str:
    """Return all slides as one file that loads nothing."""
    slides = tomllib.loads((docs / "slides.toml").read_text(encoding="utf-8"))["slide"]
    made = []
    for number, slide in enumerate(slides, start=1):
        figure = base64.b64encode((docs / slide["figure"]).read_bytes()).decode()
        title, text = html.escape(slide["title"]), html.escape(slide["text"])
        text = re.sub(r"\((\w+) (\S+)\)", r"(\1&nbsp;\2)", text)  # sections are not torn apart
        made.append(
            f'<section>\n<h1>{title}</h1>\n<img alt="{title}" src="data:image/svg+xml;base64,'
            f'{figure}">\n<p>{text}</p>\n<small>{number} / {len(slides)}</small>\n</section>'
        )
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    parts = {"{digest}": digest, "{slides}": "\n".join(made), "{script}": SCRIPT}
    return reduce(lambda page, part: page.replace(part, parts[part]), parts, PAGE)
