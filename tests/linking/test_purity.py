"""Rules are pure, end, and return what they should: otherwise one sentence says where not."""

from __future__ import annotations

from pathlib import Path

import pytest

from amoebot import jit
from amoebot.linking import Rules, RulesError, explaining, link, purity, returned
from amoebot.linking.rules import _originals
from helpers.interpreted import python
from helpers.own_files import rules_with

#: One that writes to what it is given, by way of another one.
WRITE = """

def write(n, value):
    return set_first(value) if n == 0 else 1

def set_first(array):
    array[0] = 1
    return 1
"""

#: Classes with operators of their own, and what is said of them.
OWN = "\n\nclass Own({}):\n    def __add__(self, other):\n        return random()\n"
RECORD = "\n\nfrom typing import NamedTuple\nclass Own(NamedTuple):\n    x: int = 1\n"
OWN_CLASS = "line 12: sign uses E, a class that is not Python's or NumPy's: use numbers, tuples"
OWN_VALUE = "line 12: sign uses ONE, of a class that is not Python's or NumPy's: use numbers"

#: The body of ``sign``, and what is said of it; the body begins in line 12.
IMPURE = {
    "return int(np.random.rand() * 3)": "line 12: sign uses np.random",
    "return int(random() * 3)": "line 12: sign uses random",
    "return int(perf_counter())": "line 12: sign uses perf_counter",
    "return int(time.time())": "line 12: sign uses time, and what a rule does is decided by",
    "return datetime.now().second": "line 12: sign uses datetime",
    "return int(np.empty(1)[0])": "line 12: sign uses np.empty",
    "x = heading\n    input(x)\n    return 0": "line 13: sign uses input",
    "return hash(heading)": "line 12: sign uses hash",
    "global COUNT\n    COUNT += 1\n    return COUNT": "line 12: sign has a global statement",
    "TABLE[heading] = 7\n    return 0": "line 12: sign changes TABLE",
    "table = TABLE\n    table[0] = 7\n    return 0": "line 13: sign changes TABLE, and a rule",
    "table = TABLE[1:]\n    table[0] += 1\n    return 0": "line 13: sign changes TABLE",
    "table = TABLE\n    table += 1\n    return 0": "line 13: sign changes TABLE",
    "TABLE.sort()\n    return 0": "line 12: sign changes TABLE",
    "return write(0, TABLE)" + WRITE: "line 12: sign changes TABLE, and a rule changes nothing but",
    "return write(value=TABLE, n=0)" + WRITE: "line 12: sign changes TABLE",
    "np.add(TABLE, 1, TABLE)\n    return 0": "line 12: sign changes TABLE",
    "np.add(TABLE, 1, out=TABLE)\n    return 0": "line 12: sign changes TABLE",
    "np.copyto(TABLE, 1)\n    return 0": "line 12: sign changes TABLE",
    "return rand()\n\nfrom numpy.random import rand": "line 12: sign uses rand, and what a rule",
    "return len(SEEN)\n\nSEEN = [1]": "line 12: sign refers to SEEN, which is neither a number",
    "np.add.at(TABLE, 0, 1)\n    return 0": "line 12: sign uses np.add.at, and a rule changes",
    "table = TABLE[...]\n    table[0] = 7\n    return 0": "line 13: sign changes TABLE",
    "PAIR[0][0] = 1\n    return 0\n\nPAIR = (TABLE, 1)": "line 12: sign changes PAIR",
    "return 'x'": "line 12: sign must return a number or a truth value, not 'x'",
    "x = [heading]\n    return x": "line 13: sign must return a number or a truth value, not x",
    "return 1 if heading else None": "line 12: sign must return a number or a truth value",
    "import time\n    return 0": "line 12: sign imports something",
    "if heading > 0:\n        return 1": "line 12: sign must end with a value to return",
    "x = heading + 1": "line 12: sign must end with a value to return",
    "raise ValueError('never')": "line 12: sign must end with a value to return",
    "return": "line 12: sign must end with a value to return",
    "return noise()\n\nnoise = lambda: np.random.rand()": "line 14: a rule, and what it calls",
    "match heading:\n        case 1:\n            return 1": "line 12: sign must end with a value",
    "return other(heading)\n\ndef other(x):\n    return id(x)": "line 15: other uses id",
    "r = np\n    return int(r.random.rand())": "line 12: sign uses the module np by itself: write",
    "m = math\n    return m.floor(0.5)": "line 12: sign uses the module math by itself",
    "return F[0](heading)\n\nF = (lambda n: n,)": "line 12: sign uses F, and what a rule does",
    "return other(np)\n\ndef other(x):\n    return 0": "line 12: sign uses the module np by itself",
    "return other()\n\ndef other(x=np):\n    return 0": "line 14: other uses the module np by its",
    "return other()\n\ndef other(np=np):\n    return np.abs(1)": "line 14: other has a default tha",
    "return other()\n\ndef other(*, r=np.random.rand):\n    return 0": "line 14: other uses np.ran",
    "x = [0 for np in (1,)]\n    return np.random.rand()": "line 13: sign uses np.random, and",
    "return candidacy.np.random.rand()\n\n"
    "import amoebot.algorithms.candidacy as candidacy": "line 12: sign uses candidacy.np.random",
    "return int(np.core.multiarray.empty(1)[0])": "line 12: sign uses np.core, and what a rule",
    "return np.lib.format.magic(1, 0)[0]": "line 12: sign uses np.lib, and what a rule does is",
    "return np.linalg._umath_linalg.det(1)": "line 12: sign uses np.linalg._umath_linalg, and",
    "return list({'a', 'b', 'c'})[0] == 'a'": "line 12: sign uses a set, whose order may differ",
    "return max({k for k in TABLE})": "line 12: sign uses a set, whose order may differ from run",
    "x = 0\n    return len(set(TABLE))": "line 13: sign uses a set, whose order may differ from ru",
    "return len(frozenset(TABLE))": "line 12: sign uses a set, whose order may differ",
    "TABLE.tofile('x')\n    return 0": "line 12: sign uses TABLE.tofile, and a rule changes nothin",
    "TABLE.dump('x')\n    return 0": "line 12: sign uses TABLE.dump, and a rule changes nothing bu",
    "return TABLE.ctypes.data": "line 12: sign uses TABLE.ctypes.data, and what a rule does is",
    "return zeros(3).data.nbytes": "line 12: sign uses zeros(3).data.nbytes, and what a rule does",
    "return TABLE.__array_interface__['data'][0]": "line 12: sign uses TABLE.__array_interface__,",
    "TABLE.__setitem__(0, 1)\n    return 0": "line 12: sign uses TABLE.__setitem__, and names that",
    "allow = TABLE.setflags\n    allow(write=True)\n    return 0": "line 12: sign uses TABLE.setfl",
    "np.setbufsize(16)\n    return 0": "line 12: sign uses np.setbufsize, and what a rule does",
    "np.info(1)\n    return 0": "line 12: sign uses np.info, and what a rule does is decided by",
    "return np.nditer(TABLE).itersize": "line 12: sign uses np.nditer, and what a rule does",
    "return np.datetime64('now').astype(int)": "line 12: sign uses np.datetime64, and what a rule",
    "add = np.add.at\n    add(TABLE, 0, 1)\n    return 0": "line 12: sign uses np.add.at, and a ru",
    "return iadd(heading, 1)\n\nfrom operator import iadd": "line 12: sign uses iadd, and a rule",
    "return CLOCKS[0]()\n\nCLOCKS = (perf_counter,)": "line 12: sign uses CLOCKS, and what a rule",
    "yield heading": "line 12: sign has a yield, and a rule is run from its beginning to its end",
    "def inner():\n        yield 1\n    return 1": "line 13: sign has a yield, and a rule is run f",
    "async def inner():\n        pass\n    return 1": "line 12: sign has an async def, and a rule",
    "return other()\n\nasync def other():\n    return 0": "line 14: a rule, and what it calls, mus",
    "return sum(k for k in range(3))": "line 12: sign has a generator: write a list in brackets",
    "class Noise:\n        x = np.random.rand()\n    return 0": "line 12: sign defines a class",
    "return (1, 2)": "line 12: sign must return a number or a truth value, not (1, 2)",
    "return TABLE": "line 12: sign must return a number or a truth value, not TABLE",
    "x = np.zeros(3)\n    return x": "line 13: sign must return a number or a truth value, not x",
    "return np.array([1])": "line 12: sign must return a number or a truth value, not np.array([1]",
    "return int(u(1))\n\nu = np.frompyfunc(lambda x: random(), 1, 1)": "line 12: sign uses u, and",
    "return u[0](1)\n\nu = (np.frompyfunc(lambda x: random(), 1, 1),)": "line 12: sign uses u, and",
    "return E().t\n\nclass E(Exception):\n    def __init__(self):\n        self.t = 1": OWN_CLASS,
    "return E(1).t()\n\nclass E(np.int64):\n    def t(self):\n        return random()": OWN_CLASS,
    "return E(1)\n\nclass E(int):\n    __module__ = 'builtins'": "line 12: sign uses E, and what",
    f"return ONE + 1{OWN.format('int')}\nONE = Own(1)": OWN_VALUE,
    f"return ONE + 1{OWN.format('np.int64')}\nONE = Own(1)": OWN_VALUE,
    f"return ONE + 1{OWN.format('tuple')}\nONE = Own((1,))": OWN_VALUE,
    f"return (ONE[0] + 1){OWN.format('int')}\nONE = (Own(1),)": "line 12: sign uses ONE, and what",
    f"return ONE + 1{RECORD}    def __add__(self, x):\n        return 1\nONE = Own()": OWN_VALUE,
    "return A\n\nfrom enum import IntEnum\nA = IntEnum('H', 'A').A": "line 12: sign uses A, of a",
    "return F[0]\n\nF = (frozenset('ab'),)": "line 12: sign uses F, and what",
    "return len(F)\n\nF = frozenset('ab')": "line 12: sign uses a set, whose order may differ",
    "return other()\n\ndef other(f=frozenset('ab')):\n    return 0": "line 14: other",
    "try:\n        x = 1\n    except ValueError:\n        return 1": "line 12: sign must end",
    "try:\n        return 1\n    except ValueError:\n        x = 1": "line 12: sign must end",
    "return cfunc\n\nfrom numba import cfunc": "mine.py: decorators.py, line",
}


