"""The options of the election by segments."""

from __future__ import annotations

from amoebot.algorithms.description import Flag, Preset

TITLE = "Segments, 2015"
SOURCE = "Derakhshandeh, Gmyr, Strothmann, Bazzi, Richa and Scheideler, 2015"


class Options:
    """What rules may know about how the election was set up."""

    repaired: bool


OPTIONS = (
    Flag(
        "repaired",
        True,
        "a candidate that demotes itself leaves a mark, which spares the next one; without it, "
        "as first published, the last two candidates can demote themselves",
    ),
)

PRESETS = (Preset("published", {"repaired": False}, "as first published"),)
