"""What rules refer to is the same in every run: where its values come from is looked at."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from amoebot.files import run_file
from amoebot.linking import Rules, RulesError
from amoebot.verify.user_properties import PropertyError, as_properties
from helpers.interpreted import python

SIGN = "\n\ndef sign(heading):\n    return (1, 0, -1, -1, 0, 1)[heading] if PICK else 0\n"

#: The statements before ``sign``, and what is said of them.
DIFFERENT = {
    "import random\nPICK = random.randint(0, 1)": "line 2: PICK comes from random.randint, which",
    "import random as r\nPICK = r.randint(0, 1)": "line 2: PICK comes from r.randint",
    "from random import randint as pick\nPICK = pick(0, 1)": "line 2: PICK comes from pick",
    "from random import *\nPICK = randint(0, 1)": "line 2: PICK comes from randint",
    "import random\nPICK = random.randint(0, 1)\ndel random": "line 2: PICK comes from random",
    "import random\nPICK = random.Random().randint(0, 1)": "line 2: PICK comes from random.Random",
    "import random\nPICK = random.Random(None).random()": "line 2: PICK comes from random.Random",
    "import time\nPICK = int(time.time() * 10) % 2": "line 2: PICK comes from time.time",
    "import os\nPICK = 'X' in os.environ": "line 2: PICK comes from os.environ",
    "import sys\nPICK = len(sys.argv)": "line 2: PICK comes from sys.argv",
    "PICK = hash('x') % 2": "line 1: PICK comes from hash",
    "PICK = id(print) % 32 > 8": "line 1: PICK comes from id",
    "import numpy as np\nPICK = int(np.random.rand() * 2)": "line 2: PICK comes from np.random",
    "import numpy as np\nr = np\nPICK = r.random.rand() < 1": "line 3: PICK comes from r.random",
    "import numpy as np\nPICK = np.random.default_rng().random() < 1": "comes from np.random.def",
    "import random, time\nPICK = random.Random(time.time()).random() < 1": "comes from time.time",
    "import random\ndef draw():\n    return random.random()\nPICK = draw() < 1": "line 3: PICK",
    "def draw():\n    import random\n    return random.random()\nPICK = draw() < 1": "line 3: PICK",
    "import random\nX = random.random()\nY = X + 1\nPICK = Y > 1": "line 2: PICK comes from random",
    "import random\nL = []\nL.append(random.random())\nPICK = L[0] < 1": "line 3: PICK comes from",
    "import random\nL = [0, 1]\nrandom.shuffle(L)\nPICK = L[0]": "line 3: PICK comes from random",
    "import random\nL = [0]\nL[0] = random.random()\nPICK = L[0] < 1": "line 3: PICK comes from",
    "import random\nPICK = 0\nif random.random() < 2:\n    PICK = 1": "line 3: PICK comes from",
    "import random\nPICK = 0\nfor k in range(random.randint(0, 1)):\n    PICK += 1": "line 3: PICK",
    "import random\ndef draw():\n    global PICK\n    PICK = random.random()\ndraw()": "line 4: PI",
    "import random\nclass Drawn:\n    x = random.random()\nPICK = Drawn.x < 2": "line 3: PICK",
    "PICK = 0\nglobals()['PICK'] = 1": "line 2: sign comes from globals",
    "import numpy as np\nPICK = int(np.empty(6, np.int64)[0])": "PICK comes from np.empty(6, ",
    "import numpy as np\nT = np.empty(6)\nPICK = T[0] > 0": "line 2: PICK comes from np.empty",
    "from numpy import empty_like as e\nPICK = e((1, 2))[0] > 0": "line 2: PICK comes from e((1, 2",
    "import numpy as np\ns = None\nPICK = np.random.default_rng(s).random() < 1": "line 3: PICK",
    "import random\nt = None\ns = t\nPICK = random.Random(s).random()": "line 4: PICK comes from",
    "PICK = tuple({'left', 'right'})[0] == 'left'": "line 1: PICK comes from tuple({'left',",
    "S = {'a', 'b'} | {'c'}\nPICK = [k for k in S][0] == 'a'": "line 2: PICK comes from [k for",
    "N = ['a', 'b']\nPICK = next(iter(set(N))) == 'a'": "line 2: PICK comes from iter(set(N))",
    "S = {f'{k}' for k in (1, 2)}\nPICK = [*S][0] == '1'": "line 2: PICK comes from [*S]",
    "PICK = 'ab' == ''.join({'a', 'b'})": "line 1: PICK comes from ''.join",
    "a, b = {'a', 'b'}\nPICK = a == 'a'": "line 1: PICK comes from {",
    "L = []\nfor k in {'a', 'b'}:\n    L.append(k)\nPICK = L[0] == 'a'": "line 2: PICK comes",
    "PICK = {'a', 'b'}.pop() == 'a'": "line 1: PICK comes from {'a', 'b'}.pop()",
    "import timeit\nPICK = timeit.default_timer() < 9": "line 2: PICK comes from timeit.default",
    "import numpy as np\nPICK = int(np.datetime64('now').astype(int))": "PICK comes from np.date",
    "import statistics\nd = statistics.NormalDist()\nPICK = d.samples(1)[0]": "comes from d.sam",
    "import gc\nPICK = len(gc.get_objects()) > 9": "line 2: PICK comes from gc.get_objects",
    "import numba\nPICK = numba.config.THREADING_LAYER == 1": "line 2: PICK comes from numba",
    "from numba import get_num_threads as n\nPICK = n() > 0": "line 2: PICK comes from n, which",
    "from pathlib import Path\nPICK = len(Path.cwd().parts)": "line 2: PICK comes from Path.cwd",
    "from scipy.stats import norm\nPICK = norm.rvs(size=6)[0] > 0": "PICK comes from norm.rvs(siz",
    "import pathlib as p\nPICK = len(p.Path('/proc/stat').read_text())": "from '/proc/stat', ",
}


def rules_after(statements: str) -> str:
    # A function that no rule calls would be refused for that.
    return statements + ("\ndel draw" if "def draw" in statements else "") + SIGN


@pytest.mark.parametrize("statements", DIFFERENT)
def test_a_value_that_may_differ_from_run_to_run_is_refused_with_its_line(statements: str) -> None:
    with pytest.raises(RulesError, match=r"mine\.py: line \d+: ") as error:
        Rules.parse(rules_after(statements), "mine")
    assert DIFFERENT[statements] in str(error.value)
    assert str(error.value).endswith("which may differ from run to run")


SAME = (
    "import random\nPICK = random.Random(7).randint(0, 1)",
    "from random import Random\nmine = Random(7)\nPICK = mine.randint(0, 1)",
    "import numpy as np\nPICK = int(np.random.default_rng(7).integers(2))",
    "import numpy as np\nPICK = np.random.default_rng(seed=7).integers(2, size=6)[0]",
    "import numpy as np\nPICK = np.random.Generator(np.random.PCG64(7)).integers(2)",
    "import sys, time\nsys.path.insert(0, '.')\nprint(time.time())\nPICK = 1",
    "import time\nPICK = 1\nstart = time.time()\nprint(PICK, time.time() - start)",
    "import random\nPICK = 1\nother = random.random()",
    "PICK = [hash for hash in (1, 2)][0]",
    "time = 3\nPICK = time",
    "def draw(id, time):\n    return id + time\nPICK = draw(1, 2)",
    "import numpy as np\nT = np.empty(6)\nT[:] = 1\nPICK = T[0] > 0",
    "import numpy as np\nT = np.empty(6)\nfor k in range(6):\n    T[k] = k\nPICK = T[1] > 0",
    "import numpy as np\nT = np.empty(6)\nT.fill(3)\nPICK = T[1] > 0",
    "import numpy as np\nPICK = np.add(1, [2], out=np.empty(1, int))[0]",
    "import numpy as np\ns = 7\nPICK = np.random.default_rng(s).integers(2)",
    "import numpy as np\ns = None\ns = 7\nPICK = np.random.default_rng(s).integers(2)",
    "import statistics\nPICK = statistics.NormalDist().samples(1, seed=7)[0] > 0",
    "from scipy.stats import norm\nPICK = norm.rvs(size=6, random_state=7)[0] > 0",
    "import numpy as np\nPICK = int(np.datetime64('2020-01-01').astype(int))",
    "PICK = tuple(sorted({'left', 'right'}))[0] == 'left'",
    "PICK = sorted([k for k in {'a', 'b'}])[0] == 'a' and 'a' in {'a', 'b'}",
    "PICK = len({'a', 'b'}) + sum(1 for k in {'a', 'b'})",
    "PICK = tuple({1, 2})[0] + [k for k in {len(w) for w in ('a', 'b')}][0]",
    "import os\nimport numpy as np\nPICK = int(np.load(os.path.join('.', 'table.npy'))[0])",
)


@pytest.mark.parametrize("statements", SAME)
def test_a_value_that_is_the_same_in_every_run_is_accepted(
    statements: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("table.npy", np.ones(3))
    assert Rules.parse(rules_after(statements), "mine").replaced == ("sign",)


def test_what_a_rule_is_and_which_fields_there_are_is_the_same_in_every_run() -> None:
    other = "import random\nPICK = 1\nMEMORY = {'third': f'u{random.choice((1, 2))}'}"
    with pytest.raises(RulesError, match=r"line 3: MEMORY comes from random\.choice"):
        Rules.parse(other + SIGN, "mine")
    drawn = "import random\nPICK = 1" + SIGN + "\nif random.random() < 2:\n    sign = sign\n"
    with pytest.raises(RulesError, match=r"line 7: sign comes from random\.random"):
        Rules.parse(drawn, "mine")


def test_what_a_property_refers_to_is_the_same_in_every_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    holds = "def few(n):\n    return n > LIMIT\n\ndef holds(world):\n    return few(2)\n"
    file.write_text(f"import time\nLIMIT = int(time.time() * 10) % 2\n\n{holds}")
    with pytest.raises(PropertyError, match=r"mine\.py: line 2: LIMIT comes from time\.time"):
        as_properties(file)
    unrelated = "def timed(k):\n    t = time.time()\n    print(t, k)\n\n"
    file.write_text(f"import time\nLIMIT = 1\nt = 2\n\n{unrelated}{holds}")
    assert [one.sentence for one in as_properties(file)] == ["holds"]


#: What the other file has, how it is imported, and what is said of it.
ELSEWHERE = {
    ("import random\nN = random.randrange(1000)\n", "from beside import N"): (
        "beside.py, line 2: N comes from random.randrange"
    ),
    ("import random\nN = random.randrange(1000)\n", "from beside import *"): (
        "beside.py, line 2: N comes from random.randrange"
    ),
    ("import random\nN = random.randrange(1000)\n", "import beside as b\nN = b.N"): (
        "beside.py, line 2: N comes from random.randrange"
    ),
    (
        "import random\n\ndef draw():\n    return random.random()\n",
        "import beside\nN = beside.draw()",
    ): ("beside.py, line 4: N comes from random.random"),
    ("import time as t\n", "from beside import t\nN = t.time()"): "line 2: N comes from t.time",
    ("import time\nN = time.time()\n", "import beside\nN = getattr(beside, 'N')"): (
        "beside.py, line 2: N comes from time.time"
    ),
    ("N = tuple({'left', 'right'})[0] == 'left'\n", "from beside import N"): (
        "beside.py, line 1: N comes from tuple({"
    ),
}
USING = "\n\ndef sign(heading):\n    return (1, 0, -1, -1, 0, 1)[heading] if N else 0\n"


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "beside.py"
    sys.modules.pop("beside", None)


@pytest.mark.parametrize(("text", "statements"), ELSEWHERE)
def test_other_files_of_the_users_are_looked_into(text: str, statements: str, beside: Path) -> None:
    beside.write_text(text)
    with pytest.raises(RulesError) as error:
        Rules.parse(statements + USING, "mine")
    words = f"mine.py: {ELSEWHERE[text, statements]}"
    assert str(error.value).startswith(words)
    assert str(error.value).endswith("which may differ from run to run")


@pytest.mark.parametrize("statements", ["from beside import N", "import beside\nN = beside.N"])
@pytest.mark.parametrize(
    "text",
    [
        "import random\nN = random.Random(7).randrange(5)\nother = random.random()\n",
        "import time\n\ndef told():\n    print(time.time())\n\nN = 3\n",
    ],
)
def test_other_files_may_have_what_nothing_refers_to(
    text: str, statements: str, beside: Path
) -> None:
    beside.write_text(text)
    assert Rules.parse(statements + USING, "mine").replaced == ("sign",)


PLAIN = "def sign(heading):\n    return (1, 1, 0, -1, -1, 0)[heading]\n"


@pytest.mark.parametrize("before", ["\x0c", "import math\n\x0c\n", "# a\u2028b\n", "# a\x85\x1c\n"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_end_where_pythons_do(before: str, ends: str) -> None:
    text = (before + PLAIN).replace("\n", ends)
    assert Rules.parse(text, "mine").replaced == ("sign",)
    function = run_file(text, "mine", ValueError).sign
    assert inspect.getsource(function).removeprefix("\x0c") == PLAIN
    with pytest.raises(RulesError, match=rf"line {before.count(chr(10)) + 2}: .* uses hash"):
        Rules.parse(text.replace("[heading]", "[hash(heading)]"), "mine")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(b"\xef\xbb\xbf" + PLAIN.encode())
    assert Rules.read(tmp_path / "mine.py").replaced == ("sign",)


def test_a_zero_byte_is_told_with_its_line() -> None:
    with pytest.raises(RulesError, match=r"^mine\.py, line 2: it has a zero byte"):
        Rules.parse("x = 1\ny = '\0'\n", "mine")


def test_a_syntax_error_is_told_with_its_own_file(beside: Path) -> None:
    beside.write_text("x = 1\n\nx x\n")
    with pytest.raises(RulesError, match=r"^beside\.py, line 3: invalid syntax"):
        Rules.parse("import beside\n", "mine")
    with pytest.raises(RulesError, match=r"^mine\.py, line 2: SyntaxError: mine"):
        Rules.parse("\nraise SyntaxError('mine')\n", "mine")


def test_a_file_may_define_a_dataclass() -> None:
    text = "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    x: int = 1\n"
    module = run_file(text, "mine", ValueError)
    assert module.A().x == 1
    assert module.__name__ not in sys.modules
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        run_file(text + "1 / 0\n", "mine", ValueError)
    assert module.__name__ not in sys.modules


ENDINGS = ["os._exit(0)", "os.abort()", "os.execv('/bin/true', ['true'])", "os.execlp('true', 't')"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_cannot_end_the_program(ending: str) -> None:
    code = (
        "import os\nfrom amoebot.files import run_file\nown = os._exit, os.abort, os.execv\n"
        f"try:\n    run_file({'import os' + chr(10) + ending!r}, 'mine', ValueError)\n"
        "except ValueError as error:\n    print(error)\n"
        "run_file('x = 1', 'other', ValueError)\n"
        "assert own == (os._exit, os.abort, os.execv)\nos._exit(7)\n"
    )
    told = python("-u", "-c", code)
    assert "mine.py: os." in told.stdout
    assert "it ends the program instead of defining functions" in told.stdout
    assert told.returncode == 7


def test_processes_that_a_file_starts_end_as_ever() -> None:
    child = "import os\nif (child := os.fork()) == 0:\n    os._exit(5)\n"
    text = f"{child}status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
    told = python(
        "-c",
        "from amoebot.files import run_file\n"
        f"print(run_file({text!r}, 'mine', ValueError).status)\n",
    )
    assert told.stdout == "5\n"


def test_a_file_that_closes_standard_output_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(ValueError, match=r"^mine\.py: it closes standard output"):
        run_file("import sys\nsys.stdout.close()\n", "mine", ValueError)
