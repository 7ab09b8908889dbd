"""The documentation site: complete, without broken links, and without anything from elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown.extensions.toc import slugify

from amoebot.reproduction.claims import CLAIMS
from helpers.browsing import PATIENCE, chromium
from helpers.hosting import hosting
from helpers.pages import ROOT

pytestmark = pytest.mark.slow  # the site is built first

#: What a page would load by itself, by tag: where the address stands.
LOADS = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "script": "src",
    "source": "src",
    "video": "src",
}


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


class Loads(HTMLParser):
    """Collects the addresses of what a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name == LOADS.get(tag)]


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        for address in Loads(page.read_text(encoding="utf-8")).found:
            assert not re.match(r"(\w+:)?//", address), f"{page}: {address}"
            if address.startswith("data:"):  # which is in the page
                continue
            assert page.name == "404.html" or (page.parent / address.partition("?")[0]).exists()
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(\w+:)?//", style.read_text("utf-8")), style


def test_the_search_index_is_part_of_the_site(site: Path) -> None:
    assert "identifier comparison" in (site / "search" / "search_index.json").read_text().lower()


def test_reference_shows_what_comments_say(site: Path) -> None:
    text = (site / "reference/python.html").read_text(encoding="utf-8")
    assert "The round in which the last particle terminated." in text
    assert "amoebot.shapes.hexagon" in text


def test_reference_has_every_command_and_its_options(site: Path) -> None:
    text = (site / "reference/commands.html").read_text(encoding="utf-8")
    for anchored in ("amoebot-elect", "amoebot-bench", "amoebot-reproduce"):
        assert f'id="{anchored}"' in text
    assert "--shape-seed N" in text


MISSING = (
    "nowhere.md",
    "verified.md#nothing",
    "pictures/nothing.svg",
    "../src/amoebot/nothing.py",
    "../src/amoebot/lattice.py#L9999",
    "reference/python.md#amoebot.nothing",
)


def test_whatever_is_linked_and_missing_fails_the_build(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for name in ("docs", "src", "tests", "notebooks", "benchmarks"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (
        *ROOT.glob("*.md"),
        *(ROOT / name for name in ("mkdocs.yml", "LICENSE", "CITATION.cff")),
    ):
        shutil.copy(file, copy)
    with (copy / "docs/index.md").open("a") as page:
        page.writelines(f"\n[this]({address})\n" for address in MISSING)
    built = build(copy, tmp_path / "site")
    assert built.returncode != 0
    for address in MISSING:
        # The hook that makes pages of other files has given lines another name.
        assert re.sub(".*#L|.*/", "", address) in built.stderr
    assert built.stderr.count("WARNING") == len(MISSING)


def test_anchors_of_the_report_are_those_that_headings_get() -> None:
    for claim in CLAIMS.values():
        assert claim.anchor == slugify(claim.title, "-")


#: What readers type, and the page that comes first.
FIRST = {
    "solitude verification": "algorithm/solitude-verification.html",
    "GraphML": "how-to/measurements.html",
    "properties": "how-to/own-properties.html",
    "elect_many": "reference/python.html",
}

#: Words that many pages have, and a page among those found. To the search a minus means "not".
AMONG = {
    "GraphML": "reference/commands.html",
    "time-limit": "how-to/schedulers.html",
    "--time-limit": "how-to/schedulers.html",
    "elect --corrupt": "how-to/faults.html",
    "--by-parts": "verified.html",  # "by" alone is not searched for
}


def test_pages_can_be_searched_from_the_disk_and_below_a_path(site: Path) -> None:
    with chromium() as browser, hosting(site) as host:
        for address in (site.as_uri(), host):
            for words, wanted in [*FIRST.items(), *AMONG.items()]:
                refused: list[str] = []
                page = browser.new_page()
                page.on("console", lambda told, to=refused: to.append(told.text))
                page.goto(f"{address}/algorithm/index.html")
                page.click("[name=search] input[name=query]")
                page.keyboard.type(words, delay=50)  # it searches meanwhile
                hits = page.locator(".md-search-result__item a")
                if AMONG.get(words) == wanted:
                    hits = page.locator(f".md-search-result__item a[href*='/{wanted}']")
                hits.first.wait_for(state="attached", timeout=PATIENCE)
                assert wanted in (hits.first.get_attribute("href") or ""), words
                page.close()
                assert refused == []


def test_pages_ask_nobody(site: Path) -> None:
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert "default-src 'none'" in text, file
        assert file.name == "live.html" or "script-src 'self' 'sha256-" in text, file


# Figures that run.


def test_figures_run_from_the_disk_and_below_a_path(site: Path) -> None:
    with chromium() as browser, hosting(site) as host:
        for address in (site.as_uri(), host):
            page = browser.new_page()
            page.goto(f"{address}/algorithm/segment-setup.html")
            page.locator("[data-live]").scroll_into_view_if_needed()
            page.wait_for_selector("[data-live][data-ready=true]", timeout=PATIENCE)
            assert page.evaluate(f"{FIGURE}.moment.round") == 1
            assert not page.locator("[data-live] img").is_visible()
            page.click("[data-live] [data-test=play]")
            page.wait_for_function(f"() => {FIGURE}.moment.round > 3", timeout=PATIENCE)
            page.goto(f"{address}/live.html")
            page.wait_for_selector("body[data-ready=true]", timeout=PATIENCE)
            page.close()


#: The viewer in the first figure of a page.
FIGURE = "document.querySelector('[data-live]').amoebot?.app"


def test_every_figure_runs_on_the_algorithm_s_pages_the_front_page_and_try_it(site: Path) -> None:
    with chromium() as browser:
        first = [site / "index.html", site / "try.html"]
        for file in [*first, *sorted((site / "algorithm").glob("*.html"))]:
            source = (ROOT / "docs" / file.relative_to(site)).with_suffix(".md")
            page = browser.new_page()
            page.goto(file.as_uri())
            figures = page.locator("[data-live]").all()
            assert len(figures) == source.read_text(encoding="utf-8").count("<!-- live") > 0
            for figure in figures:
                figure.scroll_into_view_if_needed()
                told = json.loads(figure.get_attribute("data-live") or "")
                page.wait_for_function("e => e.dataset.ready", arg=figure.element_handle())
                shown = figure.evaluate("e => e.amoebot.app.moment.round")
                assert shown == told["round"] or (told["plays"] and shown > told["round"]), file
            page.close()


def test_the_front_page_and_try_it_play_by_themselves_where_one_looks_first(site: Path) -> None:
    with chromium() as browser:
        for name in ("index.html", "try.html"):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto((site / name).as_uri())
            page.wait_for_function(f"() => {FIGURE}?.moment.round > 2", timeout=PATIENCE)
            box = page.locator("[data-live] [data-test=play]").bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 800, name
            page.close()
            calm = browser.new_page(reduced_motion="reduce")
            calm.goto((site / name).as_uri())
            calm.wait_for_selector("[data-live][data-ready=true]", timeout=PATIENCE)
            assert not calm.evaluate(f"{FIGURE}.player.playing")
            calm.close()


def test_without_scripts_figures_are_stills(site: Path) -> None:
    with chromium() as browser:
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto((site / "algorithm/segment-setup.html").as_uri())
        assert page.locator("[data-live] img").is_visible()
