"""What is drawn of an election by segments. Each kind of token has a form of its own.

Tokens of segment comparison are squares, the final one a diamond: hollow when passive, full when
active. The lead and the returning token are arrows along the cycle, announcements and their
acknowledgements discs, and a clean-up token is an octagon.
"""

from __future__ import annotations

from typing import Any

from amoebot.algorithms.expressions import choose, me, view
from amoebot.algorithms.pictures import Band, Key, Layer, Mark, Pictures, Series, Trace

from ..candidacy import CANDIDATE, NON_CANDIDATE
from ..candidacy_pictures import (
    COLOURS,
    HERE,
    candidacy_traces,
    identification_layer,
    sample,
    sign_tokens_held,
    started,
    verification_layer,
)
from .course import COURSE
from .memory import COVERED, FINAL, NOT_COVERED, PLAIN, SURVIVES
from .tour import TOUR
from .words import DEEDS, LANES

#: The phases in which tokens are shown, by their place in the course.
UNDER_WAY = tuple(range(1, COURSE.termination))

candidate = me.candidacy.role == CANDIDATE


def agents() -> tuple[Mark, ...]:
    """Draw agents that wait as dots, candidates as full discs, demoted ones as rings."""
    demoted, outer = started & ~candidate, view.boundary == 0
    return (
        Mark("disc", 0.07, ~started, "waiting", **HERE),
        Mark("disc", 0.105, demoted & outer, "paper", "outer", 0.035, **HERE),
        Mark("disc", 0.105, demoted & ~outer, "paper", "inner", 0.035, **HERE),
        Mark("disc", 0.05, demoted & me.covered, "candidate", **HERE),
        Mark("disc", 0.14, candidate, "candidate", "paper", 0.03, afar=True, **HERE),
    )


def counted(field: Any, side: float, fill: str) -> tuple[Mark, ...]:
    """Draw a passive or an active token."""
    place: Any = {"out": 0.6, "side": side}
    return (
        Mark("square", 0.08, field == PLAIN, fill, "token", 0.028, **place),
        Mark("diamond", 0.095, field == FINAL, fill, "token", 0.028, **place),
    )


def comparison() -> tuple[Mark, ...]:
    """Draw the tokens of segment comparison, and which agents have absorbed one."""
    word = choose(me.returning, ["", "–", "c", "="])
    return (
        Mark("square", 0.06, me.absorbed, "token", out=-0.16),
        *counted(me.passive, -0.14, "paper"),
        *counted(me.active, 0.14, "token"),
        Mark("arrow", 0.085, me.lead, "token", out=0.8, side=-0.12, along=True),
        Mark("disc", 0.1, me.returning, "paper", "token", 0.028, out=0.8, side=0.14),
        Mark("label", 0.14, me.returning, "token", text=word, out=0.8, side=0.14),
    )


def coins() -> tuple[Mark, ...]:
    """Draw announcements of heads, full, and their acknowledgements, hollow."""
    here: Any = {"out": 0.95, "side": 0.12}
    back: Any = {"out": 0.95, "side": -0.12}
    return (
        Mark("disc", 0.09, me.announcement, "coin", "coin", 0.02, **here),
        Mark("label", 0.12, me.announcement, "on_colour", text="H", **here),
        Mark("disc", 0.09, me.acknowledgement, "paper", "coin", 0.02, **back),
        Mark("label", 0.12, me.acknowledgement, "coin", text="H", **back),
    )


def clean_up() -> tuple[Mark, ...]:
    """Draw clean-up tokens, beside the agent on the side to which they go."""
    return (
        Mark("octagon", 0.09, me.clean_forth, "stop", out=0.37, side=0.22),
        Mark("octagon", 0.09, me.clean_back, "stop", out=0.37, side=-0.22),
    )


LAYERS = (
    Layer(
        "segments",
        "Front segments",
        bands=(Band(candidate, 0.42, ("segment_a", "segment_b")),),
        legend=(Key("of one candidate each"),),
        phases=UNDER_WAY,
        below=True,
    ),
    Layer(
        "agents",
        "Agents and candidates",
        agents(),
        legend=(
            Key("candidate", (sample("candidacy", role=CANDIDATE),)),
            Key("demoted", (sample("candidacy", role=NON_CANDIDATE),)),
            Key("demoted, marked", ({"candidacy.role": NON_CANDIDATE, "covered": 1},)),
            Key("not activated yet", ({},)),
        ),
    ),
    Layer(
        "comparison",
        "Segment comparison",
        comparison(),
        legend=(
            Key("lead token", ({"lead": 1},)),
            Key("passive: plain, final", ({"passive": PLAIN}, {"passive": FINAL})),
            Key("active: plain, final", ({"active": PLAIN}, {"active": FINAL})),
            Key("has absorbed one", ({"absorbed": 1},)),
            Key(
                "returning: not covered, covered, equal",
                tuple({"returning": word} for word in (NOT_COVERED, COVERED, SURVIVES)),
            ),
        ),
        phases=UNDER_WAY,
        moves=True,
    ),
    Layer(
        "coins",
        "Coin flipping",
        coins(),
        legend=(
            Key("announcement of heads", ({"announcement": 1},)),
            Key("acknowledgement", ({"acknowledgement": 1},)),
        ),
        phases=UNDER_WAY,
        moves=True,
    ),
    Layer(
        "clean-up",
        "Clean-up tokens",
        clean_up(),
        legend=(Key("forwards, back", ({"clean_forth": 1}, {"clean_back": 1})),),
        phases=UNDER_WAY,
        moves=True,
    ),
    verification_layer(UNDER_WAY),
    identification_layer(UNDER_WAY),
)


def comparison_tokens() -> Any:
    """Count the tokens of segment comparison."""
    fields = (me.lead, me.passive, me.active, me.returning)
    return sum(((field != 0) * 1 for field in fields[1:]), (fields[0] != 0) * 1)


def coin_tokens() -> Any:
    """Count announcements and acknowledgements."""
    return (me.announcement != 0) + (me.acknowledgement != 0)


PICTURES = Pictures(
    layers=LAYERS,
    lanes=LANES,
    deeds=DEEDS,
    series=(
        Series("comparison tokens", "token", comparison_tokens()),
        Series("sign tokens", "x", sign_tokens_held(), (5, 3)),
        Series("announcements", "coin", coin_tokens(), (1.5, 3)),
    ),
    traces=(
        Trace("passive tokens", "token", me.passive, "comparison", 0.3),
        Trace("active tokens", "token", me.active, "comparison"),
        *candidacy_traces(),
        Trace("announcement of heads", "coin", me.announcement, "coins"),
        Trace("clean-up tokens", "stop", me.clean_forth | me.clean_back, "clean-up"),
    ),
    colours={
        "coin": ("#18212b", "#e9eef4"),
        **COLOURS,
    },
    tour=TOUR,
)
