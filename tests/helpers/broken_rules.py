"""The broken rules themselves: which line of the package, and what is put in its place.

They go through the paper sentence by sentence. Those under EQUIVALENT break nothing, and say why.
"""

from __future__ import annotations

from typing import NamedTuple

SETUP, SEGMENTS = "algorithms/boundary_setup.py", "algorithms/improved/segment_setup.py"
IDENTIFIERS = "algorithms/improved/identifier_setup.py"
COMPARISON = "algorithms/improved/identifier_comparison.py"
SOLITUDE = "algorithms/solitude_verification.py"
IDENTIFICATION = "algorithms/boundary_identification.py"
ALMOST_SURE = "algorithms/improved/almost_sure.py"
ACTIVATION = "algorithms/improved/activation.py"
TERMINATION = "algorithms/termination.py"

#: Shapes without a string of their own.
NODES = {
    "angle of three": [(0, 0), (1, 0), (0, -1)],
    "star of four": [(0, 0), (1, 0), (-1, 1), (0, -1)],
}

#: A shape, its expanded particles, and the options to verify it with.
Check = tuple[str, list[tuple[int, int]], dict[str, int]]

SECTION_2: dict[str, int] = {"almost_sure": False, "terminate": False}
TERMINATING: dict[str, int] = {"almost_sure": False, "terminate": True}
SECOND: dict[str, int] = {"almost_sure": True, "terminate": False}
DEFAULT: dict[str, int] = {"almost_sure": True, "terminate": True}

TWO: Check = ("line:2", [], SECTION_2)
TRIANGLE: Check = ("triangle:2", [], SECTION_2)
LINE: Check = ("line:3", [], SECTION_2)
PAIR: Check = ("line:3", [(0, 1)], SECTION_2)
BLOCK: Check = ("parallelogram:2,2", [], SECTION_2)
TWO_SECOND: Check = ("line:2", [], SECOND)
TWO_DEFAULT: Check = ("line:2", [], DEFAULT)
TRIANGLE_SECOND: Check = ("triangle:2", [], SECOND)
PAIRS: Check = ("line:4", [(0, 1), (2, 3)], SECTION_2)

#: The inner boundary of the smallest ring, and a line with three edges in a direction, both from a
#: moment on at which all coins have been flipped.
INNER: Check = ("annulus:1,0", [], {**SECTION_2, "boundary": 1, "after": 8, "seed": 3})
FOUR: Check = ("line:4", [], {**SECTION_2, "after": 8, "seed": 1})

#: A moment at which both algorithms have one candidate left: after the first one's, the stop token
#: meets somebody who is no leader.
RACE: Check = ("triangle:2", [], {**SECOND, "after": 12, "seed": 2})

#: The same inner boundary from a moment on at which each algorithm has one candidate or none left.
INNER_SECOND: Check = ("annulus:1,0", [], {**SECOND, "boundary": 1, "after": 23, "seed": 22})

#: What has more than two digits, particles with three agents, three rows of settled tokens, a
#: message that is passed on twice, and corners to the other side.
DIGITS: Check = ("line:2", [], {**SECTION_2, "radix": 3})
STAR: Check = ("star of four", [], {**SECTION_2, "after": 8, "seed": 168})
SIX: Check = ("line:6", [], {**SECTION_2, "after": 30, "seed": 1})
LINE_SECOND: Check = ("line:3", [], SECOND)  # not to its end: there are too many states
MESSAGE: Check = ("line:3", [], TERMINATING)
ANGLE: Check = ("angle of three", [], SECTION_2)

#: What is explored, in this order, until something is caught.
CHECKS = (
    *(TWO, TRIANGLE, LINE, PAIR, TWO_DEFAULT, TWO_SECOND, BLOCK, TRIANGLE_SECOND, INNER, FOUR),
    *(PAIRS, RACE, INNER_SECOND, DIGITS, ANGLE, MESSAGE, STAR, SIX, LINE_SECOND),
)


def place(check: Check) -> str:
    """Return what is explored, as the documentation says it."""
    shape, expanded, options = check
    variant = "terminating" if options["terminate"] else "Section 2"
    if options["almost_sure"]:
        variant = "default" if options["terminate"] else "almost sure"
    told = shape if shape in NODES else f"`{shape}`" + (" in pairs" if expanded else "")
    told = f"inner boundary of {told}" if "boundary" in options else told
    variant += f", radix {options['radix']}" if "radix" in options else ""
    return f"{told}, {variant}" + (", from a moment on" if "after" in options else "")


class Mutant(NamedTuple):
    """A line of the package, or several, and what is put in their place."""

    name: str
    section: str
    file: str
    line: str
    broken: str
    check: Check = TWO  #: the first of CHECKS that catches it
    caught: str = ""  #: the property by which it is caught
    why: str = ""  #: or why it breaks nothing


