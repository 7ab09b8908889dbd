"""Files with engines inside: an ES module for JavaScript, and the page without a server."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from amoebot import runs
from amoebot.algorithms import registry
from amoebot.browser import about, building
from amoebot.engine_runs import cores
from amoebot.linking import Rules
from amoebot.runs import Run
from amoebot.simulation import Simulation
from amoebot.viewer.bundle import Look, bundle, bundled_page
from amoebot.viewer.opening import as_json

#: No page with its engine inside is smaller.
LEAST_BYTES = 225_000


def module(packed: Mapping[str, Any]) -> str:
    """Return the JavaScript interface as one ES module."""
    return f"const PACKED = {json.dumps(packed)};\n{bundle('module')}"


def page(packed: Mapping[str, Any], run: Run, look: Look | None = None) -> str:
    """Return the page with its engine inside, which begins with a run."""
    worker = f"const FIRST = {json.dumps(as_json(run))};\n{_worker(packed)}"
    title = f"{run.shape_text or run.shape.name}, seed {run.options.seed}: amoebot"
    told = json.dumps(asdict(look or Look()))
    return bundled_page("live_page", title, engine=worker, look=told)


def figures(packed: Mapping[str, Any]) -> str:
    """Return a script that brings the figures of a page to life: elements with ``data-live``."""
    return f"(() => {{\nconst WORKER = {json.dumps(_worker(packed))};\n{bundle('figure')}\n}})();\n"


def smaller(film: str, simulation: Simulation, look: Look | None = None) -> str:
    """Return a film, or the page that can run it again, whichever has fewer bytes.

    A film grows with its run, and the page does not. Where the page cannot be built, return
    the film.
    """
    if len(film) < LEAST_BYTES or find_spec("ziglang") is None:
        return film
    run, beside = runs.of(simulation), look.beside if look else ""
    if beside and run.rules:
        return film
    try:
        own = packed(run.options.algorithm, run.options.rules, beside)
    except building.BuildError:
        return film
    return min(film, page(own, run, look), key=len)


def _worker(packed: Mapping[str, Any]) -> str:
    return f"const PACKED = {json.dumps(packed)};\n{bundle('worker')}"


def packed(
    algorithm: str = registry.DEFAULT, rules: Rules | None = None, beside: str | None = None
) -> dict[str, Any]:
    """Return all elections that come with the package, and the given one first, as text.

    If somebody says what is to be shown beside it, there is nothing else; with changed rules there
    is nothing but the election that they belong to.
    """
    others = registry.built_in() if beside is None else [beside] if beside else []
    names = [algorithm] if rules else [*dict.fromkeys([algorithm, *others])]
    told = {**about.shapes(), "elections": [about.about(name, rules) for name in names]}
    called = [one["name"] for one in told["elections"]]
    with ThreadPoolExecutor(cores()) as pool:  # each is compiled in a process of its own
        engines = list(pool.map(partial(building.engine, rules=rules), names))
    return {
        "about": _packed(json.dumps(told, separators=(",", ":")).encode()),
        "engines": {name: _packed(one) for name, one in zip(called, engines, strict=True)},
    }


def _packed(content: bytes) -> str:
    """Compress bytes, always to the same text."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def types() -> str:
    """Return the types of the JavaScript interface."""
    return files("amoebot.browser").joinpath("amoebot.d.mts").read_text(encoding="utf-8")
