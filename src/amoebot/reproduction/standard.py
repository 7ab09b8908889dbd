"""The standard plans that put the paper next to measurements: a quick one and a full one."""

from __future__ import annotations

from typing import Any

from amoebot.engine.names import SCHEDULERS

#: Shapes of every family with an outer boundary of about L agents, for L = 100, 250, 600, 1500
#: and 5,000.
FAMILIES: dict[str, tuple[str, ...]] = {
    "hexagon": ("hexagon:17", "hexagon:42", "hexagon:100", "hexagon:250", "hexagon:834"),
    "line": ("line:51", "line:126", "line:301", "line:751", "line:2501"),
    "triangle": ("triangle:34", "triangle:84", "triangle:201", "triangle:501", "triangle:1668"),
    "parallelogram": (
        "parallelogram:26,26",
        "parallelogram:64,64",
        "parallelogram:151,151",
        "parallelogram:376,376",
        "parallelogram:1251,1251",
    ),
    "annulus": ("annulus:17,14", "annulus:42,39", "annulus:100,97", "annulus:250,247",
                "annulus:834,831"),
    "spiral": ("spiral:51", "spiral:126", "spiral:301", "spiral:751", "spiral:2501"),
    "comb": ("comb:4,10", "comb:11,10", "comb:26,10", "comb:65,10", "comb:218,10"),
    "labyrinth": ("labyrinth:17", "labyrinth:42", "labyrinth:100", "labyrinth:250",
                  "labyrinth:834"),
    "tree": ("tree:51", "tree:126", "tree:301", "tree:751", "tree:2501"),
    "random": ("random:90", "random:270", "random:800", "random:2500", "random:12500"),
    "swiss": ("swiss:10,0.48", "swiss:18,0.48", "swiss:28,0.48", "swiss:45,0.48", "swiss:74,0.48"),
}  # fmt: skip

#: Larger ones, for a night.
LARGER = (
    *("line:5001", "line:10001", "spiral:5001", "spiral:10001", "tree:5001", "tree:10001"),
    *("comb:435,10", "comb:870,10", "random:30000", "random:80000"),
    *("annulus:1667,1664", "annulus:3333,3330", "hexagon:1667"),
)

#: The ring of a labyrinth is short and the path inside is long: at L = 5,000 there are a million
#: particles to be shuffled in each round, which takes minutes. The quick plan takes another.
IN_THE_QUICK_PLAN = {"labyrinth:834": "labyrinth:500"}

#: How many elections for each of the sizes above. Small ones cost little, and the rounds of
#: identifier setup, which an exponent has to be told from, count most there.
QUICK_SEEDS = (60, 40, 20, 6, 2)
FULL_SEEDS = (100, 60, 40, 20, 10)

#: What the probe of Lemma 6 looks at.
PROBED = ("hexagon:5", "tree:20")

_GROWTH = {"variants": "whp", "shape_seeds": 1}


def _by_size(full: bool) -> list[dict[str, Any]]:
    """Return one table for each size, with fewer elections the larger it is."""
    tables = []
    for place, count in enumerate(FULL_SEEDS if full else QUICK_SEEDS):
        shapes = [sizes[place] for sizes in FAMILIES.values()]
        if not full:
            shapes = [IN_THE_QUICK_PLAN.get(shape, shape) for shape in shapes]
        tables.append(_GROWTH | {"shapes": shapes, "seeds": count})
    return tables


def plans(full: bool) -> dict[str, dict[str, Any]]:
    """Return the plan of each part, by name."""
    growth = _by_size(full)
    if full:
        growth.append(_GROWTH | {"shapes": list(LARGER), "seeds": 4})
    small = ["hexagon:1..6", "line:2..5"]
    middle = ["hexagon:17..68*2", "line:51..204*2", "comb:5..20*2,10", "tree:51..204*2"]
    return {
        "growth": {"sweep": growth},
        "segments": {
            # The coins are flipped in round 1, and identifiers are set up soon after.
            "shapes": "hexagon:3..384*2" if full else "hexagon:3..192*2",
            "variants": "whp",
            "seeds": 1000 if full else 100,
            "max_rounds": 400,
        },
        "schedulers": {
            "shapes": middle,
            "schedulers": [*SCHEDULERS],
            "variants": "whp",
            "seeds": 100 if full else 10,
        },
        "failures": {
            "variants": "whp",
            "sweep": [
                {"shapes": small, "radix": [2, 4, 16], "seeds": 50_000 if full else 2_000},
                {"shapes": ["hexagon:20..80*2"], "radix": 256, "seeds": 1000 if full else 100},
            ],
        },
        "termination": {
            "shapes": [*middle, "labyrinth:4..32*2", "annulus:17..68*2,3", "spiral:51..204*2"],
            "variants": "full",
            "seeds": 30 if full else 4,
        },
        "almost-sure": {
            "variants": "almost-sure",
            "sweep": [
                {"shapes": small, "radix": 2, "seeds": 50_000 if full else 1_000},
                {"shapes": middle, "seeds": 100 if full else 6},
                {"shapes": ["hexagon:250", "line:751"], "seeds": 20 if full else 2},
            ],
        },
        "expanded": {
            "shapes": [*middle, "hexagon:250", "line:751"],
            "expanded": 0.5,
            "variants": "whp",
            "seeds": 30 if full else 4,
        },
    }
