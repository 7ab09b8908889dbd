"""The course of an election as a small chart: candidates left and milestones against rounds."""

from __future__ import annotations

from math import log1p

from amoebot.algorithms.description import Course
from amoebot.render.look import theme
from amoebot.render.svg import FONT
from amoebot.results import Result

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 220, 44, 34, 46


def document(result: Result) -> str:
    """Return the chart as a whole SVG file."""
    colour = theme()
    course: Course = result.options.election.provides("course", "COURSE", Course((), ()))
    last = max(1, result.rounds_terminated or result.rounds)
    most = max((left for _, left in result.candidates), default=1)

    def x(rounds: float) -> float:
        return LEFT + (WIDTH - LEFT - 12) * rounds / last

    def y(candidates: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * log1p(candidates) / log1p(max(1, most))

    parts = []
    for number, (phase, begin, end) in enumerate(course.bands(result.milestones, last)):
        name = course.phases[phase].title
        shade = colour["segment_a" if number % 2 else "segment_b"][:7]
        wide = x(end) - x(begin)
        parts.append(
            f'<rect x="{x(begin):.1f}" y="{TOP}" width="{wide:.1f}" '
            f'height="{HEIGHT - TOP - BOTTOM}" fill="{shade}" fill-opacity="0.16">'
            f"<title>{name}: rounds {begin} to {end}</title></rect>"
        )
        if wide > 7.5 * len(name):
            parts.append(
                f'<text x="{x(begin) + wide / 2:.1f}" y="{HEIGHT - BOTTOM + 16}" font-size="11" '
                f'text-anchor="middle" fill="{colour["muted"]}">{name}</text>'
            )
    line, height = "", y(0)
    for rounds, left in result.candidates:
        line += f"{'L' if line else 'M'}{x(rounds):.1f} {height:.1f}L{x(rounds):.1f} {y(left):.1f}"
        height = y(left)
    line += f"L{x(last):.1f} {height:.1f}" if line else ""
    ends = "".join(
        f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end" '
        f'fill="{colour["muted"]}">{value}</text>'
        for value in sorted({0, 1, most})
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'font-family="{FONT}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{colour["paper"]}"/>'
        f'<text x="{LEFT}" y="20" font-size="13" font-weight="bold" fill="{colour["ink"]}">'
        f"{headline(result)}</text>{''.join(parts)}{ends}"
        f'<path d="{line}" fill="none" stroke="{colour["candidate"]}" stroke-width="2"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 10}" font-size="11" fill="{colour["muted"]}">'
        f"Candidates left on the outer boundary, rounds 0 to {last:,}</text></svg>\n"
    )


def headline(result: Result) -> str:
    """Return in a few words how the election ended."""
    if result.leader:
        where = " and ".join(f"({x}, {y})" for x, y in result.leader)
        return f"{result.shape}: leader at {where}, declared in round {result.rounds:,}"
    return f"{result.shape}: {result.outcome} after round {result.rounds:,}"
