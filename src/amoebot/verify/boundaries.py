"""One boundary without the others, for elections whose agents know nothing but their ring.

An agent reads and writes its own memory and those of its two neighbours, which are on the same
boundary, and its coins are its own. So what happens on a boundary depends on no other one: if a
schedule is run on the whole system, the boundary goes through the same memories as if its agents
were the only ones, and every schedule of it alone is one of the whole system. Activations of
particles that have no agent on it change nothing there, so a fair schedule of the one is fair to
the other. Two agents of a particle that are on different boundaries can be run in any order.
What holds on each boundary alone holds on all of them together, if nothing else passes from one to
another, as the termination message does.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from amoebot.system import Boundary, System


def alone(system: System, number: int) -> System:
    """Return the system with the agents of one boundary only; the outer one may be left empty."""
    boundary = system.boundaries[number]
    agents = boundary.agents
    wiring = system.wiring[agents.start : agents.stop].copy()
    wiring["pred"] -= boundary.first
    wiring["succ"] -= boundary.first
    wiring["sibling"] = -1
    first = np.full_like(system.first_agent, -1)
    for particle in range(system.particles):
        own = [agent - boundary.first for agent in system.agents_of(particle) if agent in agents]
        first[particle] = own[0] if own else -1
        for one, other in pairwise(own):
            wiring["sibling"][one] = other
    kept = replace(boundary, first=0)
    return replace(
        system,
        node=system.node[agents.start : agents.stop],
        wiring=wiring,
        first_agent=first,
        boundaries=(kept,) if boundary.outer else (Boundary(0, 0, 6), kept),
    )
