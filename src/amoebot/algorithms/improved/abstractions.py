"""What is proved about rings of every length: digit tokens, and one axis of solitude verification.

Each lane is looked at by itself. What the others do to it, they may do at any time.
"""

from __future__ import annotations

from typing import Any

from amoebot.algorithms.abstraction import (
    Abstraction,
    Invariant,
    Kept,
    LeftOut,
    StepInvariant,
    Three,
    nothing,
)

from ..candidacy import (
    BALANCED,
    CANDIDATE,
    HOMEWARD,
    IDENTIFYING,
    NON_CANDIDATE,
    OUTER,
    OUTWARD,
    UNBALANCED,
    VERIFYING,
)
from ..solitude_verification import X, start_verifying, withdraw
from .identifier_comparison import ACTIVE, DELIMITER, TOKEN
from .identifier_comparison import RESULT as RESULT_BITS
from .memory import COMPLETE, EQUAL, HIGHER, LOWER

#: Fields of one bit that are kept, and such that are free.
BIT, FREE_BIT = Kept((0, 1)), Kept((0, 1), nothing)

#: Fields that are free, and hold a digit or the result of a comparison.
DIGIT, RESULT = Kept((0, 1), nothing), Kept((EQUAL, LOWER, HIGHER), nothing)


def token_flags(token: int) -> int:
    """Keep of a digit token that it is one, and whether it is the delimiter."""
    return token & (TOKEN | DELIMITER)


def is_a_role(role: int) -> int:
    """Keep of a role whether there is one."""
    return int(role != 0)


TOKENS = Kept(
    (
        0,
        *(
            TOKEN | flags | digit | result << RESULT_BITS
            for flags in (0, ACTIVE, DELIMITER, ACTIVE | DELIMITER)
            for digit in DIGIT.values
            for result in RESULT.values
        ),
    ),
    token_flags,
)

STARTED = Kept((0, NON_CANDIDATE, CANDIDATE), is_a_role)
STAYS_STARTED = "an agent that has started stays started"
OWN_LANES = "the second algorithm has lanes of its own"

#: Rules that change nothing of what identifiers and digit tokens are abstracted to.
AFTER_COMPARISON = {
    "is_idle": LeftOut(returns=(0, 1)),
    "verify_solitude": LeftOut(assumed=STAYS_STARTED),
    "identify_boundary": LeftOut(assumed=STAYS_STARTED),
    "declare": LeftOut(),
    "act_second": LeftOut(assumed=OWN_LANES),
}

#: An agent that the second algorithm has stopped may stand still, and that is all it does to these.
SECTION_2 = {"almost_sure": False, "radix": len(DIGIT.values)}

# Identifier setup.

SETUP = tuple(range(COMPLETE + 1))


def follow_setup_token(before: Three, after: Three) -> None:
    """Remember of an agent that the setup token is further out in its segment."""
    if before[1].setup and not after[1].setup:
        if after[2].setup != before[2].setup:
            after[1].outside = 1
        else:
            after[0].outside = 0


def token_is_outside(pred: Any, me: Any, succ: Any) -> bool:
    """Whether the setup token is further out exactly where it is remembered to be."""
    further = not succ.head and (holds_setup(succ) or succ.outside)
    return bool(further) == bool(me.outside) and not (me.outside and holds_setup(me))


def holds_setup(me: Any) -> bool:
    """Whether the setup token is here, on its way."""
    return me.setup not in (0, COMPLETE)


