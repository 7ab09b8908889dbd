"""Agents and boundaries: by hand on small systems, against the definition on random ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amoebot.shapes import Shape, hexagon, line, parse
from amoebot.system import System, build
from helpers import naive
from helpers.naive import Node

# The first example compiles.
unhurried = settings(deadline=None)


def make(nodes: list[Node], expanded: list[tuple[int, int]] | None = None) -> System:
    """Build a system in which port 0 of every node faces right."""
    shape = Shape(nodes, expanded or (), offsets=np.zeros(len(nodes), dtype=int))
    return build(shape)


def lengths(system: System) -> list[int]:
    return [boundary.length for boundary in system.boundaries]


def cycles(system: System) -> list[list[tuple[Node, int, int]]]:
    """Follow the successors from the first agent of each boundary: (node, turn, identifier)."""
    found = []
    for boundary in system.boundaries:
        agent, cycle = boundary.first, []
        for _ in range(boundary.length):
            x, y = system.shape.nodes[system.node[agent]].tolist()
            wires = system.wiring[agent]
            cycle.append(((x, y), int(wires["empty"]) - 2, int(wires["agent_identifier"])))
            agent = int(wires["succ"])
        assert agent == boundary.first
        found.append(cycle)
    return found


def rotated(cycle: list[tuple[Node, int, int]], first: Node) -> list[tuple[Node, int, int]]:
    """Let a cycle begin with the first agent of a node that has only one."""
    (start,) = (i for i, (node, _, _) in enumerate(cycle) if node == first)
    return cycle[start:] + cycle[:start]


def ring(centre: Node) -> list[Node]:
    return [naive.step(centre, direction) for direction in range(6)]


@pytest.mark.paper("Section 2.1")
def test_one_particle_has_no_agent_and_no_boundary() -> None:
    system = make([(5, -3)])
    assert (system.particles, system.agents, system.outer_boundary_length) == (1, 0, 0)
    assert system.boundaries == ()
    assert system.first_agent.tolist() == [-1]
    assert system.agents_of(0) == []


def test_two_particles_are_each_others_predecessor_and_successor() -> None:
    system = make([(0, 0), (1, 0)])
    assert cycles(system) == [[((0, 0), 3, 1), ((1, 0), 3, 1)]]
    assert system.wiring["pred"].tolist() == [1, 0]
    assert system.wiring["succ"].tolist() == [1, 0]
    assert [(b.length, b.turns, b.outer) for b in system.boundaries] == [(2, 6, True)]


def test_the_middle_of_a_line_of_three_has_two_agents_on_one_boundary() -> None:
    system = make([(0, 0), (1, 0), (2, 0)])
    (cycle,) = cycles(system)
    # Clockwise around the line: along its upper side to the right, and back along its lower side.
    # The upper agent's predecessor lies to the left, at port 3; the lower one's at port 0.
    assert rotated(cycle, (0, 0)) == [
        ((0, 0), 3, 1),
        ((1, 0), 0, 2),
        ((2, 0), 3, 1),
        ((1, 0), 0, 1),
    ]
    assert [len(system.agents_of(particle)) for particle in range(3)] == [1, 2, 1]


@pytest.mark.paper("Figure 5")
def test_a_triangle_turns_by_120_degrees_at_each_corner() -> None:
    system = make([(0, 0), (1, 0), (0, 1)])
    (cycle,) = cycles(system)
    assert rotated(cycle, (0, 0)) == [((0, 0), 2, 1), ((0, 1), 2, 1), ((1, 0), 2, 1)]


@pytest.mark.paper("Figure 2")
def test_the_centre_of_a_star_has_three_agents_on_one_boundary() -> None:
    # The arms lie in directions 0, 2 and 4: right, lower left, upper left.
    system = make([(0, 0), (1, 0), (0, -1), (-1, 1)])
    (cycle,) = cycles(system)
    # From an arm back to the centre and on to the arm that comes next clockwise.
    assert rotated(cycle, (1, 0)) == [
        ((1, 0), 3, 1),
        ((0, 0), -1, 1),
        ((0, -1), 3, 1),
        ((0, 0), -1, 2),
        ((-1, 1), 3, 1),
        ((0, 0), -1, 3),
    ]
    assert system.boundaries[0].turns == 6
    centre = int(system.particle_of_node[system.shape.nodes.tolist().index([0, 0])])
    identifiers = system.wiring["agent_identifier"][system.agents_of(centre)]
    assert sorted(identifiers.tolist()) == [1, 2, 3]


def test_a_ring_of_six_has_a_boundary_on_each_side() -> None:
    system = make(ring((0, 0)))
    assert lengths(system) == [6, 6]
    outer, inner = cycles(system)
    # The outer boundary is clockwise, the inner one is not.
    assert [node for node, _, _ in rotated(outer, (1, 0))] == ring((0, 0))
    assert [node for node, _, _ in rotated(inner, (1, 0))] == [(1, 0), *ring((0, 0))[:0:-1]]
    assert {turn for _, turn, _ in outer} == {1}
    assert {turn for _, turn, _ in inner} == {-1}
    identifiers = {
        (side, node): identifier
        for side, cycle in (("outer", outer), ("inner", inner))
        for node, _, identifier in cycle
    }
    # The node in direction d has its outer predecessor at port d + 4 and its inner one at d + 2,
    # modulo 6: at 4 and 2, 5 and 3, 0 and 4, 1 and 5, 2 and 0, 3 and 1.
    assert [identifiers["outer", node] for node in ring((0, 0))] == [2, 2, 1, 1, 2, 2]
    assert [identifiers["inner", node] for node in ring((0, 0))] == [1, 1, 2, 2, 1, 1]


@pytest.mark.paper("Figure 3")
def test_two_holes_make_two_inner_boundaries() -> None:
    # Two rings of six that share one edge: ten nodes in all.
    system = make(sorted(set(ring((0, 0)) + ring((2, -1)))))
    assert (system.particles, lengths(system)) == (10, [10, 6, 6])
    assert [b.turns for b in system.boundaries] == [6, -6, -6]
    assert [len(set(cycle)) for cycle in cycles(system)] == [10, 6, 6]
    # The two shared nodes look at all three empty regions.
    three = [p for p in range(10) if len(system.agents_of(p)) == 3]
    assert [system.nodes_of(p)[0] for p in three] == [(1, -1), (1, 0)]


def test_nested_shapes_have_boundaries_inside_one_another() -> None:
    # A ring of six within a ring of radius 3, connected by one bridge of one node.
    outside = [node for node in hexagon(3).nodes.tolist() if distance(node) == 3]
    system = make([(x, y) for x, y in outside] + ring((0, 0)) + [(2, 0)])
    assert system.particles == 18 + 6 + 1
    outer, *inner = system.boundaries
    assert (outer.length, outer.turns) == (18, 6)
    assert sorted(boundary.length for boundary in inner) == [6, 6 + 18 + 2]
    assert [boundary.turns for boundary in inner] == [-6, -6]


def distance(node: list[int]) -> int:
    x, y = node
    return max(abs(x), abs(y), abs(x + y))


@pytest.mark.paper("Appendix A.1", "Figure 1")
def test_an_expanded_particle_runs_the_agents_of_both_its_nodes() -> None:
    system = make([(0, 0), (1, 0), (2, 0)], expanded=[(0, 1)])
    assert system.particles == 2
    assert system.outer_boundary_length == 4  # that of the simulated contracted system
    assert [len(system.agents_of(particle)) for particle in range(2)] == [3, 1]
    assert system.nodes_of(0) == ((0, 0), (1, 0))
    assert system.nodes_of(1) == ((2, 0),)
    assert system.nodes_of_particles().tolist() == [[0, 1], [2, -1]]
    assert make([(0, 0), (1, 0)], expanded=[(0, 1)]).outer_boundary_length == 2


shapes_with_offsets = st.tuples(st.integers(0, 2**32), st.integers(0, 2**32), st.booleans())


@pytest.mark.paper("Section 2.1", "Figure 2", "Figure 3")
@unhurried
@given(shapes_with_offsets)
def test_agents_and_links_are_those_of_the_definition(drawn: tuple[int, int, bool]) -> None:
    shape_seed, seed, expanded = drawn
    shape = naive.some_shape(shape_seed, 2, 60, expanded)
    system = build(shape, seed)
    nodes = [tuple(node) for node in shape.nodes.tolist()]
    expected = naive.boundaries(shape, system.offsets.tolist())
    outside = naive.outer_region(set(nodes))

    assert system.agents == sum(len(cycle) for cycle in expected)
    assert sorted(b.length for b in system.boundaries) == sorted(map(len, expected))
    name = [
        (nodes[node], int(identifier))
        for node, identifier in zip(system.node, system.wiring["agent_identifier"], strict=True)
    ]
    number = {agent: i for i, agent in enumerate(name)}
    assert len(number) == system.agents
    for cycle in expected:
        mine = [number[agent.node, agent.agent_identifier] for agent in cycle]
        turns = sum(agent.turn for agent in cycle)
        (boundary,) = (b for b in system.boundaries if mine[0] in b.agents)
        assert sorted(mine) == list(boundary.agents)
        assert turns == boundary.turns == (6 if cycle[0].empty[0] in outside else -6)
        assert boundary.outer == (boundary.first == 0) == (turns == 6)
        for place, (me, agent) in enumerate(zip(mine, cycle, strict=True)):
            assert system.wiring["succ"][me] == mine[(place + 1) % len(mine)]
            assert system.wiring["pred"][me] == mine[place - 1]
            assert system.wiring["empty"][me] == len(agent.empty)
            assert {node in outside for node in agent.empty} == {turns == 6}
            # Neighbours along the cycle sit side by side in memory.
            following = me + 1 if me + 1 in boundary.agents else boundary.first
            assert system.wiring["succ"][me] == following


@unhurried
@given(shapes_with_offsets)
def test_each_particle_chains_all_its_agents(drawn: tuple[int, int, bool]) -> None:
    shape_seed, seed, expanded = drawn
    system = build(naive.some_shape(shape_seed, 2, 60, expanded), seed)
    chained = [agent for p in range(system.particles) for agent in system.agents_of(p)]
    assert sorted(chained) == list(range(system.agents))
    for particle in range(system.particles):
        agents = system.agents_of(particle)
        assert {int(system.particle[agent]) for agent in agents} <= {particle}
        on_node = Counter(int(system.node[agent]) for agent in agents)
        assert all(count <= 3 for count in on_node.values())
        # The agents of a node are run one after another.
        assert [int(system.node[agent]) for agent in agents] == [*on_node.elements()]


@pytest.mark.paper("Section 2.1", "Appendix A.1")
def test_every_order_of_a_particles_agents_is_as_likely() -> None:
    star = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], offsets=np.zeros(4, dtype=int))
    pair = Shape([(0, 0), (1, 0), (2, 0)], [(0, 1)])
    agents: Counter[tuple[int, ...]] = Counter()
    nodes: Counter[tuple[int, ...]] = Counter()
    first: Counter[int] = Counter()
    seeds = 1_200
    for seed in range(seeds):
        agents[tuple(build(star, seed).agents_of(star.nodes.tolist().index([0, 0])))] += 1
        expanded = build(pair, seed)
        nodes[tuple(expanded.node[expanded.agents_of(0)].tolist())] += 1
        first[int(expanded.first_nodes()[0])] += 1
    for counts, orders in ((agents, 6), (nodes, 2), (first, 2)):
        expected = seeds / orders
        assert len(counts) == orders
        assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in counts.values())
    assert nodes[0, 1, 1] == first[0]


@pytest.mark.paper("Section 1.1", "Figure 1")
@unhurried
@given(shapes_with_offsets)
def test_port_offsets_change_agent_identifiers_only(drawn: tuple[int, int, bool]) -> None:
    shape_seed, seed, expanded = drawn
    shape = naive.some_shape(shape_seed, 2, 60, expanded)
    one, other = build(shape, seed), build(shape, seed + 1)
    assert (one.node == other.node).all()
    for field in ("pred", "succ", "empty"):
        assert (one.wiring[field] == other.wiring[field]).all()
    assert one.boundaries == other.boundaries


def test_offsets_are_drawn_uniformly_and_only_if_the_shape_has_none() -> None:
    drawn = build(hexagon(40), seed=3).offsets
    counts = np.bincount(drawn, minlength=6)
    expected = len(drawn) / 6
    assert len(counts) == 6
    assert (abs(counts - expected) < 6 * np.sqrt(expected)).all()
    given_offsets = Shape([(0, 0), (1, 0)], offsets=[4, 2])
    assert build(given_offsets, seed=3).offsets.tolist() == [4, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("line:30", [58]),
        ("hexagon:7", [42]),
        ("triangle:9", [24]),
        ("parallelogram:8,5", [22]),
        ("annulus:6,3", [36, 24]),
        ("annulus:6,5", [36, 36]),
    ],
)
def test_boundary_lengths_follow_formulas(text: str, expected: list[int]) -> None:
    system = build(parse(text))
    assert lengths(system) == expected
    assert system.outer_boundary_length == expected[0]


@pytest.mark.compiled
def test_a_million_particles_make_a_system() -> None:
    system = build(hexagon(577))
    assert system.particles == 3 * 577 * 578 + 1 > 1_000_000
    assert lengths(system) == [6 * 577]
    assert system.boundaries[0].turns == 6
    assert (np.diff(system.wiring["succ"]) == 1).sum() == 6 * 577 - 2


def test_a_line_has_its_agents_along_the_cycle() -> None:
    system = build(line(50))
    assert system.wiring["succ"].tolist() == [*range(1, 98), 0]


@unhurried
@given(shapes_with_offsets)
def test_nodes_and_particles_around_them_are_those_of_the_lattice(
    drawn: tuple[int, int, bool],
) -> None:
    shape_seed, seed, expanded = drawn
    shape = naive.some_shape(shape_seed, 2, 60, expanded)
    system = build(shape, seed)
    number = {(x, y): node for node, (x, y) in enumerate(shape.nodes.tolist())}
    wiring, particles = system.node_wiring(), system.neighbouring_particles()
    for node, where in enumerate(number):
        around = [number.get(naive.step(where, direction), -1) for direction in range(6)]
        assert wiring["around"][node].tolist() == around
        assert wiring["sight"]["occupied"][node].tolist() == [other >= 0 for other in around]
        expected = [-1 if other < 0 else int(system.particle_of_node[other]) for other in around]
        assert particles[node].tolist() == expected
    # The nodes of a particle are chained, beginning with the one that is run first.
    for nodes, first in zip(
        system.nodes_of_particles().tolist(), system.first_nodes().tolist(), strict=True
    ):
        chained = [first, int(wiring["sibling"][first])]
        assert sorted(chained) == sorted(nodes)
        assert chained[1] < 0 or wiring["sibling"][chained[1]] == -1
