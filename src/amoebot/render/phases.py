"""Which of the paper's phases a run is in, as seen on the outer boundary.

The phases are not synchronized: this names the one that the election waits for.
"""

from __future__ import annotations

from collections.abc import Mapping

from amoebot.simulation import Simulation

(
    BOUNDARY_SETUP,
    SEGMENT_SETUP,
    IDENTIFIER_SETUP,
    IDENTIFIER_COMPARISON,
    SOLITUDE_VERIFICATION,
    BOUNDARY_IDENTIFICATION,
    TERMINATION,
    DONE,
) = range(8)

#: The milestone with which each phase ends, in the order of the phases.
ENDS = {
    IDENTIFIER_SETUP: "digit_tokens_created",
    IDENTIFIER_COMPARISON: "last_rival_gone",
    SOLITUDE_VERIFICATION: "boundary_identification",
    BOUNDARY_IDENTIFICATION: "leader_declared",
}


def phase(simulation: Simulation) -> int:
    """Return the phase that a run is in."""
    if simulation.finished:
        return DONE
    if simulation.outcome == "leader":
        return TERMINATION
    if simulation.activations == 0:
        return BOUNDARY_SETUP
    if simulation.rounds == 0:
        return SEGMENT_SETUP
    return phase_after(simulation.milestones)


def phase_after(milestones: Mapping[str, int | None]) -> int:
    """Return the phase of a run after its first round, before its leader."""
    if milestones["stop_token_sent"]:
        return BOUNDARY_IDENTIFICATION
    for number, end in reversed(ENDS.items()):
        if milestones[end]:
            return number + 1
    return IDENTIFIER_SETUP


def bands(milestones: Mapping[str, int | None], rounds: int) -> list[tuple[int, int, int]]:
    """Return the phases of a whole run as (phase, first round, last round)."""
    found, start = [(SEGMENT_SETUP, 0, min(1, rounds))], 1
    declared = milestones["leader_declared"]
    for number, name in ENDS.items():
        # A phase that has not ended is the last one; with a stop token others may be left out.
        end = milestones[name] or declared or rounds
        if end > start:
            found.append((number, start, end))
            start = end
        if not milestones[name]:
            break
    if declared and rounds > declared:
        found.append((TERMINATION, declared, rounds))
    return found
