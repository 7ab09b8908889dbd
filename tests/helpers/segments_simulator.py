"""A second simulator of the election by segments, token by token, in plain Python.

It is written from the description of the algorithm (docs/algorithm/segments-2015.md), and shares
nothing with the rules of the package but the order in which an agent looks at what it holds.
Solitude verification and boundary identification are those of the paper's second simulator.
"""

from __future__ import annotations

from typing import Any

from amoebot.shapes import Shape
from helpers import naive
from helpers.paper_simulator import LEADER, Lane, System

NOBODY = "no-candidate-left"


class Agent:
    """An agent: a candidate, or one that has been demoted, with the tokens that it holds."""

    def __init__(self, found: naive.Agent) -> None:
        self.node, self.turn, self.identifier = found.node, found.turn, found.agent_identifier
        self.pred = self.succ = self
        self.lane = Lane(self)  # type: ignore[arg-type]
        self.doing = ""  #: of a candidate: leading, comparing, flipping, announcing or waiting
        self.held: dict[str, str] = {}  #: tokens by kind, at most one of each, with what they say
        self.absorbed = self.covered = False
        self.announced = self.announced_waiting = False
        self.leader = False

    @property
    def candidate(self) -> bool:
        return self.lane.candidate

    def has_room(self, kind: str) -> bool:
        """Whether a token may come here: none of its kind is here, and it overtakes no clean-up."""
        barrier = "clean-up behind" if kind == "active" else "clean-up ahead"
        return self.lane.started and kind not in self.held and barrier not in self.held


