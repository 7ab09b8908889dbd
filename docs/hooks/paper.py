"""The page that leads from each part of the paper to what covers it here.

``docs/paper.toml`` lists the parts of the paper. What covers them says so itself, where it stands:
docstrings of the package cite the paper, tests are marked ``@pytest.mark.paper("Lemma 6")``, claims
have their titles, and properties name their source. All of that is found here.

``docs/sentences.toml`` lists what the paper prescribes, sentence by sentence, with the names of
what checks each. Where these stand is found here, too.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[2]
MARK = "<!-- paper -->"

_NUMBER = r"(?:[A-Z](?:\.\d+)?|\d+(?:\.\d+)?)(?![\w.]\w)"
_CITATION = re.compile(
    rf"\b(Section|Appendix|Figure|Lemma|Theorem|Corollar)(?:s|y|ies|es)?\s"
    rf"({_NUMBER}(?:(?:,\s|,?\sand\s|\sor\s|\sto\s){_NUMBER})*)"
)

#: What marks a rule.
RULES = {"rule", "inlined_rule"}

#: The kinds of evidence, with what the page says before each.
KINDS = {
    "code": "",
    "rule": "",
    "claim": "measured",
    "monitor": "watched",
    "property": "verified",
    "test": "tested",
}


#: The kinds of checks that a sentence can name, with what the page says before each.
CHECKS = {
    "verified": "verified",
    "tested": "tested",
    "watched": "watched",
    "broken": "caught",
    "same": "breaks nothing",
}


@dataclass(frozen=True)
class Evidence:
    """Something that covers a part of the paper."""

    item: str
    kind: str
    text: str
    link: str  #: from a page in docs


def items() -> dict[str, dict[str, Any]]:
    """Return the parts of the paper by name, in its order."""
    content = tomllib.loads((ROOT / "docs/paper.toml").read_text(encoding="utf-8"))
    return {item["name"]: item for item in content["item"]}


def cited(text: str) -> Iterator[str]:
    """Yield the parts of the paper that a text cites: "Lemmas 2 and 5" are two."""
    for word, numbers in _CITATION.findall(text):
        word = "Corollary" if word == "Corollar" else word
        for number in re.split(r",\s|,?\sand\s|\sor\s", numbers):
            first, *last = re.split(r"\sto\s", number)
            every = range(int(first), int(last[0]) + 1) if last else [first]
            yield from (f"{word} {one}" for one in every)


def evidence() -> list[Evidence]:
    """Return all that covers something, in the order in which it is shown."""
    return [*in_package(), *claims(), *properties(), *tests()]


def in_package() -> Iterator[Evidence]:
    """Yield the modules, rules, classes and functions whose docstrings cite the paper."""
    for path in sorted(ROOT.glob("src/amoebot/**/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = ".".join(path.relative_to(ROOT / "src/amoebot").with_suffix("").parts)
        module = module.removesuffix(".__init__")
        docstring = ast.get_docstring(tree) or ""
        for item in cited(docstring):
            yield Evidence(item, "code", f"`{module}`", _link(path))
        if module.startswith(("reports", "reproduction", "sweeps", "bench", "cli")):
            continue  # what they have to say about the paper, their claims say
        if module.startswith("algorithms."):
            for item in cited(docstring.partition("\n")[0]):
                yield from (Evidence(item, "rule", *rule) for rule in _rules(tree, path))
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield from _in_definition(node, module, path)


def _rules(tree: ast.Module, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the rules of a module, which belong to the section that it begins with."""
    for node in tree.body:
        marks = getattr(node, "decorator_list", [])
        if isinstance(node, ast.FunctionDef) and RULES & set(map(ast.unparse, marks)):
            yield f"`{node.name}`", _link(path, node.lineno)


def _in_definition(
    node: ast.ClassDef | ast.FunctionDef, module: str, path: Path
) -> Iterator[Evidence]:
    if isinstance(node, ast.ClassDef) and is_monitor(node):
        for item in cited(ast.get_docstring(node) or ""):
            yield Evidence(item, "monitor", f"`{node.name}`", _link(path, node.lineno))
        return
    inner = node.body if isinstance(node, ast.ClassDef) else []
    for part in (node, *(part for part in inner if isinstance(part, ast.FunctionDef))):
        name = node.name if part is node else f"{node.name}.{part.name}"
        for item in cited(ast.get_docstring(part) or ""):
            yield Evidence(item, "code", f"`{module}.{name}`", _link(path, part.lineno))


def claims() -> Iterator[Evidence]:
    """Yield the claims that are measured, and what judges them."""
    from amoebot.reproduction.reproducing import CLAIMS, ORDER

    for claim in (CLAIMS[name] for name in ORDER):
        measure = claim.measure
        path = ROOT / "src" / f"{measure.__module__.replace('.', '/')}.py"
        function = f"`{measure.__module__.removeprefix('amoebot.')}.{measure.__name__}`"
        for item in cited(claim.title):
            command = f"`reproduce --only {claim.name}`"
            yield Evidence(item, "claim", command, f"reproduction.md#{claim.anchor}")
            yield Evidence(item, "code", function, _link(path, measure.__code__.co_firstlineno))


def is_monitor(node: ast.ClassDef) -> bool:
    """Whether a class watches a claim over the rounds of a run."""
    return {"look", "finding"} <= {getattr(part, "name", "") for part in node.body}


