"""Broken rules: each breaks one sentence of the paper. The explorer has to catch every one of them.

Compiling takes longer than exploring, so all of them are compiled at once: in a copy of the
package every function with broken lines has a variant for each, and calls the one whose number is
in a place of memory that machine code reads. Number 0 is the rule as it is.

As a program, it tries mutants on all CHECKS, one after another until something is caught:

    PYTHONPATH=tests python -m helpers.mutants [NAME ...]
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import amoebot
from helpers.broken_rules import EQUIVALENT, MUTANTS, NODES, Mutant

SOURCE = Path(amoebot.__file__).parent

#: Of the states explored with a broken rule there may be more than with the right one.
MOST_STATES = 1_500_000

SWITCH = '''
import ctypes
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

NUMBER = ctypes.c_int64(0)


@intrinsic
def mutant(typing):
    """Return the number of the mutant that runs."""

    def generate(context, builder, signature, arguments):
        address = context.get_constant(types.uintp, ctypes.addressof(NUMBER))
        return builder.load(builder.inttoptr(address, ir.IntType(64).as_pointer()))

    return types.int64(), generate
'''

PROGRAM = """
import json, sys
from amoebot.linking import explorer
from amoebot.options import Options
from amoebot.shapes import Shape, parse
from amoebot.switch import NUMBER
from amoebot.verify import NOT_EXHAUSTED, VIOLATED, orders, verify
from amoebot.verify.report import NOT_DECIDED, Report
from amoebot.verify.verifying import fixed_offsets, memories_after
most_states, nodes, cases = json.load(sys.stdin)

