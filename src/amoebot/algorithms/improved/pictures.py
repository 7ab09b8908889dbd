"""What is drawn of the improved election. Each kind of token has a form of its own.

Digit tokens are squares, delimiters diamonds; full when active, hollow when not. The stop token is
an octagon. What a candidacy looks like, it has in common with other elections.
"""

from __future__ import annotations

from typing import Any

from amoebot.algorithms.expressions import choose, me, one_of, option, view, when
from amoebot.algorithms.pictures import Band, Key, Layer, Mark, Pictures, Series, Trace

from ..candidacy import CANDIDATE, NON_CANDIDATE
from ..candidacy_pictures import (
    COLOURS,
    FAR,
    HERE,
    candidacy_traces,
    identification,
    identification_layer,
    sample,
    sign_tokens_held,
    started,
    verification,
    verification_layer,
)
from .course import COURSE
from .identifier_comparison import ACTIVE, DELIMITER, DIGIT, TOKEN
from .memory import BACK, COMPLETE, FORTH, HEADS, HOME, TAILS
from .tour import TOUR
from .words import DEEDS, LANES

#: The phases in which layers are shown, by their place in the course.
SEGMENTS, SETUP, COMPARISON, SOLITUDE, IDENTIFICATION = range(1, 6)

#: Where things are drawn beside the agent.
BESIDE: Any = {"out": 0.67}

#: Digits above 9 are letters.
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

candidate = me.candidacy.role == CANDIDATE


def digit(value: Any) -> Any:
    """Write a digit as one character, as far as letters go: there is no room for two."""
    return when(value < len(DIGITS), choose(value, [*DIGITS]), value)


def agents() -> tuple[Mark, ...]:
    """Draw agents that wait as dots, others as rings; candidates full, withdrawn ones thicker."""
    withdrawn, other = started & ~candidate & me.head, started & ~candidate & ~me.head
    outer = view.boundary == 0
    return (
        Mark("disc", 0.07, ~started, "waiting", **HERE),
        Mark("disc", 0.105, other & outer, "paper", "outer", 0.035, **HERE),
        Mark("disc", 0.105, other & ~outer, "paper", "inner", 0.035, **HERE),
        Mark("disc", 0.14, withdrawn, "paper", "candidate", 0.04, **HERE),
        Mark("disc", 0.14, candidate, "candidate", "paper", 0.03, afar=True, **HERE),
    )


def setup_token() -> tuple[Mark, ...]:
    """Draw the identifier setup token, with the digit it carries and the way it goes."""
    here = (me.setup > 0) & (me.setup < COMPLETE)
    back, carries = one_of(me.setup, BACK, HOME), one_of(me.setup, BACK, FORTH)
    way: Any = {"side": when(back, -0.143, 0.143), "turn": when(back, 180, 0), "along": True}
    return (
        Mark("disc", 0.105, here, "setup", **BESIDE),
        Mark("label", 0.15, carries, "paper", text=digit(me.carried), **BESIDE),
        Mark("arrow", 0.045, here, "setup", **way, **BESIDE),
    )


def digit_token(word: Any, way: int) -> tuple[Mark, ...]:
    """Draw one of the two digit tokens, the older one ahead."""
    # Where the boundary bends inward, neighbours' tokens come close.
    tight = view.empty == 1
    scale = when(tight, 0.75, 1)
    place: Any = {"out": when(tight, 0.57, 0.67), "side": way * 0.148 * scale}
    active, delimiter = (word & ACTIVE) != 0, (word & DELIMITER) != 0
    fill, ink = when(active, "token", "paper"), when(active, "on_colour", "token")
    plain = (word != 0) & ~delimiter
    return (
        Mark("square", 0.126 * scale, plain, fill, "token", 0.03, **place),
        Mark("diamond", 0.1365 * scale, delimiter, fill, "token", 0.03, **place),
        Mark("label", 0.14 * scale, word != 0, ink, text=digit(word & DIGIT), **place),
    )


def coin(field: Any, side: float) -> tuple[Mark, ...]:
    """Draw a coin of the second algorithm."""
    here, heads = field != 0, field == HEADS
    place: Any = {"out": 0.51, "side": side}
    fill, ink = when(heads, "second", "paper"), when(heads, "on_colour", "second")
    return (
        Mark("disc", 0.075, here, fill, "second", 0.02, **place),
        Mark("label", 0.1, here, ink, text=when(heads, "H", "T"), **place),
    )


def second_algorithm() -> tuple[Mark, ...]:
    """Draw the candidates of the second algorithm, their coins, and their verifications."""
    lanes = me.second.candidacy
    return (
        Mark("disc", 0.19, lanes.role == CANDIDATE, None, "second", 0.035, **HERE),
        *coin(me.second.forth, 0.3),
        *coin(me.second.back, -0.3),
        *verification(lanes),
        *identification(lanes),
    )


def stop_token() -> tuple[Mark, ...]:
    """Draw the stop token, and which agents it has stopped."""
    return (
        Mark("disc", 0.17, me.frozen, None, "stop", 0.025, **HERE),
        Mark("octagon", 0.15, me.second.stop, "stop", **FAR),
        Mark("bar", 0.07, me.second.stop, None, "on_colour", 0.05, **FAR),
    )