def properties() -> Iterator[Evidence]:
    """Yield the properties that the explorer checks, each with what it says of its source."""
    for path in sorted(ROOT.glob("src/amoebot/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Property":
                sentence, *source = (ast.literal_eval(word) for word in node.args)
                for item in cited("".join(source)):
                    yield Evidence(item, "property", sentence, _link(path, node.lineno))


def tests() -> Iterator[Evidence]:
    """Yield the tests that are marked."""
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.paper":
                    for item in cited("; ".join(ast.literal_eval(word) for word in mark.args)):
                        yield Evidence(item, "test", _in_words(node.name), _link(path, node.lineno))


def _in_words(name: str) -> str:
    """Return the sentence that the name of a test is."""
    return name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Sentence:
    """What a sentence of the paper prescribes, with the names of what checks that."""

    item: str
    says: str
    verified: list[str] = field(default_factory=list)
    tested: list[str] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)


def sentences() -> list[Sentence]:
    """Return what the paper prescribes, in its order."""
    content = tomllib.loads((ROOT / "docs/sentences.toml").read_text(encoding="utf-8"))
    return [Sentence(item, **one) for item, listed in content.items() for one in listed]


def checks() -> dict[str, dict[str, str]]:
    """Return all that a sentence can name, by kind: names, with what they link to.

    A test whose name is not the only one of its kind cannot be named.
    """
    found: dict[str, dict[str, str]] = {kind: {} for kind in CHECKS}
    found["verified"] = {one.text: one.link for one in properties()}
    found["watched"] = {
        one.text.strip("`"): one.link for one in in_package() if one.kind == "monitor"
    }
    taken = set()
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                taken |= {node.name} & found["tested"].keys()
                found["tested"][node.name] = _link(path, node.lineno)
    found["tested"] = {name: link for name, link in found["tested"].items() if name not in taken}
    path = ROOT / "tests/helpers/broken_rules.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Mutant":
            kind = "same" if any(word.arg == "why" for word in node.keywords) else "broken"
            found[kind][ast.literal_eval(node.args[0])] = _link(path, node.lineno)
    return found


def _link(path: Path, line: int | None = None) -> str:
    return f"../{path.relative_to(ROOT).as_posix()}" + (f"#L{line}" if line else "")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the tables in the place of the mark."""
    page = files.get_file_from_path("paper.md")
    assert page is not None
    assert MARK in page.content_string
    page.content_string = page.content_string.replace(MARK, "\n".join(rows()))
    return files


def rows() -> Iterator[str]:
    """Yield the lines of a chapter: a table of its parts, and below it one for their sentences."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in evidence():
        shown = f"[{one.text}]({one.link})"
        if shown not in found[one.item][one.kind]:
            found[one.item][one.kind].append(shown)
    known = checks()
    prescribed: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences():
        prescribed[sentence.item].append(sentence)
    end: list[str] = []
    for name, item in items().items():
        if re.fullmatch(r"Section \d|Appendix [A-Z]", name):
            yield from end
            yield f'\n## {name}: {item["about"]}\n\n<div class="stacked" markdown>\n'
            yield "| paper | code | evidence |\n|---|---|---|"
            end = ["\n</div>\n"]
        about = _about(item, len(prescribed[name]))
        yield f"| {about} | {_code(item, found[name])} | {_evidence(found[name])} |"
        if prescribed[name]:
            end += _sentences(name, prescribed[name], known)
    yield from end


def _sentences(
    name: str, listed: list[Sentence], known: dict[str, dict[str, str]]
) -> Iterator[str]:
    """Yield the table of what a section prescribes."""
    yield f"\n### {name}, sentence by sentence {{ #{_anchor(name)} }}\n"
    yield '<div class="stacked" markdown>\n'
    yield "| the paper says | checked by | broken by |\n|---|---|---|"
    for sentence in listed:
        cells = [
            "<br>".join(filter(None, (_named(sentence, kind, known) for kind in kinds)))
            for kinds in (("verified", "tested", "watched"), ("broken", "same"))
        ]
        yield f"| {sentence.says} | {' | '.join(cells)} |"
    yield "\n</div>\n"


def _named(sentence: Sentence, kind: str, known: dict[str, dict[str, str]]) -> str:
    """Return the checks of one kind that a sentence names, as links."""
    names = getattr(sentence, kind)
    links = "; ".join(f"[{_in_words(name)}]({known[kind][name]})" for name in names)
    return f"**{CHECKS[kind]}** {links}" if links else ""


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-").replace(".", "-") + "-sentences"


def _about(item: dict[str, Any], prescribed: int) -> str:
    name = f"[**{item['name']}**]({item['page']})" if "page" in item else f"**{item['name']}**"
    told = f"<br>[{prescribed} sentences](#{_anchor(item['name'])})" if prescribed else ""
    return f"{name}<br>{item['about']}{told}"


def _code(item: dict[str, Any], found: dict[str, list[str]]) -> str:
    if "nothing" in item:
        return f"*nothing to check: {item['nothing']}*"
    lines = [*found["code"], *([f"rules: {', '.join(found['rule'])}"] if found["rule"] else [])]
    return "<br>".join(lines)


def _evidence(found: dict[str, list[str]]) -> str:
    kinds = [(word, found[kind]) for kind, word in KINDS.items() if word and found[kind]]
    return "<br>".join(f"**{word}** {'; '.join(links)}" for word, links in kinds)
