"""The paper's lemmas, watched on large runs: one small class each, over rounds of a simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.description import Finding

from .identifier_comparison import DELIMITER, DIGIT
from .memory import CANDIDATE, COMPLETE, IDENTIFYING, VERIFYING

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


class DigitTokenSteps:
    """Lemma 6: i rounds after T, each digit token has taken at least i steps.

    Tokens never overtake each other, and with a unique highest identifier their cyclic sequence
    looks the same from no other place: so each token is recognised by its place in it. Its steps
    are counted up to full circles, so on a boundary that a token might circle within a round there
    is nothing to say.
    """

    #: The shortest boundary that no token circles within a round.
    SHORTEST = 20
    SHORTEST_UNIFORM = 60

    def __init__(self) -> None:
        """Begin to look when all tokens exist."""
        self.began: int | None = None
        self.least_ahead: int | None = None

    def look(self, simulation: Simulation) -> None:
        """Find every token again, and count its steps."""
        memory = outer(simulation)
        length = len(memory)
        uniform = simulation.scheduler == "uniform"
        if length < (self.SHORTEST_UNIFORM if uniform else self.SHORTEST):
            return
        if not memory["created"].all() or memory["frozen"].any():
            return  # not yet, or no longer: the stop token ends the first algorithm
        held = simulation.digit_tokens[:length]
        places, held = np.nonzero(held)[0], held.ravel()
        tokens = (held[held != 0] & (DIGIT | DELIMITER)).astype(np.uint16)
        if self.began is None:
            delimits = np.roll(memory["head"], -1).astype(np.uint16) * DELIMITER
            self.created = (memory["reversed_digit"] | delimits).astype(np.uint16).tobytes()
            self.began, self.steps = simulation.rounds, np.zeros(length, dtype=np.int64)
        if (self.created * 2).find(self.created, 2) < len(self.created):
            return
        twice = tokens.tobytes() * 2
        shift = twice.find(self.created)
        while shift > 0 and shift % 2:
            shift = twice.find(self.created, shift + 1)
        if shift < 0:
            return  # these are not the tokens that were created
        taken = (np.arange(length) - np.roll(places, -(shift // 2))) % length
        self.steps += (taken - self.steps) % length
        ahead = int(self.steps.min()) - (simulation.rounds - self.began)
        self.least_ahead = ahead if self.least_ahead is None else min(self.least_ahead, ahead)

    def finding(self, result: Result) -> Finding:
        """Say how far the slowest token was ahead of one step a round."""
        claim = "Lemma 6: i rounds after T, each digit token has taken at least i steps"
        if self.least_ahead is None:
            return Finding(claim, "tokens cannot be told apart here", None)
        return Finding(claim, f"always at least {self.least_ahead} ahead", self.least_ahead >= 0)


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
    LeaderTime,
)