FORWARDS = "    return receive_token(pred, as_sent(token, word(me.head)))"
CREATES = "    me.oldest = TOKEN | int(me.reversed_digit) | (DELIMITER if succ.head else 0)"
COMPARES = "    result = choose(match, compare(word(token & DIGIT), digit), result)"
AFTER = "    me.inactive, me.result = after_token(token, word(longer | match), result)"
SETTLES = "    settle = word(on_their_way & word(at_candidate | two_settled_ahead))"
DIFFERS = "    differs = word(bit(token, DELIMITER_BIT) & word(result != EQUAL))"
READS_ON = "            hand_over(me, pred, READ, 0)\n            return 0"
FREE = "    if (token == NO_TOKEN) | (not has_room(pred)) | (pred.created == 0):"

MUTANTS = (
    # Boundary setup and segment setup.
    Mutant(
        "the turn is one too many",
        "2.1",
        SETUP,
        "    me.turn = int(np.int64(view.empty) - 2)",
        "    me.turn = int(np.int64(view.empty) - 1)",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "all agents of a particle have the same identifier",
        "2.5",
        SETUP,
        "    me.agent_identifier = view.agent_identifier",
        "    me.agent_identifier = 1",
        LINE,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "tails make candidates too",
        "2.2",
        SEGMENTS,
        "        me.candidacy.role = NON_CANDIDATE",
        "        me.candidacy.role = CANDIDATE",
        TWO,
        "every candidate heads a segment",
    ),
    Mutant(
        "candidates head no segment",
        "2.2",
        SEGMENTS,
        "        me.head = 1",
        "        me.head = 0",
        TWO,
        "every candidate heads a segment",
    ),
    # Identifier setup.
    Mutant(
        "the setup token does not wait for the next agent to start",
        "2.3",
        IDENTIFIERS,
        "        if not has_started(succ.candidacy):\n            return 0",
        "        if not has_started(me.candidacy):\n            return 0",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "only the candidate draws a digit",
        "2.3",
        IDENTIFIERS,
        "            hand_over(me, succ, DRAW, 0)",
        "            hand_over(me, succ, DRAWN, 0)",
        TWO,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "the copy is not reversed",
        "2.3",
        IDENTIFIERS,
        "    me.reversed_digit = me.carried",
        "    me.reversed_digit = me.digit",
        TWO,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "the identifier is not copied",
        "2.3",
        IDENTIFIERS,
        "        me.setup = READ",
        "        me.setup = HOME",
        TWO,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "the identifier is copied without turning at marked agents",
        "2.3",
        IDENTIFIERS,
        "        if not (me.head or pred.marked):",
        "        if not me.head:",
        TRIANGLE,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "the token goes on past marked agents",
        "2.3",
        IDENTIFIERS,
        "    elif me.setup == FORTH:\n        if not (succ.head or succ.marked):",
        "    elif me.setup == FORTH:\n        if not succ.head:",
        LINE,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "only the two ends are copied",
        "2.3",
        IDENTIFIERS,
        f"        if not pred.marked:\n{READS_ON}",
        f"        if pred.marked:\n{READS_ON}",
        TWO,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "the candidate is never told",
        "2.3",
        IDENTIFIERS,
        "            me.setup = COMPLETE",
        "            me.setup = HOME",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    # Identifier comparison.
    Mutant(
        "the head's token is created before the identifier is set up",
        "2.4",
        COMPARISON,
        "    if me.created or not (me.setup == COMPLETE if me.head else pred.created):",
        "    if me.created or not (me.drawn if me.head else pred.created):",
        TWO,
        "digit tokens keep their order",
    ),
    Mutant(
        "tokens are created as soon as the digit is marked",
        "2.4",
        COMPARISON,
        "    if me.created or not (me.setup == COMPLETE if me.head else pred.created):",
        "    if me.created or not (me.setup == COMPLETE if me.head else me.marked):",
        LINE,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "the head's token is the delimiter",
        "2.4",
        COMPARISON,
        CREATES,
        CREATES.replace("succ.head", "me.head"),
        TWO,
        "digit tokens keep their order",
    ),
    Mutant(
        "tokens hold the digits in their own order",
        "2.4",
        COMPARISON,
        CREATES,
        CREATES.replace("me.reversed_digit", "me.digit"),
        TWO,
        "digit tokens keep their order",
    ),
    Mutant(
        "tokens are active from the beginning",
        "2.4",
        COMPARISON,
        CREATES,
        CREATES.replace("TOKEN", "TOKEN | ACTIVE"),
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "an agent holds one digit token",
        "2.4",
        COMPARISON,
        "    return me.newest == NO_TOKEN",
        "    return me.oldest == NO_TOKEN",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "an agent is sent a third digit token",
        "2.4",
        COMPARISON,
        FREE,
        "    if (token == NO_TOKEN) | (pred.created == 0):",
        TRIANGLE,
        "digit tokens are neither lost nor doubled",
    ),
    Mutant(
        "tokens arrive before the agent has created its own",
        "2.4",
        COMPARISON,
        FREE,
        "    if (token == NO_TOKEN) | (not has_room(pred)):",
        TWO,
        "an agent holds digit tokens only once it has created its own",
    ),
    Mutant(
        "an agent forwards two tokens at once",
        "2.4",
        COMPARISON,
        FORWARDS,
        "    events = receive_token(pred, as_sent(token, word(me.head)))\n"
        "    token = word(me.oldest)\n"
        "    if (token != NO_TOKEN) & has_room(pred):\n"
        "        remove_oldest(me)\n"
        "        events |= receive_token(pred, as_sent(token, word(me.head)))\n"
        "    return events",
        TWO,
        "an agent forwards at most one digit token each time",
    ),
    Mutant(
        "an agent forwards a token only if it has another one",
        "2.4",
        COMPARISON,
        FREE,
        FREE.replace("token == NO_TOKEN", "me.newest == NO_TOKEN"),
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "a token overtakes the one before it",
        "2.4",
        COMPARISON,
        "    return choose(first, token, oldest), choose(first, word(NO_TOKEN), token)",
        "    return token, choose(first, word(NO_TOKEN), oldest)",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "tokens stay inactive in the next segment",
        "2.4",
        COMPARISON,
        FORWARDS,
        "    return receive_token(\n"
        "        pred, choose(word(me.head), record(token, word(EQUAL)), token)\n    )",
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "every agent activates tokens",
        "2.4",
        COMPARISON,
        FORWARDS,
        "    return receive_token(pred, as_sent(token, word(1)))",
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "the delimiter keeps its record in the next segment",
        "2.4",
        COMPARISON,
        FORWARDS,
        "    return receive_token(pred, choose(word(me.head), word(token | ACTIVE), token))",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "a head that withdrew activates no tokens",
        "2.4",
        COMPARISON,
        FORWARDS,
        "    return receive_token(pred, as_sent(token, word(is_candidate(me.candidacy))))",
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "an agent that matches stays active",
        "2.4",
        COMPARISON,
        AFTER,
        AFTER.replace("longer | match", "longer"),
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "an agent stays inactive after the delimiter",
        "2.4",
        COMPARISON,
        AFTER,
        "    me.inactive = word(longer | match)\n"
        "    me.result = after_token(token, word(0), result)[1]",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "a token that matches stays active",
        "2.4",
        COMPARISON,
        "    token = word(token & ~word(match << ACTIVE_BIT))",
        "    token = word(token | word(match << ACTIVE_BIT))",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "the least significant difference decides",
        "2.4",
        COMPARISON,
        DIFFERS,
        DIFFERS.replace("!= EQUAL", "!= EQUAL and recorded(token) == EQUAL"),
        LINE,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "the most significant digit is not compared",
        "2.4",
        COMPARISON,
        COMPARES,
        COMPARES.replace("(match,", "(word(match & word(bit(token, DELIMITER_BIT) ^ 1)),"),
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "the lower identifier wins",
        "2.4",
        COMPARISON,
        "    if longer or (match and difference == HIGHER):",
        "    if longer or (match and difference == LOWER):",
        TWO,
        "a candidate withdraws exactly when it meets a higher identifier",
    ),
    Mutant(
        "a longer identifier counts for nothing",
        "2.4",
        COMPARISON,
        "    if longer or (match and difference == HIGHER):",
        "    if match and difference == HIGHER:",
        TRIANGLE,
        "a candidate withdraws exactly when it meets a higher identifier",
    ),
    Mutant(
        "a shorter identifier is higher",
        "2.4",
        COMPARISON,
        "    if longer or (match and difference == HIGHER):",
        "    if not match or difference == HIGHER:",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "a lower identifier starts a verification",
        "2.4",
        COMPARISON,
        "    if match and difference == EQUAL:",
        "    if match:",
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    # Solitude verification.
    Mutant(
        "a verification under way is started again",
        "2.5",
        SOLITUDE,
        "    if not is_candidate(me) or me.stage:",
        "    if not is_candidate(me):",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "both axes are the same",
        "2.5",
        SOLITUDE,
        "    me.y.heading = 2",
        "    me.y.heading = 0",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "a candidate withdraws at once",
        "2.5",
        SOLITUDE,
        "    if me.stage:\n        me.withdrawing = 1",
        "    if me.stage > VERIFYING:\n        me.withdrawing = 1",
        TRIANGLE,
        "a finished verification leaves nothing",
    ),
    Mutant(
        "a candidate that verifies never withdraws",
        "2.5",
        SOLITUDE,
        "    if me.stage:\n        me.withdrawing = 1",
        "    if me.stage:\n        me.withdrawing = 0",
        TRIANGLE,
        "a candidate withdraws exactly when it meets a higher identifier",
    ),
    Mutant(
        "a withdrawal that waited is forgotten",
        "2.5",
        SOLITUDE,
        "        me.role = NON_CANDIDATE\n        return VERIFIED | WITHDREW_LATE",
        "        return VERIFIED | WITHDREW_LATE",
        TRIANGLE,
        "a withdrawal that waited is carried out",
    ),
    Mutant(
        "tokens move beyond the candidate",
        "2.5",
        SOLITUDE,
        SETTLES,
        "    settle = word(on_their_way & two_settled_ahead)",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "tokens settle behind a single settled one",
        "2.5",
        SOLITUDE,
        "        word(ahead.settled > 1),",
        "        word(ahead.settled > 0),",
        LINE,
        "tokens settle only behind two settled ones",
    ),
    Mutant(
        "tokens settle behind two that have not settled",
        "2.5",
        SOLITUDE,
        "        word(ahead.settled > 1),",
        "        word(ahead.held > 1),",
        FOUR,
        "tokens settle only behind two settled ones",
    ),
    Mutant(
        "an agent holds one token of a sign",
        "2.5",
        SOLITUDE,
        "        word(ahead.held > 1),",
        "        word(ahead.held > 0),",
        LINE,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "an agent holds three tokens of a sign",
        "2.5",
        SOLITUDE,
        "        word(ahead.held > 1),",
        "        word(ahead.held > 2),",
        PAIRS,
        "no agent holds more tokens than the paper allows",
    ),
    Mutant(
        "steps to the left count as steps to the right",
        "2.5",
        SOLITUDE,
        "        mine.negative.held += 1",
        "        mine.positive.held += 1",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "the edge to the next candidate is left out",
        "2.5",
        SOLITUDE,
        "    step = sign(mine.heading)",
        "    step = 0 if is_candidate(succ) else sign(mine.heading)",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "the heading does not turn",
        "2.5",
        SOLITUDE,
        "        beyond.heading = (mine.heading + succ.turn) % 6",
        "        beyond.heading = mine.heading",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "one direction is not counted",
        "2.5",
        SOLITUDE,
        "    return (1, 1, 0, -1, -1, 0)[heading]",
        "    return (1, 1, 0, -1, 0, 0)[heading]",
        TRIANGLE,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "the last agent's identifier is taken for the next candidate's",
        "2.5",
        SOLITUDE,
        "        mine.next_identifier = succ.agent_identifier",
        "        mine.next_identifier = me.agent_identifier",
        LINE,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "the agent identifier is lost on the way home",
        "2.5",
        SOLITUDE,
        "    ahead.next_identifier = mine.next_identifier",
        "    ahead.next_identifier = 0",
        TWO,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "the agent identifier is not checked",
        "2.5",
        SOLITUDE,
        "        and me.x.next_identifier == me.agent_identifier",
        "        and me.x.next_identifier > 0",
        LINE,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "the activation token overtakes unsettled tokens",
        "2.5",
        SOLITUDE,
        "    if gains.settled < gains.held or losses.settled < losses.held:",
        "    if gains.held > 2:",
        LINE,
        "the activation token compares when all tokens have settled",
    ),
    Mutant(
        "more tokens to the right count as balanced",
        "2.5",
        SOLITUDE,
        "    elif gains.held == losses.held:",
        "    elif gains.held >= losses.held:",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    Mutant(
        "the activation token deletes no tokens on the way home",
        "2.5",
        SOLITUDE,
        "    clear(mine.positive)",
        "    mine.positive.settled = mine.positive.held",
        TWO,
        "a finished verification leaves nothing",
    ),
    Mutant(
        "a verification that found somebody else begins again at once",
        "2.5",
        SOLITUDE,
        "    if alone:\n        me.stage = IDENTIFYING",
        "    if not alone:\n        start_verifying(me)\n        return VERIFIED\n"
        "    if alone:\n        me.stage = IDENTIFYING",
        TWO,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "negative tokens are not deleted on the way home",
        "2.5",
        SOLITUDE,
        "    clear(mine.negative)",
        "    mine.negative.settled = mine.negative.held",
        TWO,
        "a finished verification leaves nothing",
    ),
    Mutant(
        "the activation token does not wait for negative tokens",
        "2.5",
        SOLITUDE,
        "    if gains.settled < gains.held or losses.settled < losses.held:",
        "    if gains.settled < gains.held:",
        LINE,
        "the activation token compares when all tokens have settled",
    ),
    Mutant(
        "a verification ends when the x axis has its result",
        "2.5",
        SOLITUDE,
        "    if is_candidate(me) and is_home(me.x) and is_home(me.y):",
        "    if is_candidate(me) and is_home(me.x):",
        INNER,
        "a finished verification leaves nothing",
    ),
    Mutant(
        "a candidate that is not alone withdraws",
        "2.5",
        SOLITUDE,
        "    if me.withdrawing:",
        "    if me.withdrawing or not alone:",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "the y axis is not asked",
        "2.5",
        SOLITUDE,
        "        and me.y.activation == BALANCED",
        "        and me.y.activation > 0",
        BLOCK,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "the x axis is not asked",
        "2.5",
        SOLITUDE,
        "        me.x.activation == BALANCED",
        "        me.x.activation > 0",
        TWO,
        "the activation token leaves a token for each edge it walks",
    ),
    # Boundary identification, and the leader.
    Mutant(
        "turns are counted with the wrong sign",
        "2.6",
        IDENTIFICATION,
        "    angle = (me.angle + succ.turn) % 5",
        "    angle = (me.angle - succ.turn) % 5",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "turns are summed modulo 6",
        "2.6",
        IDENTIFICATION,
        "    angle = (me.angle + succ.turn) % 5",
        "    angle = (me.angle + succ.turn) % 6",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "a candidate of the outer boundary withdraws",
        "2.6",
        IDENTIFICATION,
        "    if angle == 1:",
        "    if angle == 4:",
        TWO,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "no candidate of an inner boundary withdraws",
        "2.6",
        IDENTIFICATION,
        "    if angle == 1:",
        "    if angle:",
        INNER,
        "an only candidate stays on the outer boundary, and withdraws on an inner one",
    ),
    Mutant(
        "an only candidate of an inner boundary goes on",
        "2.6",
        IDENTIFICATION,
        "    succ.stage = 0\n    succ.role = NON_CANDIDATE\n    return WITHDREW_LATE",
        "    succ.stage = 0\n    return 0",
        INNER,
        "an only candidate stays on the outer boundary, and withdraws on an inner one",
    ),
    Mutant(
        "an only candidate of an inner boundary waits for ever",
        "2.6",
        IDENTIFICATION,
        "    succ.stage = 0\n    succ.role = NON_CANDIDATE\n    return WITHDREW_LATE",
        "    return 0",
        INNER,
        "an only candidate stays on the outer boundary, and withdraws on an inner one",
    ),
    Mutant(
        "an only candidate declares itself before it knows its boundary",
        "2.6",
        ACTIVATION,
        "    if me.candidacy.stage != OUTER or me.leader:",
        "    if me.candidacy.stage < OUTER - 1 or me.leader:",
        INNER,
        "a leader is on the outer boundary",
    ),
    Mutant(
        "the leader goes on",
        "1.3",
        ACTIVATION,
        "    if me.frozen | me.leader:",
        "    if me.frozen:",
        TWO,
        "a leader has stopped",
    ),
    # The variants.
    Mutant(
        "the leader sends no termination message",
        "A.2",
        TERMINATION,
        "    me.message = 1",
        "    me.message = 0",
        TWO_DEFAULT,
        "after an election every fair schedule terminates everyone",
    ),
    Mutant(
        "the termination message is not passed on",
        "A.2",
        TERMINATION,
        "    neighbour.message = 1",
        "    neighbour.message = neighbour.terminated",
        TWO_DEFAULT,
        "after an election every fair schedule terminates everyone",
    ),
    Mutant(
        "a coin is sent onto another",
        "A.3",
        ALMOST_SURE,
        "        if not me.sent_forth and has_started(succ.candidacy) and not succ.forth:",
        "        if not me.sent_forth and has_started(succ.candidacy):",
        TWO_DEFAULT,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "coins are not relayed",
        "A.3",
        ALMOST_SURE,
        "            succ.forth = me.forth",
        "            succ.forth = 0",
        TWO_DEFAULT,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "a coin is relayed onto another",
        "A.3",
        ALMOST_SURE,
        "        if me.forth and not succ.forth:",
        "        if me.forth:",
        TRIANGLE_SECOND,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "a coin counts for the next iteration, too",
        "A.3",
        ALMOST_SURE,
        "    me.back = 0\n    if loses:",
        "    if loses:",
        TWO_DEFAULT,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "coins are all tails",
        "A.3",
        ALMOST_SURE,
        "    me.coin = HEADS if heads else TAILS",
        "    me.coin = TAILS",
        TWO_DEFAULT,
        "every fair schedule elects with probability one",
    ),
    Mutant(
        "heads withdraw",
        "A.3",
        ALMOST_SURE,
        "    loses = me.coin == TAILS and me.forth == HEADS and me.back == HEADS",
        "    loses = me.coin == HEADS and me.forth == HEADS and me.back == HEADS",
        TWO_DEFAULT,
        "in the second algorithm tails between two heads withdraw, and nobody else",
    ),
    Mutant(
        "tails beside one head withdraw",
        "A.3",
        ALMOST_SURE,
        "    loses = me.coin == TAILS and me.forth == HEADS and me.back == HEADS",
        "    loses = me.coin == TAILS and (me.forth == HEADS or me.back == HEADS)",
        TRIANGLE_SECOND,
        "in the second algorithm tails between two heads withdraw, and nobody else",
    ),
    Mutant(
        "the second algorithm verifies nothing",
        "A.3",
        ALMOST_SURE,
        "        start_verifying(me.candidacy)",
        "        me.candidacy.stage = 0",
        TWO_DEFAULT,
        "in the second algorithm a verification follows each iteration, and only that",
    ),
    Mutant(
        "the stop token freezes nobody",
        "A.3",
        ALMOST_SURE,
        "    me.frozen = 1",
        "    me.frozen = 0",
        TWO_DEFAULT,
        "the stop token stops the first algorithm wherever it comes",
    ),
    Mutant(
        "whoever was stopped goes on",
        "A.3",
        ACTIVATION,
        "    if me.frozen | me.leader:",
        "    if me.leader:",
        TWO_DEFAULT,
        "whoever was stopped does nothing more of Section 2",
    ),
    Mutant(
        "the stop token stops nobody but who sends it",
        "A.3",
        ALMOST_SURE,
        "        freeze(succ, token)",
        "        succ.second.stop = LEADER_MET if succ.leader else token",
        TWO_DEFAULT,
        "the stop token stops the first algorithm wherever it comes",
    ),
    Mutant(
        "the stop token overlooks the leader",
        "A.3",
        ALMOST_SURE,
        "    me.second.stop = LEADER_MET if me.leader else token",
        "    me.second.stop = token",
        TWO_SECOND,
        "never two leaders",
    ),
    Mutant(
        "the stop token forgets the leader it met",
        "A.3",
        ALMOST_SURE,
        "    me.second.stop = LEADER_MET if me.leader else token",
        "    me.second.stop = LEADER_MET if me.leader else NO_LEADER_YET",
        RACE,
        "never two leaders",
    ),
    Mutant(
        "the second algorithm's winner does not wait for the stop token",
        "A.3",
        ALMOST_SURE,
        "    me.second.candidacy.stage = STOPPING",
        "    me.second.candidacy.stage = WON",
        TWO_DEFAULT,
        "whoever sent the stop token wins, or withdraws because there was a leader",
    ),
    Mutant(
        "the second algorithm's winner withdraws if there is no leader",
        "A.3",
        ALMOST_SURE,
        "    elif token == LEADER_MET:",
        "    elif token == NO_LEADER_YET:",
        TWO_DEFAULT,
        "the second algorithm never loses its last candidate",
    ),
    Mutant(
        "a candidate sends heads whatever it flipped",
        "A.3",
        ALMOST_SURE,
        "            succ.forth = me.coin",
        "            succ.forth = HEADS",
        TWO_DEFAULT,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "whoever passes a coin on turns it to heads",
        "A.3",
        ALMOST_SURE,
        "            pred.back = me.back",
        "            pred.back = HEADS",
        TWO_DEFAULT,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "only who flipped heads verifies its solitude",
        "A.3",
        ALMOST_SURE,
        "    me.coin = 0\n    me.sent_forth = 0\n    me.sent_back = 0\n    me.forth = 0\n"
        "    me.back = 0\n    if loses:\n        me.candidacy.role = NON_CANDIDATE\n    else:",
        "    tails = me.coin == TAILS\n    me.coin = 0\n    me.sent_forth = 0\n"
        "    me.sent_back = 0\n    me.forth = 0\n    me.back = 0\n    if loses:\n"
        "        me.candidacy.role = NON_CANDIDATE\n    elif not tails:",
        TWO_DEFAULT,
        "in the second algorithm a verification follows each iteration, and only that",
    ),
    Mutant(
        "the last candidate of the second algorithm stays one though there is a leader",
        "A.3",
        ALMOST_SURE,
        "        succ.second.candidacy.stage = 0\n"
        "        succ.second.candidacy.role = NON_CANDIDATE",
        "        succ.second.candidacy.stage = 0",
        TWO_DEFAULT,
        "whoever sent the stop token wins, or withdraws because there was a leader",
    ),
    Mutant(
        "the last candidate of the second algorithm waits for ever if there is a leader",
        "A.3",
        ALMOST_SURE,
        "        succ.second.candidacy.stage = 0\n"
        "        succ.second.candidacy.role = NON_CANDIDATE",
        "        succ.second.stop = 0",
        TWO_DEFAULT,
        "whoever sent the stop token wins, or withdraws because there was a leader",
    ),
    Mutant(
        "whoever was stopped still sets up, verifies and identifies",
        "A.3",
        ACTIVATION,
        "    if me.frozen | me.leader:\n        return 0\n    events = 0",
        "    if me.leader:\n        return 0\n    if me.frozen:\n"
        "        if not me.created:\n            move_setup_token(me, pred, succ)\n"
        "            create_token(me, pred, succ)\n"
        "        verify_solitude(me.candidacy, pred.candidacy, succ.candidacy)\n"
        "        identify_boundary(me.candidacy, succ.candidacy)\n        return 0\n"
        "    events = 0",
        TWO_DEFAULT,
        "whoever was stopped does nothing more of Section 2",
    ),
    Mutant(
        "concave corners count as straight ones",
        "2.1",
        SETUP,
        "    me.turn = int(np.int64(view.empty) - 2)",
        "    me.turn = int(np.int64(view.empty) - 2) if view.empty > 1 else 0",
        ANGLE,
        "a candidate with the highest identifier never withdraws",
    ),
    Mutant(
        "the third agent of a particle has the first one's identifier",
        "2.5",
        SETUP,
        "    me.agent_identifier = view.agent_identifier",
        "    me.agent_identifier = 1 if view.agent_identifier == 3 else view.agent_identifier",
        STAR,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "digits are copied modulo 2",
        "2.3",
        IDENTIFIERS,
        "    me.reversed_digit = me.carried",
        "    me.reversed_digit = me.carried % 2",
        DIGITS,
        "a candidate whose identifier is set up has it reversed in its segment",
    ),
    Mutant(
        "digits two apart count as equal",
        "2.4",
        COMPARISON,
        "    lower, higher = word(token_digit < own_digit), word(token_digit > own_digit)",
        "    lower, higher = word(token_digit + 1 == own_digit), word(token_digit == own_digit "
        "+ 1)",
        DIGITS,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "equal digits erase the difference that the delimiter records",
        "2.4",
        COMPARISON,
        "    return choose(differs, record(token, result), token), match, result",
        "    return choose(bit(token, DELIMITER_BIT), record(token, result), token), match, result",
        LINE,
        "a verification starts exactly when a candidate meets its own identifier",
    ),
    Mutant(
        "tokens settle in two rows only",
        "2.5",
        SOLITUDE,
        "    pass_tokens(mine.positive, ahead.positive, is_candidate(me))",
        "    if is_candidate(me) or is_candidate(pred) or ahead.positive.settled < 2:\n"
        "        pass_tokens(mine.positive, ahead.positive, is_candidate(me))",
        SIX,
        "every fair schedule elects if and only if the highest identifier is unique",
    ),
    Mutant(
        "two tokens against none count as balanced",
        "2.5",
        SOLITUDE,
        "    elif gains.held == losses.held:",
        "    elif gains.held % 2 == losses.held % 2:",
        LINE,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "the third agent identifier is the first on the way home",
        "2.5",
        SOLITUDE,
        "    ahead.next_identifier = mine.next_identifier",
        "    ahead.next_identifier = mine.next_identifier if mine.next_identifier < 3 else 1",
        STAR,
        "a candidate that finds itself alone is the only one",
    ),
    Mutant(
        "a particle's second agent forgets a withdrawal that waited",
        "2.5",
        SOLITUDE,
        "    if me.withdrawing:\n"
        "        me.withdrawing = 0\n"
        "        me.role = NON_CANDIDATE\n"
        "        return VERIFIED | WITHDREW_LATE",
        "    if me.withdrawing:\n"
        "        me.withdrawing = 0\n"
        "        if me.agent_identifier < 2:\n"
        "            me.role = NON_CANDIDATE\n"
        "        return VERIFIED | WITHDREW_LATE",
        LINE,
        "a withdrawal that waited is carried out",
    ),
    Mutant(
        "whoever gets the termination message passes it on no more",
        "A.2",
        TERMINATION,
        "    neighbour.message = 1",
        "    neighbour.message = 1\n    neighbour.terminated = 1",
        MESSAGE,
        "after an election every fair schedule terminates everyone",
    ),
    Mutant(
        "the second algorithm's last candidate skips boundary identification",
        "A.3",
        ALMOST_SURE,
        "    identify_boundary(me.second.candidacy, succ.second.candidacy)",
        "    if me.second.candidacy.identification:\n"
        "        me.second.candidacy.identification = 0\n"
        "        me.second.candidacy.stage = OUTER",
        INNER_SECOND,
        "a leader is on the outer boundary",
    ),
    Mutant(
        "only a particle's first agent starts as a candidate of the second algorithm",
        "A.3",
        ALMOST_SURE,
        "    me.candidacy.role = CANDIDATE",
        "    me.candidacy.role = CANDIDATE if view.agent_identifier == 1 else NON_CANDIDATE",
        LINE_SECOND,
        "every agent starts as a candidate of the second algorithm",
    ),
    Mutant(
        "a candidate of the second algorithm flips its next coin while it verifies",
        "A.3",
        ALMOST_SURE,
        "    return is_candidate(me.candidacy) and me.candidacy.stage == 0 and me.coin == 0",
        "    return is_candidate(me.candidacy) and me.coin == 0",
        TWO_DEFAULT,
        "in the second algorithm a verification follows each iteration, and only that",
    ),
    Mutant(
        "heads do not wait for the coin that comes back",
        "A.3",
        ALMOST_SURE,
        "        if me.sent_forth and me.sent_back and me.forth and me.back:",
        "        if me.sent_forth and me.sent_back and me.forth and (me.back or me.coin == HEADS):",
        RACE,
        "coins of the second algorithm are not lost, doubled or changed",
    ),
    Mutant(
        "the second algorithm's winner is not stopped itself",
        "A.3",
        ALMOST_SURE,
        "    freeze(me, NO_LEADER_YET)",
        "    me.second.stop = NO_LEADER_YET",
        TWO_DEFAULT,
        "the stop token stops the first algorithm wherever it comes",
    ),
    Mutant(
        "the stop token stops nobody once it has met a leader",
        "A.3",
        ALMOST_SURE,
        "        freeze(succ, token)",
        "        if token == LEADER_MET:\n"
        "            succ.second.stop = token\n"
        "        else:\n"
        "            freeze(succ, token)",
        TWO_DEFAULT,
        "the stop token stops the first algorithm wherever it comes",
    ),
    Mutant(
        "the stop token spares whoever identifies its boundary",
        "A.3",
        ALMOST_SURE,
        "    me.frozen = 1",
        "    if me.candidacy.stage < OUTER - 1:\n        me.frozen = 1",
        TWO_DEFAULT,
        "the stop token stops the first algorithm wherever it comes",
    ),
    Mutant(
        "the stop token waits where solitude is verified",
        "A.3",
        ALMOST_SURE,
        "    if not token:\n        return 0\n    me.second.stop = 0",
        "    if not token or me.candidacy.stage:\n        return 0\n    me.second.stop = 0",
        TWO_DEFAULT,
        "every fair schedule elects with probability one",
    ),
)

EQUIVALENT = (
    Mutant(
        "tails become candidates, and heads do not",
        "2.2",
        SEGMENTS,
        "    if heads:",
        "    if not heads:",
        why="The coin is fair, so heads and tails are names. Both outcomes are explored.",
    ),
    Mutant(
        "a comparison result is kept after the delimiter",
        "2.4",
        COMPARISON,
        AFTER,
        "    me.inactive = after_token(token, word(longer | match), result)[0]\n"
        "    me.result = result",
        why="A result counts only for a sequence as long as the segment, which matches, and so "
        "overwrites, every agent of it.",
    ),
    Mutant(
        "whoever withdrew can start a verification",
        "2.4",
        SOLITUDE,
        "    if not is_candidate(me) or me.stage:",
        "    if me.stage:",
        why="Only candidates judge token sequences or end an iteration, so nobody else asks.",
    ),
    Mutant(
        "whoever finds itself alone need not withdraw",
        "2.5",
        SOLITUDE,
        "    if me.withdrawing:",
        "    if me.withdrawing and not alone:",
        why="Whoever has to withdraw met a higher identifier. The candidate with the highest one "
        "never withdraws, so nobody else is ever alone.",
    ),
    Mutant(
        "the activation token does not wait for the next agent to start",
        "2.5",
        SOLITUDE,
        "    if mine.activation == OUTWARD and has_started(succ):",
        "    if mine.activation == OUTWARD and has_started(me):",
        why="Every segment it walks through was compared with a whole token sequence, and was set "
        "up to its end for that. In the second algorithm a coin came from the next candidate.",
    ),
    Mutant(
        "the agent identifier that the token of the y axis brings is checked",
        "2.5",
        SOLITUDE,
        "        and me.x.next_identifier == me.agent_identifier",
        "        and me.y.next_identifier == me.agent_identifier",
        why="Both activation tokens turn at the same candidate, and so read the same identifier.",
    ),
    Mutant(
        "a candidate that identifies its boundary withdraws at once",
        "2.5",
        SOLITUDE,
        "    if me.stage:\n        me.withdrawing = 1",
        "    if me.stage == VERIFYING:\n        me.withdrawing = 1",
        why="It is alone, and so has met all other identifiers: it never has to withdraw.",
    ),
    Mutant(
        "each agent's own turn is counted instead of the next one's",
        "2.6",
        IDENTIFICATION,
        "    angle = (me.angle + succ.turn) % 5",
        "    angle = (me.angle + me.turn) % 5",
        why="The token visits every agent of the boundary once, so the sum is the same.",
    ),
    Mutant(
        "whoever has been stopped still draws its digit",
        "A.3",
        IDENTIFIERS,
        "    return me.setup == DRAW and not me.frozen",
        "    return me.setup == DRAW",
        why="A digit is all that changes, and nobody reads it: the rules that would are stopped.",
    ),
    Mutant(
        "whoever has terminated passes the message on again",
        "A.2",
        TERMINATION,
        "    return bool(me.message) and not me.terminated",
        "    return bool(me.message)",
        why="Its neighbours have the message already.",
    ),
)
