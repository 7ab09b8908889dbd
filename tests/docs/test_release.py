"""What is released: a wheel and an sdist that run where there is no repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import amoebot

ROOT = Path(__file__).parents[2]
VERSION = amoebot.__version__

#: What working in the tree leaves behind.
JUNK = ("site/index.html", ".mypy_cache/x.json", "src/amoebot/__pycache__/x.pyc", "dist/old.whl")

MOST_BYTES = 2_000_000


@dataclass
class Built:
    sdist: Path
    wheel: Path  #: made from the sdist
    direct: Path  #: the wheel made from the tree


@dataclass
class Installed:
    """An environment of its own, in which the package is all there is of it."""

    scripts: Path
    desk: Path  #: an empty folder to work in
    interpreted: bool = False

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return kept | ({"NUMBA_DISABLE_JIT": "1"} if self.interpreted else {})

    def run(self, program: str, *arguments: str) -> str:
        ran = subprocess.run(
            [self.scripts / program, *arguments],
            cwd=self.desk,
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build from a copy of the tree in which somebody has worked."""
    folder = tmp_path_factory.mktemp("built")
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, folder / "copy", ignore=ignored)
    for name in JUNK:
        junk = folder / "copy" / name
        junk.parent.mkdir(exist_ok=True, parents=True)
        junk.write_text("junk")
    for what, where in (([], "both"), (["--wheel"], "direct")):
        build = [sys.executable, "-m", "build", "--no-isolation", *what, "-o", str(folder / where)]
        ran = subprocess.run([*build, folder / "copy"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    wheel = f"amoebot-{VERSION}-py3-none-any.whl"
    return Built(
        folder / "both" / f"amoebot-{VERSION}.tar.gz",
        folder / "both" / wheel,
        folder / "direct" / wheel,
    )


def install(file: Path, folder: Path) -> Installed:
    """Install into a fresh environment, which borrows all dependencies from this one."""
    venv.create(folder / "env", with_pip=False)
    places = {"base": str(folder / "env"), "platbase": str(folder / "env")}
    scripts = Path(sysconfig.get_path("scripts", "venv", places))
    packages = Path(sysconfig.get_path("purelib", "venv", places))
    ours = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    # Folders named in here come after the environment's own, and their own .pth files, such as
    # that of an editable install, count for nothing.
    (packages / "borrowed.pth").write_text("\n".join(ours) + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "--quiet", "install"]
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    ran = subprocess.run([*pip, *options, file], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (folder / "desk").mkdir()
    installed = Installed(scripts, folder / "desk")
    where = installed.run("python", "-c", "import amoebot; print(amoebot.__file__)")
    assert Path(where).is_relative_to(packages)
    return installed


@pytest.fixture(scope="module")
def from_wheel(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(built.wheel, tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.slow
def test_the_version_is_said_in_one_place(built: Built) -> None:
    metadata = contents(built.wheel)[f"amoebot-{VERSION}.dist-info/METADATA"].decode()
    assert f"\nVersion: {VERSION}\n" in metadata
    assert VERSION not in (ROOT / "pyproject.toml").read_text()
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [VERSION]


def test_the_wheel_holds_all_that_runs(built: Built) -> None:
    inside = set(contents(built.wheel))
    package = ROOT / "src"
    wanted = {
        str(path.relative_to(package))
        for path in (package / "amoebot").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {"amoebot/py.typed", "amoebot/viewer/templates/page.html"} < wanted
    pages = {f"amoebot/{path.relative_to(ROOT)}" for path in (ROOT / "docs").rglob("*.md")}
    extra = {name for name in inside if ".dist-info/" in name}
    assert inside - extra == wanted | pages
    assert built.wheel.stat().st_size < MOST_BYTES


def test_the_sdist_holds_all_that_is_needed_to_go_on(built: Built) -> None:
    with tarfile.open(built.sdist) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    files = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", ".ci/run")
    assert {
        *files,
        "tests/docs/test_release.py",
        "docs/verified.md",
        "docs/pictures/election.svg",
    } < inside
    assert not inside & set(JUNK)
    assert not [name for name in inside if "_cache" in name or "__pycache__" in name]


def test_the_sdist_makes_the_same_wheel(built: Built) -> None:
    assert contents(built.wheel) == contents(built.direct)


@pytest.mark.slow
def test_what_the_sdist_installs_runs(built: Built, tmp_path: Path) -> None:
    installed = install(built.sdist, tmp_path)
    installed.interpreted = True  # the same rules, without another minute of compiling
    assert installed.run("amoebot", "--version") == f"amoebot {VERSION}\n"
    result = json.loads(installed.run("amoebot", "elect", "hexagon:2", "--json"))
    assert result["outcome"] == "leader"


@pytest.mark.slow
def test_what_the_wheel_installs_runs(from_wheel: Installed) -> None:
    def ask(*arguments: str) -> str:
        return from_wheel.run("amoebot", *arguments)

    assert ask("--version") == f"amoebot {VERSION}\n"
    assert "What has been verified" in ask("help")
    assert "every order in which" in " ".join(ask("help", "verified").split())
    expected = amoebot.elect(amoebot.shapes.hexagon(3)).as_dict()
    assert json.loads(ask("elect", "hexagon:3", "--json")) == json.loads(json.dumps(expected))
    ask("draw", "hexagon:3", "-o", "figure.svg")
    assert "<svg" in (from_wheel.desk / "figure.svg").read_text()
    ask("film", "hexagon:3", "-o", "film.html")
    film = (from_wheel.desk / "film.html").read_text()
    assert "<script" in film
    assert "/static/" not in film  # everything is inside
    assert {path.name for path in from_wheel.desk.iterdir()} == {"figure.svg", "film.html"}


def files_named(text: str) -> Iterator[str]:
    """Yield the files that a page, a style sheet or a module of the viewer asks for.

    What comments import without an ending are types, which no browser asks for.
    """
    for name in re.findall(r"""["'(](?:/static|\.)/([\w-]+(?:\.[\w-]+)+)["')]""", text):
        yield f"/static/{name}"


@pytest.mark.slow
def test_the_viewer_of_the_wheel_has_every_file_it_names(from_wheel: Installed) -> None:
    viewer = subprocess.Popen(
        [from_wheel.scripts / "amoebot", "view", "hexagon:2", "--no-browser", "--port", "0"],
        cwd=from_wheel.desk,
        env=from_wheel.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert viewer.stderr is not None
    try:
        while "viewer is at" not in (said := viewer.stderr.readline()):
            assert said, "it ended"
        address = said.split()[4].rstrip("/")
        fetched, wanted = {}, ["/"]
        while wanted:
            path = wanted.pop()
            with urllib.request.urlopen(address + path, timeout=30) as answer:
                fetched[path] = answer.read().decode()
            wanted += [name for name in files_named(fetched[path]) if name not in fetched]
        assert "/static/viewer.css" in fetched
        assert len(fetched) > 20
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.communicate(timeout=60)


USER_PROGRAM = """
import amoebot
reveal_type(amoebot.elect(amoebot.shapes.hexagon(3), seed=7))
reveal_type(amoebot.Simulation(amoebot.shapes.line(3)))
reveal_type(amoebot.verify.verify(amoebot.shapes.line(2)))
reveal_type(amoebot.sweeps.load("results"))
"""

TYPES = (
    "amoebot.results.Result",
    "amoebot.simulation.Simulation",
    "amoebot.verify.report.Report",
    "polars.lazyframe.frame.LazyFrame",
)


@pytest.mark.slow
def test_users_get_types(from_wheel: Installed) -> None:
    program = from_wheel.desk.parent / "program.py"
    program.write_text(USER_PROGRAM)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable"]
    told = subprocess.run(
        [*mypy, from_wheel.scripts / "python", program],
        cwd=program.parent,
        env=from_wheel.environment(),
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert re.findall('Revealed type is "(.*?)"', told.stdout) == list(TYPES)