LAYERS = (
    Layer(
        "segments",
        "Segments",
        bands=(Band(me.head, 0.42, ("segment_a", "segment_b")),),
        legend=(Key("of one candidate each"),),
        phases=(SEGMENTS, SETUP, COMPARISON),
        below=True,
    ),
    Layer(
        "extended",
        "Extended segments",
        bands=(Band(candidate, 0.52, ("extended_a", "extended_b")),),
        legend=(Key("to the next candidate"),),
        phases=(SOLITUDE, IDENTIFICATION),
        below=True,
    ),
    Layer(
        "agents",
        "Agents and candidates",
        agents(),
        legend=(
            Key("candidate", (sample("candidacy", role=CANDIDATE),)),
            Key("candidate that withdrew", ({"candidacy.role": NON_CANDIDATE, "head": 1},)),
            Key("non-candidate", (sample("candidacy", role=NON_CANDIDATE),)),
            Key("not activated yet", ({},)),
        ),
    ),
    Layer(
        "digits",
        "Identifier digits",
        (
            Mark(
                "label",
                0.19,
                me.drawn,
                when(candidate, "on_colour", "ink"),
                text=digit(me.digit),
                **HERE,
            ),
        ),
        legend=(Key("digit, in its agent", ({"drawn": 1, "digit": 7},)),),
        phases=(SETUP, COMPARISON, SOLITUDE),
    ),
    Layer(
        "reversed",
        "Reversed copy",
        (Mark("label", 0.15, me.marked, "muted", text=digit(me.reversed_digit), out=0.13),),
        legend=(Key("digit, in its particle", ({"marked": 1, "reversed_digit": 7},)),),
        phases=(SETUP,),
    ),
    Layer(
        "setup",
        "Identifier setup tokens",
        setup_token(),
        legend=(Key("token, and its way", ({"setup": FORTH, "carried": 7},)),),
        phases=(SETUP, COMPARISON),
        moves=True,
    ),
    Layer(
        "tokens",
        "Digit tokens",
        (*digit_token(me.oldest, -1), *digit_token(me.newest, 1)),
        legend=(
            Key("active digit token", ({"oldest": TOKEN | ACTIVE | 7},)),
            Key("inactive digit token", ({"oldest": TOKEN | 7},)),
            Key("delimiter token", ({"oldest": TOKEN | ACTIVE | DELIMITER | 7},)),
        ),
        phases=(SETUP, COMPARISON, SOLITUDE, IDENTIFICATION),
        moves=True,
    ),
    verification_layer((COMPARISON, SOLITUDE, IDENTIFICATION)),
    identification_layer((COMPARISON, SOLITUDE, IDENTIFICATION)),
    Layer(
        "second",
        "Second algorithm (A.3)",
        second_algorithm(),
        legend=(
            Key("its candidate", (sample("second.candidacy", role=CANDIDATE),)),
            Key(
                "its coins, heads and tails",
                (sample("second", forth=HEADS), sample("second", forth=TAILS)),
            ),
        ),
        phases=(),
        when=option.almost_sure,
        moves=True,
    ),
    Layer(
        "stop",
        "Stop token (A.3)",
        stop_token(),
        legend=(
            Key("stop token", (sample("second", stop=1),)),
            Key("first algorithm stopped", ({"frozen": 1},)),
        ),
        phases=tuple(range(COURSE.done)),
        when=option.almost_sure,
        moves=True,
    ),
)


def other_tokens() -> Any:
    """Count all tokens but digit tokens and sign tokens."""
    lanes = me.candidacy
    setup = (me.setup > 0) & (me.setup < COMPLETE)
    activation = (lanes.x.activation != 0) + (lanes.y.activation != 0)
    return setup + activation + (lanes.identification != 0) + (me.second.stop != 0)


def digit_tokens(bits: int) -> Any:
    """Whether an agent holds a digit token with all of some bits."""
    return ((me.oldest & bits) == bits) | ((me.newest & bits) == bits)


TRACES = (
    Trace("active digit tokens", "token", digit_tokens(TOKEN | ACTIVE), "tokens", 0.25),
    Trace("delimiter tokens", "token", digit_tokens(TOKEN | DELIMITER), "tokens", 0.45),
    *candidacy_traces(),
    Trace("identifier setup token", "setup", (me.setup > 0) & (me.setup < COMPLETE), "setup"),
    Trace("stop token", "stop", me.second.stop, "stop"),
)


PICTURES = Pictures(
    layers=LAYERS,
    lanes=LANES,
    deeds=DEEDS,
    series=(
        Series("digit tokens", "token", (me.oldest != 0) + (me.newest != 0)),
        Series("sign tokens", "x", sign_tokens_held(), (5, 3)),
        Series("other tokens", "muted", other_tokens(), (1.5, 3)),
    ),
    traces=TRACES,
    colours={
        "extended_a": ("#0072b226", "#56b4e938"),
        "extended_b": ("#c2520070", "#ff8c4290"),
        "setup": ("#18212b", "#e9eef4"),
        **COLOURS,
        "second": ("#7b2d8b", "#d9a3e6"),
    },
    tour=TOUR,
)
