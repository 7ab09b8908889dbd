"""The folder of a sweep: its plan, and every election that is finished.

``sweep.json`` has the plan. ``elections/`` is the dataset: Parquet files of a fixed
number of elections each, in the order of the plan. ``manifest.json`` has their digests, and
``shapes/`` copies of shape files. ``journal/`` holds the blocks that are not complete yet, and is
gone when the sweep is; then there are descriptions of the dataset, too.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.algorithms import registry
from amoebot.files import as_path
from amoebot.sweeps import schema
from amoebot.sweeps.descriptions import DESCRIPTIONS, descriptions
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.files import FolderError, alone_in, check_usable, reason_of, write_whole
from amoebot.sweeps.journal import Journal
from amoebot.sweeps.manifest import NAME as MANIFEST
from amoebot.sweeps.manifest import Manifest, seal, unseal
from amoebot.sweeps.plan import Cell, Plan, PlanError, Run, plan_of
from amoebot.sweeps.provenance import provenance

#: How many elections a file of the dataset has.
BLOCK = 4096

#: How often a file that the manifest does not have is looked for there again, and seconds between.
ATTEMPTS, PAUSE = 5, 0.1

#: The number of this layout of the folder.
FORMAT = 3


@dataclass
class Block:
    """Elections that share a file."""

    name: str
    cells: list[tuple[Cell, Run]]
    journal: Journal

    def missing(self) -> Iterator[tuple[Cell, list[tuple[int, int]]]]:
        """Return the elections that are not finished, as (number in the block, seed)."""
        number = 0
        for cell, (first, end) in self.cells:
            seeds = [
                (number + seed - first, seed)
                for seed in range(first, end)
                if not self.journal.done[number + seed - first]
            ]
            number += end - first
            if seeds:
                yield cell, seeds


class Store:
    """A folder that belongs to a plan, while a sweep writes to it."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        """Remember both; nothing is touched before the store is entered."""
        self.folder, self.plan = folder, plan
        self.schema = schema.schema_of(plan.algorithms, plan.measures)
        self.made_by = {name: fingerprint(name) for name in plan.algorithms}
        self.blocks: list[Block] = []
        self._stale: list[Path] = []  # journals of blocks whose files are written
        self.block = BLOCK
        self.finished = 0
        self._completing = threading.Lock()
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Store:
        """Make or read the folder, and find the elections that are left to run."""
        try:
            with _telling(self.folder):
                self._check_places()
                self.folder.mkdir(parents=True, exist_ok=True)
                self._open.enter_context(alone_in(self.folder))
                plans = self._read()
                self._write(plans)
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the folder; what is finished stays."""
        for block in self.blocks:
            block.journal.close()
        with contextlib.suppress(OSError):
            self._journals.rmdir()  # only if nothing is in it
        self._open.close()

    @property
    def _parts(self) -> Path:
        return self.folder / "elections"

    @property
    def _journals(self) -> Path:
        return self.folder / "journal"

    def check(self) -> None:
        """Refuse a folder that a sweep would refuse, and change nothing on the disk.

        Another sweep that is writing there is no reason: it ends.
        """
        with _telling(self.folder):
            self._check_places()
            self._read()

    def _check_places(self) -> None:
        """Refuse folders that can be neither used nor made."""
        shapes = [self.folder / "shapes"] if any(cell.file for cell in self.plan.cells) else []
        for place in (self.folder, self._parts, self._journals, *shapes):
            check_usable(place)

    def _read(self) -> list[Plan]:
        """Find what is finished, and refuse what does not fit; return all plans, this one last."""
        plans = self._plans_before()
        if _beyond(self.plan, plans):
            plans.append(self.plan)
        self.manifest = _settled(self.folder)
        self._find_blocks(plans)
        return plans

    def _plans_before(self) -> list[Plan]:
        """Return the plans that this folder has had; refuse one that this plan does not extend."""
        if not self.folder.exists() or "sweep.json" not in os.listdir(self.folder):
            return []
        before = describe(self.folder)
        self.block = before["block"]
        _refuse_other_code(self.folder, before["made_by"])
        _refuse_changed_files(self.folder, before["files"], _digests(self.plan))
        plans = [plan_of(entries) for entries in before["plans"]]
        for old in plans:
            _refuse_changed_files(self.folder, _sources(old), _sources(self.plan))
            _refuse_smaller(self.folder, old, self.plan)
        return plans

    def _write(self, plans: list[Plan]) -> None:
        """Write what the folder does not have yet, and delete what it no longer needs."""
        for part in (self._parts, self._journals):
            part.mkdir(exist_ok=True)
        for unfinished in self._journals.glob("*.unfinished"):
            unfinished.unlink()
        if plans[-1] is self.plan:
            self._keep_plans(plans)
        self._keep_shapes()
        for path in self._stale:
            path.unlink(missing_ok=True)
        for block in self.blocks:
            if block.journal.complete:
                self._complete(block)
        self.blocks = [block for block in self.blocks if not block.journal.complete]

    def _keep_plans(self, plans: list[Plan]) -> None:
        content = {
            "format": FORMAT,
            "block": self.block,
            "made_by": fingerprint(),
            "plans": [plan.entries for plan in plans],
            "columns": schema.spelled(self.schema),
            "files": _digests(self.plan),
        }
        for name in DESCRIPTIONS:  # of a smaller plan
            self.manifest.files.pop(name, None)
            (self.folder / name).unlink(missing_ok=True)
        self.manifest.write(self._journals)
        write_whole(self.folder / "sweep.json", seal(content), self._journals)

    def _keep_shapes(self) -> None:
        """Copy the shape files of the plan under the digests of their content."""
        for cell in self.plan.cells:
            name = f"shapes/{cell.shape}"
            if cell.file and not self.manifest.has(name):
                (self.folder / "shapes").mkdir(exist_ok=True)
                content = Path(cell.file).read_bytes()
                write_whole(self.folder / name, content, self._journals)
                self.manifest.add(self._journals, name)

    def _find_blocks(self, plans: list[Plan]) -> None:
        for number in range(len(plans)):
            for place, cells in enumerate(_cut(_beyond(plans[number], plans[:number]), self.block)):
                name = f"{number}-{place:06}"
                path = self._journals / f"{name}.ndjson"
                if self._is_complete(name):
                    self._stale.append(path)
                    self.finished += sum(end - first for _, (first, end) in cells)
                    continue
                seeds = [seed for _, run in cells for seed in range(*run)]
                block = Block(name, cells, Journal(path, len(seeds), self.schema, seeds))
                self.finished += len(block.journal)
                self.blocks.append(block)

    def _is_complete(self, name: str) -> bool:
        """Whether a block's file is there and whole; refuse one that is damaged."""
        part = f"elections/{part_of(name)}"
        if part not in self.manifest.files or not (self.folder / part).exists():
            return False
        self.manifest.check(part)
        return True

    def record(self, block: Block, number: int, row: dict[str, Any]) -> None:
        """Keep a finished election, and write the block's file if it was the last one."""
        if block.journal.add(number, row):
            self._complete(block)

    def _complete(self, block: Block) -> None:
        """Write a block's file, note its digest, and only then delete its journal."""
        buffer = io.BytesIO()
        about = provenance(cell for cell, _ in block.cells)
        block.journal.frame().write_parquet(buffer, compression="zstd", metadata=about)
        name = f"elections/{part_of(block.name)}"
        write_whole(self.folder / name, buffer.getvalue(), self._journals)
        with self._completing:
            for stale in DESCRIPTIONS:
                self.manifest.files.pop(stale, None)
            self.manifest.add(self._journals, name)
        block.journal.remove()

    def describe(self) -> None:
        """Describe the dataset, when all of it is there."""
        if all(self.manifest.has(name) for name in DESCRIPTIONS):
            return
        words = schema.meanings(self.plan.algorithms, self.plan.measures)
        about = provenance(self.plan.cells)
        made = descriptions(self.manifest, self.schema, words, about, len(self.plan))
        for name, content in made.items():
            write_whole(self.folder / name, content, self._journals)
        self.manifest.add(self._journals, *made)


