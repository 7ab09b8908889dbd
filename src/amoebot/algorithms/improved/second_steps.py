"""What must hold of every activation in the second algorithm: the sentences of Appendix A.3."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.jit import compiled, inlined

from ..candidacy import VERIFYING, is_candidate
from .claims import COINS_KEPT, FOLLOWS, TAILS_BETWEEN_HEADS, WINS
from .memory import HEADS, STOPPING, TAILS, WON, Second


@compiled
def end_of_stop(before: NDArray[Any], memory: NDArray[Any], agent: int) -> int:
    """Check that a candidate whose stop token is back has won, or withdraws from a leader."""
    was, now = before[agent].second.candidacy, memory[agent].second.candidacy
    if was.stage != STOPPING or now.stage == STOPPING or now.stage == WON:
        return 0
    if is_candidate(now):
        return WINS
    for other in range(len(before)):
        if before[other].leader:
            return 0
    return WINS


@compiled
def violated_by_coin(before: NDArray[Any], world: World, agent: int, particle: int) -> int:
    """Check that an agent that did not act received coins unchanged, from an agent that acted."""
    if world.particle[agent] == particle:
        return 0
    was, now = before[agent].second, world.memory[agent].second
    pred, succ = world.wiring[agent].pred, world.wiring[agent].succ
    if now.forth != was.forth:
        sent = coin_of(before[pred].second, world.memory[pred].second, before[pred].second.forth)
        if was.forth or world.particle[pred] != particle or (sent and now.forth != sent):
            return COINS_KEPT
    if now.back != was.back:
        sent = coin_of(before[succ].second, world.memory[succ].second, before[succ].second.back)
        if was.back or world.particle[succ] != particle or (sent and now.back != sent):
            return COINS_KEPT
    return 0


@inlined
def coin_of(was: Second, now: Second, relayed: int) -> int:
    """Return the coin that an agent sends, its own or a relayed one; 0 if that is not known.

    It is not if the agent flipped or got it in the same step, and has it no more.
    """
    if not is_candidate(was.candidacy):
        return relayed
    return was.coin or now.coin


@compiled
def end_of_iteration(was: Second, now: Second) -> int:
    """Check who withdraws after coins were exchanged; one flipped just now is not known."""
    mine, then = was.candidacy, now.candidacy
    if not is_candidate(mine) or mine.stage:
        return 0
    between_heads = was.forth == HEADS and was.back == HEADS
    if not is_candidate(then):
        return 0 if between_heads and was.coin != HEADS else TAILS_BETWEEN_HEADS
    ended = was.forth != 0 and was.back != 0 and now.forth == 0 and now.back == 0
    if ended != (then.stage != 0):
        return FOLLOWS
    lost = then.stage == VERIFYING and between_heads and was.coin == TAILS
    return TAILS_BETWEEN_HEADS if lost else 0
