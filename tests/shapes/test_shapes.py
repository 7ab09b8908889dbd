"""Shapes: what they are, what they refuse, and the generators."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amoebot import shapes
from amoebot.jit import INTERPRETED
from amoebot.lattice import STEPS
from amoebot.shapes import GENERATORS, Generator, Shape, ShapeError, parse

Node = tuple[int, int]

# The first example compiles.
unhurried = settings(deadline=None)

coordinates = st.integers(-4, 4)
node_sets = st.sets(st.tuples(coordinates, coordinates), min_size=1, max_size=40)


def around(node: Node) -> list[Node]:
    return [(node[0] + int(dx), node[1] + int(dy)) for dx, dy in STEPS]


def as_set(shape: Shape) -> set[Node]:
    return {(x, y) for x, y in shape.nodes.tolist()}


def distances(nodes: set[Node], start: Node) -> dict[Node, int]:
    """Return the number of steps from a node to each one that can be reached."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in around(node):
            if other in nodes and other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def empty_regions(shape: Shape) -> list[set[Node]]:
    """Return the connected regions of empty nodes near a shape, the outer one first."""
    nodes = as_set(shape)
    (left, low), (right, high) = shape.nodes.min(axis=0) - 1, shape.nodes.max(axis=0) + 1
    box = {(x, y) for x in range(left, right + 1) for y in range(low, high + 1)}
    empty = box - nodes
    regions = []
    corner = (int(left), int(low))
    while empty:
        region = set(distances(empty, corner if corner in empty else min(empty)))
        regions.append(region)
        empty -= region
    return regions


def outer_boundary(shape: Shape) -> int:
    """Return how many agents the outer boundary has: runs of outer nodes around each node."""
    outside = empty_regions(shape)[0]
    runs = 0
    for node in as_set(shape):
        ring = [other in outside for other in around(node)]
        runs += sum(ring[i] and not ring[i - 1] for i in range(6))
    return runs


class TestShape:
    @unhurried
    @given(node_sets)
    def test_is_connected_or_refused(self, nodes: set[Node]) -> None:
        if len(distances(nodes, min(nodes))) == len(nodes):
            assert as_set(Shape(list(nodes))) == nodes
        else:
            with pytest.raises(ShapeError, match="separate parts"):
                Shape(list(nodes))

    @unhurried
    @given(node_sets, st.randoms())
    def test_knows_neighbours_as_a_dictionary_would(self, nodes: set[Node], random: Random) -> None:
        part = list(distances(nodes, min(nodes)))
        random.shuffle(part)
        shape = Shape(part)
        assert shape.nodes.tolist() == [
            list(node) for node in sorted(part, key=lambda node: (node[1], node[0]))
        ]
        index = {(x, y): i for i, (x, y) in enumerate(shape.nodes.tolist())}
        for node, row in zip(index, shape.neighbours.tolist(), strict=True):
            assert row == [index.get(other, -1) for other in around(node)]

    def test_carries_pairs_and_offsets_along_when_it_sorts(self) -> None:
        shape = Shape([(0, 1), (0, 0), (2, 0), (1, 0)], [(2, 3), (0, 1)], [3, 0, 2, 1])
        assert shape.nodes.tolist() == [[0, 0], [1, 0], [2, 0], [0, 1]]
        assert shape.expanded.tolist() == [[0, 3], [1, 2]]
        assert shape.offsets is not None
        assert shape.offsets.tolist() == [0, 1, 2, 3]
        assert (len(shape), shape.particles) == (4, 2)

    def test_cannot_be_changed(self) -> None:
        given_nodes = np.array([(0, 0), (1, 0)], dtype=np.int32)
        shape = Shape(given_nodes, [(0, 1)])
        for array in (shape.nodes, shape.expanded, shape.neighbours):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 9
        with pytest.raises(AttributeError):
            shape.name = "other"  # type: ignore[misc]
        given_nodes[0] = 9
        assert shape.nodes[0].tolist() == [0, 0]

    def test_equals_another_with_the_same_content(self) -> None:
        assert Shape([(0, 0), (1, 0)]) == Shape([(1, 0), (0, 0)], name="other")
        assert Shape([(0, 0), (1, 0)]) != Shape([(0, 0), (1, 0)], [(0, 1)])
        assert Shape([(0, 0)]) != Shape([(0, 0)], offsets=[1])
        assert len({shapes.hexagon(2), parse("hexagon:2")}) == 1
        assert pickle.loads(pickle.dumps(shapes.line(3))) == shapes.line(3)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (([],), "a shape needs at least one node"),
            (([(0, 0), (1, 0), (0, 0)],), "the node (0, 0) is given twice"),
            (([(0, 0, 0)],), "expected nodes as pairs of whole numbers (x, y)"),
            (([(0.5, 0)],), "expected nodes as pairs of whole numbers (x, y)"),
            (([(0, 0), (1,)],), "expected nodes as pairs of whole numbers (x, y)"),
            (
                ([(2**30 + 1, 0)],),
                "the node (1073741825, 0) lies farther than 2^30 from the origin",
            ),
            (
                ([(0, 0), (1, 0), (7, 7)],),
                "the nodes form 2 separate parts; the smallest, of 1 node, contains (7, 7)",
            ),
            (
                ([(0, 0), (1, 0)], [(0, 2)]),
                "expanded particles must be pairs of node numbers below 2",
            ),
            (
                ([(0, 0), (1, 0), (2, 0)], [(0, 2)]),
                "the nodes (0, 0) and (2, 0) of an expanded particle are not adjacent",
            ),
            (
                ([(0, 0), (1, 0)], [(1, 1)]),
                "the nodes (1, 0) and (1, 0) of an expanded particle are not adjacent",
            ),
            (
                ([(0, 0), (1, 0), (2, 0)], [(0, 1), (2, 1)]),
                "expanded particles overlap: the node (1, 0) belongs to two of them",
            ),
            (([(0, 0)], (), [6]), "port offsets must be from 0 to 5"),
            (([(0, 0)], (), [0.5]), "expected port offsets as whole numbers"),
            (([(0, 0)], (), [0, 1]), "expected one port offset for each node: 1, not 2"),
        ],
    )
    def test_says_what_is_wrong(self, arguments: tuple[Any, ...], sentence: str) -> None:
        with pytest.raises(ShapeError) as error:
            Shape(*arguments)
        assert str(error.value) == sentence

    def test_may_be_as_large_and_as_thin_as_you_like(self) -> None:
        size = 2_000 if INTERPRETED else 1_000_000
        x = np.arange(size)
        diagonal = Shape(np.stack([-x, x], axis=1))
        assert len(diagonal) == size
        assert np.bincount((diagonal.neighbours >= 0).sum(axis=1)).tolist() == [0, 2, size - 2]


