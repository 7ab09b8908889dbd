"""Rules are pure, end, and return what they should: otherwise one sentence says where not."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from threading import Thread

import pytest
from numba.core.compiler_lock import global_compiler_lock

from amoebot import files
from amoebot.linking import Rules, RulesError, link, watchdog
from helpers.command import ask, check_refusal, finish, start
from helpers.interpreted import python

HEAD = """import math, time
import numpy as np
from random import random
from time import perf_counter
from datetime import datetime
from numpy import zeros

TABLE = np.array([0, 1, 2])
COUNT = 0

"""

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
    "import time\n    return 0": "line 12: sign imports something",
    "if heading > 0:\n        return 1": "line 12: sign must end with a value to return",
    "x = heading + 1": "line 12: sign must end with a value to return",
    "raise ValueError('never')": "line 12: sign must end with a value to return",
    "return": "line 12: sign must end with a value to return",
    "return noise()\n\nnoise = lambda: np.random.rand()": "line 14: a rule, and what it calls",
    "match heading:\n        case 1:\n            return 1": "line 12: sign must end with a value",
    "return other(heading)\n\ndef other(x):\n    return id(x)": "line 15: other uses id",
}


def rules_with(body: str) -> str:
    return f"{HEAD}def sign(heading):\n    {body}\n"


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
)


@pytest.mark.parametrize("body", PURE)
def test_what_is_pure_is_accepted(body: str) -> None:
    assert Rules.parse(rules_with(body), "mine").replaced == ("sign",)


def test_an_array_cannot_be_changed_through_another_name() -> None:
    """Two names of one array: the copy that rules get cannot be written to."""
    body = "table = TABLE\n    table[0] = 7\n    return 0"
    rules = Rules.parse(rules_with(body), "mine")
    sign = link("improved", rules).module("algorithms.solitude_verification").sign
    with pytest.raises(Exception, match=r"read-only|readonly|setitem"):
        sign(1)


@pytest.mark.slow
def test_a_file_that_ends_the_program_or_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READING", 0.5)
    for text, words in {
        "import sys\nsys.exit(0)\n": "it ends the program instead of defining functions",
        "while True:\n    pass\n": "longer than 0.5 s",
        "import time\ntime.sleep(60)\n": "longer than 0.5 s",
    }.items():
        (tmp_path / "mine.py").write_text(text)
        for option in ("--rules", "--algorithm"):
            answer = ask("memory", option, str(tmp_path / "mine.py"))
            check_refusal(answer)
            assert words in answer.err


def test_a_limit_of_time_holds_around_another_one() -> None:
    def read_and_wait() -> None:
        with files.at_most(10):
            time.sleep(0.01)
        time.sleep(5)

    with pytest.raises(TimeoutError), files.at_most(0.2):
        read_and_wait()


def test_a_rule_that_raises_an_error_gets_one_sentence(tmp_path: Path) -> None:
    """Compiled rules say the same, which takes half a minute to see."""
    raising = "if heading >= 0:\n        raise ValueError('no heading')\n    return 0"
    (tmp_path / "mine.py").write_text(rules_with(raising))
    told = python("-m", "amoebot", "elect", "line:3", "--rules", str(tmp_path / "mine.py"))
    words = "amoebot: mine does not run: ValueError: no heading (amoebot help own-rule)\n"
    assert (told.returncode, told.stderr) == (2, words)


@pytest.mark.slow
@pytest.mark.compiled
def test_compiling_is_noticed_whichever_thread_compiles() -> None:
    assert not watchdog.is_compiling()
    with global_compiler_lock:
        found: list[bool] = []
        watcher = Thread(target=lambda: found.append(watchdog.is_compiling()))
        watcher.start()
        watcher.join()
    assert found == [True]
    assert not watchdog.is_compiling()


@pytest.mark.slow
def test_a_compiled_rule_that_never_ends_is_given_up(tmp_path: Path) -> None:
    """Ctrl-C was ignored, and so was the limit of time."""
    file = tmp_path / "endless.py"
    file.write_text(
        "def sign(heading):\n"
        f"    # {tmp_path}: compiled anew each time\n"
        "    while heading > -100:\n"
        "        heading = 1\n"
        "    return 0\n"
    )
    rules = ("--rules", str(file))
    answer = finish(start("verify", "line:2", "--whp", *rules, "--time-limit", "1"))
    assert answer.status == 2
    assert answer.err.endswith("amoebot: a rule does not end: given up after 1 s\n")
    process = start("elect", "hexagon:2", *rules)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Compiled elections of improved with endless")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    answer = finish(process)
    assert answer.status == 130
    assert answer.err == "amoebot: interrupted, and a rule does not end\n"
