"""The standard plans that put the paper next to measurements: a quick one and a full one."""

from __future__ import annotations

from typing import Any

from amoebot.arguments import check_truth
from amoebot.engine.names import SCHEDULERS
from amoebot.sweeps.plan import spread

#: Shapes of every family with an outer boundary of about L agents, for L = 100, 250, 600, 1500
#: and 5,000. The ring of a labyrinth is short and the path inside is long: the largest has
#: L = 3,000 and 376,000 particles.
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
                  "labyrinth:500"),
    "tree": ("tree:51", "tree:126", "tree:301", "tree:751", "tree:2501"),
    "random": ("random:90", "random:270", "random:800", "random:2500", "random:12500"),
    "swiss": ("swiss:10,0.48", "swiss:18,0.48", "swiss:28,0.48", "swiss:45,0.48", "swiss:74,0.48"),
}  # fmt: skip

#: Larger ones, in the full plan only.
LARGER = (
    *("line:5001", "line:10001", "spiral:5001", "spiral:10001", "tree:5001", "tree:10001"),
    *("comb:435,10", "comb:870,10", "random:30000", "random:80000"),
    *("annulus:1667,1664", "annulus:3333,3330", "hexagon:1667"),
)

#: Families with several random shapes of each size, and how many.
DRAWN, SHAPES = ("tree", "random", "swiss"), 4

#: How many elections for each of the sizes above. On random shapes they are divided by the number
#: of shapes.
QUICK_SEEDS = (60, 40, 24, 12, 8)
FULL_SEEDS = (200, 120, 80, 40, 20)

#: The shapes on which digit tokens are followed (Lemma 6), and the seeds of each.
PROBED = {
    False: (("hexagon:24", "tree:120"), 3),
    True: (("hexagon:80", "tree:400", "comb:40,10"), 5),
}

#: Rings of automata, what they count to, and the elections on each (A.4); and rings in the plane.
RINGS = {
    False: ((16, 64, 256, 1024), (4, 6, 8), 1_000),
    True: ((4, 16, 64, 256, 1024, 4096), (4, 6, 8), 10_000),
}
IN_THE_PLANE = (16, 64)


def _by_size(full: bool) -> list[dict[str, Any]]:
    """Return tables for each size, with fewer elections the larger it is."""
    tables = []
    for place, count in enumerate(FULL_SEEDS if full else QUICK_SEEDS):
        shapes = {family: sizes[place] for family, sizes in FAMILIES.items()}
        drawn = [shapes.pop(family) for family in DRAWN]
        tables.append({"shapes": [*shapes.values()], "seeds": count})
        tables.append({"shapes": drawn, "shape_seeds": SHAPES, "seeds": max(2, count // SHAPES)})
    return tables


def plans(full: bool) -> dict[str, dict[str, Any]]:
    """Return the plan of each part, by name.

    Elections on different shapes and in different parts have different coins; those that differ
    by the scheduler, the rules or an option only have the same.
    """
    check_truth(full, "full")
    growth = _by_size(full)
    if full:
        growth.append({"shapes": list(LARGER), "seeds": 1})
    small = ["hexagon:1..6", "line:2..5"]
    middle = ["hexagon:17..68*2", "line:51..204*2", "comb:5..20*2,10", "tree:51..204*2"]
    large = ["hexagon:136", "line:408..816*2", "comb:40,10", "comb:80,10", "tree:408..816*2"]
    if full:
        large += ["hexagon:272", "line:1632", "comb:160,10", "tree:1632", "annulus:272,3"]
        large += ["labyrinth:128", "spiral:1632"]
    parts: dict[str, dict[str, Any]] = {
        "growth": {"variants": "whp", "sweep": growth},
        "segments": {
            # The coins are flipped in round 1, and identifiers are set up soon after.
            "shapes": "hexagon:3..384*2" if full else "hexagon:3..192*2",
            "variants": "whp",
            "seeds": 600 if full else 150,
            "max_rounds": 400,
        },
        "tails": {
            "shapes": ["hexagon:5..20*2"],
            "variants": "whp",
            "seeds": 100_000 if full else 34_000,
        },
        "schedulers": {
            "shapes": middle,
            "schedulers": [*SCHEDULERS],
            "variants": "whp",
            "seeds": 40 if full else 12,
        },
        "failures": {
            "variants": "whp",
            "sweep": [
                {"shapes": small, "radix": [2, 4, 16], "seeds": 10_000 if full else 2_000},
                {"shapes": ["hexagon:20..80*2"], "radix": 256, "seeds": 1000 if full else 200},
            ],
        },
        "termination": {
            "shapes": [
                *middle,
                *large,
                *("labyrinth:4..64*2", "annulus:17..136*2,3", "spiral:51..816*2"),
            ],
            "variants": "full",
            "seeds": 12 if full else 6,
        },
        "almost-sure": {
            "variants": "almost-sure",
            "sweep": [
                {"shapes": small, "radix": 2, "seeds": 10_000 if full else 1_000},
                {"shapes": [*middle, "hexagon:250", "line:751"], "seeds": 40 if full else 8},
            ],
        },
        "expanded": {
            "shapes": [*middle, "hexagon:250", "line:751"],
            "expanded": 0.5,
            "shape_seeds": 4,
            "variants": "whp",
            "seeds": 10 if full else 3,
        },
    }
    return {
        name: {"independent": True, "first_seed": spread(name), **content}
        for name, content in parts.items()
    }