class TestExpansion:
    @unhurried
    @given(st.floats(0, 1), st.integers(0, 5))
    def test_pairs_the_fraction_of_nodes_that_was_asked_for(
        self, fraction: float, seed: int
    ) -> None:
        shape = shapes.hexagon(5).with_expanded(fraction, seed)
        paired = 2 * len(shape.expanded)
        assert min(fraction, 0.75) * len(shape) <= paired <= fraction * len(shape) + 2

    def test_stops_where_no_free_neighbours_are_left(self) -> None:
        shape = shapes.random(500, 20).with_expanded(1, seed=3)
        free = np.ones(len(shape), bool)
        free[shape.expanded] = False
        neighbours_free = (shape.neighbours >= 0) & free[shape.neighbours]
        assert not neighbours_free[free].any()

    def test_depends_on_the_seed_alone(self) -> None:
        shape = shapes.hexagon(4)
        assert shape.with_expanded(0.5, 1) == shape.with_expanded(0.5, 1)
        assert shape.with_expanded(0.5, 1) != shape.with_expanded(0.5, 2)

    @pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
    def test_refuses_what_is_no_fraction(self, fraction: float) -> None:
        with pytest.raises(ShapeError, match="the expanded fraction must be from 0 to 1"):
            shapes.line(4).with_expanded(fraction)


