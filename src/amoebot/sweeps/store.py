"""The folder of a sweep: its plan, and every election that is finished.

``sweep.json`` has the plan. ``elections/`` is the dataset: Parquet files of a fixed
number of elections each, in the order of the plan. ``journal/`` holds the blocks that are not
complete yet, and is gone when the sweep is.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.algorithms import registry
from amoebot.shapes import GENERATORS
from amoebot.sweeps import schema
from amoebot.sweeps.elections import fingerprint
from amoebot.sweeps.files import FolderError, alone_in, reason_of, write_whole
from amoebot.sweeps.journal import Journal
from amoebot.sweeps.plan import Cell, Plan, PlanError, Run, plan_of

#: How many elections a file of the dataset has.
BLOCK = 4096

#: The number of this layout of the folder.
FORMAT = 2


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
        self.schema = schema.schema_of(plan.algorithms)
        self.made_by = {name: fingerprint(name) for name in plan.algorithms}
        self.blocks: list[Block] = []
        self.block = BLOCK
        self.finished = 0
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Store:
        """Make or read the folder, and find the elections that are left to run."""
        try:
            for part in (self.folder, self._parts, self._journals):
                part.mkdir(parents=True, exist_ok=True)
            self._open.enter_context(alone_in(self.folder))
            for unfinished in self._journals.glob("*.unfinished"):
                unfinished.unlink()
            plans = self._agree()
            self._find_blocks(plans)
        except OSError as error:
            self._open.close()
            raise FolderError(f"{error.filename or self.folder}: {reason_of(error)}") from None
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

    def _agree(self) -> list[Plan]:
        """Return the plans that this folder has had, this one last; refuse what does not fit."""
        described = self.folder / "sweep.json"
        files = _digests(self.plan)
        if not described.exists():
            plans, self.block = [self.plan], BLOCK
        else:
            before = describe(self.folder)
            self.block = before["block"]
            _refuse_other_code(self.folder, before["made_by"])
            _refuse_changed_files(self.folder, before["files"], files)
            plans = [plan_of(entries) for entries in before["plans"]]
            for old in plans:
                _refuse_smaller(self.folder, old, self.plan)
            if not _beyond(self.plan, plans):
                return plans
            plans.append(self.plan)
        content = {
            "format": FORMAT,
            "block": self.block,
            "made_by": fingerprint(),
            "plans": [plan.entries for plan in plans],
            "columns": schema.spelled(self.schema),
            "files": files,
        }
        write_whole(described, json.dumps(content, indent=1).encode(), self._journals)
        return plans

    def _find_blocks(self, plans: list[Plan]) -> None:
        for number in range(len(plans)):
            for place, cells in enumerate(_cut(_beyond(plans[number], plans[:number]), self.block)):
                name = f"{number}-{place:06}"
                size = sum(end - first for _, (first, end) in cells)
                path = self._journals / f"{name}.ndjson"
                if self._part(name).exists():
                    path.unlink(missing_ok=True)
                    self.finished += size
                    continue
                block = Block(name, cells, Journal(path, size, self.schema))
                self.finished += len(block.journal)
                if block.journal.complete:
                    self._complete(block)
                else:
                    self.blocks.append(block)

    def _part(self, name: str) -> Path:
        return self._parts / f"part-{name}.parquet"

    def record(self, block: Block, number: int, row: dict[str, Any]) -> None:
        """Keep a finished election, and write the block's file if it was the last one."""
        if block.journal.add(number, row):
            self._complete(block)

    def _complete(self, block: Block) -> None:
        buffer = io.BytesIO()
        block.journal.frame().write_parquet(buffer, compression="zstd")
        write_whole(self._part(block.name), buffer.getvalue(), self._journals)
        block.journal.remove()


def describe(folder: Path) -> dict[str, Any]:
    """Return the content of ``sweep.json``."""
    try:
        content = json.loads((folder / "sweep.json").read_bytes())
    except FileNotFoundError:
        raise FolderError(f"{folder}: there is no sweep here (no sweep.json)") from None
    except OSError as error:
        raise FolderError(f"{folder}: {reason_of(error)}") from None
    except ValueError:
        raise FolderError(f"{folder}: sweep.json is damaged") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FolderError(f"{folder}: sweep.json has a layout that this version does not know")
    return content


def load(folder: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return all finished elections of a sweep, also while it is still under way.

    Raises:
        FolderError: If that is no folder of a sweep.
    """
    here = Path(folder)
    described = describe(here)
    columns = schema.parsed(described["columns"])
    frames = [pl.LazyFrame(schema=columns)]
    # The files of one plan have the same columns; a larger plan may have more.
    names = (f"part-{number}-*.parquet" for number in range(len(described["plans"])))
    parts = (sorted((here / "elections").glob(name)) for name in names)
    frames += [pl.scan_parquet(paths) for paths in parts if paths]
    for path in sorted((here / "journal").glob("*.ndjson")):
        journal = Journal(path, described["block"], columns)
        if len(journal) and not (here / "elections" / f"part-{path.stem}.parquet").exists():
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
    names = {cell.shape for cell in plan.cells if cell.shape.partition(":")[0] not in GENERATORS}
    elections = [(name, registry.find(name)) for name in plan.algorithms]
    found = {name: election.digest for name, election in elections if not election.is_built_in}
    for name in sorted(names):
        with contextlib.suppress(OSError):  # an unreadable file is refused when it is parsed
            found[name] = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    return found


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
