"""Rules are made of numbers: no texts of values, no memory that nobody wrote, no other parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot.linking import Rules, RulesError
from amoebot.verify.user_properties import PropertyError, as_properties
from helpers.own_files import as_property, rules_with

LANE = "\n\nfrom amoebot.algorithms.solitude_verification import lane"


#: What makes texts of values, knows the time, or reads memory that nobody has written.
READING_MORE = {
    f"return len(f'{{lane}}'){LANE}": "line 12: sign makes a text of values: a rule is made of",
    f"return len('{{0.__globals__}}'.format(lane)){LANE}": "line 12: sign uses '{0.__globals__}'",
    "return len('{x}'.format_map({'x': 1}))": "line 12: sign uses '{x}'.format_map",
    f"return len('%s' % lane){LANE}": "line 12: sign makes a text of values",
    f"t = '%s'\n    return len(t % lane){LANE}": "line 12: sign has a text that values",
    f"return len(T % lane){LANE}\nT = '%s'": "line 12: sign makes a text of values",
    f"return other('%s', lane){LANE}\ndef other(t, x):\n    return len(t % x)": (
        "line 12: sign makes a text of values"
    ),
    "return len(other())\n\ndef other(t='%s'):\n    return t % 1": "line 14: other has a text",
    f"return len(str(lane)){LANE}": "line 12: sign uses str, and what a rule does",
    f"return len(np.str_(lane)){LANE}": "line 12: sign uses np.str_, and what a rule does",
    f"return len(np.array2string(np.array([lane]))){LANE}": "line 12: sign uses np.array2string",
    f"return len(np.array([lane]).astype('U99')[0]){LANE}": "line 12: sign has 'U99', which is no",
    "try:\n        x = 1\n    except ValueError as e:\n        return e.args[0]\n    return x": (
        "line 14: sign names the error that it catches: leave out as e"
    ),
    "return int(np.array('now', dtype='M8[s]').astype(np.int64))": "line 12: sign has a text that",
    "return int(np.array(['now']).astype('M8[s]')[0])": "line 12: sign has 'M8[s]', which is no",
    "return int(np.array(['no' + 'w'], 'M8' + '[s]')[0])": "line 12: sign makes a text of values",
    "return int(np.array(['2020'], j('date', 'time64'))[0])\n\ndef j(a, b):\n    return a + b": (
        "line 12: sign makes a text of values"
    ),
    "n = 'xnow'\n    return int(np.array(n[1:]) == n)": "line 13: sign makes a text of values",
    f"return lane.py_func is None{LANE}": "line 12: sign uses lane.py_func, an attribute of a func",
    "return int(np.is_busday('today'))": "line 12: sign uses np.is_busday, and what a rule does",
    "return int(np.array(['2020']).astype(D)[0])\n\nD = np.dtype('M8[s]')": "line 12: sign uses D,",
    "return int(np.add(TABLE, 1, where=TABLE > 1)[0])": "line 12: sign has where=, which leaves",
    "add = np.add\n    return int(add(TABLE, 1, where=TABLE > 1)[0])": "line 13: sign has where=",
    "return int(np.add(TABLE, 1, out=None, where=TABLE > 1)[0])": "line 12: sign has where=",
    "return int(np.add(TABLE, 1, **{'where': TABLE > 1})[0])": "line 12: sign has a text that",
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
    with pytest.raises(RulesError, match=r"mine\.py: ") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)
    (tmp_path / "mine.py").write_text(as_property(body))
    with pytest.raises(PropertyError, match=r"mine\.py: ") as refused:
        as_properties(tmp_path / "mine.py")
    of_property = words.partition(", and what")[0].replace("a rule is made of", "a property is mad")
    assert of_property in str(refused.value)


TELLING_AND_NAMING = (
    "if heading > 5:\n        raise ValueError(f'{heading} is 100% wrong: {heading:5.1f}')\n"
    "    return 1",
    "if heading > 5:\n        raise ValueError('no %d' % heading)\n    return 1",
    '"100% text."\n    return 1',
    "return int(np.array([1], dtype='u1').sum(where=np.array([True])))",
    "out = np.zeros(3)\n    np.add(TABLE, 1, out=out, where=TABLE > 1)\n    return 1",
    "return int(heading == 'a')",
)


@pytest.mark.parametrize("body", TELLING_AND_NAMING)
def test_texts_that_name_or_tell_something_are_accepted(body: str, tmp_path: Path) -> None:
    assert Rules.parse(rules_with(body), "mine").parts()
    (tmp_path / "mine.py").write_text(as_property(body))
    assert as_properties(tmp_path / "mine.py")


def test_a_property_names_fields(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "FIELDS = ('leader', 'created')\n"
        "def holds(world):\n    some = all([count(world, name) >= 0 for name in FIELDS])\n"
        "    return some and count(world, 'created') == world.memory['created'].sum()\n\n"
        "def count(world, name):\n    return world.memory[name].sum()\n"
    )
    assert as_properties(tmp_path / "mine.py")


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
        "line 15: other uses amoebot.jit.INTERPRETED, which is no part of an election: a rule takes"
        " from amoebot what is in amoebot.algorithms"
    ),
}


@pytest.mark.parametrize(("body", "words"), OTHER_PARTS.items())
def test_of_this_package_rules_use_elections_alone(body: str, words: str, tmp_path: Path) -> None:
    """What tells compiled rules from interpreted ones made two algorithms of one."""
    with pytest.raises(RulesError, match=r"mine\.py: line") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)
    (tmp_path / "mine.py").write_text(as_property(body))
    with pytest.raises(PropertyError, match=r"mine\.py: line") as refused:
        as_properties(tmp_path / "mine.py")
    assert words.replace("a rule", "a property") in str(refused.value)


def test_what_a_rule_calls_may_be_compiled() -> None:
    body = "return one()\n\nfrom amoebot.jit import compiled\n@compiled\ndef one():\n    return 1"
    assert Rules.parse(rules_with(body), "mine").parts()
