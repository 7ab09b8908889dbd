"""The options of erosion."""

from __future__ import annotations

from amoebot.algorithms.description import Flag

TITLE = "Erosion"
SOURCE = "Briones, Chhabra, Daymude and Richa, 2022; Di Luna et al., 2017"


class Options:
    """What rules may know about how the election was set up."""

    setup: bool


OPTIONS = (
    Flag(
        "setup",
        True,
        "particles start in a state of their own; without it all start as candidates "
        "(the S-contraction of Gastineau et al., 2018)",
    ),
)
