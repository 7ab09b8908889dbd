"""Shapes as JSON: an object with the lists ``nodes``, ``expanded`` and ``offsets``.

A node is ``[x, y]``, an expanded particle a pair of nodes, an offset a number from 0 to 5. The
nodes of expanded particles may be among the nodes or not. The offsets are those of the nodes,
then those of the expanded particles' nodes that were not among them, in the order of the file.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

from amoebot.shapes.errors import ShapeError, brief
from amoebot.shapes.shape import FARTHEST, Shape

_KEYS = ("nodes", "expanded", "offsets")

Node = tuple[int, int]


def read(content: bytes, name: str) -> Shape:
    """Return the shape that a JSON document describes."""
    try:
        return _shape(_lists(_document(content)), name)
    except RecursionError:
        raise ShapeError("the brackets are nested too deeply") from None


def document(shape: Shape) -> str:
    """Return the JSON document that describes a shape."""
    fields = {"nodes": shape.nodes.tolist()}
    if len(shape.expanded):
        fields["expanded"] = shape.nodes[shape.expanded].tolist()
    if shape.offsets is not None:
        fields["offsets"] = shape.offsets.tolist()
    return json.dumps(fields) + "\n"


def _document(content: bytes) -> object:
    """Return what a JSON document holds."""
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise ShapeError(f"this is not a text file (see byte {error.start + 1:,})") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ShapeError(f"{error.msg[0].lower()}{error.msg[1:]}", place) from None
    except ShapeError:  # it is a ValueError too, and has more to say
        raise
    except ValueError:
        raise ShapeError("a number has too many digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, if each is there once."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ShapeError("a key is given twice")
    return fields


def _lists(fields: object) -> dict[str, list[Any]]:
    """Return the fields of a document, if they are those of a shape and hold lists."""
    if not isinstance(fields, dict):
        raise ShapeError('expected an object {"nodes": [[x, y], ...]}')
    if "shape" in fields:
        raise ShapeError("this is a run file, which amoebot view, draw and film take")
    for key, value in fields.items():
        if key not in _KEYS:
            raise ShapeError(f'unknown key "{brief(key)}"; expected {", ".join(_KEYS)}')
        if not isinstance(value, list):
            raise ShapeError(f'"{key}" must be a list, not {brief(json.dumps(value))}')
    if "nodes" not in fields:
        raise ShapeError('the key "nodes" is missing')
    return fields


def _shape(fields: dict[str, list[Any]], name: str) -> Shape:
    """Return the shape of the lists in a document."""
    nodes = [_node(entry, f'entry {i} of "nodes"') for i, entry in enumerate(fields["nodes"], 1)]
    pairs = [_pair(entry, i) for i, entry in enumerate(fields.get("expanded", []), 1)]
    expanded = _numbered(pairs, nodes)
    offsets = fields.get("offsets")
    if offsets is not None:
        _refuse_bad_offsets(offsets, len(nodes))
    return Shape(nodes, expanded, offsets, name)


def _numbered(pairs: list[tuple[Node, Node]], nodes: list[Node]) -> list[tuple[int, int]]:
    """Return the pairs as numbers of nodes, after adding those that the nodes do not list yet."""
    listed = len(nodes)
    index = {node: number for number, node in enumerate(nodes)}
    for node in chain.from_iterable(pairs):
        if index.setdefault(node, len(nodes)) == len(nodes):
            nodes.append(node)
    expanded = [(index[first], index[second]) for first, second in pairs]
    for entry, (first, second) in enumerate(expanded, 1):
        if (first < listed) != (second < listed):
            raise ShapeError(
                f'entry {entry} of "expanded" overlaps another particle: of {nodes[first]} and '
                f"{nodes[second]}, only one is among the nodes"
            )
    return expanded


def _node(entry: object, where: str) -> Node:
    """Return an entry as a node, if it is one."""
    # Exactly int: in Python, true and false are integers too.
    if not isinstance(entry, list) or [type(value) for value in entry] != [int, int]:
        raise ShapeError(
            f"{where} must be a pair of whole numbers [x, y], not {brief(json.dumps(entry))}"
        )
    if max(map(abs, entry)) > FARTHEST:
        raise ShapeError(f"{where} lies farther than 2^30 from the origin")
    return entry[0], entry[1]


def _pair(entry: object, number: int) -> tuple[Node, Node]:
    """Return an entry as the two nodes of an expanded particle, if it is such."""
    where = f'entry {number} of "expanded"'
    if not isinstance(entry, list) or len(entry) != 2:
        raise ShapeError(
            f"{where} must be a pair of nodes [[x, y], [x, y]], not {brief(json.dumps(entry))}"
        )
    return _node(entry[0], f"each node in {where}"), _node(entry[1], f"each node in {where}")


def _refuse_bad_offsets(offsets: list[Any], nodes: int) -> None:
    if len(offsets) != nodes:
        raise ShapeError(
            f'expected one entry of "offsets" for each node: {nodes:,}, not {len(offsets):,}'
        )
    for number, offset in enumerate(offsets, 1):
        if type(offset) is not int or not 0 <= offset <= 5:
            raise ShapeError(
                f'entry {number} of "offsets" must be a whole number from 0 to 5, '
                f"not {brief(json.dumps(offset))}"
            )
