"""Every verdict turns when rules or data are broken on purpose; the table of it is a page."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from amoebot import sweeps
from amoebot.reproduction import probes, standard
from amoebot.reproduction.claims import CLAIMS, Rows
from amoebot.reproduction.reproducing import ORDER
from amoebot.reproduction.verdicts import FAILS, HOLDS, UNDECIDED, Decision
from helpers import interpreted, small_plans
from helpers.pages import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
]

PAGE = ROOT / "docs" / "reproduction-broken.md"

_L, _N, _D = pl.col("outer_boundary_length"), pl.col("particles"), pl.col("diameter")
_TIMES = ("rounds", "rounds_terminated", "digit_tokens_created")
_SPREADING = pl.col("rounds_terminated") - pl.col("rounds")

#: Every thirtieth row, and the first one.
_SOME, _ONE = pl.int_range(pl.len()) % 30 == 0, pl.int_range(pl.len()) == 0

Break = Callable[[pl.DataFrame], pl.DataFrame]


def replaced(name: str, value: pl.Expr, where: pl.Expr | None = None) -> Break:
    """Replace a column by other values, everywhere or in some rows."""

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        kind = frame.schema[name]
        other = (value.round() if kind.is_integer() else value).cast(kind)
        return frame.with_columns(
            (other if where is None else pl.when(where).then(other).otherwise(name)).alias(name)
        )

    return change


def slower(factor: pl.Expr, names: tuple[str, ...] = _TIMES) -> Break:
    """Multiply times."""

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns((pl.col(names) * factor).round().cast(pl.Int64))

    return change


def _like_the_smallest(frame: pl.DataFrame) -> pl.DataFrame:
    """Give all sizes the rounds / L of the smallest one."""
    smallest = frame.filter(pl.col("particles") == frame["particles"].min())
    ratios = (smallest["rounds"] / smallest["outer_boundary_length"]).to_list()
    again = pl.Series([ratios[place % len(ratios)] for place in range(frame.height)])
    return frame.with_columns((_L * again).round().cast(pl.Int64).alias("rounds"))


_SLOWER_BY_L = ("all times × L^0.1", slower(_L**0.1))

#: For each claim the part of the data that is broken, in words what is, and how.
BROKEN: dict[str, list[tuple[str, str, Break]]] = {
    "lemma-1": [("growth", "one shape has 2 L² particles", replaced("particles", 2 * _L**2, _ONE))],
    "lemma-2": [
        (
            "segments",
            "one election in 30 has no segment of more than 1 agent",
            replaced("longest_segment", pl.lit(1), _SOME),
        )
    ],
    "lemma-3": [
        (
            "failures",
            "one election in 30 is tied at r = 256",
            replaced("outcome", pl.lit("tied-identifiers"), _SOME & (pl.col("radix") == 256)),
        ),
        (
            "failures",
            "ties are twice as frequent at r = 2",
            replaced(
                "outcome",
                pl.lit("tied-identifiers"),
                (pl.col("radix") == 2) & (pl.int_range(pl.len()) % 5 == 0),
            ),
        ),
    ],
    "theorem-1": [
        (
            "growth",
            "one large election fails, where fewer than 0.001 are expected to",
            replaced("outcome", pl.lit("tied-identifiers"), _ONE),
        ),
        ("growth", "one election has two leaders", replaced("leaders", pl.lit(2), _ONE)),
    ],
    "lemma-4": [
        (
            "segments",
            "identifier setup takes ℓ³ / 4 rounds",
            replaced("identifiers_set_up", pl.col("longest_segment") ** 3 / 4),
        )
    ],
    "lemma-5": [
        (
            "segments",
            "the longest segment has 0.1 log² n agents",
            replaced("longest_segment", 0.1 * _N.log(2) ** 2),
        ),
        (
            "segments",
            "one election in 30 has a segment of 2 log n agents",
            replaced("longest_segment", (2 * _N.log(2)).ceil(), _SOME),
        ),
    ],
    "corollary-1": [
        (
            "segments",
            "all identifiers are set up after 0.02 log³ n rounds",
            replaced("identifiers_set_up", 0.02 * _N.log(2) ** 3),
        ),
        (
            "segments",
            "setup times × log^1.5 n",
            slower(_N.log(2) ** 1.5, ("identifiers_set_up",)),
        ),
    ],
    "lemma-6": [
        (
            "token-steps",
            "one token is late by a step in one round",
            replaced("least", pl.col("i") - 1, _ONE),
        )
    ],
    "lemma-7": [
        (
            "growth and schedulers",
            "the last verification takes L^0.1 times as long",
            replaced(
                "boundary_identification_begins",
                pl.col("last_solitude_verification_begins")
                + (
                    pl.col("boundary_identification_begins")
                    - pl.col("last_solitude_verification_begins")
                )
                * _L**0.1,
            ),
        )
    ],
    "lemma-8": [
        (
            "growth",
            "one identification takes L + 2 rounds",
            replaced("leader_declared", pl.col("boundary_identification_begins") + _L + 2, _ONE),
        )
    ],
    "theorem-2": [
        ("growth", *_SLOWER_BY_L),
        ("growth", "rounds = 0.4 L log L", replaced("rounds", 0.4 * _L * _L.log(2))),
    ],
    "corollary-2": [
        ("growth", "rounds × C", slower(pl.col("outer_boundary_particles"))),
        ("growth", "all times × C^0.1", slower(pl.col("outer_boundary_particles") ** 0.1)),
    ],
    "corollary-3": [("growth", "all times × n^0.1", slower(_N**0.1))],
    "appendix-a-1": [("expanded", *_SLOWER_BY_L)],
    "corollary-4": [
        (
            "termination",
            "the message takes D^1.2 rounds",
            replaced("rounds_terminated", pl.col("rounds") + _SPREADING * _D**0.2),
        ),
        (
            "termination",
            "in one election not all particles terminate",
            replaced("rounds_terminated", pl.lit(None, pl.Float64), _ONE),
        ),
    ],
    "corollary-5": [
        (
            "termination",
            "the message takes D^1.2 rounds",
            replaced("rounds_terminated", pl.col("rounds") + _SPREADING * _D**0.2),
        ),
        ("termination", *_SLOWER_BY_L),
    ],
    "theorem-3": [
        (
            "almost-sure",
            "one election ends without a leader",
            replaced("outcome", pl.lit("tied-identifiers"), _ONE),
        ),
        ("almost-sure", *_SLOWER_BY_L),
    ],
    "appendix-a-4": [
        (
            "rings",
            "automata fail in one election of ten on every ring",
            replaced("failures", pl.col("runs") / 10, pl.col("algorithm") == "automata"),
        ),
        (
            "rings",
            "one election in the plane fails",
            replaced(
                "failures",
                pl.lit(1),
                (pl.col("algorithm") == "geometric") & (pl.col("size") == 16),
            ),
        ),
    ],
    "schedulers": [
        (
            "schedulers",
            "adversarial takes L^0.1 times as long",
            lambda frame: pl.concat(
                [
                    frame.filter(pl.col("scheduler") != "adversarial"),
                    slower(_L**0.1)(frame.filter(pl.col("scheduler") == "adversarial")),
                ]
            ),
        )
    ],
    "tails": [("tails", "rounds / L are spread alike at all sizes", _like_the_smallest)],
}


@pytest.fixture(scope="module")
def rows() -> Rows:
    """Data on which the claims are decided."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standard, "PROBED", small_plans.PROBED)
        patch.setattr(standard, "RINGS", small_plans.RINGS)
        found = {part: sweeps.sweep(plan).collect() for part, plan in small_plans.SMALL.items()}
        return found | {name: probe(False, None) for name, probe in probes.PROBES.items()}


