"""Functions that call themselves are refused, by whatever way they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot.linking import Rules, RulesError
from amoebot.verify.user_properties import PropertyError, as_properties
from helpers.own_files import as_property, rules_with

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
    "inner = lambda n: inner(n - 1) if n else 0\n    return inner(3)": (
        "line 12: a lambda calls itself: write a loop"
    ),
    "return f(f, 3)\n\ndef f(g, n):\n    return g(g, n - 1) if n else 0": "line 15: f calls itself",
    "return f(f)\n\ndef f(g):\n    return max((g, g), key=g)": "line 15: f calls itself",
    "return f((f, 1))\n\ndef f(g):\n    return g[0](g)": "line 15: f calls itself",
}


@pytest.mark.parametrize(("body", "words"), RECURSIVE.items())
def test_a_function_that_calls_itself_is_refused(body: str, words: str, tmp_path: Path) -> None:
    """Compiled, one without an end broke down with the whole program."""
    with pytest.raises(RulesError, match=r"mine\.py: ") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)
    (tmp_path / "mine.py").write_text(as_property(body))
    with pytest.raises(PropertyError, match=r"mine\.py: ") as refused:
        as_properties(tmp_path / "mine.py")
    assert words in str(refused.value)


DOUBLE = "def double(x):\n    return 2 * x"


TWICE = f"return twice(double, 1)\n\ndef twice(f, x):\n    return f(f(x))\n\n{DOUBLE}"


THRICE = f"return f(1) + f(2)\n\ndef f(x):\n    return double(x) + double(1)\n\n{DOUBLE}"


@pytest.mark.parametrize("body", [TWICE, THRICE])
def test_a_function_may_be_called_twice(body: str, tmp_path: Path) -> None:
    assert Rules.parse(rules_with(body), "mine").parts()
    (tmp_path / "mine.py").write_text(as_property(body))
    assert as_properties(tmp_path / "mine.py")