class Election(System):
    """One election by segments, repaired or as first published."""

    def __init__(self, shape: Shape, seed: int, repaired: bool) -> None:
        self.repaired = repaired
        super().__init__(shape, seed, Agent)

    def outcome(self) -> str:
        """Say how it ends, as one who sees everything."""
        if any(agent.leader for agent in self.outer):
            return LEADER
        gone = all(agent.lane.started and not agent.candidate for agent in self.outer)
        return NOBODY if gone else ""

    def activate(self, particle: list[Any]) -> None:
        """Let the agents of a particle act one after another."""
        for agent in particle:
            self.act_by_segments(agent)

    def act_by_segments(self, me: Agent) -> None:
        """Look at all that an agent holds, once."""
        if not me.lane.started:
            me.lane.started = me.lane.candidate = True
            me.doing = "leading"
        if me.doing == "flipping" and self.draw.random() < 0.5:
            me.doing = "announcing"
        self.clean_up(me)
        if "returning" in me.held:
            self.return_word(me)
        if "active" in me.held:
            self.lay_out(me)
        if "clean-up ahead" in me.held:
            return
        if "passive" in me.held:
            self.bring_back(me)
        if "lead" in me.held:
            self.count(me)
        if me.doing == "leading" and me.succ.has_room("lead"):
            me.succ.held["lead"], me.doing = "", "comparing"
        if "acknowledgement" in me.held:
            self.acknowledge(me)
        if "announcement" in me.held:
            self.announce(me)
        if me.doing == "announcing" and me.succ.has_room("announcement"):
            me.succ.held["announcement"], me.doing = "", "waiting"
        if "clean-up ahead" not in me.succ.held:
            self.verify(me)

    # Segment comparison.

    def count(self, me: Agent) -> None:
        """Step 1: each demoted agent sends one passive token back, the next candidate the last."""
        if me.candidate:
            if "passive" not in me.pred.held:
                del me.held["lead"]
                me.pred.held["passive"] = "final"
        elif "passive" not in me.held and me.succ.has_room("lead"):
            me.succ.held["lead"] = me.held.pop("lead")
            me.held["passive"] = "plain"

    def bring_back(self, me: Agent) -> None:
        """Steps 1 and 2: passive tokens go back to their candidate, which turns them active."""
        if me.candidate:
            if me.pred.has_room("active"):
                me.pred.held["active"] = me.held.pop("passive")
        elif "passive" not in me.pred.held:
            me.pred.held["passive"] = me.held.pop("passive")

    def lay_out(self, me: Agent) -> None:
        """Steps 2 to 4: the k-th active token comes to rest at the k-th agent behind."""
        final = me.held["active"] == "final"
        if me.candidate and not final:
            del me.held["active"]
            self.cover(me)
        elif not me.candidate and me.absorbed:
            if me.pred.has_room("active"):
                me.pred.held["active"] = me.held.pop("active")
        elif not final:
            del me.held["active"]
            me.absorbed = True
        elif "returning" not in me.succ.held:
            del me.held["active"]
            word = "survives" if me.candidate else "not covered"
            if self.repaired and not me.candidate and me.covered:
                me.covered, word = False, "covered"
            self.send_word(me.succ, word)

    def send_word(self, to: Agent, word: str) -> None:
        """Step 4: agents forget that they absorbed; a covered mark turns the word."""
        if "clean-up behind" in to.held:
            return  # whom it was for has been covered
        to.held["returning"] = "covered" if to.covered else word
        to.absorbed = to.covered = False

    def return_word(self, me: Agent) -> None:
        """Step 5: who has covered nobody, and has no equal, demotes itself."""
        if not me.candidate:
            if "returning" not in me.succ.held:
                self.send_word(me.succ, me.held.pop("returning"))
            return
        if me.held.pop("returning") == "not covered" and not me.announced:
            self.demote(me)
            me.covered = self.repaired
        else:
            me.announced, me.doing = False, "flipping"

    # Demotion.

    def demote(self, me: Agent) -> None:
        me.lane.candidate = me.announced = me.announced_waiting = False
        me.doing = ""

    def cover(self, me: Agent) -> None:
        """Step 3: be demoted, and remove what was sent out both ways."""
        self.demote(me)
        me.absorbed = me.covered = True
        me.held.pop("returning", None)
        me.lane.stage = ""
        self.forget_front(me)
        me.held |= {"clean-up ahead": "", "clean-up behind": ""}

    def forget_front(self, me: Agent) -> None:
        for kind in ("passive", "acknowledgement"):
            me.held.pop(kind, None)
        me.lane.activation, me.lane.signs = [None, None], [[[], []], [[], []]]

    def clean_up(self, me: Agent) -> None:
        """Move clean-up tokens on, up to the next candidate on either side."""
        succ, pred = me.succ, me.pred
        if "clean-up ahead" in me.held and (succ.candidate or "clean-up ahead" not in succ.held):
            self.forget_front(me)
            del me.held["clean-up ahead"]
            for kind in ("lead", "announcement"):
                succ.held.pop(kind, None)
            if not succ.candidate:
                self.forget_front(succ)
                succ.held["clean-up ahead"] = ""
        if "clean-up behind" in me.held and (pred.candidate or "clean-up behind" not in pred.held):
            del me.held["clean-up behind"]
            pred.held.pop("active", None)
            if not pred.candidate:
                pred.held.pop("returning", None)
                pred.absorbed = False
                pred.held["clean-up behind"] = ""

    # Coin flipping, and what follows.

    def announce(self, me: Agent) -> None:
        """Pass an announcement on; the next candidate remembers it, and acknowledges."""
        if not me.candidate:
            if me.succ.has_room("announcement"):
                me.succ.held["announcement"] = me.held.pop("announcement")
        elif "acknowledgement" not in me.pred.held:
            del me.held["announcement"]
            me.pred.held["acknowledgement"] = ""
            if me.doing in ("announcing", "waiting"):
                me.announced_waiting = True
            else:
                me.announced = True

    def acknowledge(self, me: Agent) -> None:
        """Stay if somebody has announced heads meanwhile; otherwise hand the candidacy on."""
        if not me.candidate:
            if "acknowledgement" not in me.pred.held:
                me.pred.held["acknowledgement"] = me.held.pop("acknowledgement")
            return
        del me.held["acknowledgement"]
        if me.announced_waiting:
            me.announced_waiting, me.doing = False, ""
            me.lane.start_verification()
        else:
            self.demote(me)

    def verify(self, me: Agent) -> None:
        """Verify solitude and identify the boundary; in vain, all begins again."""
        verifying = me.lane.stage == "verifying"
        me.lane.act(me.pred.lane, me.succ.lane)
        if verifying and me.lane.stage == "":
            me.doing = "leading"
        if me.lane.stage == "outer":
            me.leader = True