@pytest.mark.parametrize(("body", "words"), IMPURE.items())
def test_what_is_not_pure_is_refused_with_its_line(body: str, words: str) -> None:
    with pytest.raises(RulesError, match=r"mine\.py: ") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)


PURE = (
    "return TABLE[heading % 3]",
    "return int(np.sign(heading)) + math.floor(0.5)",
    "largest = max(heading, 0)\n    return min(largest, len(TABLE))",
    "while True:\n        if heading:\n            return 1\n        heading = 1",
    "if heading:\n        return 1\n    else:\n        raise ValueError('no heading')",
    "return sum([k for k in range(3)])",
    "return int(zeros(2)[0])",
    "while True:\n        for k in range(3):\n            break\n        return k",
    "match heading:\n        case 1:\n            return 1\n        case _:\n            return 0",
    "x: int = np.uint8(heading)\n    return x",
    "first = TABLE[0]\n    first += 1\n    return first",
    "mine = TABLE.copy()\n    mine[0] = 1\n    return write(0, mine)" + WRITE,
    "mine = np.array(TABLE)\n    mine[0] = 1\n    return 0",
    "mine = TABLE.astype(np.int64)\n    mine[0] = 1\n    return 0",
    "mine = np.zeros(SIZES[0])\n    mine[0] = 1\n    return 0\n\nSIZES = (3, 5)",
    "mine = np.zeros(GRID[0, 1])\n    mine[0] = 1\n    return 0\n\nGRID = np.ones((2, 2), int)",
    "mine, k = np.zeros(3), TABLE[1:]\n    mine[0] = k[0]\n    return 0",
    "x = [heading, 1]\n    x = max(x)\n    return x",
    "mine = zeros(2) if TABLE.any() else zeros(3)\n    mine[0] = 1\n    return 0",
    "return 1 if heading in {1, 2} else 0",
    "return int(np.linalg.norm(TABLE)) + int(np.add.reduce(TABLE)) + int(np.resize(TABLE, 2)[0])",
    "pair = (heading, 1)\n    return pair[0]",
    "return solitude.X\n\nimport amoebot.algorithms.solitude_verification as solitude",
    "for k in range(3):\n        if k == heading:\n            break\n    return k\n\nk = (1, 2)",
    "return heading\n\nheading = (1, 2)",
    "if (k := heading) > 1:\n        return 1\n    return k\n\nk = (1, 2)",
    "x = (0, 1)\n    for x in x:\n        pass\n    return x",
    "try:\n        return 1\n    except Exception:\n        return 0",
    "try:\n        x = 1\n    except Exception:\n        return 0\n    else:\n        return x",
    "return 1 if heading in F else 0\n\nF = frozenset((0, 1))",
    "return operator.neg(heading)\n\nimport operator",
    f"return ONE.x{RECORD}ONE = Own()",
    "return int(np.isnan(heading)) + int(ONE)\n\nONE = np.uint8(1)",
)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return 1 if heading in F else 0\n\nF = frozenset((0, 1))", [1, 1, 0]),
        ("return operator.neg(heading)\n\nimport operator", [0, -1, -2]),
        (f"return ONE.x{RECORD}ONE = Own()", [1, 1, 1]),
    ],
)
def test_what_is_accepted_is_compiled_as_well(body: str, found: list[int]) -> None:
    rules = Rules.parse(rules_with(body), "mine")
    sign = link("improved", rules).module("algorithms.solitude_verification").sign
    assert [sign(heading) for heading in range(3)] == found


