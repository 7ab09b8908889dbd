"""Boundary setup (Section 2.1): an agent notes what its particle sees of the boundary here.

Which agents there are and how they are bonded follows from the particles' ports alone, and never
changes: the system layer wires it once. What is left to do at run time is one local note.
"""

from __future__ import annotations

import numpy as np

from amoebot.algorithms.interface import View
from amoebot.jit import rule

from .candidacy import Candidacy


@rule
def set_up_boundary(me: Candidacy, view: View) -> None:
    """Note the turn that the boundary takes here and which of its particle's agents this is.

    An empty sequence of k nodes between predecessor and successor turns the cycle by k − 2 times
    60 degrees (Figure 5): a straight line has two empty nodes on its outside.
    """
    me.turn = int(np.int64(view.empty) - 2)
    me.agent_identifier = view.agent_identifier