IDENTIFIER_SETUP = Abstraction(
    "identifier setup",
    "Section 2.3",
    fields={
        "candidacy.role": STARTED,
        "head": BIT,
        "setup": Kept(SETUP),
        "drawn": BIT,
        "marked": BIT,
        "created": BIT,
        "digit": DIGIT,
        "carried": DIGIT,
        "reversed_digit": DIGIT,
        "leader": FREE_BIT,
        "frozen": FREE_BIT,
    },
    options=SECTION_2,
    left_out={
        "forward_token": LeftOut(assumed=STAYS_STARTED),
        **AFTER_COMPARISON,
    },
    history=("outside",),
    remember=follow_setup_token,
    claims=(
        Invariant("there is one setup token in a segment", token_is_outside),
        Invariant(
            "an agent that holds its digit of the reversed copy has drawn its own",
            lambda pred, me, succ: me.drawn or not me.marked,
        ),
        Invariant(
            "an identifier is set up when all agents of the segment are",
            lambda pred, me, succ: (
                me.setup != COMPLETE or (me.marked and (succ.head or succ.marked))
            ),
        ),
        Invariant(
            "digit tokens are created one after another, from the head of a segment on",
            lambda pred, me, succ: not me.created or me.head or pred.created,
        ),
        Invariant(
            "an agent that has created its digit token holds its digit of the reversed copy",
            lambda pred, me, succ: not me.created or me.marked,
        ),
        Invariant(
            "its successor has started then: delimiters are where segments end",
            lambda pred, me, succ: not me.created or succ.candidacy.role,
        ),
    ),
)

# Digit tokens.


def tokens_of(*agents: Any) -> list[bool]:
    """Return the digit tokens of agents, in the order of their travel: which are delimiters."""
    held = [token for agent in agents for token in (agent.oldest, agent.newest) if token]
    return [token & DELIMITER != 0 for token in held]


def tokens_stay_in_order(before: Three, after: Three) -> bool:
    """Whether tokens are as before, but for one that was created."""
    expected = tokens_of(before[0], before[1])
    if after[1].created and not before[1].created:
        expected.append(after[2].head != 0)
    return tokens_of(after[0], after[1]) == expected


DIGIT_TOKENS = Abstraction(
    "digit tokens",
    "Section 2.4",
    fields={
        "candidacy.role": STARTED,
        "head": BIT,
        "created": BIT,
        "oldest": TOKENS,
        "newest": TOKENS,
        "setup": Kept(SETUP, nothing),
        "inactive": FREE_BIT,
        "result": RESULT,
        "digit": DIGIT,
        "reversed_digit": DIGIT,
        "leader": FREE_BIT,
        "frozen": FREE_BIT,
    },
    options=SECTION_2,
    left_out={
        "draws_digit": LeftOut(returns=(0, 1)),
        "move_setup_token": LeftOut(),
        "judge": LeftOut(assumed=STAYS_STARTED),
        **AFTER_COMPARISON,
    },
    claims=(
        Invariant(
            "an agent holds digit tokens only once it has created its own",
            lambda pred, me, succ: me.created or not (me.oldest or me.newest),
        ),
        Invariant(
            "an agent that holds one digit token holds it as its oldest",
            lambda pred, me, succ: me.oldest or not me.newest,
        ),
        StepInvariant(
            "digit tokens are neither lost nor doubled, and keep their order", tokens_stay_in_order
        ),
        StepInvariant(
            "an agent sends at most one digit token, and only to its predecessor",
            lambda before, after: (
                tokens_of(before[2]) == tokens_of(after[2])
                and len(tokens_of(after[0])) - len(tokens_of(before[0])) in (0, 1)
            ),
        ),
    ),
)


# An axis of solitude verification.


def tokens(me: Any) -> Any:
    """Return the tokens that are looked at: the positive ones of the x axis."""
    return me.candidacy.x.positive


def is_verifying(me: Any) -> bool:
    """Whether this is a candidate that verifies its solitude."""
    return me.candidacy.role == CANDIDATE and me.candidacy.stage == VERIFYING


def cover(before: Three, after: Three) -> None:
    """Remember of an agent that the activation token has passed it, until it is back."""
    was, now = before[1].candidacy.x.activation, after[1].candidacy.x.activation
    if was == OUTWARD and now != OUTWARD:
        after[1].covered = 1
    elif was and not now:
        after[1].covered = 0


def identification_ends(pred: Any, me: Any, succ: Any) -> None:
    """Let the boundary identification token come back to its candidate, on any boundary."""
    if me.candidacy.role == CANDIDATE and me.candidacy.stage == IDENTIFYING:
        me.candidacy.stage = OUTER if me.leader else 0
        me.candidacy.role = CANDIDATE if me.leader else NON_CANDIDATE


def settled_behind_two(pred: Any, me: Any, succ: Any) -> bool:
    """Whether what is settled here has two settled tokens before it, or the candidate."""
    return me.candidacy.role == CANDIDATE or not tokens(me).settled or tokens(pred).settled == 2


