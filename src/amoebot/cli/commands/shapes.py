"""``amoebot shapes``: what shapes there are, and what one of them looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.cli.options import Expanded, Force, Json, ShapeSeed, print_json, read_shape
from amoebot.cli.refusing import BadInput, check_folder, compiling, free_to_write, refusing, writing

if TYPE_CHECKING:
    from amoebot.system import System


def _save_shape(system: System, output: Path) -> None:
    system.shape.save(output)


def _save_graph(system: System, output: Path) -> None:
    try:
        graph = system.graph()
    except ImportError as error:
        raise BadInput(str(error)) from None
    from networkx import write_graphml

    write_graphml(graph, output)


#: How to save each kind of file, by the ending of its name.
SAVING = {".txt": _save_shape, ".json": _save_shape, ".graphml": _save_graph}
_ENDINGS = " or ".join(", ".join(SAVING).rsplit(", ", 1))


def shapes(
    shape: Annotated[
        str | None, typer.Argument(metavar="[SHAPE]", help="A shape string or a file to look at.")
    ] = None,
    shape_seed: ShapeSeed = 0,
    expanded: Expanded = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=f"Save it as {_ENDINGS}."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """List all shapes, or show one and its numbers.

    \b
    Examples:
      amoebot shapes
      amoebot shapes random:300,8 --shape-seed 1 -o blob.txt
      amoebot shapes annulus:8,5 --expanded 0.5 -o ring.json
      amoebot shapes hexagon:5 -o particles.graphml
    """
    if shape is None and output is not None:
        raise BadInput("--output needs a SHAPE, for example: amoebot shapes hexagon:5 -o h.txt")
    if shape is None and expanded is not None:
        raise BadInput(
            "--expanded needs a SHAPE, for example: amoebot shapes hexagon:5 --expanded 0.5"
        )
    if output is not None:
        with refusing():
            _check_ending(output)
        check_folder(free_to_write(output, "", force))
    with compiling():
        systems = _examples() if shape is None else {shape: _system(shape, shape_seed, expanded)}
    if output is not None:
        with refusing(), writing(output):
            SAVING[output.suffix.lower()](systems[str(shape)], output)
    if json:
        print_json(_catalogue(systems) if shape is None else numbers(systems[shape]))
    elif shape is None:
        _show_all(systems)
    else:
        _show(systems[shape])


def _check_ending(output: Path) -> None:
    from amoebot.shapes import ShapeError

    if output.suffix.lower() not in SAVING:
        raise ShapeError(f"{output}: a shape is saved in a file that ends in {_ENDINGS}")


def numbers(system: System) -> dict[str, Any]:
    """Return what can be counted on a shape, by the names that results have for it."""
    return {
        "shape": system.shape.name,
        "particles": system.particles,
        "agents": system.agents,
        "outer_boundary_length": system.outer_boundary_length,
        "inner_boundaries": max(0, len(system.boundaries) - 1),
        "inner_boundary_lengths": [boundary.length for boundary in system.boundaries[1:]],
    }


def _system(text: str, seed: int = 0, expanded: float | None = None) -> System:
    from amoebot.system import build

    return build(read_shape(text, seed, expanded))


def _examples() -> dict[str, System]:
    """Return an example of each generator, by its name."""
    from amoebot.shapes import GENERATORS

    return {name: _system(generator.example) for name, generator in GENERATORS.items()}


def _catalogue(systems: dict[str, System]) -> dict[str, Any]:
    from amoebot.shapes import GENERATORS

    return {
        "shapes": [
            {
                "name": name,
                "signature": GENERATORS[name].signature,
                "description": GENERATORS[name].description,
                "random": GENERATORS[name].random,
                "example": numbers(system),
            }
            for name, system in systems.items()
        ]
    }


def _show_all(systems: dict[str, System]) -> None:
    """Print a picture of each example, and beside it what to type for more of its kind."""
    from rich.table import Table
    from rich.text import Text

    from amoebot.cli.console import Console
    from amoebot.cli.pictures import thumbnail
    from amoebot.shapes import GENERATORS

    console = Console()
    width = min(26, console.width // 2 - 5)
    table = Table.grid(padding=(0, 2), pad_edge=True)
    for name, system in systems.items():
        generator = GENERATORS[name]
        count = f"{system.particles:,} particles, L = {system.outer_boundary_length:,}"
        if len(system.boundaries) > 1:
            count += f", inner boundaries: {len(system.boundaries) - 1}"
        words = Text.assemble(
            (generator.signature, "bold"),
            f"\n{generator.description}\n",
            (f"{generator.example}: {count}", "dim"),
            ("\n--shape-seed N gives another one" if generator.random else "", "dim"),
            overflow="fold",
        )
        table.add_row(thumbnail(system.shape, width, 6), words)
        table.add_row()
    console.print()
    console.print(table)
    console.print("  Or the path of a .txt, .json or image file.\n")


def _show(system: System) -> None:
    """Print a picture of one shape, and its numbers."""
    from rich.padding import Padding

    from amoebot.cli.console import Console
    from amoebot.cli.pictures import facts, portrait

    console = Console()
    picture = portrait(system, None, console.width - 4, console.height - 1)
    for part in picture, facts(system):
        console.print(Padding(part, (1, 2, 0, 2), expand=False))
    console.print()
