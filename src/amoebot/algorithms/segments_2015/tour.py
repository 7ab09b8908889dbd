"""A guided tour of an election by segments, on a small shape."""

from __future__ import annotations

from amoebot.algorithms.expressions import me, was
from amoebot.algorithms.pictures import Question, Step, Tour

from ..candidacy import CANDIDATE, VERIFYING
from ..candidacy_pictures import withdraws

TOUR = Tour(
    shape="hexagon:2",
    seed=1,
    steps=(
        Step(
            "Agents",
            "For every sequence of empty nodes around it, a particle acts as an agent. The agents "
            "form a cycle around the outside, and one around each hole.",
            at=0,
        ),
        Step(
            "Everyone is a candidate",
            "There is no first coin. Each agent becomes a candidate (orange), and compares the "
            "segment before it, up to the next candidate, with the one behind it.",
            at=1,
            plays=1,
        ),
        Step(
            "1. Segment comparison",
            "A lead token counts the front segment: each agent in it sends a passive token "
            "(hollow) back. The candidate sends these on as active tokens (full) behind it, and "
            "each agent there absorbs one. Whoever is reached by more is demoted; whose own count "
            "ends too early demotes itself.",
            at="first_candidate_demoted",
            plays=5,
        ),
        Step(
            "2. Coin flipping",
            "Equal segments leave it to chance. A candidate flips until heads, announces it to the "
            "next one (H) and waits. If nobody has announced to it meanwhile, it hands its "
            "candidacy on.",
            at="first_candidate_demoted",
            plus=11,
            plays=5,
            question=Question(
                "Which candidate is demoted next?",
                "Its segment is the shorter one, or its coin has lost.",
                answer=withdraws(was.candidacy, me.candidacy),
                among=me.candidacy.role == CANDIDATE,
            ),
        ),
        Step(
            "3. Solitude verification",
            "A candidate that stays finds out whether it is alone, as in the improved election. If "
            "it is not, it begins again.",
            at="last_solitude_verification_begins",
            plus=4,
            plays=4,
            spotlight=me.candidacy.stage == VERIFYING,
        ),
        Step(
            "4. Boundary identification",
            "The last one finds out whether its boundary is the outer one.",
            at="boundary_identification_begins",
            plus=3,
            plays=3,
            spotlight=me.candidacy.identification != 0,
        ),
        Step(
            "The leader",
            "It is the leader (star), and tells everybody.",
            at="leader_declared",
            plus=1,
            plays=2,
        ),
    ),
)
