"""Shapes in files: pictures, JSON documents, images, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from amoebot import shapes
from amoebot.shapes import Shape, ShapeError, parse

sizes, seeds = st.integers(1, 60), st.integers(0, 2**64 - 1)

# The first example compiles.
unhurried = settings(deadline=None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, so that messages name files without their path."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples of a property may write to."""
    return tmp_path_factory.mktemp("shapes")


def at_origin(shape: Shape) -> NDArray[np.integer]:
    """Return the nodes, moved so that their first is the origin."""
    nodes: NDArray[np.integer] = shape.nodes - shape.nodes[0]
    return nodes


def refusal(path: str) -> str:
    with pytest.raises(ShapeError) as error:
        parse(path)
    return str(error.value)


class TestText:
    @unhurried
    @given(sizes, seeds)
    def test_shows_the_shape_that_was_saved(self, shelf: Path, size: int, seed: int) -> None:
        shape = shapes.random(size, seed=seed)
        shape.save(shelf / "shape.txt")
        again = parse(shelf / "shape.txt")
        np.testing.assert_array_equal(at_origin(again), at_origin(shape))
        again.save(shelf / "again.txt")
        assert parse(shelf / "again.txt") == again

    def test_is_a_picture_of_the_lattice(self, folder: Path) -> None:
        shapes.hexagon(1).save("hexagon.txt")
        assert (folder / "hexagon.txt").read_text() == " o o\no o o\n o o\n"

    @pytest.mark.parametrize(
        "picture",
        [
            " o o\no o o\n o o\n",
            "\ufeff\r\n\r\n.o.o.  \r\no O *\r\n.@.x\r\n. . .\r\n\r\n",
            " # #\rX @ *\r x X",
        ],
    )
    def test_may_be_drawn_freely(self, folder: Path, picture: str) -> None:
        (folder / "shape.txt").write_text(picture, encoding="utf-8", newline="")
        nodes = parse("shape.txt").nodes
        assert (nodes - nodes[3] == shapes.hexagon(1).nodes).all()

    def test_counts_rows_upwards_and_columns_from_the_left(self, folder: Path) -> None:
        (folder / "shape.txt").write_text("\n   x\n  o o\n   x\n\n")
        assert parse("shape.txt").nodes.tolist() == [[1, 0], [0, 1], [1, 1], [0, 2]]

    @pytest.mark.parametrize(
        ("picture", "sentence"),
        [
            (
                "o o\n\n        o\n",
                "shape.txt, line 3: the particle at column 9 touches no other particle "
                "(2 separate parts in all)",
            ),
            (
                "o o o\n\no o   o o o\n",
                "shape.txt, line 3: the 2 particles around column 1 touch no other particle "
                "(3 separate parts in all)",
            ),
            (
                "o o o\no o o\n",
                "shape.txt, line 2: the particle at column 1 is off the lattice; the others call "
                "for even columns here, as each line is shifted by one column",
            ),
            (
                "oo\n",
                "shape.txt, line 1: the particle at column 1 is off the lattice; the others call "
                "for even columns here, as each line is shifted by one column",
            ),
            (
                "o\n o q\n",
                "shape.txt, line 2: column 4 holds 'q'; expected oO*#@xX for a particle, a dot "
                "or a space for an empty node",
            ),
            (
                "\to\n",
                "shape.txt, line 1: column 1 holds a tab; expected oO*#@xX for a particle, a dot "
                "or a space for an empty node",
            ),
            (
                " . .\n",
                "shape.txt: no particle in the picture; a particle is one of oO*#@xX",
            ),
            ("", "shape.txt: the file is empty"),
            (b"o o\xff", "shape.txt: this is not a text file (see byte 4)"),
        ],
    )
    def test_says_what_is_wrong_and_where(
        self, folder: Path, picture: str | bytes, sentence: str
    ) -> None:
        content = picture if isinstance(picture, bytes) else picture.encode()
        (folder / "shape.txt").write_bytes(content)
        assert refusal("shape.txt") == sentence

    def test_holds_no_more_than_nodes(self, folder: Path) -> None:
        with pytest.raises(ShapeError, match=r"^s\.txt: a picture shows no expanded particles"):
            shapes.line(4).with_expanded(1).save("s.txt")
        with pytest.raises(ShapeError, match=r"^s\.txt: a picture shows no expanded particles"):
            Shape([(0, 0)], offsets=[3]).save("s.txt")

    def test_is_not_written_where_it_would_be_blank_for_the_most_part(self, folder: Path) -> None:
        with pytest.raises(ShapeError, match=r"^s\.txt: the picture would have over"):
            shapes.parallelogram(1, 100_000).save("s.txt")


