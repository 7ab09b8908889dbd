"""What commands say of themselves: all that they take, and that they are at work."""

from __future__ import annotations

import json
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from amoebot import cli
from amoebot.cli.commands.shapes import SAVING
from amoebot.reproduction import plans
from amoebot.reproduction.claims import CLAIMS
from amoebot.shapes import ShapeError, line
from amoebot.sweeps import estimating, make_plan
from helpers.command import ask, compile_everything


def test_shapes_names_every_ending_that_it_writes(tmp_path: Path) -> None:
    listed = ".txt, .json or .graphml"
    assert f"Save it as {listed}." in " ".join(ask("shapes", "--help").out.split())
    file = tmp_path / "z.xyz"
    answer = ask("shapes", "line:2", "-o", str(file))
    wanted = f"{file}: a shape is saved in a file that ends in {listed} (amoebot help shapes)"
    assert (answer.status, answer.out) == (2, "")
    assert wanted in answer.err
    for ending in SAVING:
        assert ask("shapes", "line:2", "-o", str(tmp_path / f"line{ending.upper()}")).status == 0


def test_shapes_writes_whatever_python_saves(tmp_path: Path) -> None:
    with pytest.raises(ShapeError) as refused:
        line(2).save(tmp_path / "z.xyz")
    saved = str(refused.value).partition("ends in ")[2].replace(",", "").replace(" or ", " ")
    assert {*saved.split(), ".graphml"} == {*SAVING}


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_dry_run_shows_that_it_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was silent for half a minute."""
    seen = []

    def wall_clock(*given: Any) -> float:
        time.sleep(0.3)
        seen.append(err.getvalue())
        return 7.0

    compile_everything()
    monkeypatch.setattr(estimating, "wall_clock", wall_clock)
    monkeypatch.setenv("TERM", "xterm")
    for more in ([], ["--json"]):
        out, err = StringIO(), Terminal()
        with redirect_stdout(out), redirect_stderr(err):
            assert cli.run(["reproduce", "--only", "lemma-1", "--dry-run", *more]) == 0
        assert "running a sample" in seen.pop()
        assert "roughly" not in err.getvalue()
        if more:
            assert json.loads(out.getvalue())["seconds"] == 7
        else:
            assert "roughly 7 s" in out.getvalue()
            assert out.getvalue().count("\n") == 1


#: What makes a picture, by the command, and what is shown meanwhile.
PICTURES = {
    "draw line:2 -o {}/x.svg": ("amoebot.cli.commands.draw.go_to", "running the election"),
    "draw line:2 -o {}/y.svg": ("amoebot.render.svg.document", "drawing the picture"),
    "draw line:2 -o {}/x.png": ("amoebot.render.figure.save", "drawing the picture"),
    "draw line:2 -o {}/x.pdf": ("amoebot.render.scene.picture", "drawing the picture"),
    "draw line:2 --space-time -o {}/x.pdf": (
        "amoebot.render.space_time_figure.save",
        "running the election",
    ),
    "film line:2 -o {}/x.gif": ("amoebot.cli.commands.film.go_to", "running the election"),
    "film line:2 -o {}/y.gif": ("amoebot.render.film.common_palette", "frame "),
    "film line:2 -o {}/x.html": ("amoebot.cli.commands.film.go_to", "running the election"),
    "film line:2 -o {}/y.html": ("amoebot.viewer.film_page.document", "making the page"),
}


@pytest.mark.parametrize("command", PICTURES)
def test_pictures_show_that_they_are_made(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, words = PICTURES[command]
    work, err, seen = resolve_name(name), Terminal(), []

    def noting(*given: Any, **options: Any) -> Any:
        made = work(*given, **options)
        time.sleep(0.3)
        seen.append(err.getvalue())
        return made

    compile_everything()
    monkeypatch.setattr(name, noting)
    monkeypatch.setenv("TERM", "xterm")
    with redirect_stdout(StringIO()), redirect_stderr(err):
        assert cli.run(command.format(tmp_path).split()) == 0
    assert words in seen[0]


def test_a_dry_run_of_one_claim_counts_what_that_claim_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimating, "wall_clock", lambda *given: 7.0)
    contents = plans(full=False)
    needed = sum(len(make_plan(contents[part])) for part in CLAIMS["lemma-1"].parts)
    told = ask("reproduce", "--only", "lemma-1", "--dry-run", "--json").json["elections"]
    assert told == needed
    for name in ("lemma-6", "appendix-a-4"):  # which are measured otherwise
        answer = ask("reproduce", "--only", name, "--dry-run", "--json")
        assert (answer.status, answer.json["elections"]) == (0, 0)
    assert told < ask("reproduce", "--dry-run", "--json").json["elections"]
