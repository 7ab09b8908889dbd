"""The memory of a node: one of four states."""

from __future__ import annotations

from typing import Annotated

from amoebot.algorithms.records import BYTE, Record

# state: a particle starts out as null, and ends as eroded or as the leader.
NULL, CANDIDATE, ERODED, LEADER = 0, 1, 2, 3

ON_NODES = True


class Node(Record):
    """The memory of one node."""

    state: Annotated[int, BYTE, "null, candidate, eroded or leader"]
    leader: Annotated[int, BYTE, "has told its particle to be the leader"]


#: The record that the engine keeps for each node.
Memory = Node
