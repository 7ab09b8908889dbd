"""An agent's memory in the paper's words, lane by lane, and what an activation does to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amoebot.algorithms.expressions import (
    choose,
    me,
    one_of,
    option,
    pred,
    pred_was,
    succ,
    succ_was,
    text,
    was,
    when,
)
from amoebot.algorithms.pictures import Deed, Lane, Row, yes_no

from ..candidacy import CANDIDATE, NON_CANDIDATE, VERIFYING
from ..candidacy_pictures import (
    axis_rows,
    becomes,
    candidacy_lanes,
    ceases,
    identification_deeds,
    identification_token,
    role,
    stage,
    started,
    verification_deeds,
    withdraws,
)
from .identifier_comparison import ACTIVE, DELIMITER, DIGIT, RESULT
from .memory import BACK, COMPLETE, DRAW, FORTH

# What the values of some fields are called, in their order.
SETUP = [
    "none",
    "here, to draw a digit",
    "here, digit drawn",
    "here, to read the digit",
    "goes back",
    "goes forth",
    "goes home",
    "complete",
]
OWN_STAGES = ("stops the first algorithm", "has won")
RESULTS = ["equal", "token's digit is lower", "token's digit is higher"]
SEEN = ["", ", has seen: lower", ", has seen: higher"]
COINS = ["none", "tails", "heads"]
STOP = ["none", "here, no leader met", "here, leader met"]


def digit_token(word: Any) -> Any:
    """Describe a digit token."""
    delimiter = (word & DELIMITER) != 0
    told = text(
        "{}, {}{}{}",
        word & DIGIT,
        when((word & ACTIVE) != 0, "active", "inactive"),
        when(delimiter, ", delimiter", ""),
        when(delimiter, choose((word >> RESULT) & 3, SEEN), ""),
    )
    return when(word != 0, told, "none")


_withdrawn = (me.candidacy.role == NON_CANDIDATE) & me.head
_carried = when(one_of(me.setup, BACK, FORTH), text(", with digit {}", me.carried), "")
_second = me.second

LANES = (
    Lane("Not activated yet", "2.1", (Row("memory", "empty"),), ~started, is_open=True),
    Lane(
        "Boundary setup",
        "2.1",
        (
            Row("turn", text("{}°", me.candidacy.turn * 60)),
            Row("agent identifier", me.candidacy.agent_identifier),
        ),
        started,
    ),
    Lane(
        "Segment setup",
        "2.2",
        (
            Row(
                "role",
                text("{}{}", role(me.candidacy), when(_withdrawn, ", withdrew its candidacy", "")),
            ),
            Row("heads a segment", yes_no(me.head)),
        ),
        started,
        is_open=True,
    ),
    Lane(
        "Identifier setup",
        "2.3",
        (
            Row("digit", when(me.drawn, me.digit, "none yet")),
            Row("digit of reversed copy", when(me.marked, me.reversed_digit, "none yet")),
            Row("setup token", text("{}{}", choose(me.setup, SETUP), _carried)),
        ),
        started,
        is_open=True,
    ),
    Lane(
        "Identifier comparison",
        "2.4",
        (
            Row("agent", when(me.inactive, "inactive, has matched", "active")),
            Row("comparison result", when(me.inactive, choose(me.result, RESULTS), "none")),
            Row("digit token created", yes_no(me.created)),
            Row("oldest digit token", digit_token(me.oldest)),
            Row("newest digit token", digit_token(me.newest)),
        ),
        started,
        is_open=True,
    ),
    *candidacy_lanes(),
    Lane(
        "Second algorithm",
        "A.3",
        (
            Row("role", role(_second.candidacy)),
            Row("stage", stage(_second.candidacy, *OWN_STAGES)),
            Row("coin of this iteration", choose(_second.coin, COINS)),
            Row(
                "sent forth, back",
                text("{}, {}", yes_no(_second.sent_forth), yes_no(_second.sent_back)),
            ),
            Row("coin here, with the cycle", choose(_second.forth, COINS)),
            Row("coin here, against the cycle", choose(_second.back, COINS)),
            *axis_rows(_second.candidacy),
            Row("identification token", identification_token(_second.candidacy)),
            Row("stop token", choose(_second.stop, STOP)),
            Row("first algorithm here", when(me.frozen, "stopped", "goes on")),
        ),
        started & option.almost_sure,
    ),
)


def setup_deeds() -> Iterator[Deed]:
    """Say what becomes of segment and identifier (2.2, 2.3)."""
    first = was.candidacy.role == 0
    yield Deed(
        first & (me.candidacy.role == CANDIDATE),
        "flips heads, becomes a candidate and heads a segment",
    )
    yield Deed(
        first & (me.candidacy.role == NON_CANDIDATE), "flips tails and becomes a non-candidate"
    )
    yield Deed(was.setup == DRAW, text("draws digit {}", me.digit))
    passed = (was.setup > 0) & (was.setup < COMPLETE) & (me.setup == 0)
    back = pred.setup != pred_was.setup
    for way, goes, receiver in ((back, "back", pred), (~back, "on", succ)):
        carries = when(
            one_of(receiver.setup, BACK, FORTH), text(" with digit {}", receiver.carried), ""
        )
        yield Deed(passed & way, text(f"passes the setup token {goes}{{}}", carries))
    yield Deed(
        becomes(was.marked, me.marked),
        text("stores {} as its digit of the reversed copy", me.reversed_digit),
    )
    yield Deed((was.setup != COMPLETE) & (me.setup == COMPLETE), "finds the identifier complete")


def comparison_deeds() -> Iterator[Deed]:
    """Say what becomes of digit tokens and candidates (2.4)."""
    yield Deed(
        becomes(was.created, me.created), text("creates its digit token {}", me.reversed_digit)
    )
    arrived = (pred.oldest != pred_was.oldest) | (pred.newest != pred_was.newest)
    moved = arrived & ((was.oldest != 0) | becomes(was.created, me.created))
    token = when(pred_was.oldest != 0, pred.newest, pred.oldest) & DIGIT
    yield Deed(moved, text("passes digit token {} on to its predecessor", token))
    yield Deed(
        moved & becomes(pred_was.inactive, pred.inactive),
        text("Its predecessor matches with the token: {}", choose(pred.result, RESULTS)),
    )
    yield Deed(withdraws(was.candidacy, me.candidacy), "withdraws its candidacy")
    yield Deed(
        withdraws(pred_was.candidacy, pred.candidacy),
        "Its predecessor then withdraws its candidacy",
    )
    yield Deed(
        withdraws(succ_was.candidacy, succ.candidacy), "Its successor then withdraws its candidacy"
    )
    yield Deed(
        (pred_was.candidacy.stage == 0) & (pred.candidacy.stage == VERIFYING),
        "Its predecessor then begins to verify its solitude",
    )


def second_deeds() -> Iterator[Deed]:
    """Say what the second algorithm does (A.3)."""
    by, before, after = "Second algorithm: ", was.second, me.second
    yield Deed(becomes(before.coin, after.coin), text(by + "flips {}", choose(after.coin, COINS)))
    yield Deed(withdraws(before.candidacy, after.candidacy), f"{by}withdraws")
    yield Deed(becomes(before.sent_forth, after.sent_forth), f"{by}sends its coin forth")
    yield Deed(becomes(before.sent_back, after.sent_back), f"{by}sends its coin back")
    relays = ceases(before.forth, after.forth) | ceases(before.back, after.back)
    yield Deed((before.candidacy.role == NON_CANDIDATE) & relays, f"{by}relays a coin")
    yield from verification_deeds(
        before.candidacy, after.candidacy, pred_was.second.candidacy, pred.second.candidacy, by
    )
    yield Deed(ceases(before.stop, after.stop), "passes the stop token on")
    yield Deed(becomes(was.frozen, me.frozen), "stops the first algorithm here")


DEEDS = (
    *setup_deeds(),
    *comparison_deeds(),
    *verification_deeds(was.candidacy, me.candidacy, pred_was.candidacy, pred.candidacy),
    *identification_deeds(),
    *second_deeds(),
)