@contextlib.contextmanager
def _telling(folder: Path) -> Iterator[None]:
    """Say in one sentence which file or folder cannot be used."""
    try:
        yield
    except OSError as error:
        raise FolderError(f"{error.filename or folder}: {reason_of(error)}") from None


def part_of(name: str) -> str:
    """Return the name of a block's file."""
    return f"part-{name}.parquet"


def describe(folder: Path) -> dict[str, Any]:
    """Return the content of ``sweep.json``."""
    try:
        content = unseal(folder / "sweep.json")
    except FileNotFoundError:
        raise FolderError(f"{folder}: there is no sweep here (no sweep.json)") from None
    except OSError as error:
        raise FolderError(f"{folder}: {reason_of(error)}") from None
    if content.get("format") != FORMAT:
        raise FolderError(f"{folder}: sweep.json has a layout that this version does not know")
    return content


def check(folder: Path) -> Manifest:
    """Compare every file of a sweep with its digest, and refuse files that belong to no sweep.

    Raises:
        FolderError: If a file is damaged, missing or foreign.
    """
    describe(folder)
    kept = _settled(folder)
    for name in kept.files:
        kept.check(name)
    return kept


def _settled(folder: Path) -> Manifest:
    """Return the manifest; a sweep under way may be about to add a file to it."""
    for _ in range(ATTEMPTS):
        kept = Manifest(folder)
        found = sorted((folder / "elections").glob("*"))
        unknown = [path for path in found if f"elections/{path.name}" not in kept.files]
        unknown = [path for path in unknown if not _journal_of(folder, path).exists()]
        if not unknown:
            return kept
        time.sleep(PAUSE)
    raise _foreign(unknown[0])