class TestGenerators:
    @pytest.mark.parametrize(
        ("text", "size"),
        [
            ("hexagon:0", 1),
            ("hexagon:1", 7),
            ("hexagon:20", 1261),
            ("line:1", 1),
            ("line:30", 30),
            ("triangle:1", 1),
            ("triangle:20", 210),
            ("parallelogram:1,1", 1),
            ("parallelogram:30,10", 300),
            ("annulus:1,0", 6),
            ("annulus:20,12", 1261 - 469),
            ("spiral:1", 1),
            ("spiral:200", 200),
            ("comb:1,1", 2),
            ("comb:12,15", 23 + 180),
            ("labyrinth:2", 12 + 1),
            ("labyrinth:12", 238),
            ("tree:1", 1),
            ("tree:150", 150),
            ("random:1", 1),
            ("random:300", 300),
            ("random:300,8", 300),
            ("swiss:0,0.9", 1),
            ("swiss:3,0", 37),
        ],
    )
    def test_have_exactly_the_size_they_should(self, text: str, size: int) -> None:
        assert len(parse(text)) == size
        assert parse(text).name == text

    @pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS)
    def test_are_listed_with_an_example_that_works(self, generator: Generator) -> None:
        assert generator.function is getattr(shapes, generator.name)
        assert generator.description.endswith(".")
        assert parse(generator.example).name == generator.example

    @pytest.mark.parametrize("name", [n for n, g in GENERATORS.items() if g.random])
    def test_grow_another_shape_from_another_seed(self, name: str) -> None:
        example = GENERATORS[name].example
        assert parse(example, seed=1) == parse(example, seed=1)
        assert parse(example, seed=1) != parse(example, seed=2)

    def test_hexagon_has_a_boundary_of_six_times_its_radius(self) -> None:
        assert [outer_boundary(shapes.hexagon(radius)) for radius in (1, 2, 5)] == [6, 12, 30]

    @pytest.mark.parametrize(("radius", "hole"), [(1, 0), (3, 0), (5, 2), (5, 4)])
    def test_annulus_has_one_hexagonal_hole(self, radius: int, hole: int) -> None:
        _, inner = empty_regions(shapes.annulus(radius, hole))
        assert inner == as_set(shapes.hexagon(hole))

    @pytest.mark.parametrize("length", [*range(1, 40), 500])
    def test_spiral_is_a_path_that_never_touches_itself(self, length: int) -> None:
        nodes = as_set(shapes.spiral(length))
        degrees = Counter(sum(other in nodes for other in around(node)) for node in nodes)
        ends = {0: 1} if length == 1 else {1: 2, 2: length - 2}
        assert degrees == Counter(ends)

    def test_spiral_has_an_outer_boundary_as_long_as_itself(self) -> None:
        assert outer_boundary(shapes.spiral(300)) == 2 * 300 - 2

    @pytest.mark.parametrize("radius", [3, 5, 10, 17])
    def test_labyrinth_has_a_short_boundary_and_a_long_diameter(self, radius: int) -> None:
        shape = shapes.labyrinth(radius)
        nodes = as_set(shape)
        assert nodes < as_set(shapes.hexagon(radius))
        assert outer_boundary(shape) == 6 * radius
        assert len(empty_regions(shape)) == 2
        inner_end = distances(nodes, (0, -1))
        assert max(inner_end.values()) >= radius**2

    def test_labyrinth_is_a_ring_and_a_path(self) -> None:
        nodes = as_set(shapes.labyrinth(9))
        inside = nodes & as_set(shapes.hexagon(8))
        touching = [node for node in inside if set(around(node)) & (nodes - inside)]
        assert len(touching) == 1
        degrees = Counter(sum(other in inside for other in around(node)) for node in inside)
        assert degrees == Counter({1: 2, 2: len(inside) - 2})

    @pytest.mark.parametrize("seed", range(5))
    def test_tree_is_a_tree(self, seed: int) -> None:
        shape = shapes.tree(200, seed=seed)
        assert (shape.neighbours >= 0).sum() == 2 * (len(shape) - 1)

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("holes", [0, 1, 12])
    def test_random_has_exactly_the_holes_it_should(self, holes: int, seed: int) -> None:
        _, *inner = empty_regions(shapes.random(300, holes, seed=seed))
        assert [len(region) for region in inner] == [1] * holes

    def test_random_fills_its_bays_in_time(self) -> None:
        blob = shapes.random(3_000)
        assert ((blob.neighbours >= 0).all(axis=1)).mean() > 0.4

    @pytest.mark.parametrize(
        ("text", "checksum"),
        [("tree:150", 1199949634), ("random:300,8", 1114429646), ("swiss:12,0.3", 118930168)],
    )
    def test_grow_the_same_shape_on_every_machine(self, text: str, checksum: int) -> None:
        assert crc32(parse(text, seed=7).nodes.tobytes()) == checksum

    def test_swiss_loses_a_fraction_of_its_nodes(self) -> None:
        whole, rest = shapes.hexagon(10), shapes.swiss(10, 0.1, seed=1)
        assert as_set(rest) < as_set(whole)
        assert 0.8 * len(whole) < len(rest) <= 0.9 * len(whole) + 1

    def test_grow_a_million_nodes(self) -> None:
        size = 1_000 if INTERPRETED else 1_000_000
        for shape in (shapes.tree(size), shapes.random(size, size // 100), shapes.spiral(size)):
            assert len(shape) == size

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("hexagon:x", "R must be a whole number, 0 or more"),
            ("hexagon:-1", "R must be a whole number, 0 or more"),
            ("hexagon:1.5", "R must be a whole number, 0 or more"),
            ("hexagon:nan", "R must be a whole number, 0 or more"),
            ("line:0", "N must be a whole number, 1 or more"),
            ("parallelogram:3,0", "H must be a whole number, 1 or more"),
            ("annulus:5,", "HOLE must be a whole number, 0 or more"),
            ("annulus:5,5", "HOLE must be less than R"),
            ("comb:0,1", "TEETH must be a whole number, 1 or more"),
            ("labyrinth:1", "R must be a whole number, 2 or more"),
            ("random:5,-1", "HOLES must be a whole number, 0 or more"),
            ("random:5,1", "5 nodes leave no room for 1 hole"),
            ("random:10,6", "10 nodes leave no room for 6 holes"),
            ("swiss:5,1", "FRACTION must be a number from 0 to less than 1"),
            ("swiss:5,nan", "FRACTION must be a number from 0 to less than 1"),
            ("swiss:5,half", "FRACTION must be a number from 0 to less than 1"),
            ("hexagon", "too few parameters; expected hexagon:R, for example hexagon:20"),
            ("hexagon:", "too few parameters; expected hexagon:R, for example hexagon:20"),
            (
                "annulus:5",
                "too few parameters; expected annulus:R,HOLE, for example annulus:20,12",
            ),
            (
                "random:1,2,3",
                "too many parameters; expected random:N[,HOLES], for example random:300,8",
            ),
        ],
    )
    def test_say_what_is_wrong(self, text: str, sentence: str) -> None:
        with pytest.raises(ShapeError) as error:
            parse(text)
        assert str(error.value) == f"{text}: {sentence}"

    @pytest.mark.parametrize(
        "text",
        [
            "hexagon:1000000000",
            "line:100000001",
            "triangle:99999999999",
            "parallelogram:20000,20000",
            "annulus:1000000000,3",
            "spiral:1000000000",
            "comb:50000,50000",
            "labyrinth:1000000",
            "tree:1000000000",
            "random:100000000,1",
            "swiss:100000000,0.5",
            "line:" + 50 * "9",
        ],
    )
    def test_refuse_what_no_memory_holds(self, text: str) -> None:
        with pytest.raises(ShapeError) as error:
            parse(text)
        sentence = "a shape has at most 100,000,000 nodes, and this one would have more"
        assert str(error.value) == f"{text}: {sentence}"

    @pytest.mark.parametrize("seed", [-1, 2**64, 10**5000], ids=["-1", "2^64", "10^5000"])
    def test_refuse_a_seed_out_of_range(self, seed: int) -> None:
        with pytest.raises(ShapeError, match="the shape seed must be from 0 to"):
            shapes.tree(10, seed=seed)

    def test_take_any_kind_of_integer_but_no_truth(self) -> None:
        assert shapes.hexagon(np.int32(2)) == shapes.hexagon(2)  # type: ignore[arg-type]
        assert shapes.parallelogram(height=2, width=3).name == "parallelogram:3,2"
        with pytest.raises(ShapeError, match="R must be a whole number"):
            shapes.hexagon(True)


