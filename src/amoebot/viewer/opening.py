"""What a reader can open: shapes by name, and the contents of files that the browser has read.

Nothing here looks at the disk: a shape string that happens to be a path is refused.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any

from PIL import Image

from amoebot import runs
from amoebot.algorithms import registry
from amoebot.engine.names import SCHEDULERS
from amoebot.options import Options
from amoebot.runs import Run, go_on
from amoebot.scheduler import OwnScheduler
from amoebot.shapes import GENERATORS
from amoebot.shapes.errors import blaming
from amoebot.shapes.files import READERS
from amoebot.simulation import Simulation
from amoebot.viewer.requests import RequestError

#: More particles than the page can draw.
MOST_PARTICLES = 2_000_000

#: The most pixels of an image: more than that many particles are not shown anyway.
MOST_PIXELS = 4 * MOST_PARTICLES

#: Seconds that it may take to get to where a schedule by hand begins, and through it; and after
#: which it is given up if at this pace it would take that many times as long.
LONGEST, TRIAL, HOPELESS = 10.0, 0.2, 10


def catalogue(now: Run, known: OwnScheduler | None = None) -> dict[str, Any]:
    """Return what can be chosen for a new run, a scheduler of the user's among it."""
    own = {} if known is None else {known.name: "the one that this viewer was started with"}
    names = dict.fromkeys([*registry.built_in(), now.options.algorithm])
    return {
        "kind": "catalogue",
        "shapes": catalogue_of_shapes(),
        "schedulers": SCHEDULERS | own,
        "elections": [election(name) for name in names],
    }


def catalogue_of_shapes() -> list[dict[str, Any]]:
    """Return the shapes that have a string."""
    return [
        {
            "name": name,
            "signature": generator.signature,
            "description": generator.description,
            "example": generator.example,
            "random": generator.random,
        }
        for name, generator in GENERATORS.items()
    ]


def election(algorithm: str) -> dict[str, Any]:
    """Return what an election is called, its options and its variants."""
    found = registry.find(algorithm)
    return {
        "name": found.name,
        "title": found.title,
        "source": found.provides("options", "SOURCE", ""),
        "options": [asdict(option) for option in registry.options_of(algorithm)],
        "presets": [asdict(preset) for preset in registry.presets_of(algorithm)],
    }


def as_json(run: Run) -> dict[str, Any]:
    """Return a run for JavaScript, whose numbers do not hold large seeds."""
    content = run.as_dict()
    seeds = {name: str(content[name]) for name in ("seed", "shape_seed") if name in content}
    return content | seeds


def read_run(given: Any, now: Run, known: OwnScheduler | None = None) -> Run:
    """Return the run that a page describes. JavaScript sends large seeds as text.

    The scheduler can be the user's own that is known, by its name.
    """
    if not isinstance(given, dict):
        raise RequestError("a run is an object with the key 'shape'")
    content = dict(given)
    for name in ("seed", "shape_seed"):
        value = content.get(name)
        if isinstance(value, str):
            if not (value.isascii() and value.isdecimal() and len(value) <= 20):
                raise RequestError(
                    f"the {name.replace('_', ' ')} must be a whole number, 0 or more"
                )
            content[name] = int(value)
    if isinstance(content.get("shape"), str):
        _refuse_huge(content["shape"])
    options, own = content.get("options"), None
    if known is not None and isinstance(options, dict) and not content.get("schedule"):
        own = known if options.get("scheduler") == known.name else None
    if own is not None:
        content["options"] = dict(options or {}, scheduler=Options.scheduler)
    chosen = options.get("algorithm") if isinstance(options, dict) else None
    same = (chosen or Options.algorithm) == now.options.election.name
    rules = now.rules if same else None
    run = runs.from_dict(content, "drawing", rules, now.options.algorithm)
    if own is not None:
        run = replace(run, options=run.options.with_(scheduler=own))
    return _not_too_large(run)


def read_file(name: str, content: str, now: Run) -> Run:
    """Return the run in a file, or a run on the shape in it with the options of the present one."""
    name = PurePath(name).name
    ending = PurePath(name).suffix.lower()
    if ending not in READERS:
        raise RequestError(f"{name[:100]}: a shape or run file ends in {', '.join(READERS)}")
    if ending == ".json" and runs.looks_like_run(content):
        _refuse_huge(json.loads(content)["shape"])
        return _not_too_large(runs.from_text(content, name, now.rules, now.options.algorithm))
    try:
        data = content.encode() if ending in (".txt", ".json") else base64.b64decode(content)
    except (binascii.Error, ValueError):
        raise RequestError(f"{name[:100]}: this is not an image") from None
    if ending not in (".txt", ".json"):
        _refuse_large_image(name[:100], data)
    with blaming(name):
        shape = READERS[ending](data, name)
    return _not_too_large(Run(shape, now.options))


def _refuse_large_image(name: str, data: bytes) -> None:
    """Refuse an image by what it says of its size, before it is unpacked."""
    pixels = 0
    with suppress(Exception), warnings.catch_warnings():  # what cannot be read is refused later
        warnings.simplefilter("ignore")
        with Image.open(io.BytesIO(data)) as image:
            pixels = image.width * image.height
    if pixels > MOST_PIXELS:
        raise RequestError(f"{name}: the viewer reads at most {MOST_PIXELS:,} pixels")


def _refuse_huge(text: Any) -> None:
    """Refuse a shape before it is made, as far as its string tells how large it would be."""
    if not isinstance(text, str):
        return
    name, _, rest = text.partition(":")
    numbers = [number for value in rest.split(",") if (number := _whole(value)) is not None]
    if numbers and _nodes(name.strip(), *numbers) > MOST_PARTICLES:
        raise RequestError(
            f"the viewer shows at most {MOST_PARTICLES:,} particles: {text[:50]} has more"
        )


def _whole(text: str) -> int | None:
    """Return a number as the shape's own reader would, who takes +5 and 5_000 too."""
    try:
        return int(text[:30])
    except ValueError:
        return None


def _nodes(name: str, first: int, second: int = 1, *_: int) -> int:
    """Return at most how many nodes a shape has, by its parameters."""
    if name in ("hexagon", "annulus", "labyrinth", "swiss"):
        return 3 * first * (first + 1) + 1
    if name == "triangle":
        return first * (first + 1) // 2
    if name in ("parallelogram", "comb"):
        return first * (second + 2)
    return first


def _not_too_large(run: Run) -> Run:
    if len(run.shape) > MOST_PARTICLES:
        raise RequestError(f"the viewer shows at most {MOST_PARTICLES:,} particles")
    return run


def simulation_of(run: Run, stopped: Callable[[], bool] = lambda: False) -> Simulation:
    """Return a run at its beginning, with its schedule made by hand, and what comes after that.

    Getting to where the schedule begins, and through it, may take long: there is a limit to it.
    """
    first = time.monotonic()
    trial: list[float] = []  # when it began: the compiler's time is not the run's

    def check(share: float) -> None:
        now = time.monotonic()
        trial[:] = trial or [now]
        past = now - trial[0]
        is_hopeless = past > TRIAL and past > HOPELESS * LONGEST * share
        if stopped() or is_hopeless or now > first + LONGEST:
            begins = run.by_hand_from[0] if run.by_hand_from else 0
            raise RequestError(
                f"the schedule by hand begins in round {begins:,} and has {len(run.schedule):,} "
                f"activations: it takes longer than {LONGEST:.0f} seconds to get there"
            )

    simulation = run.simulation(check)
    go_on(simulation, run)
    return simulation
