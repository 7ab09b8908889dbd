"""The page; and its modules as one piece of JavaScript, for a film that is one file, and notebooks.

The page itself loads its modules one by one. A page from the disk may not, and a notebook cannot:
there each module becomes a function that returns what it exports.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, Template
from markupsafe import Markup

STATIC = Path(str(files("amoebot.viewer").joinpath("static")))

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *(//[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_NAME = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Look:
    """How a page that is one file looks at first."""

    dark: bool = False
    show: tuple[str, ...] = ()  #: layers
    hide: tuple[str, ...] = ()
    beside: str = ""  #: another election on the same shape, in step


def page(title: str = "amoebot") -> str:
    """Return the page, which loads its parts from the server."""
    return _template().render(title=title)


def bundled_page(entry: str, title: str, **content: str) -> str:
    """Return a page that has all of its parts inside, and content by the names of its elements."""
    parts = {"script": _in_script(bundle(entry)), "style": Markup(style())}
    digests = {name: _digest(text) for name, text in parts.items()}
    inside = {name: _in_script(text) for name, text in content.items()}
    return _template().render(title=title, **parts, digests=digests, content=inside)


def _digest(text: str) -> Markup:
    """Return what a page's content policy says of an element, so that no other one is run."""
    return Markup("sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())


def _template() -> Template:
    templates = Environment(loader=PackageLoader("amoebot.viewer"), autoescape=True)
    return templates.get_template("page.html")


def _in_script(text: str) -> Markup:
    """Return text for a script element, which ends with the first end tag."""
    return Markup(text.replace("</script", "<\\/script"))


def bundle(entry: str) -> str:
    """Return an entry module with all that it imports, as one module."""
    order: list[str] = []
    _visit(entry, order)
    return "\n".join([*map(_wrapped, order[:-1]), _with_constants(_source(entry))])


def style() -> str:
    """Return the page's style sheet."""
    return (STATIC / "viewer.css").read_text(encoding="utf-8")


def _source(module: str) -> str:
    """Return a module without the lines that are comments."""
    return _COMMENT.sub("", (STATIC / f"{module}.js").read_text(encoding="utf-8"))


def _visit(module: str, order: list[str]) -> None:
    """Put a module after all that it imports."""
    for _, imported in _IMPORT.findall(_source(module)):
        if imported not in order:
            _visit(imported, order)
    if module not in order:
        order.append(module)


def _wrapped(module: str) -> str:
    source = _source(module)
    names = ", ".join(_exports(source))
    body = _EXPORT.sub("", _with_constants(source))
    return f"const module_{module} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"


def _exports(source: str) -> list[str]:
    """Return the names that a module exports; one statement may have several."""
    names: list[str] = _NAME.findall(source)
    for statement in re.findall(r"^export const (.*;)$", source, re.MULTILINE):
        names += re.findall(r", (\w+) = \d", statement)
    return names


def _with_constants(source: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1]}}} = module_{found[2]};\n", source)