POSITIVE = "candidacy.x.positive"
ACTIVATIONS = (0, OUTWARD, HOMEWARD, UNBALANCED, BALANCED)
COUNT = Kept((0, 1, 2))
OTHER_SIGN = Kept((0, 1, 2), nothing, "tokens of the other sign follow the same rules")
ONE_SIGN = Abstraction(
    "tokens of one sign on one axis of solitude verification",
    "Section 2.5",
    fields={
        "candidacy.role": Kept((0, NON_CANDIDATE, CANDIDATE)),
        "candidacy.stage": Kept((0, VERIFYING, IDENTIFYING, OUTER)),
        "candidacy.withdrawing": FREE_BIT,
        "candidacy.x.activation": Kept(ACTIVATIONS),
        "candidacy.x.positive.held": COUNT,
        "candidacy.x.positive.settled": COUNT,
        "candidacy.x.negative.held": OTHER_SIGN,
        "candidacy.x.negative.settled": OTHER_SIGN,
        "candidacy.x.heading": Kept(tuple(range(6)), nothing),
        "candidacy.x.next_identifier": Kept((0, 1, 2, 3), nothing),
        "candidacy.y.activation": Kept(ACTIVATIONS, nothing),
        "candidacy.agent_identifier": Kept((1, 2, 3), nothing),
        "candidacy.turn": Kept((-1, 0, 1, 2, 3), nothing),
        "created": FREE_BIT,
        "leader": FREE_BIT,
        "frozen": FREE_BIT,
    },
    in_range="no agent holds more than two tokens of a sign",
    options=SECTION_2,
    left_out={
        "draws_digit": LeftOut(returns=(0, 1)),
        "move_setup_token": LeftOut(),
        "create_token": LeftOut(),
        "forward_token": LeftOut(assumed="it starts verifications and withdraws at any time"),
        "is_idle": LeftOut(returns=(0, 1)),
        "verify_axis": LeftOut(
            unless=lambda me, pred, succ, axis: axis == X,
            assumed="each axis has a lane of its own, and the same rules",
        ),
        "pass_tokens": LeftOut(
            unless=lambda mine, ahead, at_candidate: str(mine) == POSITIVE,
            assumed="tokens of the other sign follow the same rules",
        ),
        "identify_boundary": LeftOut(assumed="its candidate is alone, and verifies nothing"),
        "declare": LeftOut(),
        "act_second": LeftOut(assumed=OWN_LANES),
    },
    anytime=(
        lambda pred, me, succ: start_verifying(me.candidacy),
        lambda pred, me, succ: withdraw(me.candidacy),
        identification_ends,
    ),
    history=("covered",),
    remember=cover,
    claims=(
        Invariant(
            "tokens are only on the stretch that the activation token has yet to come back over",
            lambda pred, me, succ: me.covered or not tokens(me).held,
        ),
        Invariant(
            "that stretch begins at a verifying candidate: a finished verification leaves nothing",
            lambda pred, me, succ: (
                not me.covered
                or is_verifying(me)
                or (me.candidacy.role == NON_CANDIDATE and pred.covered)
            ),
        ),
        Invariant(
            "an activation token on its way home has nothing behind it",
            lambda pred, me, succ: (
                me.candidacy.x.activation < HOMEWARD
                or succ.candidacy.role == CANDIDATE
                or not succ.covered
            ),
        ),
        Invariant(
            "an activation token on its way out has nothing before it",
            lambda pred, me, succ: (
                me.candidacy.x.activation != OUTWARD
                or (not me.covered and (succ.candidacy.role == CANDIDATE or not succ.covered))
            ),
        ),
        Invariant(
            "a candidate that is not verifying has no activation token",
            lambda pred, me, succ: (
                me.candidacy.role != CANDIDATE
                or me.candidacy.stage == VERIFYING
                or not me.candidacy.x.activation
            ),
        ),
        Invariant(
            "no agent has more settled tokens than it holds",
            lambda pred, me, succ: tokens(me).settled <= tokens(me).held,
        ),
        Invariant("tokens settle only behind two settled ones", settled_behind_two),
    ),
)

ABSTRACTIONS = (IDENTIFIER_SETUP, DIGIT_TOKENS, ONE_SIGN)
