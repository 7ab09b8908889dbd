"""A reproduction of seconds, large enough that nearly every claim is decided."""

from __future__ import annotations

from typing import Any

from amoebot.sweeps.plan import spread

_LONG = ["line:51", "line:126", "line:301", "line:751", "hexagon:17", "hexagon:42", "hexagon:100"]
_MIDDLE = ["line:51..408*2", "hexagon:17..68*2"]

_PARTS: dict[str, dict[str, Any]] = {
    "growth": {"shapes": _LONG, "variants": "whp", "seeds": 75},
    "segments": {"shapes": "hexagon:6..48*2", "variants": "whp", "seeds": 300, "max_rounds": 400},
    "tails": {"shapes": "hexagon:5..20*2", "variants": "whp", "seeds": 1500},
    "schedulers": {
        "shapes": _MIDDLE,
        "schedulers": ["permutation", "adversarial"],
        "variants": "whp",
        "seeds": 16,
    },
    "failures": {
        "variants": "whp",
        "sweep": [
            {"shapes": "hexagon:1..3", "radix": [2, 16], "seeds": 400},
            {"shapes": "hexagon:20", "radix": 256, "seeds": 500},
        ],
    },
    "termination": {"shapes": [*_MIDDLE, "labyrinth:4..32*2"], "variants": "full", "seeds": 16},
    "almost-sure": {"shapes": _MIDDLE, "variants": "almost-sure", "seeds": 16},
    "expanded": {
        "shapes": _MIDDLE,
        "expanded": 0.5,
        "shape_seeds": 6,
        "variants": "whp",
        "seeds": 3,
    },
}

SMALL = {
    name: {"independent": True, "first_seed": spread(name), **content}
    for name, content in _PARTS.items()
}

#: Shapes of the probes, as in ``amoebot.reproduction.standard``.
PROBED = {False: (("hexagon:12",), 1)}
RINGS = {False: ((16, 64, 1024), (4, 6), 500)}
