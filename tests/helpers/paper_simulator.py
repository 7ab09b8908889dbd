"""A second simulator: the election of the paper once more, token by token, in plain Python.

It is written from Section 2 and Appendix A.3, and shares nothing with the rules of the
package but the decisions where the paper leaves room (docs/design.md). Tokens are objects that
agents hold, a setup token follows a list of errands, and coins are Python's. So a sentence that
the rules misread has to be misread here in the same way to go unnoticed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from amoebot.shapes import Shape
from helpers import naive

HEADS, TAILS = "heads", "tails"
NO_CANDIDATES, TIED, LEADER = "no-candidates", "tied-identifiers", "leader"


@dataclass
class DigitToken:
    """One digit of a reversed identifier, on its way against the cycle (Section 2.4)."""

    digit: int
    delimiter: bool
    active: bool = False
    difference: int = 0  #: of the most significant digit that differs; only of a delimiter


@dataclass
class SetupToken:
    """Sets an identifier up (Section 2.3): it has errands at places of its segment."""

    segment: list[Agent]
    place: int = 0
    errands: list[tuple[str, int]] | None = None  #: not known before the end of the segment
    digit: int = 0


@dataclass
class ActivationToken:
    """Walks the extended segment and back, on one axis (Section 2.5)."""

    heading: int
    outward: bool = True
    next_identifier: int = 0
    balanced: bool | None = None


@dataclass
class Lane:
    """What an agent needs to verify its solitude and to identify its boundary."""

    agent: Agent
    candidate: bool = False
    started: bool = False
    stage: str = ""
    withdrawing: bool = False
    activation: list[ActivationToken | None] = field(default_factory=lambda: [None, None])
    #: for each axis the tokens to the right and to the left: whether each has settled
    signs: list[list[list[bool]]] = field(default_factory=lambda: [[[], []], [[], []]])
    angle: int | None = None  #: the sum of the boundary identification token, if it is here

    def start_verification(self) -> None:
        if self.candidate and not self.stage:
            self.stage = "verifying"
            # In directions of 60 degrees clockwise, x is the edge ahead and y two further on.
            self.activation = [ActivationToken(0), ActivationToken(2)]

    def withdraw(self) -> None:
        if self.stage:
            self.withdrawing = True
        else:
            self.candidate = False

    def act(self, pred: Lane, succ: Lane) -> None:
        for axis in range(2):
            for sign in range(2):
                self.move_tokens(self.signs[axis][sign], pred.signs[axis][sign])
            if self.activation[axis]:
                self.move_activation_token(axis, pred, succ)
        x, y = self.activation
        if self.candidate and x and y and x.balanced is not None and y.balanced is not None:
            self.conclude(x, y)
        self.move_identification_token(succ)

    def move_tokens(self, mine: list[bool], ahead: list[bool]) -> None:
        """Settle at the candidate or behind two settled tokens; else move the first one on."""
        if all(mine):
            return
        if self.candidate or (len(ahead) == 2 and all(ahead)):
            mine[:] = [True] * len(mine)
        elif len(ahead) < 2:
            mine.remove(False)
            ahead.append(False)

    def move_activation_token(self, axis: int, pred: Lane, succ: Lane) -> None:
        token = self.activation[axis]
        assert token is not None
        if token.outward:
            self.walk_out(token, axis, succ)
            return
        if token.balanced is None:
            right, left = self.signs[axis]
            if not all(right + left):
                return
            if right or left or self.candidate:
                token.balanced = len(right) == len(left)
        if token.balanced is not None:
            self.signs[axis] = [[], []]
        if not self.candidate:
            pred.activation[axis], self.activation[axis] = token, None

    def walk_out(self, token: ActivationToken, axis: int, succ: Lane) -> None:
        if not succ.started:
            return
        if token.heading in (0, 1):
            self.signs[axis][0].append(False)
        elif token.heading in (3, 4):
            self.signs[axis][1].append(False)
        if succ.candidate:
            token.outward = False
            token.next_identifier = succ.agent.identifier
        else:
            token.heading = (token.heading + succ.agent.turn) % 6
            succ.activation[axis], self.activation[axis] = token, None

    def conclude(self, x: ActivationToken, y: ActivationToken) -> None:
        alone = x.balanced and y.balanced and x.next_identifier == self.agent.identifier
        self.activation = [None, None]
        self.stage = ""
        if self.withdrawing:
            self.withdrawing = self.candidate = False
        elif alone:
            self.stage = "identifying"
            self.angle = 0

    def move_identification_token(self, succ: Lane) -> None:
        if self.angle is None:
            return
        angle, self.angle = self.angle + succ.agent.turn, None
        if not succ.candidate:
            succ.angle = angle
        elif angle == 6:
            succ.stage = "outer"
        else:
            assert angle == -6
            succ.stage, succ.candidate = "", False


class Agent:
    """An agent of a particle on a boundary (Section 2.1), with everything that it remembers."""

    def __init__(self, found: naive.Agent) -> None:
        self.node, self.turn, self.identifier = found.node, found.turn, found.agent_identifier
        self.pred = self.succ = self
        self.first, self.second = Lane(self), Lane(self)
        self.head = False
        self.setup: SetupToken | None = None
        self.digit: int | None = None
        self.reversed: int | None = None
        self.is_set_up = False
        self.has_created = False
        self.tokens: list[DigitToken] = []  #: at most two, the oldest first
        self.active = True
        self.difference = 0  #: of the token that it matched from its own digit
        self.coin = ""
        self.sent = [False, False]  #: its coin, with the cycle and against it
        self.coins = ["", ""]  #: those that are here, on their way with the cycle and against it
        self.stop: bool | None = None  #: the stop token: whether it has met a leader
        self.stopped = False
        self.leader = False


class System:
    """Agents on their boundaries, activated in a fresh random order each round."""

    def __init__(self, shape: Shape, seed: int, agent: Callable[[naive.Agent], Any]) -> None:
        self.draw = random.Random(seed)
        offsets = [self.draw.randrange(6) for _ in range(len(shape))]
        self.boundaries = [
            [agent(found) for found in cycle] for cycle in naive.boundaries(shape, offsets)
        ]
        for cycle in self.boundaries:
            for place, one in enumerate(cycle):
                one.pred, one.succ = cycle[place - 1], cycle[(place + 1) % len(cycle)]
        self.particles = self.grouped(shape)
        self.rounds = 0

    def grouped(self, shape: Shape) -> list[list[Any]]:
        """Return the agents of each particle: node by node, in an order of its own."""
        at: dict[Any, list[Any]] = {tuple(node): [] for node in shape.nodes.tolist()}
        for cycle in self.boundaries:
            for agent in cycle:
                at[agent.node].append(agent)
        for agents in at.values():
            self.draw.shuffle(agents)
        nodes = [tuple(node) for node in shape.nodes.tolist()]
        pairs = [[nodes[one], nodes[other]] for one, other in shape.expanded.tolist()]
        paired = {node for pair in pairs for node in pair}
        groups = pairs + [[node] for node in nodes if node not in paired]
        for group in groups:
            self.draw.shuffle(group)
        return [[agent for node in group for agent in at[node]] for group in groups]

    @property
    def outer(self) -> list[Any]:
        """The boundary that turns clockwise."""
        return next(c for c in self.boundaries if sum(agent.turn for agent in c) == 6)

    def run(self) -> tuple[str, int]:
        """Return the outcome, and the round in which it was known."""
        while True:
            self.rounds += 1
            for particle in self.draw.sample(self.particles, len(self.particles)):
                self.activate(particle)
                if outcome := self.outcome():
                    return outcome, self.rounds

    def activate(self, particle: list[Any]) -> None:
        raise NotImplementedError

    def outcome(self) -> str:
        raise NotImplementedError


class Election(System):
    """One election of the paper."""

    def __init__(self, shape: Shape, seed: int, radix: int, almost_sure: bool) -> None:
        self.radix, self.almost_sure = radix, almost_sure
        super().__init__(shape, seed, Agent)

    def outcome(self) -> str:
        """Say how it ends, as one who sees everything (Lemma 3)."""
        if any(agent.leader for cycle in self.boundaries for agent in cycle):
            return LEADER
        outer = self.outer
        if self.almost_sure or not all(agent.first.started for agent in outer):
            return ""
        heads = [place for place, agent in enumerate(outer) if agent.head]
        if not heads:
            return NO_CANDIDATES
        if any(agent.digit is None for agent in outer):
            return ""
        identifiers = []
        for place in heads:
            digits = [outer[place].digit]
            while not outer[(place + len(digits)) % len(outer)].head:
                digits.append(outer[(place + len(digits)) % len(outer)].digit)
            identifiers.append((len(digits), digits))
        return TIED if identifiers.count(max(identifiers)) > 1 else ""

    def activate(self, particle: list[Agent]) -> None:
        """Flip the coins of all its agents, then let them act one after another."""
        flips = [self.flip(agent) for agent in particle]
        for agent, use in zip(particle, flips, strict=True):
            use()
            if not (agent.stopped or agent.leader):
                self.act(agent)
            if self.almost_sure:
                self.act_second(agent)

    def flip(self, agent: Agent) -> Callable[[], None]:
        """Flip what the activation of an agent begins with; return what uses the coins."""
        heads, digit = self.draw.random() < 0.5, self.draw.randrange(self.radix)
        coin = self.draw.choice((HEADS, TAILS))
        starts = not agent.first.started
        draws = agent.setup is not None and agent.digit is None
        flips = starts or (agent.second.candidate and not agent.second.stage and not agent.coin)

        def use() -> None:
            if starts:
                self.start(agent, heads)
            elif draws and not agent.stopped:
                agent.digit = digit
            if self.almost_sure and flips and agent.second.candidate and not agent.second.stage:
                agent.coin = agent.coin or coin

        return use

    def start(self, agent: Agent, heads: bool) -> None:
        """Segment setup (Section 2.2); in the second algorithm everyone is a candidate."""
        agent.first.started = agent.second.started = True
        agent.first.candidate = agent.head = heads
        agent.second.candidate = self.almost_sure
        if heads:
            agent.setup = SetupToken([agent])

    def act(self, agent: Agent) -> None:
        """Run the phases of Section 2 once each."""
        if agent.setup:
            self.move_setup_token(agent, agent.setup)
        ready = agent.is_set_up if agent.head else agent.pred.has_created
        if not agent.has_created and ready:
            assert agent.reversed is not None
            agent.tokens.append(DigitToken(agent.reversed, delimiter=agent.succ.head))
            agent.has_created = True
        if agent.tokens and agent.pred.has_created and len(agent.pred.tokens) < 2:
            token = agent.tokens.pop(0)
            if agent.head:
                token.active, token.difference = True, 0
            self.receive(agent.pred, token)
        agent.first.act(agent.pred.first, agent.succ.first)
        agent.leader = agent.leader or agent.first.stage == "outer"

    def move_setup_token(self, agent: Agent, token: SetupToken) -> None:
        """Do the errands of this place, then take a step towards the next one."""
        if agent.digit is None:
            return
        if token.errands is None:
            if not agent.succ.first.started:
                return
            if not agent.succ.head:
                token.segment.append(agent.succ)
                token.place += 1
                agent.setup, agent.succ.setup = None, token
                return
            token.errands = errands(len(token.segment))
        while token.errands and token.errands[0][1] == token.place:
            what, _ = token.errands.pop(0)
            if what == "read":
                token.digit = agent.digit
            elif what == "store":
                agent.reversed = token.digit
        if not token.errands:
            agent.setup, agent.is_set_up = None, True
            return
        step = 1 if token.errands[0][1] > token.place else -1
        token.place += step
        agent.setup = None
        token.segment[token.place].setup = token

    def receive(self, agent: Agent, token: DigitToken) -> None:
        """Match, compare, and judge a whole sequence at the head (Section 2.4)."""
        longer = not agent.active
        match = agent.active and token.active
        if match:
            assert agent.digit is not None
            agent.active = token.active = False
            agent.difference = token.digit - agent.digit
        if token.delimiter:
            token.difference = agent.difference or token.difference
            if agent.first.candidate:
                if longer or (match and token.difference > 0):
                    agent.first.withdraw()
                elif match and token.difference == 0:
                    agent.first.start_verification()
            agent.active, agent.difference = True, 0
        agent.tokens.append(token)

    def act_second(self, agent: Agent) -> None:
        """Run the second algorithm (Appendix A.3)."""
        lane = agent.second
        if lane.candidate and agent.coin:
            self.exchange(agent)
        elif not lane.candidate:
            for way, other in ((0, agent.succ), (1, agent.pred)):
                if agent.coins[way] and not other.coins[way]:
                    other.coins[way], agent.coins[way] = agent.coins[way], ""
        lane.act(agent.pred.second, agent.succ.second)
        if lane.stage == "outer":
            lane.stage, agent.stopped, agent.stop = "stopping", True, agent.leader
        if agent.stop is not None:
            self.move_stop_token(agent.stop, agent, agent.succ)
        agent.leader = agent.leader or lane.stage == "won"

    def exchange(self, agent: Agent) -> None:
        """Send the coin both ways, and withdraw after tails between two heads."""
        for way, other in ((0, agent.succ), (1, agent.pred)):
            if not agent.sent[way] and other.second.started and not other.coins[way]:
                other.coins[way], agent.sent[way] = agent.coin, True
        if all(agent.sent) and all(agent.coins):
            loses = agent.coin == TAILS and agent.coins == [HEADS, HEADS]
            agent.coin, agent.sent, agent.coins = "", [False, False], ["", ""]
            if loses:
                agent.second.candidate = False
            else:
                agent.second.start_verification()

    def move_stop_token(self, met: bool, agent: Agent, succ: Agent) -> None:
        """Stop the first algorithm everywhere; back at its candidate, say who has won."""
        agent.stop = None
        if not succ.second.candidate:
            succ.stopped, succ.stop = True, met or succ.leader
        elif met:
            succ.second.stage, succ.second.candidate = "", False
        else:
            succ.second.stage = "won"


def errands(length: int) -> list[tuple[str, int]]:
    """Return what there is to do for the reversed copy, from the ends of a segment inwards."""
    found = []
    for front in range(length // 2):
        back = length - 1 - front
        found += [("read", back), ("store", front), ("read", front), ("store", back)]
    if length % 2:
        found += [("read", length // 2), ("store", length // 2)]
    return [*found, ("home", 0)]