@pytest.mark.parametrize("text", ["blob:3", "a\nb", "", "no/such/place", "x\0y"])
def test_parse_knows_what_it_does_not_know(text: str) -> None:
    with pytest.raises(ShapeError) as error:
        parse(text)
    given_text = {"": "the empty string", "a\nb": r"'a\nb'", "x\0y": r"'x\x00y'"}.get(text, text)
    assert str(error.value) == (
        f"{given_text} is neither a known shape (hexagon, line, triangle, parallelogram, annulus, "
        "spiral, comb, labyrinth, tree, random, swiss) nor a readable file"
    )


@pytest.mark.parametrize(
    ("text", "near"), {"Hexagon:3": "hexagon", "anulus:3,1": "annulus"}.items()
)
def test_parse_says_what_may_have_been_meant(text: str, near: str) -> None:
    with pytest.raises(ShapeError, match=rf"known shape \(did you mean {near}\?\) nor"):
        parse(text)


@pytest.mark.parametrize("name", shapes.GENERATORS)
def test_the_table_says_the_least_value_of_each_parameter(name: str) -> None:
    generator = shapes.GENERATORS[name]
    assert len(generator.least) == len(generator.parameters)
    usual = [float(value) for value in generator.example.partition(":")[2].split(",")]
    bounds = [*zip(usual, generator.least, strict=True)]
    for place, least in enumerate(generator.least):
        values: list[Any] = [one if bound is None else int(one) for one, bound in bounds]
        values[place] = 1.0 if least is None else least - 1
        with pytest.raises(shapes.ShapeError, match=generator.parameters[place]):
            generator.function(*values)
