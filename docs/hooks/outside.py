"""Links out of docs work on a code host as they are; on the site, what they lead to is a page too.

``../CHANGELOG.md`` or ``../src/amoebot/results.py`` becomes a page below ``repository/``. A link to
a file that does not exist stays as it is, and so fails the strict build.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

#: A relative link of Markdown: its address, and the part after it. Code has none that matter.
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")

#: What the lines of a listing are called, where a code host says "#L".
LINE = "#__codelineno-0-"

LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".js": "javascript", ".sh": "sh"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make a page of everything outside docs that a page links to, and of what those link to."""
    root = Path(config.config_file_path).parent
    docs = relpath(config.docs_dir, root)
    waiting = [(file, join(docs, file.src_uri)) for file in files if file.is_documentation_page()]
    while waiting:
        page, path = waiting.pop()

        def lead(link: re.Match[str], page: File = page, path: str = path) -> str:
            target = normpath(join(dirname(path), link[1]))
            uri = target.removeprefix(f"{docs}/")
            if uri == target:  # not in docs
                made = page_of(root, target, config)
                if made is None:
                    return link[0]
                uri = made.src_uri
                if files.get_file_from_path(uri) is None:
                    files.append(made)
                    if target.endswith(".md"):
                        waiting.append((made, target))
            part = (link[2] or "").replace("#L", LINE)
            return relpath(uri, dirname(page.src_uri) or ".") + part

        page.content_string = LINK.sub(lead, page.content_string)
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to the lines of a listing be checked: MkDocs does not look into listings."""
    if page.file.src_uri.startswith("repository/"):
        lines = re.findall(f'id="({LINE[1:]}[0-9]+)"', html)
        page.present_anchor_ids = {*(page.present_anchor_ids or ()), *lines}
    return html


def page_of(root: Path, target: str, config: MkDocsConfig) -> File | None:
    """Return the page of a file of the repository, named by its path from the root."""
    path = root / target
    if path.is_dir():
        target, path = join(target, "README.md"), path / "README.md"
    if target.startswith("..") or not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return File.generated(config, f"repository/{target}", content=text)
    content = notebook(text) if path.suffix == ".ipynb" else code(text, LANGUAGES.get(path.suffix))
    head = f"---\nsearch:\n  exclude: true\nhide: [toc]\n---\n\n# `{target}`\n\n"
    return File.generated(config, f"repository/{target}.md", content=head + content)


def code(text: str, language: str | None) -> str:
    """Return source code with numbered lines."""
    kind = f'{language} linenums="1"' if language else "text"
    return f"`````{kind}\n{text.rstrip()}\n`````\n"


def notebook(text: str) -> str:
    """Return the cells of a notebook, without what they print."""
    cells = json.loads(text)["cells"]
    parts = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    return "\n\n".join(t if kind == "markdown" else f"```python\n{t}\n```" for kind, t in parts)
