"""The paper's lemmas, watched on large runs: one small class each, over rounds of a simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import Finding
from amoebot.jit import source

from ..candidacy import CANDIDATE, IDENTIFYING, VERIFYING
from .identifier_comparison import DELIMITER, DIGIT
from .memory import COMPLETE

if TYPE_CHECKING:
    from amoebot.results import Result
    from amoebot.simulation import Simulation


def outer(simulation: Simulation) -> NDArray[Any]:
    """Return the memories of the agents on the outer boundary, in the order of the cycle."""
    return simulation.memory[: simulation.system.outer_boundary_length]


def distance_to_next(places: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return how far it is from each of some places around a cycle to the next one."""
    return np.diff(places, append=places[:1] + length) if len(places) else places


class OuterBoundaryLength:
    """Lemma 1: L ≥ √n."""

    nodes = 1

    def look(self, simulation: Simulation) -> None:
        """Nothing changes here."""
        self.nodes = len(simulation.shape)

    def finding(self, result: Result) -> Finding:
        """Compare L with the root of the number of nodes."""
        length = result.outer_boundary_length
        measured = f"L = {length} = {length / math.sqrt(self.nodes):.2f} √n"
        holds = length >= math.sqrt(self.nodes) if length else None
        return Finding("Lemma 1: L ≥ √n", measured, holds)


class LongestSegment:
    """Lemmas 2 and 5: the longest segment has at least 0.25 log n and at most O(log n) agents."""

    #: A segment of the outer boundary is longer than 3 log n with probability at most 3 / n².
    FACTOR = 3.0

    #: With high probability: on smaller systems there is nothing to say.
    FEWEST = 100

    longest = 0
    nodes = 1

    def look(self, simulation: Simulation) -> None:
        """Measure the segments once everyone has started."""
        memory = outer(simulation)
        heads = np.flatnonzero(memory["head"])
        if self.longest == 0 and len(heads) and memory["candidacy"]["role"].all():
            self.longest = int(distance_to_next(heads, len(memory)).max())
        self.nodes = len(simulation.shape)

    def finding(self, result: Result) -> Finding:
        """Compare with the logarithm of the number of particles."""
        factor = self.longest / math.log2(max(2, self.nodes))
        known = self.longest > 0 and self.nodes >= self.FEWEST
        return Finding(
            "Lemmas 2 and 5: 0.25 log n ≤ longest segment = O(log n)",
            f"{self.longest} agents = {factor:.2f} log n",
            0.25 <= factor <= self.FACTOR if known else None,
        )


class UniqueHighestIdentifier:
    """Lemma 3: one candidate's identifier is higher than all others."""

    highest = 0

    def look(self, simulation: Simulation) -> None:
        """Compare the identifiers once they are all set up."""
        memory = outer(simulation)
        if self.highest or not (memory["created"].all() and len(memory)):
            return
        heads = np.flatnonzero(memory["head"])
        sizes = distance_to_next(heads, len(memory))
        digits = np.concatenate([memory["digit"], memory["digit"]]).tobytes()
        longest = int(sizes.max())
        identifiers = [digits[head : head + longest] for head in heads[sizes == longest]]
        self.highest = identifiers.count(max(identifiers))

    def finding(self, result: Result) -> Finding:
        """Say how many share the highest identifier."""
        claim = "Lemma 3: the highest identifier is unique"
        if not self.highest:
            return Finding(claim, "identifiers were never all set up", None)
        return Finding(claim, f"held by {self.highest}", self.highest == 1)


class IdentifierSetupTime:
    """Lemma 4: a segment of length ℓ sets its identifier up in O(ℓ²) rounds."""

    #: One round to start everybody, then the token's way: out, back and forth, and home.
    FACTOR = 4.0

    def __init__(self) -> None:
        """Remember when each head was done."""
        self.factor = 0.0
        self.done: NDArray[np.bool_] | None = None

    def look(self, simulation: Simulation) -> None:
        """See which heads have completed their setup in this round."""
        memory = outer(simulation)
        complete = (memory["setup"] == COMPLETE) & (memory["head"] == 1)
        if self.done is None:
            self.done = np.zeros(len(memory), dtype=bool)
        new = complete & ~self.done
        if new.any():
            heads = np.flatnonzero(memory["head"])
            sizes = np.zeros(len(memory), dtype=np.int64)
            sizes[heads] = distance_to_next(heads, len(memory))
            self.factor = max(self.factor, float((simulation.rounds / sizes[new] ** 2).max()))
            self.done |= new

    def finding(self, result: Result) -> Finding:
        """Say the greatest number of rounds divided by ℓ²."""
        return Finding(
            "Lemma 4: identifier setup within O(ℓ²) rounds",
            f"at most {self.factor:.2f} ℓ²",
            self.factor <= self.FACTOR if self.factor else None,
        )


