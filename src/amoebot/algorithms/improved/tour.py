"""A guided tour of the six phases on a small shape with a hole."""

from __future__ import annotations

from amoebot.algorithms.expressions import me, view, was
from amoebot.algorithms.pictures import Question, Step, Tour

from ..candidacy import CANDIDATE, VERIFYING
from ..candidacy_pictures import withdraws
from .memory import COMPLETE

_outer = view.boundary == 0
_candidate = me.candidacy.role == CANDIDATE

TOUR = Tour(
    shape="annulus:3,1",
    seed=6,
    options={"almost_sure": False, "radix": 10},
    steps=(
        Step(
            "Particles",
            "Each disc is a particle on the triangular grid. All are alike: nobody has a name, a "
            "compass or a map, and each has a memory of constant size. Together they are to agree "
            "on one leader.",
            at=0,
            hide=("boundaries", "agents"),
        ),
        Step(
            "1. Boundary setup",
            "A particle looks at its six neighbouring nodes. For every sequence of empty ones it "
            "acts as an agent, and knows the agent before it and the agent after it. So the agents "
            "form cycles: one around the outside (blue), one around each hole (pink).",
            at=0,
        ),
        Step(
            "2. Segment setup",
            "Each agent flips a coin. Heads: it becomes a candidate (orange). Tails: a "
            "non-candidate. A candidate and the non-candidates after it, up to the next "
            "candidate, are its segment.",
            at=1,
            plays=1,
        ),
        Step(
            "3. Identifier setup",
            "A token (black) walks through each segment. It gives every agent a random digit: "
            "together these are the candidate's identifier. Then it copies the digits in reversed "
            "order: the small grey digits.",
            at=6,
            plays=5,
            spotlight=(me.setup > 0) & (me.setup < COMPLETE),
        ),
        Step(
            "4. Identifier comparison",
            "The reversed copies travel against the cycle as digit tokens. In each segment they "
            "are compared with its own digits, the least significant first. Full squares are "
            "active tokens, diamonds the delimiters at the end of each identifier. A candidate "
            "that sees a higher identifier withdraws (hollow ring).",
            at="digit_tokens_created",
            plus=1,
            plays=4,
            question=Question(
                "Which candidate of the outer boundary withdraws next?",
                "A higher identifier has arrived at it in full: one with more digits, or with a "
                "higher digit where the two differ first.",
                answer=_outer & withdraws(was.candidacy, me.candidacy),
                among=_outer & _candidate,
            ),
        ),
        Step(
            "One candidate is left",
            "On the outer boundary one candidate has the highest identifier. But it does not know "
            "yet that it is alone. It only knows that something is up when its own identifier "
            "comes back to it.",
            at="last_rival_gone",
            plays=4,
            spotlight=_outer & _candidate,
        ),
        Step(
            "5. Solitude verification",
            "The candidate sends two activation tokens along the boundary, one for each axis. At "
            "each edge they leave a positive or a negative token (triangles), which gather at the "
            "candidate. If they cancel out, the next candidate is where this one is: it is alone.",
            at="last_solitude_verification_begins",
            plus=8,
            hide=("tokens",),
            plays=8,
            spotlight=(me.candidacy.stage == VERIFYING)
            | (me.candidacy.x.activation != 0)
            | (me.candidacy.y.activation != 0),
        ),
        Step(
            "6. Boundary identification",
            "A last token (hexagon) walks round and sums the turns of the boundary, modulo 5. "
            "Around the outside they make +360°, the sum is 1, and the candidate is the leader. "
            "Around a hole it is 4, and the candidate withdraws.",
            at="boundary_identification_begins",
            plus=3,
            hide=("tokens",),
            plays=3,
            spotlight=me.candidacy.identification != 0,
            question=Question(
                "With which sum will this token come home?",
                "It is on the outer boundary, whose turns add up to +360°: six turns of 60°, and "
                "6 is 1 modulo 5.",
                rounds=10,
                choices=("1: it is the leader", "4: it withdraws"),
            ),
        ),
        Step(
            "The leader",
            "One particle declares itself the leader (star). With the variant of Appendix A.2, it "
            "now sends a message through all bonds, so that everybody terminates.",
            at="leader_declared",
            plus=1,
            plays=2,
        ),
        Step(
            "Done",
            "Everyone has terminated. Now click any particle, go back in time, try another shape, "
            "or draw your own.",
            at="all_terminated",
            plays=4,
        ),
    ),
)