def explore_all_orders(shape, after, seed, leave_out, **options):
    # From a moment on, and each particle in every order, or in those only that differ.
    shape, run = fixed_offsets(shape), Options(seed, own={"radix": 2, **options})
    report = Report(shape.name, shape.particles, "improved", dict(run.own))
    number, NUMBER.value = NUMBER.value, 0  # the rule as it is gets there; a broken one may never
    start = memories_after(shape, run, after)
    NUMBER.value = number
    around = orders.around
    orders.around = around if leave_out else around_all
    checker = explorer("improved").module("verify.checker")
    checker.check(shape, report, most_states // 75, None, None, start=start)
    orders.around = around
    return report

def around_all(system, agent):
    return {*range(system.agents)}

for number, checks in cases:
    NUMBER.value = number
    caught, limited = None, False
    for name, expanded, options in checks:
        places = [tuple(one) for one in nodes[name]] if name in nodes else parse(name).nodes
        shape = Shape(places, expanded, name=name)
        if "leave_out" in options:
            report = explore_all_orders(shape, **options)
        else:
            report = verify(shape, max_states=most_states, **options)
        wrong = [told for told, verdict in report.verdicts.items()
                 if verdict in (VIOLATED, NOT_DECIDED)]
        limited = limited or not report.exhausted
        if wrong:
            example = report.counterexample  # of a part there is none
            caught = {"shape": name, "expanded": expanded, **options,
                      "property": example.property if example else wrong[0],
                      "activations": len(example.schedule) if example else None}
            break
    # What was not exhausted has not shown that nothing is wrong.
    caught = caught or ({"property": NOT_EXHAUSTED} if limited else None)
    print(json.dumps(caught), flush=True)
"""


def variants(text: str, mutants: dict[int, Mutant]) -> str:
    """Return the source of a module in which broken functions stand beside the right ones."""
    lines = text.split("\n")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for function in reversed(functions):
        first = min([function.lineno, *(one.lineno for one in function.decorator_list)]) - 1
        # What is inlined would be so many times over.
        source = "\n".join(lines[first : function.end_lineno]).replace("@inlined_rule", "@rule")
        own = {number: m for number, m in mutants.items() if m.line + "\n" in source + "\n"}
        if own:
            lines[first : function.end_lineno] = dispatched(source, function, own).split("\n")
    return "\n".join(lines).replace(
        "\nfrom amoebot.jit import",
        "\nfrom amoebot.switch import mutant\nfrom amoebot.jit import",
        1,
    )


def dispatched(source: str, function: ast.FunctionDef, mutants: dict[int, Mutant]) -> str:
    """Return a function, its broken variants, and one of its name that calls one of them."""
    header, call = f"def {function.name}(", ", ".join(arg.arg for arg in function.args.args)
    parts = [source.replace(header, f"def {function.name}__0(")]
    choice = [source[: source.index('    """')], "    number = mutant()\n"]
    for number, mutant in mutants.items():
        assert source.count(mutant.line + "\n") + source.endswith(mutant.line) == 1, mutant.name
        broken = source.replace(mutant.line, mutant.broken)
        parts.append(broken.replace(header, f"def {function.name}__{number}("))
        choice.append(
            f"    if number == {number}:\n        return {function.name}__{number}({call})\n"
        )
    choice.append(f"    return {function.name}__0({call})")
    return "\n\n\n".join([*parts, "".join(choice)])


@contextmanager
def copy_of_package() -> Iterator[tuple[Path, dict[str, str]]]:
    """Make a copy of the package; provide its folder, and the environment to import it in."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, Path(folder) / "amoebot")
        environment = os.environ | {"PYTHONPATH": folder, "AMOEBOT_CACHE": f"{folder}/cache"}
        yield Path(folder) / "amoebot", environment


def break_one(copy: Path, mutant: Mutant) -> None:
    """Break a line in a copy of the package."""
    text = (copy / mutant.file).read_text()
    (copy / mutant.file).write_text(text.replace(mutant.line, mutant.broken))


def break_all(copy: Path, mutants: dict[int, Mutant]) -> None:
    """Put all mutants into a copy of the package, and the switch between them."""
    (copy / "switch.py").write_text(SWITCH)
    for file in {mutant.file for mutant in mutants.values()}:
        here = {number: mutant for number, mutant in mutants.items() if mutant.file == file}
        text = (copy / file).read_text()
        for mutant in here.values():
            assert text.count(mutant.line + "\n") == 1, f"{mutant.name}: the line has changed"
        (copy / file).write_text(variants(text, here))


def try_mutants(mutants: Iterable[Mutant], checks: dict[str, list[Any]]) -> Iterator[Any]:
    """Verify with each of some mutants, by its checks; yield by what it was caught, or None."""
    numbered = dict(enumerate(mutants, start=1))
    cases = [(number, checks[mutant.name]) for number, mutant in numbered.items()]
    told = explore_with(numbered, [(0, checks.get("", [])), *cases])
    assert next(told) is None, "the rules themselves are caught"
    yield from told


def explore_with(numbered: dict[int, Mutant], cases: list[tuple[int, list[Any]]]) -> Iterator[Any]:
    """Explore with mutants by their numbers; yield by what each was caught, or None."""
    with copy_of_package() as (copy, environment):
        break_all(copy, numbered)
        program = [sys.executable, "-c", PROGRAM]
        pipe = subprocess.PIPE
        with subprocess.Popen(program, env=environment, stdin=pipe, stdout=pipe, text=True) as told:
            assert told.stdin is not None
            assert told.stdout is not None
            json.dump([MOST_STATES, NODES, cases], told.stdin)
            told.stdin.close()
            for line in told.stdout:
                yield json.loads(line)
        assert told.returncode == 0


if __name__ == "__main__":
    from helpers.broken_rules import CHECKS

    chosen = [m for m in (*MUTANTS, *EQUIVALENT) if len(sys.argv) == 1 or m.name in sys.argv[1:]]
    every = {mutant.name: list(CHECKS) for mutant in chosen}
    for mutant, caught in zip(chosen, try_mutants(chosen, every), strict=True):
        print(f"{mutant.name}: {json.dumps(caught)}", flush=True)