def _journal_of(folder: Path, part: Path) -> Path:
    return folder / "journal" / f"{part.stem.removeprefix('part-')}.ndjson"


def _foreign(path: Path) -> FolderError:
    return FolderError(f"{path} is no file of this sweep (it is not in {MANIFEST}): move it away")


def load(folder: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return all finished elections of a sweep, also while it is still under way.

    Raises:
        FolderError: If that is no folder of a sweep, or if a file in it is damaged.
    """
    here = as_path(folder, FolderError)
    for attempt in range(ATTEMPTS):
        try:
            return _load(here)
        except FileNotFoundError:  # a journal that has just been completed
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def _load(here: Path) -> pl.LazyFrame:
    about = describe(here)
    columns = schema.parsed(about["columns"])
    paths = sorted(here.glob("journal/*.ndjson"))
    journals = [Journal(path, about["block"], columns) for path in paths]
    kept = check(here)
    frames = [pl.LazyFrame(schema=columns)]
    parts = sorted(here / name for name in kept.files if name.startswith("elections/"))
    # The files of one plan have the same columns; a larger plan may have more.
    plans = itertools.groupby(parts, key=lambda path: path.name.split("-")[1])
    frames += [pl.scan_parquet(list(paths)) for _, paths in plans]
    for journal in journals:
        if len(journal) and f"elections/{part_of(journal.path.stem)}" not in kept.files:
            frames.append(journal.frame().lazy())
    return pl.concat(frames, how="diagonal")


def _beyond(plan: Plan, others: list[Plan]) -> dict[Cell, list[Run]]:
    """Return the elections of a plan that none of the others has."""
    for other in others:
        plan = Plan((), plan - other)
    return plan.cells


def _cut(cells: dict[Cell, list[Run]], size: int) -> Iterator[list[tuple[Cell, Run]]]:
    """Cut elections into blocks of the same size; only the last one may be smaller."""
    block: list[tuple[Cell, Run]] = []
    room = size
    for cell, runs in cells.items():
        for first, end in runs:
            while first < end:
                until = min(end, first + room)
                block.append((cell, (first, until)))
                room -= until - first
                first = until
                if room == 0:
                    yield block
                    block, room = [], size
    if block:
        yield block


def _digests(plan: Plan) -> dict[str, str]:
    """Return a digest of each shape file, and of each election that is not built in."""
    elections = [(name, registry.find(name)) for name in plan.algorithms]
    found = {name: election.digest for name, election in elections if not election.is_built_in}
    return found | {cell.family: cell.shape for cell in plan.cells if cell.file}


def _sources(plan: Plan) -> dict[str, str]:
    """Return the texts of the rules, schedulers and measurements that are the user's own."""
    found: dict[str, str] = {}
    for cell in plan.cells:
        found[f"the text of the rules {cell.rules}"] = cell.source
        found[f"the text of the scheduler {cell.scheduler}"] = cell.scheduler_source
        found |= {f"the text of the measurement {name}": text for name, text, _ in cell.measures}
    return {name: text for name, text in found.items() if text}


def _refuse_other_code(folder: Path, made_by: str) -> None:
    if made_by != fingerprint():
        raise PlanError(
            f"{folder} was made by amoebot {made_by}, and this is amoebot {fingerprint()}, whose "
            "elections may differ: choose another folder"
        )


def _refuse_changed_files(folder: Path, before: dict[str, str], now: dict[str, str]) -> None:
    for name, digest in before.items():
        if now.get(name, digest) != digest:
            raise PlanError(f"{name} has changed since {folder} was made: choose another folder")


def _refuse_smaller(folder: Path, old: Plan, new: Plan) -> None:
    lost = Plan((), old - new)
    if lost.cells:
        cell, runs = next(lost.items())
        raise PlanError(
            f"{folder} belongs to another plan: {len(lost):,} of its elections are not in this "
            f"one, such as {cell}, seed {runs[0][0]}. Choose another folder, or a plan that "
            "contains the old one"
        )
