"""Functions that call themselves are refused, by whatever way they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot import Rules, Simulation
from amoebot.linking import RulesError, explaining
from amoebot.verify.user_properties import PropertyError, as_properties
from helpers.interpreted import python
from helpers.own_files import as_property, check_accepted, check_refused, compiled_sign, rules_with

GCD = "\n\ndef gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)\n"


TWO = "\n\ndef f(n):\n    x = n\n    return g(x)\n\ndef g(n):\n    return f(n - 1) if n else 0\n"


#: Functions that call themselves, and what is said of them.
RECURSIVE = {
    f"return gcd(heading, 3){GCD}": "line 15: gcd calls itself: write a loop",
    "return sign(1) if heading else 0": "line 12: sign calls itself: write a loop",
    f"return f(heading){TWO}": "line 16: f calls itself by way of g: write a loop",
    f"return max([f(x) for x in TABLE]){TWO}": "line 16: f calls itself by way of g: write a loop",
    "try:\n        return deep(1)\n    except Exception:\n        return 0\n\n"
    "def deep(n):\n    return deep(n + 1) + 1": "line 18: deep calls itself: write a loop",
    "try:\n        x = 1\n    except RecursionError:\n        return 0\n    return x": (
        "line 14: sign uses RecursionError, and wh"
    ),
    "def inner(n):\n        return inner(n - 1) if n else 0\n    return inner(3)": (
        "line 13: inner calls itself: write a loop"
    ),
    "return max(TABLE, key=lambda x: sign(x))": "line 12: sign calls itself: write a loop",
    "inner = lambda n: inner(n - 1) if n else 0\n    return inner(3)": (
        "line 12: a lambda calls itself: write a loop"
    ),
}


@pytest.mark.parametrize(("body", "words"), RECURSIVE.items())
def test_a_function_that_calls_itself_is_refused(body: str, words: str, tmp_path: Path) -> None:
    """Compiled, one without an end broke down with the whole program."""
    check_refused(body, words, tmp_path)


DOUBLE = "def double(x):\n    return 2 * x"


TWICE = f"return twice(double, 1)\n\ndef twice(f, x):\n    return f(f(x))\n\n{DOUBLE}"


THRICE = f"return f(1) + f(2)\n\ndef f(x):\n    return double(x) + double(1)\n\n{DOUBLE}"


#: Functions that are handed over to others: who calls them is not always who gets them.
WITHIN = (
    "return 1 + count(is_good, heading)\n\n"
    "def count(which, n):\n    return sum([which(k) for k in range(n)])\n\n"
    "def is_good(n):\n    return count(is_odd, n) > 1\n\n"
    "def is_odd(n):\n    return n % 2 == 1"
)


@pytest.mark.parametrize(("body", "found"), [(TWICE, 4), (THRICE, 10), (WITHIN, 2)])
def test_a_function_may_be_called_twice(body: str, found: int, tmp_path: Path) -> None:
    check_accepted(body, tmp_path)
    assert compiled_sign(rules_with(body))(5) == found


RINGS = "\n\ndef last(ring):\n    return max(ring, key=lambda x: -x)"


@pytest.mark.parametrize(
    "body",
    [
        "rings = [[1, heading], [3, 4]]\n"
        "    return len(max(rings, key=lambda ring: max(ring, key=lambda x: -x)))",
        f"rings = [[1, heading], [3, 4]]\n    return len(max(rings, key=lambda r: last(r))){RINGS}",
    ],
)
def test_a_key_may_have_a_key_of_its_own(body: str, tmp_path: Path) -> None:
    check_accepted(body, tmp_path)


#: Functions that get themselves, or what calls them, by a variable.
HIDDEN = (
    "return f(f, 3)\n\ndef f(g, n):\n    return g(g, n - 1) if n else 0",
    "return f(f, 3)\n\ndef f(g, n):\n    return g(g, n + 1) + 1",
    "return f(f)\n\ndef f(g):\n    return max((g, g), key=g)",
    "return f((f, 1))\n\ndef f(g):\n    return g[0](g)",
    "return f(f, (heading,))\n\ndef f(g, n):\n    return g(g, (n, 0))",
)


@pytest.mark.parametrize("body", HIDDEN)
def test_one_that_is_hidden_ends_in_one_sentence(body: str, tmp_path: Path) -> None:
    rules = Rules.parse(rules_with(body), "mine")
    sign = compiled_sign(rules_with(body))
    with pytest.raises(RulesError, match=r"mine does not run: mine\.py, line"), explaining(rules):
        sign(1)


@pytest.mark.parametrize("body", HIDDEN[1:])
def test_one_that_is_hidden_ends_interpreted_as_well(body: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(as_property(body))
    (holds,) = as_properties(tmp_path / "mine.py")
    with pytest.raises(PropertyError, match=r"the property sign failed: mine\.py, line 15: Recurs"):
        holds.holds(Simulation("line:2").engine_run.world)


def test_a_rule_that_hides_one_ends_interpreted_as_well(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(rules_with(HIDDEN[1]))
    told = python("-m", "amoebot", "elect", "line:3", "--rules", str(tmp_path / "mine.py"))
    assert told.returncode == 2
    assert told.stderr.startswith("amoebot: mine does not run: mine.py, line 15: RecursionError")