def test_the_digest_tells_records_with_other_fields() -> None:
    """Rules with the fields of a record exchanged ran the machine code of the others."""
    body = "return ONE.x\n\nfrom collections import namedtuple\nONE = namedtuple('Own', '{}')(0, 1)"
    one, other = (Rules.parse(rules_with(body.format(names)), "mine") for names in ("x y", "y x"))
    assert one.digest != other.digest


def test_a_function_ends_with_its_with_statement() -> None:
    with pytest.raises(RulesError, match=r"line 12: sign uses np\.errstate"):  # and it does end
        Rules.parse(rules_with("with np.errstate():\n        return 1"), "mine")
    ends = "with heading:\n        return 1"
    assert Rules.parse(rules_with(ends), "mine").replaced == ("sign",)


@pytest.mark.parametrize("body", PURE)
def test_what_is_pure_is_accepted(body: str) -> None:
    assert Rules.parse(rules_with(body), "mine").replaced == ("sign",)


@pytest.mark.parametrize("algorithm", ["improved", "erosion", "segments-2015"])
def test_every_rule_of_an_election_is_pure(algorithm: str) -> None:
    found = {
        name: purity.complaint(rule, returned.returns_a_value(rule), purity.RULE, several)
        for name, (_, marked) in _originals(algorithm).items()
        for rule in [jit.source(marked)]
        for several in [returned.returns_several(rule)]
    }
    assert found == dict.fromkeys(found)
    assert "activate" in found


