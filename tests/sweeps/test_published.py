"""Data that can be published: where it comes from, whether it is intact, and as one file."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from pathlib import Path

import numba
import polars as pl
import pytest

import amoebot
from amoebot import sweeps
from amoebot.cache import digest_of_sources
from amoebot.sweeps import FolderError, store
from amoebot.sweeps.manifest import digest_of
from amoebot.sweeps.schema import MEANINGS, meanings, schema_of
from helpers.command import Answer, ask, check_refusal
from helpers.tables import same

PLAN = 'shapes = ["my.txt", "hexagon:1..2"]\nseeds = 20\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a plan with a shape file, and its results in small blocks."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "my.txt").write_text("o o o\n")
    (folder / "plan.toml").write_text(PLAN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "BLOCK", 16)
        sweeps.sweep(folder / "plan.toml", folder / "results")
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "results", tmp_path / "results"))


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def test_each_file_says_what_made_it(made: Path) -> None:
    for part in (made / "results" / "elections").iterdir():
        about = pl.read_parquet_metadata(part)
        assert about["amoebot"] == amoebot.__version__
        assert about["amoebot-sources-sha256"] == digest_of_sources()
        assert about["rules"] == "paper"
        assert about["numba"] == numba.__version__
        assert {"date", "machine", "processors", "python", "polars"} <= about.keys()


def test_300_random_bit_flips_are_all_noticed(copy: Path) -> None:
    draw = random.Random(16)
    files = files_of(copy)
    assert {"README.md", "datapackage.json", "manifest.json", "sweep.json"} <= {
        file.name for file in files
    }
    sizes = [file.stat().st_size for file in files]
    for file in draw.choices(files, sizes, k=300):
        intact = file.read_bytes()
        place, bit = draw.randrange(len(intact)), draw.randrange(8)
        flipped = bytearray(intact)
        flipped[place] ^= 1 << bit
        file.write_bytes(flipped)
        with pytest.raises(FolderError, match="is damaged"):
            sweeps.load(copy)
        file.write_bytes(intact)
    assert sweeps.load(copy).collect().height == 60


@pytest.mark.parametrize("size", [0, 4, 100, -1])
def test_a_truncated_part_is_told_by_report_and_on_resume(
    size: int, copy: Path, made: Path
) -> None:
    part = next((copy / "elections").iterdir())
    part.write_bytes(part.read_bytes()[:size])
    for answer in (ask("report", str(copy)), ask("archive", str(copy)), again(made, copy)):
        check_refusal(answer)
        assert f"{part} is damaged" in answer.err
    part.unlink()  # as the sentence says
    assert again(made, copy).status == 0
    assert same(sweeps.load(copy), sweeps.load(made / "results"))


def again(made: Path, folder: Path) -> Answer:
    """Give the command of the sweep once more."""
    return ask("sweep", str(made / "plan.toml"), "-o", str(folder))


def test_a_foreign_file_is_told(copy: Path, made: Path) -> None:
    foreign = copy / "elections" / "mine.parquet"
    pl.DataFrame({"x": [1]}).write_parquet(foreign)
    answer = ask("report", str(copy))
    check_refusal(answer)
    assert f"{foreign} is no file of this sweep" in answer.err


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"format": 3}', '{"format": 3, "sha256": 1}'])
def test_an_incomplete_description_of_the_sweep_is_told(text: str, copy: Path, made: Path) -> None:
    (copy / "sweep.json").write_text(text)
    for answer in (ask("report", str(copy)), again(made, copy)):
        check_refusal(answer)
        assert "sweep.json is damaged" in answer.err


def unfinish(folder: Path) -> Path:
    """Make the last block of a finished sweep a journal again."""
    name = "0-000003"
    part = folder / "elections" / f"part-{name}.parquet"
    (folder / "journal").mkdir()
    journal = folder / "journal" / f"{name}.ndjson"
    rows = pl.read_parquet(part).to_dicts()
    lines = [json.dumps({"number": number, **row}) for number, row in enumerate(rows)]
    journal.write_text("\n".join(lines[:-2]) + "\n")
    part.unlink()
    return journal


def test_a_repeated_line_of_a_journal_doubles_no_row(copy: Path, made: Path) -> None:
    journal = unfinish(copy)
    line = journal.read_text().splitlines()[0]
    journal.write_text(f"{line}\n{line}\n{journal.read_text()}")
    with pytest.raises(FolderError, match="is missing: the same sweep runs its elections again"):
        sweeps.load(copy)  # the manifest knows of a file that is gone
    assert again(made, copy).status == 0
    assert same(sweeps.load(copy), sweeps.load(made / "results"))


@pytest.mark.parametrize(
    ("column", "value"), [("rounds", "many"), ("rounds", 1.5), ("outcome", 3), ("news", 1)]
)
def test_a_wrong_type_in_a_journal_is_told(
    column: str, value: object, copy: Path, made: Path
) -> None:
    journal = unfinish(copy)
    first, *rest = journal.read_text().splitlines()
    wrong = json.dumps(json.loads(first) | {column: value})
    journal.write_text("\n".join([wrong, *rest]) + "\n")
    answer = again(made, copy)
    check_refusal(answer)
    assert f"line 1: {column} = {value!r} is none of this sweep's values" in answer.err
    journal.write_text("\n".join(rest) + "\n")
    assert again(made, copy).status == 0
    assert same(sweeps.load(copy), sweeps.load(made / "results"))


def test_a_folder_deleted_in_mid_run_is_told(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('shapes = "hexagon:12"\nseeds = 5000\n')

    def delete(tally: sweeps.Tally) -> None:
        if tally.done:
            shutil.rmtree(tmp_path / "results")

    with pytest.raises(sweeps.SweepError, match="was deleted while the sweep was running"):
        sweeps.sweep(plan, tmp_path / "results", watch=delete)


def test_shape_files_are_known_by_their_content_from_any_folder(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = shutil.copytree(made / "results", tmp_path / "results")
    (kept,) = (results / "shapes").iterdir()
    assert kept.read_text() == "o o o\n"
    assert kept.name == f"{digest_of(kept)[:16]}-my.txt"
    (tmp_path / "elsewhere").mkdir()
    for name in ("my.txt", "plan.toml"):
        shutil.copy(made / name, tmp_path / "elsewhere" / name)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert ask("sweep", "plan.toml", "-o", "../results", "--json").json["run"] == 0
    families = sweeps.load(results).collect()["family"].unique()
    assert set(families) == {"my.txt", "hexagon"}


def test_the_data_package_names_every_file_and_column(made: Path) -> None:
    results = made / "results"
    package = json.loads((results / "datapackage.json").read_text())
    parts = sorted((results / "elections").iterdir())
    assert [results / one["path"] for one in package["resources"]] == parts
    for one, part in zip(package["resources"], parts, strict=True):
        assert one["hash"] == f"sha256:{digest_of(part)}"
        assert one["bytes"] == part.stat().st_size
        assert (results / one["schema"]).exists()
    fields = json.loads((results / "schema.json").read_text())["fields"]
    assert [field["name"] for field in fields] == list(sweeps.load(results).collect_schema())
    assert all(field["description"] for field in fields)
    assert "60 leader elections" in (results / "README.md").read_text()


def test_every_column_has_a_meaning() -> None:
    algorithms = ["improved", "erosion", "segments-2015"]
    assert set(meanings(algorithms)) == set(schema_of(algorithms))
    assert set(MEANINGS) <= set(schema_of(algorithms))


def test_one_command_makes_the_archive(made: Path, tmp_path: Path) -> None:
    answer = ask("archive", str(made / "results"), "-o", str(tmp_path / "paper.zip"), "--json")
    with zipfile.ZipFile(tmp_path / "paper.zip") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        archive.extractall(tmp_path / "unpacked")
    assert answer.json["files"] == len(names)
    assert {name.partition("/")[0] for name in names} == {"paper"}
    assert same(sweeps.load(tmp_path / "unpacked" / "paper"), sweeps.load(made / "results"))
    ask("archive", str(made / "results"), "-o", str(tmp_path / "again" / ".." / "paper2.zip"))
    check_refusal(ask("archive", str(tmp_path / "nowhere")))


@pytest.mark.parametrize("where", [".", "..", "./", "../results"])
def test_an_archive_is_named_after_its_folder_from_within_too(
    where: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders without a name of their own, such as the one here, ended in a traceback."""
    shutil.copytree(made / "results", tmp_path / "results")
    (tmp_path / "results" / "within").mkdir()
    monkeypatch.chdir(tmp_path / "results" / ("within" if where == ".." else ""))
    assert ask("archive", where).status == 0
    assert (tmp_path / "results.zip").is_file()


def test_an_unfinished_sweep_is_not_archived(made: Path, tmp_path: Path) -> None:
    def stop(tally: sweeps.Tally) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweeps.sweep({"shapes": "hexagon:9", "seeds": 3000}, tmp_path / "results", watch=stop)
    answer = ask("archive", str(tmp_path / "results"))
    check_refusal(answer)
    assert "is not finished" in answer.err
