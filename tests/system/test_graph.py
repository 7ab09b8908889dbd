"""A system as a graph for other tools."""

from __future__ import annotations

from pathlib import Path

import networkx

from amoebot import shapes
from amoebot.system import build
from helpers.command import ask


def test_a_graph_has_a_vertex_for_each_particle_and_an_edge_for_each_bond() -> None:
    graph = build(shapes.hexagon(1)).graph()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (7, 12)
    assert sorted((data["x"], data["y"]) for _, data in graph.nodes(data=True)) == sorted(
        map(tuple, shapes.hexagon(1).nodes.tolist())
    )


def test_an_expanded_particle_is_one_vertex() -> None:
    shape = shapes.line(4).with_expanded(1, seed=1)
    system = build(shape)
    graph = system.graph()
    assert graph.number_of_nodes() == system.particles < 4
    assert networkx.is_connected(graph)
    assert any("second_x" in data for _, data in graph.nodes(data=True))


def test_the_command_writes_graphml(tmp_path: Path) -> None:
    file = tmp_path / "ring.graphml"
    assert ask("shapes", "annulus:3,1", "-o", str(file), "--json").status == 0
    graph = networkx.read_graphml(file, node_type=int)
    assert graph.number_of_nodes() == len(shapes.annulus(3, 1))
