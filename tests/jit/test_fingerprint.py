"""What is found again on disk: a function by all that has a part in its machine code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from amoebot import Rules, jit
from amoebot.files import run_file
from amoebot.fingerprint import fingerprint
from amoebot.linking import link

pytestmark = pytest.mark.compiled

SOURCE = """
import numba
import numpy as np
STEP = 3
TABLE = np.array([1, 2, 3])
PAIR = (1, (2, 3))

@numba.njit
def inner(x):
    return x + STEP

@numba.njit
def outer(x, more=2):
    '''Say something.'''
    return inner(x) + more + TABLE[0] + PAIR[0] + len("text")

@numba.njit
def again(x):
    return again(x - 1) if x > 0 else outer(0)
"""

CHANGES = {
    "another constant": ("STEP = 3", "STEP = 4"),
    "another type of a constant": ("STEP = 3", "STEP = 3.0"),
    "another array": ("[1, 2, 3]", "[1, 2, 4]"),
    "another type of array": ("[1, 2, 3])", "[1, 2, 3], dtype=np.int32)"),
    "another tuple": ("(2, 3)", "(2, 4)"),
    "another default": ("more=2", "more=3"),
    "another operation in what is called": ("x + STEP", "x - STEP"),
    "other settings of what is called": (
        "@numba.njit\ndef inner",
        "@numba.njit(fastmath=True)\ndef inner",
    ),
    "another text": ('len("text")', 'len("texts")'),
}

SAME = {
    "another docstring": ("Say something.", "Say nothing."),
    "another place": ("STEP = 3", "# A comment.\n\nSTEP = 3"),
    "a function that nobody calls": (
        "@numba.njit\ndef outer",
        "def idle():\n    pass\n\n@numba.njit\ndef outer",
    ),
}


def prints(source: str) -> list[str]:
    module: Any = run_file(source, "mine", ValueError)
    return [fingerprint(one) for one in (module.outer, module.again)]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_has_a_part_in_machine_code_changes_the_digest(change: str) -> None:
    old, new = CHANGES[change]
    assert old in SOURCE
    assert not {*prints(SOURCE)} & {*prints(SOURCE.replace(old, new))}


@pytest.mark.parametrize("change", SAME)
def test_whatever_has_none_does_not(change: str) -> None:
    old, new = SAME[change]
    assert old in SOURCE
    assert prints(SOURCE) == prints(SOURCE.replace(old, new))


def test_an_unknown_value_is_another_one_in_each_version(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCE.replace("STEP = 3", "class STEP:\n    pass")
    before = prints(source)
    monkeypatch.setattr("amoebot.fingerprint.digest_of_sources", lambda: "f" * 64)
    assert not {*before} & {*prints(source)}


def test_values_of_the_function_around_count() -> None:
    def made(value: Any) -> Callable[[int], Any]:
        @numba.njit  # type: ignore[untyped-decorator]
        def inner(x: int) -> Any:
            return x + value

        return inner  # type: ignore[no-any-return]

    assert fingerprint(made(1)) == fingerprint(made(1)) != fingerprint(made(np.int8(1)))


def test_links_share_what_no_changed_rule_has_a_part_in() -> None:
    """Once a changed rule had everything compiled again."""
    mine = Rules.parse("def sign(heading):\n    return 0\n", "mine")
    links = [link("improved"), link("improved", mine)]
    own, other = (one.module("algorithms.improved.identifier_setup") for one in links)
    assert own is not other
    rules = [name for name in vars(own) if jit.is_rule(getattr(own, name))]
    kept = [name for name in rules if hasattr(getattr(own, name), "py_func")]
    assert kept
    for name in kept:
        assert fingerprint(getattr(own, name)) == fingerprint(getattr(other, name))
    own, other = (one.module("algorithms.interface").activate for one in links)
    assert fingerprint(own) != fingerprint(other)


def test_it_does_not_depend_on_where_the_package_is(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SOURCE)
    assert prints((tmp_path / "mine.py").read_text()) == prints(SOURCE)
