"""Pictures and films of runs: SVG, PDF and PNG figures, GIF and MP4 films, frames for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amoebot.results import Result
    from amoebot.shapes import Shape
    from amoebot.simulation import Simulation


def picture(simulation: Simulation, layers: set[str] | None = None, dark: bool = False) -> str:
    """Return the present moment of a run as SVG, with the layers that suit its phase.

    Args:
        simulation: The run, which stays at its moment.
        layers: The names of other layers to draw; an unknown one is refused with all there are.
        dark: Whether to draw light on dark.
    """
    from amoebot.render import scene, svg
    from amoebot.render.look import chosen_layers, named_layers
    from amoebot.simulation import check_simulation

    check_simulation(simulation)
    wanted = chosen_layers(simulation) if layers is None else named_layers(simulation, layers)
    return svg.document(scene.picture(simulation, wanted, bool(dark)), most=640)


def picture_of_shape(shape: Shape) -> str:
    """Return a shape as SVG: its particles and its boundaries."""
    from amoebot.simulation import Simulation

    return picture(Simulation(shape), {"bonds", "particles", "boundaries"})


def summary(result: Result) -> str:
    """Return the course of an election as SVG: candidates left against rounds."""
    from amoebot.render.course import document

    return document(result)
