"""The course of an election as a small chart: candidates left and phases against rounds."""

from __future__ import annotations

import numpy as np

from amoebot.render.look import course_of, theme
from amoebot.reports.style import WIDTH, as_svg, figure
from amoebot.results import Result

#: Letters that fit into an inch.
LETTERS = 17


def document(result: Result) -> str:
    """Return the chart as a whole SVG file."""
    course, colour = course_of(result.options.algorithm), theme(result.options.algorithm)
    last = max(1, result.rounds_terminated or result.rounds)
    known = result.candidates or ((0, 0),)  # one particle elects itself
    rounds, left = zip(*known, (last, known[-1][1]), strict=True)
    with figure(height=2.4) as (made, (axes,)):
        for number, (phase, begin, end) in enumerate(course.bands(result.milestones, last)):
            shade, title = colour["band_a" if number % 2 else "band_b"], course.phases[phase].title
            axes.axvspan(begin, end, color=shade[:7], alpha=0.16, linewidth=0)
            room = (end - begin) / last * WIDTH * LETTERS - 3
            name = title if len(title) < room else title.split()[-1].capitalize()
            if len(name) < room:
                axes.annotate(
                    name,
                    ((begin + end) / 2, 1),
                    xycoords=("data", "axes fraction"),
                    xytext=(0, -10),
                    textcoords="offset points",
                    ha="center",
                    fontsize=7.5,
                    color=colour["muted"],
                )
        axes.step(rounds, left, where="post", color=colour["candidate"], linewidth=1.8)
        axes.set_yscale("function", functions=(np.log1p, np.expm1))
        axes.set_yticks(sorted({0, 1, max(left)}))
        axes.set(xlim=(0, last), ylim=(0, 1.4 * max(left) + 0.5), xlabel="Round")
        axes.set_ylabel("Candidates")
        axes.set_title(headline(result))
        axes.grid(visible=False)
    text = as_svg(made, "course")
    return text[text.index("<svg") :]


def headline(result: Result) -> str:
    """Return in a few words how the election ended."""
    if result.leader:
        where = " and ".join(f"({x}, {y})" for x, y in result.leader)
        return f"{result.shape}: leader at {where}, declared in round {result.rounds:,}"
    return f"{result.shape}: {result.outcome} after round {result.rounds:,}"
