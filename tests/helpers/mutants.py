"""Broken rules: one line changed in each. The explorer has to catch every one of them.

As a program, it tries mutants in a copy of the package and prints for each by what it was caught:

    python tests/helpers/mutants.py [NAME ...]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import amoebot

SOURCE = Path(amoebot.__file__).parent

FORWARDS = (
    "    return receive_token(pred, choose(me.head != 0, record(token, EQUAL) | ACTIVE, token))"
)

#: What is explored, in this order, until something is caught: shape, almost sure, terminate.
CHECKS = (
    ("line:2", False, False),
    ("triangle:2", False, False),
    ("line:3", False, False),
    ("line:2", True, True),
    ("line:2", True, False),
)


@dataclass(frozen=True)
class Mutant:
    """One line of the package, and what is put in its place."""

    name: str
    file: str
    line: str
    broken: str
    check: int  #: the number of the first of CHECKS that catches it


MUTANTS = (
    Mutant(
        "an agent holds one digit token",
        "algorithms/improved/identifier_comparison.py",
        "    return me.newest == NO_TOKEN",
        "    return me.oldest == NO_TOKEN",
        0,
    ),
    Mutant(
        "an agent is sent a third digit token",
        "algorithms/improved/identifier_comparison.py",
        "    if (token == NO_TOKEN) | (not has_room(pred)) | (pred.created == 0):",
        "    if (token == NO_TOKEN) | (pred.created == 0):",
        1,
    ),
    Mutant(
        "tokens arrive before the agent has created its own",
        "algorithms/improved/identifier_comparison.py",
        "    if (token == NO_TOKEN) | (not has_room(pred)) | (pred.created == 0):",
        "    if (token == NO_TOKEN) | (not has_room(pred)):",
        0,
    ),
    Mutant(
        "the delimiter keeps its record in the next segment",
        "algorithms/improved/identifier_comparison.py",
        FORWARDS,
        "    return receive_token(pred, choose(me.head != 0, token | ACTIVE, token))",
        0,
    ),
    Mutant(
        "a head that withdrew activates no tokens",
        "algorithms/improved/identifier_comparison.py",
        FORWARDS,
        "    return receive_token(pred, choose(is_candidate(me.candidacy), record(token, EQUAL) "
        "| ACTIVE, token))",
        0,
    ),
    Mutant(
        "an agent stays inactive after the delimiter",
        "algorithms/improved/identifier_comparison.py",
        "    me.inactive = choose(delimits, 0, longer | match)",
        "    me.inactive = longer | match",
        0,
    ),
    Mutant(
        "the lower identifier wins",
        "algorithms/improved/identifier_comparison.py",
        "    if longer or (match and difference == HIGHER):",
        "    if longer or (match and difference == LOWER):",
        1,
    ),
    Mutant(
        "the identifier is copied without turning at marked agents",
        "algorithms/improved/identifier_setup.py",
        "        if not (me.head or pred.marked):",
        "        if not me.head:",
        1,
    ),
    Mutant(
        "the agent identifier is not checked",
        "algorithms/solitude_verification.py",
        "        and me.x.next_identifier == me.agent_identifier",
        "        and me.x.next_identifier > 0",
        2,
    ),
    Mutant(
        "the activation token overtakes unsettled tokens",
        "algorithms/solitude_verification.py",
        "    if gains.settled < gains.held or losses.settled < losses.held:",
        "    if gains.held > 2:",
        2,
    ),
    Mutant(
        "the activation token deletes no tokens on the way home",
        "algorithms/solitude_verification.py",
        "    clear(mine.positive)",
        "    mine.positive.settled = mine.positive.held",
        0,
    ),
    Mutant(
        "a candidate withdraws at once",
        "algorithms/solitude_verification.py",
        "    if me.stage:",
        "    if me.stage > VERIFYING:",
        1,
    ),
    Mutant(
        "tokens settle behind a single settled one",
        "algorithms/solitude_verification.py",
        "    if at_candidate or ahead.settled == CAPACITY:",
        "    if at_candidate or ahead.settled > 0:",
        2,
    ),
    Mutant(
        "turns are counted with the wrong sign",
        "algorithms/boundary_identification.py",
        "    angle = (me.angle + succ.turn) % 5",
        "    angle = (me.angle - succ.turn) % 5",
        0,
    ),
    Mutant(
        "the stop token freezes nobody",
        "algorithms/improved/almost_sure.py",
        "    me.frozen = 1",
        "    me.frozen = 0",
        3,
    ),
    Mutant(
        "the stop token overlooks the leader",
        "algorithms/improved/almost_sure.py",
        "    me.second.stop = LEADER_MET if me.leader else token",
        "    me.second.stop = token",
        4,
    ),
    Mutant(
        "a coin is sent onto another",
        "algorithms/improved/almost_sure.py",
        "        if not me.sent_forth and has_started(succ.candidacy) and not succ.forth:",
        "        if not me.sent_forth and has_started(succ.candidacy):",
        3,
    ),
    Mutant(
        "the termination message is not passed on",
        "engine/activation.py",
        "                pass_message(particles[neighbour])",
        "                must_terminate(particles[neighbour])",
        3,
    ),
)

PROGRAM = """
import json, sys
from amoebot.shapes import parse
from amoebot.verify import VIOLATED, verify
for shape, almost_sure, terminate in json.loads(sys.argv[1]):
    report = verify(parse(shape), almost_sure=almost_sure, terminate=terminate)
    if report.violated:
        example = report.counterexample
        print(json.dumps({"shape": shape, "almost_sure": almost_sure,
                          "property": example.property, "activations": len(example.schedule)}))
        break
else:
    print("null")
"""


@contextmanager
def broken_package(mutant: Mutant) -> Iterator[dict[str, str]]:
    """Make a broken copy of the package; provide the environment in which it is imported."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, Path(folder) / "amoebot")
        source = Path(folder) / "amoebot" / mutant.file
        text = source.read_text()
        assert text.count(mutant.line + "\n") == 1, f"{mutant.name}: the line has changed"
        source.write_text(text.replace(mutant.line + "\n", mutant.broken + "\n"))
        yield os.environ | {"PYTHONPATH": folder, "AMOEBOT_CACHE": f"{folder}/cache"}


def try_mutant(mutant: Mutant, checks: object, interpreted: bool = False) -> object:
    """Break the package, verify with it, and return by what it was caught, or None."""
    with broken_package(mutant) as environment:
        if interpreted:
            environment["NUMBA_DISABLE_JIT"] = "1"
        told = subprocess.run(
            [sys.executable, "-c", PROGRAM, json.dumps(checks)],
            env=environment,
            capture_output=True,
            text=True,
        )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


if __name__ == "__main__":
    for mutant in MUTANTS:
        if len(sys.argv) == 1 or mutant.name in sys.argv[1:]:
            print(f"{mutant.name}: {json.dumps(try_mutant(mutant, CHECKS))}", flush=True)