def test_every_claim_is_broken_somehow() -> None:
    assert [*BROKEN] == [*ORDER]


@pytest.fixture(scope="module")
def turned(rows: Rows) -> dict[str, list[tuple[str, Decision]]]:
    """What each claim's verdict is with each break."""
    found: dict[str, list[tuple[str, Decision]]] = {}
    for name in ORDER:
        found[name] = []
        for part, words, change in BROKEN[name]:
            broken = rows | {one: change(rows[one]) for one in part.split(" and ")}
            assert not any(broken[one].equals(rows[one]) for one in part.split(" and "))
            decision = CLAIMS[name].measure(broken).decision
            found[name].append((f"{words} (data of {part})", decision))
    return found


@pytest.mark.parametrize("name", ORDER)
def test_an_unbroken_claim_holds(name: str, rows: Rows) -> None:
    decision = CLAIMS[name].measure(rows).decision
    assert decision.word == HOLDS, decision.reason


@pytest.mark.parametrize("name", ORDER)
def test_a_broken_claim_fails(name: str, turned: dict[str, list[tuple[str, Decision]]]) -> None:
    for words, decision in turned[name]:
        assert decision.word == FAILS, f"{words}: {decision.reason}"
        assert decision.reason.startswith("refuted: ")


#: How far an election gets, and what is known of it then.
_REACHED = (
    *("rounds_terminated", "identifiers_set_up", "digit_tokens_created", "longest_segment"),
    *("last_solitude_verification_begins", "boundary_identification_begins", "leader_declared"),
)


