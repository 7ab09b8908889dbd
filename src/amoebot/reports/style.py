"""How figures look: quiet, readable in grey, in the words of the paper."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

#: The size of a figure in inches: as wide as a column of text, so that letters keep their size.
WIDTH, HEIGHT = 7.0, 3.4

#: Colours of different lightness for the colour-blind (Okabe and Ito; Tol), each with a marker
#: and a dash of its own, so that series are told apart in grey too. The orange is that of pictures.
_COLOURS = (
    "#000000",
    "#0072B2",
    "#C25200",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#332288",
    "#56B4E9",
    "#882255",
    "#999933",
    "#44AA99",
    "#777777",
)
_MARKERS = "os^DvP*X<>hp"
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))

#: Bounds and predictions.
BOUND: dict[str, Any] = {"color": "#555555", "linestyle": (0, (4, 2)), "linewidth": 1.2}

_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica Neue", "Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handlelength": 2.4,
    "hatch.linewidth": 0.7,
    "hatch.color": "#ffffff",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "figure.constrained_layout.use": True,
}


def series(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return how each named series is drawn."""
    return {
        name: {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKERS[place % len(_MARKERS)],
            "linestyle": _DASHES[place % len(_DASHES)],
        }
        for place, name in enumerate(names)
    }


def lines_only(look: dict[str, Any]) -> dict[str, Any]:
    """Return how a series is drawn without markers."""
    return {key: value for key, value in look.items() if key != "marker"}


@contextmanager
def figure(
    columns: int = 1, height: float = HEIGHT, **options: Any
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Provide a figure and its axes, side by side."""
    with mpl.rc_context(_SETTINGS):
        made = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = made.subplots(1, columns, squeeze=False, **options)
        yield made, list(axes[0])


def plain_log(axes: Axes, which: str, narrow: bool = False) -> None:
    """Make an axis logarithmic, with numbers as people write them."""
    setter = axes.set_xscale if which == "x" else axes.set_yscale
    setter("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axis.get_view_interval()
    decades = np.log10(max(high, 1e-300) / max(low, 1e-300))
    few = (1, 3) if narrow and decades < 2.2 else (1,)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 and not narrow else few))
    axis.set_major_formatter(FuncFormatter(_crowded if narrow and decades > 3 else _number))
    axis.set_minor_formatter(NullFormatter())


def _number(value: float, _: object) -> str:
    if value >= 1:
        return f"{value:,.0f}"
    return f"{value:g}" if value >= 1e-3 else _power(value)


def _crowded(value: float, _: object) -> str:
    return f"{value:,.0f}" if 1 <= value <= 100 else _power(value)


def _power(value: float) -> str:
    raised = str(round(np.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}"


def legend_beside(axes: Axes, title: str | None = None) -> None:
    """Put the legend to the right of the axes, in the order of what is drawn last."""
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title=title, alignment="left")


def as_svg(made: Figure, name: str) -> str:
    """Return a figure as SVG; the same figure gives the same text."""
    buffer = io.StringIO()
    with mpl.rc_context(_SETTINGS | {"svg.hashsalt": name}):
        made.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def write_pdf(made: Figure, path: Path) -> None:
    """Write a figure as PDF."""
    with mpl.rc_context(_SETTINGS):
        made.savefig(path, metadata={"CreationDate": None})
