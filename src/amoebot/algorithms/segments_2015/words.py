"""An agent's memory in words, lane by lane, and what an activation does to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amoebot.algorithms.expressions import (
    choose,
    me,
    pred,
    pred_was,
    succ,
    succ_was,
    text,
    was,
    when,
)
from amoebot.algorithms.pictures import Deed, Lane, Row, yes_no

from ..candidacy import CANDIDATE, NON_CANDIDATE
from ..candidacy_pictures import (
    becomes,
    candidacy_lanes,
    ceases,
    identification_deeds,
    started,
    verification_deeds,
    withdraws,
)
from .memory import COMPARES, FINAL, FLIPS, LEADS, NOT_COVERED, WAITS

# What the values of some fields are called, in their order.
ROLES = ["not started", "demoted", "candidate"]
PHASES = [
    "none",
    "is about to compare segments",
    "compares segments",
    "flips coins",
    "is about to announce heads",
    "waits for the acknowledgement",
]
COUNTED = ["none", "here", "here, the final one"]
RETURNING = ["none", "here: not covered", "here: covered", "here: equal"]

candidate = me.candidacy.role == CANDIDATE


def here(field: Any) -> Any:
    """Say whether a token is here."""
    return when(field, "here", "none")


LANES = (
    Lane("Not activated yet", "", (Row("memory", "empty"),), ~started, is_open=True),
    Lane(
        "Agent",
        "",
        (
            Row("role", choose(me.candidacy.role, ROLES)),
            Row("phase", when(candidate, choose(me.phase, PHASES), "none")),
            Row("turn", text("{}°", me.candidacy.turn * 60)),
            Row("agent identifier", me.candidacy.agent_identifier),
        ),
        started,
        is_open=True,
    ),
    Lane(
        "Segment comparison",
        "",
        (
            Row("lead token", here(me.lead)),
            Row("passive token", choose(me.passive, COUNTED)),
            Row("active token", choose(me.active, COUNTED)),
            Row("has absorbed a token", yes_no(me.absorbed)),
            Row("marked", yes_no(me.covered)),
            Row("returning token", choose(me.returning, RETURNING)),
        ),
        started,
        is_open=True,
    ),
    Lane(
        "Coin flipping",
        "",
        (
            Row("announcement", here(me.announcement)),
            Row("acknowledgement", here(me.acknowledgement)),
            Row("was announced to", yes_no(me.announced)),
            Row("was announced to while waiting", yes_no(me.announced_waiting)),
        ),
        started,
        is_open=True,
    ),
    Lane(
        "Clean-up",
        "",
        (
            Row("token forwards", here(me.clean_forth)),
            Row("token back", here(me.clean_back)),
        ),
        started,
    ),
    *candidacy_lanes(),
)


def comparison_deeds() -> Iterator[Deed]:
    """Say what becomes of the tokens of segment comparison."""
    yield Deed((was.candidacy.role == 0) & candidate, "becomes a candidate")
    yield Deed((was.phase == LEADS) & (me.phase == COMPARES), "sends its lead token forwards")
    passed = ceases(was.lead, me.lead) & (was.candidacy.role == NON_CANDIDATE)
    yield Deed(passed & becomes(succ_was.lead, succ.lead), "counts, and passes the lead token on")
    yield Deed(
        ceases(was.lead, me.lead) & (was.candidacy.role == CANDIDATE),
        "takes the lead token, and sends the final passive token back",
    )
    gone = (was.passive != 0) & (pred.passive != pred_was.passive) & (pred.passive != 0)
    yield Deed(gone & ~candidate, "passes a passive token back")
    sent = (pred.active != pred_was.active) & (pred.active != 0)
    yield Deed(
        sent & (was.candidacy.role == CANDIDATE) & (was.passive != 0),
        text("makes {} active", when(was.passive == FINAL, "the final passive token", "a token")),
    )
    yield Deed(becomes(was.absorbed, me.absorbed) & ~me.clean_forth, "absorbs an active token")
    yield Deed(
        sent & (was.active != 0) & (was.candidacy.role == NON_CANDIDATE),
        "passes an active token on",
    )
    final = (was.active == FINAL) & (me.active == 0)
    yield Deed(
        final & (was.candidacy.role == CANDIDATE),
        "absorbs the final token: the segments are equal",
    )
    yield Deed(
        final & ~was.absorbed & (was.candidacy.role == NON_CANDIDATE),
        "absorbs the final token, and sends word back",
    )
    yield Deed(
        ceases(was.returning, me.returning) & (was.candidacy.role == NON_CANDIDATE),
        "passes the returning token on",
    )
    demoted = withdraws(was.candidacy, me.candidacy)
    yield Deed(demoted & becomes(was.clean_forth, me.clean_forth), "is covered, and demoted")
    yield Deed(
        demoted & (was.returning == NOT_COVERED),
        "learns that its front segment is the shorter one, and demotes itself",
    )
    yield Deed((was.phase == COMPARES) & (me.phase == FLIPS), "goes on to flip coins")


def coin_deeds() -> Iterator[Deed]:
    """Say what becomes of coins and announcements."""
    yield Deed((was.phase == FLIPS) & (me.phase == FLIPS), "flips tails")
    yield Deed((was.phase == FLIPS) & (me.phase > FLIPS), "flips heads, and announces it")
    absorbed = ceases(was.announcement, me.announcement)
    yield Deed(
        absorbed & (was.candidacy.role == CANDIDATE),
        "takes an announcement, and acknowledges it",
    )
    yield Deed(absorbed & (was.candidacy.role == NON_CANDIDATE), "passes an announcement on")
    answered = ceases(was.acknowledgement, me.acknowledgement)
    yield Deed(answered & (was.candidacy.role == NON_CANDIDATE), "passes an acknowledgement back")
    waited = answered & (was.phase == WAITS)
    yield Deed(waited & ~candidate, "hands its candidacy on, and is demoted")
    yield Deed(waited & candidate, "was announced to as well: stays, and verifies its solitude")


DEEDS = (
    *comparison_deeds(),
    *coin_deeds(),
    *verification_deeds(was.candidacy, me.candidacy, pred_was.candidacy, pred.candidacy),
    *identification_deeds(),
    Deed(
        ceases(was.clean_forth, me.clean_forth) | ceases(was.clean_back, me.clean_back),
        "moves a clean-up token",
    ),
)
