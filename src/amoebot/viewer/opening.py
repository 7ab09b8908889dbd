"""What a reader may open: shapes by name, and the contents of files that the browser has read.

Nothing here looks at the disk: a shape string that happens to be a path is refused.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from amoebot import runs
from amoebot.algorithms import registry
from amoebot.engine.names import SCHEDULERS
from amoebot.options import Options
from amoebot.runs import Run
from amoebot.shapes import GENERATORS
from amoebot.shapes.errors import blaming
from amoebot.shapes.files import READERS
from amoebot.viewer.requests import RequestError

#: More particles than the page can draw.
MOST_PARTICLES = 2_000_000

#: Shapes whose number of nodes grows with the square of their parameter.
_SQUARE = ("hexagon", "triangle", "annulus", "labyrinth", "swiss")


def catalogue(now: Run) -> dict[str, Any]:
    """Return what can be chosen for a new run."""
    names = dict.fromkeys([*registry.built_in(), now.options.algorithm])
    return {
        "kind": "catalogue",
        "shapes": catalogue_of_shapes(),
        "schedulers": SCHEDULERS,
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


def read_run(given: Any, now: Run) -> Run:
    """Return the run that a page describes. JavaScript sends large seeds as text."""
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
    options = content.get("options")
    chosen = options.get("algorithm") if isinstance(options, dict) else None
    same = (chosen or Options.algorithm) == now.options.election.name
    rules = now.rules if same else None
    return _not_too_large(runs.from_dict(content, "drawing", rules, now.options.algorithm))


def read_file(name: str, content: str, now: Run) -> Run:
    """Return the run in a file, or a run on the shape in it with the options of the present one."""
    name = PurePath(name).name
    ending = PurePath(name).suffix.lower()
    if ending not in READERS:
        raise RequestError(f"{name[:100]}: a shape or run file ends in {', '.join(READERS)}")
    if ending == ".json" and runs.looks_like_run(content):
        return _not_too_large(runs.from_text(content, name, now.rules, now.options.algorithm))
    try:
        data = content.encode() if ending in (".txt", ".json") else base64.b64decode(content)
    except (binascii.Error, ValueError):
        raise RequestError(f"{name[:100]}: this is not an image") from None
    with blaming(name):
        shape = READERS[ending](data, name)
    return _not_too_large(Run(shape, now.options))


def _refuse_huge(text: str) -> None:
    """Refuse a shape before it is made, as far as its string tells how large it would be."""
    name, _, rest = text.partition(":")
    numbers = [int(value) for value in rest.split(",") if value.strip().isdecimal()]
    if not numbers:
        return
    size = numbers[0] ** 2 // 2 if name.strip() in _SQUARE else numbers[0]
    if name.strip() in ("parallelogram", "comb") and len(numbers) > 1:
        size = numbers[0] * numbers[1]
    if size > MOST_PARTICLES:
        raise RequestError(
            f"the viewer shows at most {MOST_PARTICLES:,} particles: {text[:50]} has more"
        )


def _not_too_large(run: Run) -> Run:
    if len(run.shape) > MOST_PARTICLES:
        raise RequestError(f"the viewer shows at most {MOST_PARTICLES:,} particles")
    return run