def digit_tokens(simulation: Simulation) -> NDArray[np.uint16]:
    """Return the digit tokens of each outer agent, a row each, in their order; 0 where none is."""
    linked = simulation.linked("algorithms.improved.identifier_comparison")
    memory = outer(simulation).view(np.recarray)
    return np.stack(source(linked.held_tokens)(memory), axis=1)


class DigitTokenSteps:
    """Lemma 6: i rounds after T, each digit token has taken at least i steps.

    Tokens never overtake each other, so their cyclic order stays that of the agents that created
    them. Between two looks they have moved by the fewest steps that lead to where they are now, if
    those are fewer than tokens of the same kind are apart. After each activation that holds for any
    boundary (``follow``); after each round (``look``), for one on which no token goes all the way
    round meanwhile and whose tokens look the same from no other place.
    """

    #: The shortest boundary that no token circles within a round.
    SHORTEST = 20
    SHORTEST_UNIFORM = 60

    def __init__(self) -> None:
        """Begin without any tokens."""
        self.steps = np.zeros(0, dtype=np.int64)  #: of each agent's token
        self.places = np.zeros(0, dtype=np.int64)  #: where each agent's token is
        self.began: int | None = None  #: T, the first round after which all tokens exist
        self.least_ahead: int | None = None

    def look(self, simulation: Simulation) -> None:
        """Compare the slowest token's steps with the rounds since T."""
        created = outer(simulation)["created"]
        uniform = simulation.scheduler == "uniform"
        if len(created) < (self.SHORTEST_UNIFORM if uniform else self.SHORTEST):
            return
        if not created.all() or self.follow(simulation) != 1:
            return
        if self.began is None:
            self.began = simulation.rounds
        ahead = int(self.steps.min()) - (simulation.rounds - self.began)
        self.least_ahead = ahead if self.least_ahead is None else min(self.least_ahead, ahead)

    def follow(self, simulation: Simulation) -> int:
        """Find every token again, and count its steps; return in how many ways that is possible.

        Call it after each activation, or after each round. There is no way once the stop token has
        ended the first algorithm, or if these are not the tokens that were created.
        """
        memory = outer(simulation)
        length = len(memory)
        if len(self.places) == 0:
            self.places, self.steps = np.arange(length), np.zeros(length, dtype=np.int64)
        if memory["frozen"].any():
            return 0
        names = np.flatnonzero(memory["created"])
        delimits = np.roll(memory["head"], -1).astype(np.uint16) * DELIMITER
        created = (memory["reversed_digit"] | delimits).astype(np.uint16)[names]
        held = digit_tokens(simulation)
        places = np.nonzero(held)[0]
        tokens = (held[held != 0] & (DIGIT | DELIMITER)).astype(np.uint16)
        ways = rotations(tokens, created)
        moved = [(self.places[names] - np.roll(places, -way)) % length for way in ways]
        if len(names) and moved:
            # Between two agents two ways are equally short, and in one of them none overtakes.
            fewest = min(moved, key=lambda way: (way.sum(), self._is_overtaken(names, way)))
            self.steps[names] += fewest
            self.places[names] = (self.places[names] - fewest) % length
        return len(ways)

    def _is_overtaken(self, names: NDArray[np.int64], moved: NDArray[np.int64]) -> bool:
        """Whether a token would pass another one by moving so far."""
        ways = names - self.steps[names] - moved
        return bool((np.diff(ways, append=ways[0] + len(self.steps)) < 0).any())

    def finding(self, result: Result) -> Finding:
        """Say how far the slowest token was ahead of one step a round."""
        claim = "Lemma 6: i rounds after T, each digit token has taken at least i steps"
        if self.least_ahead is None:
            return Finding(claim, "tokens cannot be told apart here", None)
        return Finding(claim, f"always at least {self.least_ahead} ahead", self.least_ahead >= 0)


