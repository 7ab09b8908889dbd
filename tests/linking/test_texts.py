"""Rules compute with numbers: no strings of values, no memory that nobody wrote, no other parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot.linking import Rules
from helpers.own_files import (
    check_accepted,
    check_holds,
    check_refused,
    compiled_sign,
    rules_with,
)

LANE = "\n\nfrom amoebot.algorithms.solitude_verification import lane"


FORMATS = "line 12: sign formats a value as a string: a rule computes with numbers only"
STRINGS = "line 12: sign uses 'U99', which is not a type of numbers"
DATES = "line 12: sign uses 'M8[s]', which is not a type of numbers"
UNWRITTEN = "sign uses where= without out=, which leaves elements uninitialised: use np.where"

#: What makes strings of values, knows the time, or reads memory that nobody has written.
READING_MORE = {
    f"return len(f'{{lane}}'){LANE}": FORMATS,
    f"return len('{{0.__globals__}}'.format(lane)){LANE}": FORMATS,
    "return len('{x}'.format_map({'x': 1}))": FORMATS,
    f"return len('%s' % lane){LANE}": FORMATS,
    "return len(FORM % heading)\n\nFORM = '%d'": FORMATS,
    f"return len(str(lane)){LANE}": FORMATS,
    "return len(repr(heading))": FORMATS,
    "return len(ascii(heading))": FORMATS,
    "return len(format(heading, 'd'))": FORMATS,
    "return len(', '.join(['a', 'b']))": FORMATS,
    "if heading > 5:\n        raise ValueError(f'{heading}')\n    return len(f'{heading}')": (
        "line 14: sign formats a value as a string"
    ),
    f"return len(np.str_(lane)){LANE}": "line 12: sign uses np.str_, and what a rule does",
    f"return len(np.array2string(np.array([lane]))){LANE}": "line 12: sign uses np.array2string",
    f"return len(np.array([lane]).astype('U99')[0]){LANE}": STRINGS,
    "try:\n        x = 1\n    except ValueError as e:\n        return e.args[0]\n    return x": (
        "line 14: sign catches an error by name: remove `as e`"
    ),
    "return int(np.array('now', dtype='M8[s]').astype(np.int64))": DATES,
    "return int(np.array(['now']).astype('M8[s]')[0])": DATES,
    "return len(np.array([heading], 'U99')[0])": STRINGS,
    "return len(np.array([heading]).astype(T)[0])\n\nT = 'U99'": "line 12: sign uses 'U99', which",
    "return int(NAMES[0] == 'a')\n\nNAMES = np.array(['a', 'b'])": (
        "line 12: sign uses NAMES, an array of strings: use a tuple"
    ),
    f"return lane.py_func is None{LANE}": "line 12: sign uses lane.py_func, an attribute of a func",
    "return int(np.is_busday('today'))": "line 12: sign uses np.is_busday, and what a rule does",
    "return int(np.array(['2020']).astype(D)[0])\n\nD = np.dtype('M8[s]')": "line 12: sign uses D,",
    "return int(np.add(TABLE, 1, where=TABLE > 1)[0])": f"line 12: {UNWRITTEN}",
    "add = np.add\n    return int(add(TABLE, 1, where=TABLE > 1)[0])": f"line 13: {UNWRITTEN}",
    "return int(np.add(TABLE, 1, out=None, where=TABLE > 1)[0])": f"line 12: {UNWRITTEN}",
    "return int(np.empty_like(TABLE)[0])": "line 12: sign uses np.empty_like",
    "return int(np.ndarray(1)[0])": "line 12: sign uses np.ndarray",
    f"return np.array([lane]).tobytes()[0]{LANE}": "line 12: sign uses np.array([lane]).tobytes",
    "return TABLE.view(np.int8)[0]": "line 12: sign uses TABLE.view, and what a rule does",
    "return TABLE.flat[heading]": "line 12: sign uses TABLE.flat, and what a rule does",
    "match heading:\n        case Exception(__traceback__=tb):\n            return 1\n"
    "        case _:\n            return 0": "line 13: sign uses Exception(__traceback__=tb)",
}


@pytest.mark.parametrize(("body", "words"), READING_MORE.items())
def test_texts_of_values_and_other_memory_are_refused(
    body: str, words: str, tmp_path: Path
) -> None:
    """Addresses, the time and what was in memory differ from run to run."""
    check_refused(body, words, tmp_path)


TELLING_AND_NAMING = (
    "if heading > 5:\n        raise ValueError(f'{heading} is 100% wrong: {heading:5.1f}')\n"
    "    return 1",
    "if heading > 5:\n        raise ValueError('no %d' % heading)\n    return 1",
    '"100% text."\n    return 1',
    "return int(np.array([1], dtype='u1').sum(where=np.array([True])))",
    "out = np.zeros(3)\n    np.add(TABLE, 1, out=out, where=TABLE > 1)\n    return 1",
    "if heading > 5:\n        raise ValueError('no ' + str(heading))\n    return 1",
    "if heading > 5:\n        raise ValueError('no {}'.format(heading))\n    return 1",
    "assert heading < 6, f'no {heading}'\n    return 1",
    "return int(heading != 'a')",
    "format = heading\n    return format",
    "return int(np.nanmax(TABLE, initial=0, where=TABLE > 0))",
    "return int(np.max(TABLE, initial=0, where=TABLE > 0))",
    "return int(top(TABLE, initial=0, where=TABLE > 0))\n\nfrom numpy import nanmax as top",
    "return int(heading < ones(3).sum() + 9)\n\nfrom numpy import ones",
)


@pytest.mark.parametrize("body", TELLING_AND_NAMING)
def test_texts_that_name_or_tell_something_are_accepted(body: str, tmp_path: Path) -> None:
    check_accepted(body, tmp_path)


#: Rules with words in them.
NAMING_RULES = {
    "total = 0\n    for name, step in (('east', 1), ('west', -1)):\n"
    "        total += step * heading + len(name)\n    return total + heading - 8": 2,
    "return lookup('S', heading)\n\nNORTH, EAST, SOUTH, WEST = 'N', 'E', 'S', 'W'\n\n"
    "def lookup(name, n):\n    return n if name == SOUTH else 0": 2,
    "return heading if MODE == 'today' and AXIS == 'U' else 0\n\nAXIS = 'U'\nMODE = 'today'": 2,
    "return heading if NAME == '50%' else 0\n\nNAME = '50%'": 2,
    "return LIMITS[0][1] + heading\n\nLIMITS = (('newest', 64), ('oldest', 64))": 66,
}


@pytest.mark.parametrize(("body", "found"), NAMING_RULES.items())
def test_a_rule_may_have_words_in_it(body: str, found: int, tmp_path: Path) -> None:
    check_accepted(body, tmp_path)
    assert compiled_sign(rules_with(body))(2) == found


#: Properties with words in them; each holds.
NAMING_PROPERTIES = (
    "    for name, limit in (('newest', 64), ('oldest', 64)):\n"
    "        if (world.memory[name] > limit - 1).any():\n            return False\n"
    "    return True\n",
    "    counts = {'candidates': 0}\n    counts['candidates'] += 1\n"
    "    return counts['candidates'] == 1\n",
    "    return (world.memory['newest'] < LIMITS[0][1] + 1).all()\n\n"
    "LIMITS = (('newest', 64), ('oldest', 64))\n",
    "    return len([world.memory[name] for name in TOKENS + OTHER + TOKENS[1:]]) == 4\n\n"
    "TOKENS = ('newest', 'oldest')\nOTHER = ('leader',)\n",
    "    return count(world, 'a') == 0 and count(world, LETTER) == 3\n\nLETTER = 'S'\n\n"
    "def count(world, name):\n    return len(world.wiring) - 1 if name == 'S' else 0\n",
    "    names = np.array(['newest', 'oldest'])\n    return 'newest' in names\n",
    "    some = all([count(world, name) >= 0 for name in FIELDS])\n"
    "    return some and count(world, 'created') == world.memory['created'].sum()\n\n"
    "FIELDS = ('leader', 'created')\n\n"
    "def count(world, name):\n    return world.memory[name].sum()\n",
)


@pytest.mark.parametrize("body", NAMING_PROPERTIES)
def test_a_property_may_have_words_in_it(body: str, tmp_path: Path) -> None:
    check_holds(f"import numpy as np\n\ndef holds(world):\n{body}", tmp_path)


#: What this package has besides elections, and how a rule might come by it.
OTHER_PARTS = {
    "return int(A)\n\nfrom amoebot.jit import INTERPRETED as A": "sign uses amoebot.jit.INTERPR",
    "return int(jit.INTERPRETED)\n\nfrom amoebot import jit": "sign uses amoebot.jit.INTERPRETED",
    "return amoebot.jit.INTERPRETED\n\nimport amoebot": "sign uses amoebot.jit.INTERPRETED, which",
    "return int(A)\n\nfrom amoebot.jit import INTERPRETED\nA = 1 * INTERPRETED": "A comes from INT",
    "return r.jit.INTERPRETED\n\nimport amoebot.algorithms.records as r": "sign uses amoebot.jit, ",
    "return len(_cache_home())\n\nfrom amoebot.cache import _cache_home": "amoebot.cache._cache_h",
    "return len(built_in())\n\nfrom amoebot.algorithms.registry import built_in": "uses amoebot.al",
    "return other()\n\nfrom amoebot.jit import INTERPRETED as A\ndef other(x=A):\n    return x": (
        "line 15: other uses amoebot.jit.INTERPRETED, which is not part of an election: a rule may"
        " import from amoebot.algorithms, amoebot.elementary, amoebot.lattice and amoebot.rng"
    ),
}


@pytest.mark.parametrize(("body", "words"), OTHER_PARTS.items())
def test_of_this_package_rules_use_elections_alone(body: str, words: str, tmp_path: Path) -> None:
    """What tells compiled rules from interpreted ones made two algorithms of one."""
    check_refused(body, words, tmp_path)


def test_what_a_rule_calls_may_be_compiled() -> None:
    body = "return one()\n\nfrom amoebot.jit import compiled\n@compiled\ndef one():\n    return 1"
    assert Rules.parse(rules_with(body), "mine").parts()
