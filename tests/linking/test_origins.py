"""What rules refer to is the same in every run: where its values come from is looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amoebot.linking import Rules, RulesError
from amoebot.verify.user_properties import PropertyError, as_properties

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