def test_an_array_cannot_be_changed_in_any_other_way() -> None:
    """What the source does not show: the copy that rules get cannot be written to."""
    body = "add = np.add\n    add(TABLE, 1, TABLE)\n    return 0"
    rules = Rules.parse(rules_with(body), "mine")
    sign = link("improved", rules).module("algorithms.solitude_verification").sign
    with pytest.raises(Exception, match=r"read-only|readonly"):
        sign(1)


def test_a_file_that_fails_when_it_is_read_is_told_with_its_line() -> None:
    with pytest.raises(RulesError, match=r"mine\.py, line 3: ZeroDivisionError"):
        Rules.parse("def f():\n    x = 1\n    return x / 0\nf()\n", "mine")


@pytest.mark.parametrize("error", ["ValueError", "BaseException"])
def test_a_rule_that_raises_an_error_gets_one_sentence(error: str, tmp_path: Path) -> None:
    """Compiled rules say the same: see tests/engine/test_calls.py."""
    raising = f"if heading >= 0:\n        raise {error}('no heading')\n    return 0"
    (tmp_path / "mine.py").write_text(rules_with(raising))
    told = python("-m", "amoebot", "elect", "line:3", "--rules", str(tmp_path / "mine.py"))
    words = f"amoebot: mine does not run: mine.py, line 13: {error}: no heading"
    assert (told.returncode, told.stderr) == (2, f"{words} (amoebot help own-rule)\n")