def rotations(tokens: NDArray[np.uint16], created: NDArray[np.uint16]) -> list[int]:
    """Return by how much one sequence has to be rotated to be the other, in all ways."""
    if len(tokens) != len(created):
        return []
    twice, wanted = tokens.tobytes() * 2, created.tobytes()
    found, at = [], twice.find(wanted)
    while 0 <= at < max(1, len(wanted)):
        if at % 2 == 0:
            found.append(at // 2)
        at = twice.find(wanted, at + 1)
    return found


class SolitudeVerificationTime:
    """Lemma 7: solitude verification takes O(ℓ) rounds for an extended segment of length ℓ."""

    #: Out, and twice home (the tokens', then the activation token's way), with time to settle.
    FACTOR = 8.0

    def __init__(self) -> None:
        """Remember since when candidates verify."""
        self.since: dict[int, int] = {}
        self.factor = 0.0

    def look(self, simulation: Simulation) -> None:
        """See who verifies, and who has finished."""
        candidacy = outer(simulation)["candidacy"]
        verifying = set(np.flatnonzero(candidacy["stage"] == VERIFYING).tolist())
        finished = self.since.keys() - verifying
        if finished:
            # Who withdrew is still taken for a candidate: its segment was the extended one.
            places = np.flatnonzero(candidacy["role"] == CANDIDATE)
            places = np.union1d(places, np.array([*finished], dtype=np.int64))
            sizes = dict(zip(places, distance_to_next(places, len(candidacy)), strict=True))
            for candidate in finished:
                rounds = simulation.rounds - self.since.pop(candidate)
                self.factor = max(self.factor, rounds / float(sizes[candidate]))
        for candidate in verifying - self.since.keys():
            self.since[candidate] = simulation.rounds

    def finding(self, result: Result) -> Finding:
        """Say the greatest number of rounds divided by ℓ."""
        return Finding(
            "Lemma 7: solitude verification within O(ℓ) rounds",
            f"at most {self.factor:.2f} ℓ",
            self.factor <= self.FACTOR if self.factor else None,
        )


class BoundaryIdentificationTime:
    """Lemma 8: boundary identification takes O(L) rounds: its token moves in every round."""

    rounds = 0

    def look(self, simulation: Simulation) -> None:
        """Count the rounds in which a candidate identifies its boundary, and is not stopped."""
        memory = outer(simulation)
        identifying = (memory["candidacy"]["stage"] == IDENTIFYING).any()
        self.rounds += bool(identifying and not memory["frozen"].any())

    def finding(self, result: Result) -> Finding:
        """Compare with L."""
        length = max(1, result.outer_boundary_length)
        return Finding(
            "Lemma 8: boundary identification within L rounds",
            f"{self.rounds} rounds = {self.rounds / length:.2f} L",
            self.rounds <= length if self.rounds else None,
        )


class LeaderOutside:
    """Section 2.6: whoever leads is on the outer boundary."""

    outer_leaders = 0
    inner_leaders = 0

    def look(self, simulation: Simulation) -> None:
        """Count the agents that have declared themselves on the outer boundary and elsewhere."""
        leaders = simulation.memory["leader"] != 0
        length = simulation.system.outer_boundary_length
        self.outer_leaders = int(leaders[:length].sum())
        self.inner_leaders = int(leaders[length:].sum())

    def finding(self, result: Result) -> Finding:
        """Say where somebody declared itself."""
        measured = f"{self.outer_leaders} there, {self.inner_leaders} on inner boundaries"
        declared = self.outer_leaders + self.inner_leaders > 0
        holds = self.inner_leaders == 0 if declared else None
        return Finding("Section 2.6: a leader is on the outer boundary", measured, holds)


class LeaderTime:
    """Theorem 2: a leader within O(L) rounds."""

    #: Measured: 3 L for long boundaries; short ones pay for setup and for failed verifications.
    FACTOR, CONSTANT = 8.0, 60

    def look(self, simulation: Simulation) -> None:
        """Nothing to note: the result says it."""

    def finding(self, result: Result) -> Finding:
        """Compare with L."""
        length = max(1, result.outer_boundary_length)
        measured = f"{result.rounds} rounds = {result.rounds / length:.2f} L"
        holds = result.rounds <= self.FACTOR * length + self.CONSTANT
        return Finding(
            "Theorem 2: a leader within O(L) rounds",
            measured,
            holds if result.outcome == "leader" else None,
        )


MONITORS = (
    OuterBoundaryLength,
    LongestSegment,
    UniqueHighestIdentifier,
    IdentifierSetupTime,
    DigitTokenSteps,
    SolitudeVerificationTime,
    BoundaryIdentificationTime,
    LeaderOutside,
    LeaderTime,
)
