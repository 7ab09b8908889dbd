"""What is drawn and said of an erosion: the state of each node, and what becomes of it."""

from __future__ import annotations

from amoebot.algorithms.expressions import choose, me, option, was, when
from amoebot.algorithms.pictures import (
    Deed,
    Key,
    Lane,
    Layer,
    Mark,
    Pictures,
    Question,
    Row,
    Series,
    Step,
    Tour,
    Trace,
)

from .memory import CANDIDATE, ERODED, LEADER, NULL

#: Where there is no setup state, all are candidates at first.
state = when((me.state == NULL) & ~option.setup, CANDIDATE, me.state)
state_before = when((was.state == NULL) & ~option.setup, CANDIDATE, was.state)

COLOURS = ["null", "candidate", "eroded", "leader"]

NODES = Layer(
    "states",
    "States",
    (
        Mark("disc", 0.25, True, choose(state, COLOURS), "paper", 0.03, afar=True),
        Mark("disc", 0.12, state == ERODED, "paper"),
    ),
    legend=(
        Key("null", ({"state": NULL},)),
        Key("candidate", ({"state": CANDIDATE},)),
        Key("eroded", ({"state": ERODED},)),
    ),
)

PICTURES = Pictures(
    layers=(NODES,),
    lanes=(
        Lane(
            "State",
            "",
            (
                Row("state", choose(state, ["null", "candidate", "eroded", "leader"])),
                Row("declared", when(me.leader, "yes", "no")),
            ),
            is_open=True,
        ),
    ),
    deeds=(
        Deed((state_before == NULL) & (state == CANDIDATE), "becomes a candidate"),
        Deed(
            (state_before == CANDIDATE) & (state == ERODED),
            "erodes: the candidates around it stand in one unbroken run",
        ),
        Deed(
            (state_before != LEADER) & (state == LEADER),
            "declares itself the leader: no candidate is left around it",
        ),
    ),
    series=(Series("eroded", "eroded", state == ERODED, (5, 3)),),
    traces=(
        Trace("eroded", "eroded", state == ERODED, "states"),
        Trace("candidate", "candidate", state == CANDIDATE, "states"),
        Trace("leader", "leader", me.leader, "states"),
    ),
    colours={"null": ("#8391a0", "#6c7a89"), "eroded": ("#7896ae", "#4a6c85")},
    tour=Tour(
        "hexagon:4",
        3,
        (
            Step(
                "Particles",
                "Each disc is a particle on the triangular grid. All are alike, and nobody has a "
                "name or a compass. Together they are to agree on one leader, without coins.",
                at=0,
            ),
            Step(
                "1. Setup",
                "A particle that is activated for the first time becomes a candidate (orange).",
                at="candidates_set_up",
                plays=1,
            ),
            Step(
                "2. Erosion",
                "A candidate looks at its six neighbouring nodes. If the candidates among them "
                "stand in one unbroken run, it is at the rim, and the others stay connected "
                "without it: it erodes (hollow). So the candidates shrink from the outside.",
                at="first_candidate_eroded",
                question=Question(
                    "Which candidate erodes next?",
                    "The candidates around it stand in one unbroken run. Of those who could, the "
                    "order of activations decides who does so first.",
                    answer=(was.state == CANDIDATE) & (me.state == ERODED),
                    among=me.state == CANDIDATE,
                ),
            ),
            Step(
                "One candidate is left",
                "Nobody is left around it, so it declares itself the leader. Which one it is "
                "depends on the order of activations. Around a hole, no candidate could erode.",
                at="last_rival_gone",
                plays=4,
                spotlight=me.state == CANDIDATE,
            ),
            Step(
                "The leader",
                "The leader (star) sends a message through all bonds, so that everybody "
                "terminates.",
                at="leader_declared",
                plus=2,
                plays=2,
            ),
        ),
    ),
)