#: The body of ``sign``, and the line in which it fails.
FAILING = {
    "x = heading + 1\n    return TABLE[x + 90]": "line 13: IndexError",
    "x = heading\n    return x.nothing": "line 13: .*nothing",
    "if heading >= 0:\n        raise ValueError('no')\n    return 0": "line 13: ValueError: no",
    "return later(heading)\n\ndef later(x):\n    return TABLE[x + 90]": "line 15: IndexError",
    "x = heading - 1\n    return 3 // x": "line 13: ZeroDivisionError",
    "x = heading - 1\n    x %= x\n    return x": "line 13: ZeroDivisionError",
    "x = TABLE[heading]\n    return TABLE[x + 90]": "line (12 or )?13: IndexError",
}


@pytest.mark.parametrize("body", FAILING)
def test_a_rule_that_does_not_run_is_told_with_its_file_and_line(body: str) -> None:
    """The compiled check of an index knows no line, and without it other memory was read."""
    rules = Rules.parse(rules_with(body), "mine")
    sign = link("improved", rules).module("algorithms.solitude_verification").sign
    words = rf"mine does not run: mine\.py, {FAILING[body]}"
    with pytest.raises(RulesError, match=words), explaining(rules):
        sign(1)


#: Variables that may be read before they are set, and what is said of them.
UNSET = {
    "if heading == 5:\n        x = 1\n    return x": "line 14: sign reads x, which may not have",
    "for k in range(heading):\n        pass\n    return k": "line 14: sign reads k, which may not",
    "while heading:\n        x = 1\n        heading = 0\n    return x": "line 15: sign reads x",
    "x += heading\n    return x": "line 12: sign reads x, which may not have been set",
    "if heading:\n        x = 1\n    heading = 1\n    return x if heading else 0": "line 15: sign",
    "try:\n        x = TABLE[9]\n    except Exception:\n        pass\n    return x": "line 16:",
    "def inner():\n        if heading:\n            x = 1\n        return x\n    return inner()": (
        "line 15: sign reads x, which may not have been set"
    ),
}


@pytest.mark.parametrize(("body", "words"), UNSET.items())
def test_what_may_be_read_before_it_is_set_is_refused(body: str, words: str) -> None:
    """Compiled, it was whatever was in memory, and interpreted an UnboundLocalError."""
    with pytest.raises(RulesError, match=r"mine\.py: ") as error:
        Rules.parse(rules_with(body), "mine")
    assert words in str(error.value)


SET = (
    "if heading:\n        x = 1\n    else:\n        raise ValueError('no')\n    return x",
    "for k in (1, 2):\n        x = k\n    return x + k",
    "for k in range(heading):\n        if k:\n            continue\n        x = k\n"
    "        heading -= x\n    return heading",
    "while True:\n        x = 1\n        if heading:\n            break\n    return x",
    "found = False\n    for k in range(heading):\n        if k == 2:\n            found = True\n"
    "            x = k\n    return x if found else 0",
    "if heading > 1:\n        x = 1\n    return x if heading > 1 and TABLE[0] else 0",
    "for k in range(heading):\n        if k == 0:\n            x = 1\n        heading -= x\n"
    "    return heading",
    "try:\n        x = TABLE[0]\n    except Exception:\n        return 0\n    return x",
    "if heading and (x := heading):\n        return x\n    return len([y for y in TABLE])",
    "match heading:\n        case 0: x = 1\n        case x:\n            0\n    return x",
)


