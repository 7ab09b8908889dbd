"""The options of the improved election, and the names of its variants."""

from __future__ import annotations

from amoebot.algorithms.description import Flag, Preset, Range

TITLE = "Improved leader election"
SOURCE = "Daymude, Gmyr, Richa, Scheideler and Strothmann, 2017"


class Options:
    """What rules may know about how the election was set up."""

    almost_sure: bool
    radix: int


OPTIONS = (
    Flag(
        "almost_sure",
        True,
        "run the second algorithm too, which elects a leader with probability 1 (Appendix A.3)",
    ),
    Range("radix", 16, 2, 256, "values that a digit of an identifier can take"),
)

PRESETS = (
    Preset(
        "whp",
        {"almost_sure": False, "terminate": False},
        "Section 2 alone, which succeeds with high probability",
    ),
    Preset(
        "terminating", {"almost_sure": False, "terminate": True}, "Section 2, and everyone stops"
    ),
    Preset("almost-sure", {"almost_sure": True, "terminate": False}, "almost sure, nobody stops"),
    Preset("full", {"almost_sure": True, "terminate": True}, "all variants, which is the default"),
)

#: The values that exploration has by default: the fewest states.
EXPLORED = {"radix": 2}