class TestJson:
    @unhurried
    @given(sizes, seeds, st.floats(0, 1), st.booleans())
    def test_describes_the_shape_that_was_saved(
        self, shelf: Path, size: int, seed: int, fraction: float, ports: bool
    ) -> None:
        shape = shapes.tree(size, seed=seed).with_expanded(fraction, seed)
        if ports:
            offsets = np.arange(size) % 6
            shape = Shape(shape.nodes, shape.expanded, offsets)
        shape.save(shelf / "shape.json")
        assert parse(shelf / "shape.json") == shape

    def test_may_leave_the_nodes_of_pairs_out(self, folder: Path) -> None:
        (folder / "s.json").write_text(
            json.dumps(
                {
                    "nodes": [[2, 0]],
                    "expanded": [[[1, 0], [0, 0]], [[0, 1], [0, 2]]],
                    "offsets": [2, 1, 0, 3, 4],
                }
            )
        )
        expected = Shape(
            [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)], [(0, 1), (3, 4)], [0, 1, 2, 3, 4]
        )
        assert parse("s.json") == expected

    @pytest.mark.parametrize(
        ("document", "sentence"),
        [
            ('{"nodes": [[0, 0],\n  [1 0]]}', ", line 2, column 6: expecting ',' delimiter"),
            ("[]", ': expected an object {"nodes": [[x, y], ...]}'),
            ("{}", ': the key "nodes" is missing'),
            (
                '{"nodes": [], "name": 3}',
                ': unknown key "name"; expected nodes, expanded, offsets',
            ),
            ('{"nodes": [[0, 0]], "nodes": []}', ": a key is given twice"),
            ('{"nodes": 3}', ': "nodes" must be a list, not 3'),
            ('{"nodes": []}', ": a shape needs at least one node"),
            (
                '{"nodes": [[0, 0], [1]]}',
                ': entry 2 of "nodes" must be a pair of whole numbers [x, y], not [1]',
            ),
            (
                '{"nodes": [[0, true]]}',
                ': entry 1 of "nodes" must be a pair of whole numbers [x, y], not [0, true]',
            ),
            (
                '{"nodes": [[0, NaN]]}',
                ': entry 1 of "nodes" must be a pair of whole numbers [x, y], not [0, NaN]',
            ),
            (
                '{"nodes": [[0, 1.0]]}',
                ': entry 1 of "nodes" must be a pair of whole numbers [x, y], not [0, 1.0]',
            ),
            (
                '{"nodes": [[0, -99999999999999999999]]}',
                ': entry 1 of "nodes" lies farther than 2^30 from the origin',
            ),
            ('{"nodes": [[0, %s]]}' % ("9" * 5000), ": a number has too many digits"),
            ("[" * 200_000, ": the brackets are nested too deeply"),
            ('{"nodes": [[0, 0], [0, 0]]}', ": the node (0, 0) is given twice"),
            (
                '{"nodes": [[0, 0], [2, 0]]}',
                ": the nodes form 2 separate parts; the smallest, of 1 node, contains (0, 0)",
            ),
            (
                '{"nodes": [], "expanded": [[[0, 0]]]}',
                ': entry 1 of "expanded" must be a pair of nodes [[x, y], [x, y]], not [[0, 0]]',
            ),
            (
                '{"nodes": [], "expanded": [[[0, 0], 1]]}',
                ': each node in entry 1 of "expanded" must be a pair of whole numbers [x, y], '
                "not 1",
            ),
            (
                '{"nodes": [[1, 0]], "expanded": [[[0, 0], [1, 0]]]}',
                ': entry 1 of "expanded" overlaps another particle: of (0, 0) and (1, 0), '
                "only one is among the nodes",
            ),
            (
                '{"nodes": [], "expanded": [[[0, 0], [1, 0]], [[1, 0], [2, 0]]]}',
                ": expanded particles overlap: the node (1, 0) belongs to two of them",
            ),
            (
                '{"nodes": [[1, 0]], "expanded": [[[0, 0], [2, 0]]]}',
                ": the nodes (0, 0) and (2, 0) of an expanded particle are not adjacent",
            ),
            (
                '{"nodes": [[0, 0]], "offsets": []}',
                ': expected one entry of "offsets" for each node: 1, not 0',
            ),
            (
                '{"nodes": [[0, 0]], "offsets": [6]}',
                ': entry 1 of "offsets" must be a whole number from 0 to 5, not 6',
            ),
            (
                '{"nodes": [[0, 0]], "offsets": [false]}',
                ': entry 1 of "offsets" must be a whole number from 0 to 5, not false',
            ),
            ("\x80", ": this is not a text file (see byte 1)"),
            ("", ": the file is empty"),
        ],
    )
    def test_says_what_is_wrong_and_where(self, folder: Path, document: str, sentence: str) -> None:
        (folder / "shape.json").write_bytes(document.encode("latin-1"))
        assert refusal("shape.json") == f"shape.json{sentence}"