@pytest.mark.parametrize("body", SET)
def test_what_is_set_before_it_is_read_is_accepted(body: str) -> None:
    assert Rules.parse(rules_with(body), "mine").replaced == ("sign",)


VIEWS = "def set_up_boundary(me, view):\n    "
NODES = "def activate(me, around, view, coins, options):\n    "
LANES = "from amoebot.algorithms.solitude_verification import lane\n"
TOUCH = "\n\ndef touch(n, v):\n    v.empty = n\n"

#: Rules that write to what all agents share, and in which line.
HIDING = {
    f"{VIEWS}view.agent_identifier = 1\n": 2,
    f"{VIEWS}v = view\n    v.empty += 1\n": 3,
    f"{VIEWS}touch(1, view)\n{TOUCH}": 2,
    f"{VIEWS}touch(v=view, n=1)\n{TOUCH}": 2,
    f"{VIEWS}for one in (me, view):\n        one.agent_identifier = 3\n": 3,
    f"{VIEWS}same(view).empty = 3\n\ndef same(v):\n    return v\n": 2,
    f"{VIEWS}def inner(v):\n        v.empty = 3\n    inner(view)\n": 4,
    "def sides_of_coins(me, options):\n    options.radix = 3\n    return 1, 1\n": 2,
    f"{NODES}view.occupied[0] = 0\n    return 0\n": 2,
    f"{NODES}six = view.occupied[:]\n    six += 1\n    return 0\n": 3,
    f"{NODES}options.setup = 1\n    return 0\n": 2,
}

#: Rules that do not.
OPEN = (
    f"{VIEWS}turn = view.empty\n    turn += 1\n    me.turn = turn\n",
    f"{LANES}{VIEWS}mine = lane(me, view.empty)\n    mine.heading = 1\n",
    f"{VIEWS}touch(view.empty, me)\n\ndef touch(n, v):\n    v.turn = n\n",
    f"{NODES}around[0].state = view.occupied[0]\n    return 0\n",
    f"{NODES}six = view.occupied.copy()\n    six[0] = 1\n    return 0\n",
)


def election_of(text: str) -> str:
    return "erosion" if "around" in text else "improved"


@pytest.mark.parametrize(("text", "line"), HIDING.items())
def test_a_rule_writes_to_nothing_that_agents_share(text: str, line: int) -> None:
    """It was a memory that no state had: a run was no function of its seed any more."""
    with pytest.raises(RulesError) as error:
        Rules.parse(text, "mine", election_of(text))
    name = "options" if "options." in text else "view"
    rule = text.partition("(")[0].removeprefix("def ")
    assert str(error.value) == (
        f"mine.py: line {line}: {rule} changes {name}, which is not an agent's memory"
    )


@pytest.mark.parametrize("text", OPEN)
def test_a_rule_reads_what_agents_share(text: str) -> None:
    assert Rules.parse(text, "mine", election_of(text)).parts()


STARRED = {
    "def sign(*, heading):\n    return 0\n": "line 1: sign takes heading by name only: leave out",
    "def sign(heading):\n    return h(1)\n\ndef h(x, *, t=(1, 1)):\n    return x\n": (
        "line 4: h takes t by name only: leave out the star before it"
    ),
    "def sign(*heading):\n    return 0\n": "line 1: sign takes any number of arguments: write a",
    "def sign(**heading):\n    return 0\n": "line 1: sign takes any number of arguments: write",
}


@pytest.mark.parametrize(("text", "words"), STARRED.items())
def test_parameters_are_given_by_their_place(text: str, words: str) -> None:
    """Compiled and interpreted, they were refused in one way and accepted in the other."""
    with pytest.raises(RulesError) as error:
        Rules.parse(text, "mine")
    assert words in str(error.value)
    assert Rules.parse("def sign(heading, /):\n    return 0\n", "mine").parts()
