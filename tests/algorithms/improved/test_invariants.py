"""What holds after every single activation, whatever the schedule."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from amoebot import Simulation, shapes
from amoebot.algorithms.improved.monitors import DigitTokenSteps
from amoebot.shapes import Shape
from amoebot.system import Boundary
from helpers import looking, naive
from helpers.full import FULL
from helpers.naive import SCHEDULERS, VARIANTS

pytestmark = pytest.mark.compiled

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")
RING = shapes.annulus(1, 0)
SMALL = (shapes.line(2), shapes.line(3), shapes.triangle(2), STAR, RING)
RUNS = 200 if FULL else 8  # for each scheduler and variant
SCHEDULES = (*SCHEDULERS, "by hand")


@dataclass
class Before:
    """What a moment looked like, to compare the next one with."""

    candidates: np.ndarray
    second_candidates: np.ndarray
    created: np.ndarray
    frozen: np.ndarray
    leaders: list[int]
    terminated: np.ndarray
    started: np.ndarray
    identifying: np.ndarray
    stopping: list[int]


def small_shapes(key: str) -> Iterator[tuple[Shape, int, int]]:
    """Yield shapes, seeds and radices."""
    draw = random.Random(key)
    for run in range(RUNS):
        seed = draw.randrange(2**64)
        if run % 2:
            shape = draw.choice(SMALL)
        else:
            shape = naive.some_shape(draw.randrange(2**32), 2, 14, expanded=run % 4 == 2)
        yield shape, seed, draw.choice((2, 3, 16))


def schedule(name: str, shape: Shape, seed: int) -> str | Iterator[int]:
    return naive.bursts(shape, seed) if name == "by hand" else name


@pytest.mark.paper("Section 2.4", "Section 2.5", "Appendix A.3")
@pytest.mark.slow
@pytest.mark.parametrize(("almost_sure", "terminate"), VARIANTS)
@pytest.mark.parametrize("scheduler", SCHEDULES)
def test_invariants_hold_after_every_activation(
    scheduler: str, almost_sure: bool, terminate: bool
) -> None:
    # A system of 14 particles is over within a few hundred rounds.
    for shape, seed, radix in small_shapes(f"{scheduler} {almost_sure} {terminate}"):
        simulation = Simulation(
            shape,
            seed,
            schedule(scheduler, shape, seed),
            almost_sure=almost_sure,
            terminate=terminate,
            radix=radix,
        )
        if simulation.system.agents == 0:
            continue
        tokens = naive.digit_tokens(*naive.coins(simulation.system, seed, radix))
        before = look(simulation)
        further = 10 * simulation.system.outer_boundary_length
        while not simulation.finished or (not terminate and further > 0):
            assert simulation.rounds < naive.TOO_LONG // 10
            further -= simulation.finished
            simulation.step()
            check_digit_tokens(simulation, before, tokens)
            check_solitude(simulation, second=False)
            if almost_sure:
                check_solitude(simulation, second=True)
                check_second(simulation, before)
            check_what_is_never_undone(simulation, before)
            before = look(simulation)


def look(simulation: Simulation) -> Before:
    memory = simulation.memory
    return Before(
        looking.candidates(memory).copy(),
        looking.candidates(memory, second=True).copy(),
        looking.has_created(memory).copy(),
        looking.frozen(memory).copy(),
        looking.leaders(memory),
        looking.terminated(simulation).copy(),
        looking.started(memory).copy(),
        looking.identifying(memory, second=True).copy(),
        looking.stopping(memory),
    )


def check_digit_tokens(
    simulation: Simulation, before: Before, tokens: list[tuple[int, bool]]
) -> None:
    """At most two at an agent; none lost, none too many; always in the same cyclic order."""
    memory = simulation.memory
    held, created = looking.digit_tokens_held(memory), looking.has_created(memory)
    assert held.max() <= 2
    assert looking.no_gap_before_newest(memory)
    assert (created >= before.created).all()
    assert (held[~created] == 0).all()
    for boundary in simulation.system.boundaries:
        on_boundary = slice(boundary.first, boundary.first + boundary.length)
        assert held[on_boundary].sum() == created[on_boundary].sum()
    outer = simulation.system.boundaries[0]
    if created[: outer.length].any():
        made = [token for token, has in zip(tokens, created, strict=False) if has]
        assert is_rotation(sequence(memory, outer), made)


def sequence(memory: np.ndarray, boundary: Boundary) -> list[tuple[int, bool]]:
    """Read the digit tokens along the cycle; the oldest of an agent is the one in front."""
    return [
        (digit, delimiter)
        for agent in boundary.agents
        for digit, _, delimiter in looking.digit_tokens(memory, agent)
    ]


def is_rotation(one: list[tuple[int, bool]], other: list[tuple[int, bool]]) -> bool:
    return len(one) == len(other) and any(
        one == other[first:] + other[:first] for first in range(len(other))
    )


def check_solitude(simulation: Simulation, second: bool) -> None:
    """At most two tokens of a sign; nothing left where no verification is under way."""
    memory = simulation.memory
    held, settled = looking.sign_tokens(memory, second)
    assert held.max() <= 2
    assert (settled <= held).all()
    candidates = looking.candidates(memory, second)
    busy = looking.busy(memory, second)
    activation = looking.activation_tokens(memory, second)
    assert not (busy & ~candidates).any()
    something = np.logical_or(held.any(axis=(0, 1)), activation.any(axis=0))
    # Both axes walk out together, and so turn round before the same candidate.
    outward_x, outward_y = looking.outward_tokens(memory, second)
    assert (outward_x == outward_y).all()
    for boundary in simulation.system.boundaries:
        for candidate, agents in extended_segments(boundary, candidates):
            if not busy[candidate]:
                assert not something[agents].any()
            assert (activation[:, agents].sum(axis=1) <= 1).all()
        identification = looking.identification_tokens(memory, second)[list(boundary.agents)]
        assert identification.sum() <= 1
        if identification.any():
            assert candidates[list(boundary.agents)].sum() == 1


def extended_segments(
    boundary: Boundary, candidates: np.ndarray
) -> Iterator[tuple[int, list[int]]]:
    """Yield each candidate with the agents from it up to the next one."""
    agents = list(boundary.agents)
    for place, candidate in enumerate(agents):
        if not candidates[candidate]:
            continue
        segment = [candidate]
        for other in agents[place + 1 :] + agents[:place]:
            if candidates[other]:
                break
            segment.append(other)
        yield candidate, segment


def check_second(simulation: Simulation, before: Before) -> None:
    """Never is the last candidate lost to a coin, and no coin is lost or made of nothing."""
    memory = simulation.memory
    candidates = looking.candidates(memory, second=True)
    for boundary in simulation.system.boundaries:
        agents = list(boundary.agents)
        if not looking.started(memory, second=True)[agents].all():
            continue
        if before.second_candidates[agents].any() and not candidates[agents].any():
            (last,) = (agent for agent in agents if before.second_candidates[agent])
            if boundary.outer:
                # A stop token goes all the way round at once where one particle is all agents.
                assert last in before.stopping or simulation.system.particles == 1
                assert looking.leaders(memory) != []
            else:
                assert before.identifying[last]
        check_coins(simulation, agents)


def check_coins(simulation: Simulation, agents: list[int]) -> None:
    """Between two candidates are the coins that one has sent and the other not yet used."""
    memory = simulation.memory
    candidates = [agent for agent in agents if looking.candidates(memory, second=True)[agent]]
    in_use = looking.coins_in_use(memory)
    flips = looking.flips(simulation)
    used = flips - in_use
    sent_forth, sent_back = (
        flips - (in_use & ~sent).astype(int) for sent in looking.coins_sent(memory)
    )
    forth, back = looking.coins_waiting(memory)
    for place, after in enumerate(candidates):
        before = candidates[place - 1]
        assert abs(flips[before] - flips[after]) <= 1
        stretch = between(agents, before, after)
        assert forth[[*stretch, after]].sum() == sent_forth[before] - used[after]
        assert back[[before, *stretch]].sum() == sent_back[after] - used[before]
        assert 0 <= sent_forth[before] - used[after] <= 2


def between(agents: list[int], before: int, after: int) -> list[int]:
    """Return the agents strictly between two, with the cycle; all others if they are one."""
    first = agents.index(before) + 1
    turned = agents[first:] + agents[:first]
    return turned[: turned.index(after)]


def check_what_is_never_undone(simulation: Simulation, before: Before) -> None:
    """Nobody enters the race late, returns to it, or takes back what it declared."""
    memory = simulation.memory
    started = before.started
    assert not (looking.candidates(memory) & ~before.candidates)[started].any()
    assert not (looking.candidates(memory, True) & ~before.second_candidates)[started].any()
    assert (looking.started(memory) >= started).all()
    assert (looking.frozen(memory) >= before.frozen).all()
    assert (looking.terminated(simulation) >= before.terminated).all()
    assert set(before.leaders) <= set(looking.leaders(memory))
    assert len(looking.leaders(memory)) <= 1
    inner = [agent for b in simulation.system.boundaries[1:] for agent in b.agents]
    assert not looking.frozen(memory)[inner].any()


@pytest.mark.paper("Lemma 6")
@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULES)
def test_digit_tokens_take_a_step_each_round(scheduler: str) -> None:
    """Lemma 6: at the beginning of round T + i each digit token has taken i steps or more."""
    for shape, seed, radix in small_shapes(scheduler):
        simulation = Simulation(
            shape,
            seed,
            schedule(scheduler, shape, seed),
            almost_sure=False,
            terminate=False,
            radix=radix,
        )
        length = simulation.system.outer_boundary_length
        if simulation.system.particles == 1 or not any(naive.coins(simulation.system, seed, 2)[0]):
            continue
        tokens = DigitTokenSteps()
        while not looking.has_created(simulation.memory)[:length].all():
            assert simulation.rounds < naive.TOO_LONG
            follow_round(tokens, simulation)
        for rounds in range(1, 4 * length):
            follow_round(tokens, simulation)
            if looking.leaders(simulation.memory):
                break  # a leader forwards no more tokens
            assert tokens.steps.min() >= rounds


@pytest.mark.paper("Theorem 2")
def test_a_later_lap_of_a_digit_token_can_take_longer_than_the_first() -> None:
    """Lemma 6 counts from T. A token that has run ahead since then may wait: a lap takes 1.5 L."""
    simulation = Simulation(
        shapes.parallelogram(2, 2), seed=1, almost_sure=False, terminate=False, radix=2
    )
    particle = simulation.system.particle  # of each agent, of which there is one a particle
    tokens = DigitTokenSteps()
    while not looking.has_created(simulation.memory).all():
        follow_round(tokens, simulation)
    began = simulation.rounds
    activate(simulation, tokens, particle[[0, 1, 2, 1, 3]])
    assert looking.digit_tokens_held(simulation.memory).tolist() == [2, 0, 1, 1]
    before = tokens.steps.copy()
    for rounds in range(1, 6):
        activate(simulation, tokens, particle[[0, 1, 2, 3]])
        assert simulation.rounds - began == 1 + rounds
        assert tokens.steps.min() >= 1 + rounds
        assert ((tokens.steps - before).min() >= 4) == (rounds == 5)  # and not in L = 4 rounds
    assert simulation.leader is None


def activate(simulation: Simulation, tokens: DigitTokenSteps, particles: np.ndarray) -> None:
    """Activate particles by hand, and find every token again after each of them."""
    for particle in particles.tolist():
        simulation.activate(particle)
        assert tokens.follow(simulation) > 0


def follow_round(tokens: DigitTokenSteps, simulation: Simulation) -> None:
    """Run a round, activation by activation; every token is found again after each of them."""
    rounds = simulation.rounds
    held = looking.digit_tokens_held(simulation.memory)
    while simulation.rounds == rounds:
        simulation.step()
        steps = tokens.steps.sum()
        assert tokens.follow(simulation) > 0
        now = looking.digit_tokens_held(simulation.memory)
        # Whoever has one less has forwarded it, by one step.
        assert tokens.steps.sum() - steps >= (held > now)[: len(tokens.steps)].sum()
        held = now
    length = len(tokens.steps)
    held_by = np.bincount(tokens.places[looking.has_created(simulation.memory)[:length]])
    assert held_by.tolist() == np.trim_zeros(held[:length], "b").tolist()