class TestImages:
    @pytest.mark.parametrize("ending", ["png", "gif", "bmp", "jpg"])
    def test_have_a_node_for_each_dark_pixel(self, folder: Path, ending: str) -> None:
        pixels = np.full((48, 32), 255, np.uint8)
        pixels[8:16, :16] = 0
        pixels[16:40, 8:16] = 40
        Image.fromarray(pixels).save(f"shape.{ending}", quality=95)
        assert len(parse(f"shape.{ending}")) == 8 * 16 + 24 * 8

    def test_keep_their_proportions(self, folder: Path) -> None:
        Image.fromarray(np.zeros((5, 4), np.uint8)).save("block.png")
        x, y = parse("block.png").nodes.T
        assert sorted(set(y.tolist())) == [-4, -3, -2, -1, 0]
        assert set((x + y / 2).tolist()) == {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}

    def test_are_seen_on_white_paper(self, folder: Path) -> None:
        pixels = np.zeros((1, 3, 4), np.uint8)  # black, the first two of them opaque
        pixels[0, :2, 3] = 255
        Image.fromarray(pixels).save("shape.png")
        assert len(parse("shape.png")) == 2

    def test_may_have_sixteen_bits(self, folder: Path) -> None:
        Image.fromarray(np.array([[300, 32_000, 33_000, 65_535]], np.uint16)).save("shape.png")
        assert len(parse("shape.png")) == 2

    def test_must_be_connected(self, folder: Path) -> None:
        pixels = np.full((9, 9), 255, np.uint8)
        pixels[:4, :4] = pixels[6, 4] = pixels[8, 8] = 0
        Image.fromarray(pixels).save("shape.png")
        assert refusal("shape.png") == (
            "shape.png: the dark pixels form 3 separate parts; the smallest, of 1 pixel, has one "
            "in row 9, column 9"
        )

    def test_must_have_something_dark(self, folder: Path) -> None:
        Image.new("L", (3, 3), 200).save("shape.png")
        assert refusal("shape.png") == "shape.png: no pixel is dark, so there is no particle"

    @pytest.mark.parametrize("side", [10_001, 20_000])
    def test_are_refused_unopened_if_they_are_too_large(self, folder: Path, side: int) -> None:
        Image.new("1", (side, side)).save("bomb.png")
        assert refusal("bomb.png") == "bomb.png: the image has more than 100,000,000 pixels"

    @pytest.mark.parametrize("content", [b"no image", b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"])
    def test_must_be_readable(self, folder: Path, content: bytes) -> None:
        (folder / "shape.png").write_bytes(content)
        reason = "this is not a readable image" if content else "the file is empty"
        assert refusal("shape.png") == f"shape.png: {reason}"

    def test_must_not_be_cut_short(self, folder: Path) -> None:
        noise = np.random.default_rng(1).integers(0, 256, (50, 50), np.uint8)
        Image.fromarray(noise).save("shape.png")
        content = (folder / "shape.png").read_bytes()
        (folder / "shape.png").write_bytes(content[: len(content) // 2])
        assert refusal("shape.png") == "shape.png: this is not a readable image"


class TestFiles:
    def test_must_exist(self, folder: Path) -> None:
        assert refusal("none.txt") == "none.txt: no such file or directory"

    def test_must_not_be_folders(self, folder: Path) -> None:
        (folder / "folder.txt").mkdir()
        assert refusal("folder.txt") == "folder.txt: this is a folder, not a shape file"
        assert refusal(".") == ".: this is a folder, not a shape file"

    def test_must_be_regular(self, folder: Path) -> None:
        os.mkfifo("pipe.txt")
        assert refusal("pipe.txt") == "pipe.txt: this is not a regular file"

    def test_must_have_a_known_ending(self, folder: Path) -> None:
        (folder / "shape.doc").write_text("o")
        endings = ".txt, .json, .png, .gif, .bmp, .jpg or .jpeg"
        assert refusal("shape.doc") == f"shape.doc: a shape file must end in {endings}"

    def test_must_have_a_possible_name(self, folder: Path) -> None:
        assert refusal("a\0.txt") == r"'a\x00.txt': no file can have this name"
        cut = "a" * 100 + "…" + "a" * 96 + ".txt"
        assert refusal("a" * 300 + ".txt") == f"{cut}: file name too long"

    def test_must_be_readable(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def forbid(path: Path) -> bytes:
            raise PermissionError(13, "Permission denied")

        (folder / "shape.txt").write_text("o")
        monkeypatch.setattr(Path, "read_bytes", forbid)
        assert refusal("shape.txt") == "shape.txt: permission denied"

    def test_must_not_be_huge(self, folder: Path) -> None:
        with open("huge.txt", "wb") as file:
            file.truncate(1_000_000_001)
        assert refusal("huge.txt") == (
            "huge.txt: the file has 1,000,000,001 bytes; at most 1,000,000,000 are read"
        )

    def test_give_their_name_to_the_shape(self, folder: Path) -> None:
        shapes.line(3).save("three.TXT")
        assert parse("three.TXT").name == "three.TXT"
        assert parse(Path("three.TXT")) == parse("three.TXT")

    def test_are_only_saved_where_that_is_possible(self, folder: Path) -> None:
        with pytest.raises(ShapeError) as error:
            shapes.line(3).save("line.png")
        assert str(error.value) == "line.png: a shape is saved in a file that ends in .txt or .json"
        with pytest.raises(ShapeError) as error:
            shapes.line(3).save("none/line.txt")
        assert str(error.value) == "none/line.txt: no such file or directory"