def _stopped(frame: pl.DataFrame) -> pl.DataFrame:
    """Stop all elections before anything happens."""
    if "outcome" not in frame.columns:
        return frame.clear()
    return frame.with_columns(
        pl.lit("round-limit").alias("outcome"),
        pl.lit(0, frame.schema["leaders"]).alias("leaders"),
        *(pl.lit(None, frame.schema[name]).alias(name) for name in _REACHED),
    )


#: About shapes, and about automata on rings.
STILL = ("lemma-1", "appendix-a-4")


@pytest.mark.parametrize("name", [name for name in ORDER if name not in STILL])
def test_where_nothing_happens_no_claim_holds(name: str, rows: Rows) -> None:
    stopped = {part: _stopped(frame) for part, frame in rows.items()}
    word = CLAIMS[name].measured(stopped).decision.word
    assert word == (FAILS if name in ("theorem-1", "theorem-3") else UNDECIDED)


#: Rules that break a claim.
BROKEN_RULES = {"every_other_round.py": "lemma-6"}

#: The command, on a shape that is small enough without the compiler.
COMMAND = """
from amoebot.cli import main
from amoebot.reproduction import standard
standard.PROBED = {False: (("hexagon:4",), 1)}
main()
"""


def reproduced(name: str, folder: Path, *arguments: str) -> str:
    """Run ``amoebot reproduce`` for a claim; return its verdict."""
    given = ("reproduce", "--only", name, "-o", str(folder), "--json", *arguments)
    told = interpreted.python("-c", COMMAND, *given)
    word = str(json.loads(told.stdout)["claims"][name]["verdict"])
    assert told.returncode == (word == FAILS), told.stderr
    return word


@pytest.fixture(scope="module")
def turned_by_rules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """What the verdict of each claim is with broken rules."""
    folder = tmp_path_factory.mktemp("broken-rules")
    return {
        name: (file, reproduced(name, folder / name, "--rules", str(interpreted.RULES / file)))
        for file, name in BROKEN_RULES.items()
    }


def test_broken_rules_turn_the_verdict_that_rests_on_them(
    turned_by_rules: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    for name, (_, word) in turned_by_rules.items():
        assert word == FAILS
        assert reproduced(name, tmp_path / name) == HOLDS


HEAD = """# When verdicts turn

A verdict that cannot fail says nothing. So each claim of [The paper, measured](reproduction.md)
is tried on rules or on data that are broken on purpose, in a small reproduction of which every
verdict is *holds*. A test (`tests/reproduction/test_turning.py`) breaks one thing at a time and
writes this page.

The breaks are small where a claim leaves little room. It leaves much for Corollary 1: at these
sizes identifier setup grows like log n to an exponent of about 1.1. So setup times × log n, about
2.1, are undecided with the elections of the quick plan; × log^1.5 n the claim fails.

| claim | what is broken | verdict |
|---|---|---|
"""


def test_the_page_has_every_break(
    turned: dict[str, list[tuple[str, Decision]]], turned_by_rules: dict[str, tuple[str, str]]
) -> None:
    lines = []
    for name in ORDER:
        words = [(words, decision.word) for words, decision in turned[name]]
        if name in turned_by_rules:
            file, word = turned_by_rules[name]
            words.append((f"rules `{file}`", word))
        link = f"[{CLAIMS[name].title}](reproduction.md#{CLAIMS[name].anchor})"
        lines += [f"| {link} | {one} | {word} |" for one, word in words]
    text = HEAD + "\n".join(lines) + "\n"
    if os.environ.get("AMOEBOT_WRITE") == "1":
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
