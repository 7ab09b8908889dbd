"""What is drawn and said of a candidacy: solitude verification and boundary identification.

Activation tokens are discs with the letter of their axis. Sign tokens are triangles that point to
where the axis points: x to the right and left, y up and down; full when settled. The identification
token is a hexagon with its count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amoebot.algorithms.expressions import choose, me, text, was, when
from amoebot.algorithms.pictures import (
    AGENT_OUT,
    Deed,
    Key,
    Lane,
    Layer,
    Mark,
    Row,
    Trace,
    yes_no,
)

from .candidacy import CANDIDATE, HOMEWARD, IDENTIFYING, NON_CANDIDATE, OUTWARD, VERIFYING

#: Where things are drawn: at the agent, and farther out.
HERE: Any = {"out": AGENT_OUT}
FAR: Any = {"out": 0.9}

COLOURS = {
    "waiting": ("#8391a0", "#6c7a89"),
    # of different lightness, so that they are told apart in grey, too
    "segment_a": ("#56b4e933", "#56b4e938"),
    "segment_b": ("#e69f0088", "#e69f0090"),
    "token": ("#00815e", "#2fc79a"),
    "stop": ("#b3261e", "#ff7a70"),
    "x": ("#2b8fcb", "#7cc7f2"),
    "y": ("#8a6d00", "#f0e442"),
    "identification": ("#7b2d8b", "#d9a3e6"),
}

started = me.candidacy.role != 0

# What the values of some fields are called, in their order.
ROLES = ["not started", "non-candidate", "candidate"]
STAGES = [
    "competing",
    "verifies its solitude",
    "identifies its boundary",
    "on the outer boundary",
]
ACTIVATION = ["none", "on its way out", "on its way home", "sum is not zero", "sum is zero"]


def sample(lane: str, **fields: int) -> dict[str, int]:
    """Return a memory for the legend, with fields of one lane."""
    return {f"{lane}.{name}": value for name, value in fields.items()}


def verification(lanes: Any) -> tuple[Mark, ...]:
    """Draw the tokens of solitude verification: those of x behind the agent, of y ahead."""
    x, y = lanes.x, lanes.y
    return (
        *sign_tokens(x.positive, "x", -1, out=0.024, turn=0),
        *sign_tokens(x.negative, "x", -1, out=0.156, turn=180),
        *activation_token(x.activation, "x", -0.26),
        *sign_tokens(y.positive, "y", 1, out=0.024, turn=270),
        *sign_tokens(y.negative, "y", 1, out=0.156, turn=90),
        *activation_token(y.activation, "y", 0.26),
    )


def sign_tokens(sign: Any, axis: str, way: int, out: float, turn: int) -> tuple[Mark, ...]:
    """Draw the tokens of one sign on one axis: at most two."""
    return tuple(
        Mark(
            "triangle",
            0.0667,
            sign.held > i,
            when(sign.settled > i, axis, "paper"),
            axis,
            0.018,
            out=out,
            side=way * (0.075 + 0.11 * i),
            turn=turn,
        )
        for i in range(2)
    )


def activation_token(field: Any, axis: str, side: float) -> tuple[Mark, ...]:
    """Draw an activation token: hollow on its way out, full on its way home."""
    here, outward = field != 0, field == OUTWARD
    fill, ink = when(outward, "paper", axis), when(outward, axis, "on_colour")
    return (
        Mark("disc", 0.085, here, fill, axis, 0.03, side=side, **HERE),
        Mark("label", 0.13, here, ink, text=axis, side=side, **HERE),
    )


def identification(lanes: Any) -> tuple[Mark, ...]:
    """Draw the boundary identification token with its sum of turns modulo 5."""
    here = lanes.identification != 0
    return (
        Mark("hexagon", 0.13, here, "identification", **FAR),
        Mark("label", 0.16, here, "on_colour", text=lanes.angle, **FAR),
    )


def verification_layer(phases: tuple[int, ...]) -> Layer:
    """Return the layer of solitude verification, shown in these phases."""
    return Layer(
        "verification",
        "Activation and sign tokens",
        verification(me.candidacy),
        legend=(
            Key(
                "activation: out, home",
                (
                    sample("candidacy.x", activation=OUTWARD),
                    sample("candidacy.y", activation=HOMEWARD),
                ),
            ),
            *(
                Key(
                    f"positive, negative on {axis}",
                    (
                        sample(f"candidacy.{axis}.positive", held=1, settled=1),
                        sample(f"candidacy.{axis}.negative", held=1),
                    ),
                )
                for axis in "xy"
            ),
            Key("full: settled, hollow: not yet"),
        ),
        phases=phases,
        moves=True,
    )


def identification_layer(phases: tuple[int, ...]) -> Layer:
    """Return the layer of boundary identification, shown in these phases."""
    return Layer(
        "identification",
        "Identification token",
        identification(me.candidacy),
        legend=(Key("sum of turns, modulo 5", (sample("candidacy", identification=1, angle=1),)),),
        phases=phases,
        moves=True,
    )


def candidacy_traces() -> tuple[Trace, ...]:
    """Return what a space-time diagram shows of candidates and what they send out."""
    x, y = me.candidacy.x, me.candidacy.y
    return (
        Trace("sign tokens of x", "x", x.positive.held + x.negative.held > 0, "verification", 0.4),
        Trace("sign tokens of y", "y", y.positive.held + y.negative.held > 0, "verification", 0.4),
        Trace("candidate", "candidate", me.candidacy.role == CANDIDATE, "agents"),
        Trace("activation token x", "x", x.activation != 0, "verification"),
        Trace("activation token y", "y", y.activation != 0, "verification"),
        Trace(
            "identification token",
            "identification",
            me.candidacy.identification != 0,
            "identification",
        ),
    )


def sign_tokens_held() -> Any:
    """Count the tokens of both signs on both axes."""
    x, y = me.candidacy.x, me.candidacy.y
    return x.positive.held + x.negative.held + y.positive.held + y.negative.held


def axis_rows(lanes: Any) -> Iterator[Row]:
    """Describe the tokens of solitude verification."""
    for axis, lane in (("x", lanes.x), ("y", lanes.y)):
        yield Row(f"activation token {axis}", choose(lane.activation, ACTIVATION))
        for name, sign in (("positive", lane.positive), ("negative", lane.negative)):
            held = text("{}, {} settled", sign.held, sign.settled)
            yield Row(f"{name} tokens {axis}", when(sign.held > 0, held, "none"))


def candidacy_lanes() -> Iterator[Lane]:
    """Describe the lanes of a candidacy, and whether it has come to its end."""
    rows = (Row("stage", stage(me.candidacy)), *axis_rows(me.candidacy))
    yield Lane("Solitude verification", "2.5", rows, started)
    token = Row("token", identification_token(me.candidacy))
    yield Lane("Boundary identification", "2.6", (token,), started)
    yield Lane("Leader", "", (Row("declared", yes_no(me.leader)),), started)


def role(lanes: Any) -> Any:
    """Describe what an agent is."""
    return choose(lanes.role, ROLES)


def stage(lanes: Any, *own: str) -> Any:
    """Describe what a candidate is doing; an election may have stages of its own."""
    told = text(
        "{}{}",
        choose(lanes.stage, [*STAGES, *own]),
        when(lanes.withdrawing, ", then withdraws", ""),
    )
    return when(lanes.role == CANDIDATE, told, "none")


def identification_token(lanes: Any) -> Any:
    """Describe the identification token."""
    return when(lanes.identification, text("here, sum of turns {} mod 5", lanes.angle), "none")


def becomes(before: Any, after: Any) -> Any:
    """Whether a field has come to be set."""
    return ~before & (after != 0)


def ceases(before: Any, after: Any) -> Any:
    """Whether a field is set no more."""
    return (before != 0) & ~after


def withdraws(before: Any, after: Any) -> Any:
    """Whether a candidate is one no more."""
    return (before.role == CANDIDATE) & (after.role == NON_CANDIDATE)


def verification_deeds(
    before: Any, after: Any, next_before: Any, next_after: Any, by: str = ""
) -> Iterator[Deed]:
    """Say what becomes of the tokens of solitude verification (2.5)."""
    ends = (before.stage == VERIFYING) & (after.stage != VERIFYING)
    for axis in "xy":
        was_lane, lane = getattr(before, axis), getattr(after, axis)
        yield Deed(
            (was_lane.activation != 0) & (lane.activation == 0) & ~ends,
            text(
                f"{by}moves activation token {axis} {{}}",
                when(was_lane.activation == OUTWARD, "out", "home"),
            ),
        )
        yield Deed(
            (was_lane.activation == OUTWARD) & (lane.activation == HOMEWARD),
            f"{by}turns activation token {axis} round",
        )
        for name in ("positive", "negative"):
            old, new = getattr(was_lane, name), getattr(lane, name)
            yield Deed(new.held > old.held, f"{by}creates a {name} token on {axis}")
            reached = getattr(getattr(next_after, axis), name).held
            left = getattr(getattr(next_before, axis), name).held
            yield Deed(
                (new.held < old.held) & (reached > left), f"{by}passes a {name} token of {axis} on"
            )
            yield Deed(new.settled > old.settled, f"{by}settles a {name} token of {axis}")
    yield Deed(
        ends & (after.stage == 0) & (after.role == CANDIDATE), f"{by}finds that it is not alone"
    )


def identification_deeds() -> Iterator[Deed]:
    """Say what becomes of the identification token (2.6)."""
    before, after = was.candidacy, me.candidacy
    yield Deed(
        before.identification,
        text("passes the identification token on (sum {})", before.angle),
    )
    yield Deed(
        becomes(before.identification, after.identification) & (after.stage == IDENTIFYING),
        "is alone, and sends the identification token out",
    )
    yield Deed(becomes(was.leader, me.leader), "declares itself the leader")
