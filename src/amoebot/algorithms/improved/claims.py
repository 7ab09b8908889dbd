"""The properties of the improved election, by number: what the explorer checks, and its source."""

from __future__ import annotations

from amoebot.algorithms.description import Property

# In every state.
(
    CAPACITIES,
    TOKENS_KEPT,
    ORDER_KEPT,
    NOTHING_LEFT,
    TOGETHER,
    ALL_SETTLED,
    NO_GAPS,
    RIVALS,
    REVERSED,
    RECEIVES,
    HIGHEST_STAYS,
    EDGES,
    ALONE,
    HIGHEST,
    OUTSIDE,
    WAITS,
    SEGMENTS,
    COINS_KEPT,
    STOPS,
) = range(1, 20)

# On every step.
(
    FORWARDS_ONE,
    WITHDRAWS,
    STARTS_VERIFYING,
    CARRIED_OUT,
    SIGNS_KEPT,
    COMPARES,
    TAILS_BETWEEN_HEADS,
    LEADER_STOPS,
    STOPPED,
    IDENTIFIES,
    FOLLOWS,
    WINS,
    ALL_COMPETE,
) = range(20, 33)

PROPERTIES = {
    SEGMENTS: Property("every candidate heads a segment", "Section 2.2"),
    REVERSED: Property(
        "a candidate whose identifier is set up has it reversed in its segment", "Section 2.3"
    ),
    RECEIVES: Property(
        "an agent holds digit tokens only once it has created its own", "Section 2.4"
    ),
    TOKENS_KEPT: Property("digit tokens are neither lost nor doubled", "Section 2.4"),
    ORDER_KEPT: Property("digit tokens keep their order", "Section 2.4"),
    FORWARDS_ONE: Property("an agent forwards at most one digit token each time", "Section 2.4"),
    WITHDRAWS: Property(
        "a candidate withdraws exactly when it meets a higher identifier", "Section 2.4"
    ),
    HIGHEST_STAYS: Property(
        "a candidate with the highest identifier never withdraws", "Section 2.4"
    ),
    STARTS_VERIFYING: Property(
        "a verification starts exactly when a candidate meets its own identifier", "Section 2.4"
    ),
    CAPACITIES: Property("no agent holds more tokens than the paper allows", "Section 2.5"),
    TOGETHER: Property("both activation tokens turn at the same candidate", "Section 2.5"),
    EDGES: Property("the activation token leaves a token for each edge it walks", "Section 2.5"),
    SIGNS_KEPT: Property("tokens of a verification are kept until they are counted", "Section 2.5"),
    NO_GAPS: Property("tokens settle only behind two settled ones", "Section 2.5"),
    ALL_SETTLED: Property(
        "the activation token compares when all tokens have settled", "Section 2.5"
    ),
    COMPARES: Property("an axis is found balanced exactly if its tokens are", "Section 2.5"),
    NOTHING_LEFT: Property("a finished verification leaves nothing", "Section 2.5"),
    WAITS: Property("a withdrawal waits for the verification only", "Section 2.5"),
    CARRIED_OUT: Property("a withdrawal that waited is carried out", "Section 2.5"),
    ALONE: Property("a candidate that finds itself alone is the only one", "Section 2.5"),
    IDENTIFIES: Property(
        "an only candidate stays on the outer boundary, and withdraws on an inner one",
        "Section 2.6",
    ),
    OUTSIDE: Property("a leader is on the outer boundary", "Section 2.6"),
    LEADER_STOPS: Property("a leader has stopped", "Section 1.3"),
    HIGHEST: Property("a leader of Section 2 has the highest identifier", "Theorem 1"),
    STOPPED: Property("whoever was stopped does nothing more of Section 2", "Appendix A.3"),
    ALL_COMPETE: Property(
        "every agent starts as a candidate of the second algorithm",
        "Appendix A.3",
        needs="almost_sure",
    ),
    RIVALS: Property(
        "the second algorithm never loses its last candidate", "Appendix A.3", needs="almost_sure"
    ),
    COINS_KEPT: Property(
        "coins of the second algorithm are not lost, doubled or changed",
        "Appendix A.3",
        needs="almost_sure",
    ),
    TAILS_BETWEEN_HEADS: Property(
        "in the second algorithm tails between two heads withdraw, and nobody else",
        "Appendix A.3",
        needs="almost_sure",
    ),
    FOLLOWS: Property(
        "in the second algorithm a verification follows each iteration, and only that",
        "Appendix A.3",
        needs="almost_sure",
    ),
    STOPS: Property(
        "the stop token stops the first algorithm wherever it comes",
        "Appendix A.3",
        needs="almost_sure",
    ),
    WINS: Property(
        "whoever sent the stop token wins, or withdraws because there was a leader",
        "Appendix A.3",
        needs="almost_sure",
    ),
}

# What theorems say of elections, without the probability.
IF_UNIQUE = Property(
    "every fair schedule elects if and only if the highest identifier is unique", "Theorem 1"
)
ALWAYS = Property("every fair schedule elects with probability one", "Theorem 3")
