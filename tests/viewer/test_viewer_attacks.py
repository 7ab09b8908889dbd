"""A viewer in a process of its own: under attack, with a class of readers, ended, with options."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from amoebot import Simulation
from helpers.command import compile_everything, start
from helpers.full import FULL
from helpers.fuzzing import attack
from helpers.serving import Known, Reader, fetch, head

pytestmark = pytest.mark.compiled


#: How often malformed requests are sent, how many, and attackers who send them at the same time:
#: 100,000 of them in full length.
TIMES, REQUESTS, ATTACKERS = (5, 20_000, 4) if FULL else (1, 240, 4)

#: A request that takes seconds, and cannot be interrupted by the thread that reads.
LONG = {
    "do": "open",
    "run": {"shape": "line:3", "options": {"terminate": False}, "by_hand_from": [3 * 10**7, 0]},
}


@contextmanager
def viewer(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run ``amoebot view``; provide its process, its host and its port."""
    compile_everything()
    with start("view", *arguments, "--no-browser", "--port", "0") as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        try:
            yield process, said.partition("http://")[2].partition("/")[0]
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("time", range(TIMES))
def test_a_reader_is_answered_while_others_send_malformed_requests(time: int) -> None:
    with viewer("annulus:6,2") as (process, address):
        reader, is_over = Reader(address), threading.Event()
        reader.ask("open", run={"shape": "hexagon:10", "seed": 1})

        def read() -> int:
            while not is_over.is_set():
                rounds = head(reader.ask("step", rounds=1))["round"]
            return int(rounds)

        with ThreadPoolExecutor(1) as threads, get_context("spawn").Pool(ATTACKERS) as attackers:
            reading = threads.submit(read)
            seeds = range(time * ATTACKERS, (time + 1) * ATTACKERS)
            try:
                attackers.starmap(
                    attack, [(address, REQUESTS // ATTACKERS, seed) for seed in seeds]
                )
            finally:
                is_over.set()
            assert reading.result() > 0
        assert fetch(address, "/")[0] == 200
        reader.close()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        assert told == "", "what strangers send is not worth a line"


def test_ctrl_c_ends_the_viewer_while_long_requests_are_under_way() -> None:
    with viewer("hexagon:2") as (process, address):
        readers = [Reader(address) for _ in range(3)]
        for reader in readers:
            reader.ask("look")
            reader.send(LONG)
        process.send_signal(signal.SIGINT)
        for reader in readers:
            with pytest.raises(ConnectionClosed):  # which comes before the answer
                reader.receive()
        assert process.wait() == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_a_class_watches_one_run() -> None:
    with viewer("hexagon:12", "--host", "0.0.0.0") as (_, address):
        readers = [Reader(address, subprotocols=["gzip"]) for _ in range(30)]
        for reader in readers:
            reader.send({"do": "goto", "round": 40})
        assert len({reader.receive() for reader in readers}) == 1
        for reader in readers:
            reader.close()


@pytest.mark.parametrize("option", ["scheduler", "faults"])
def test_the_viewer_shows_the_run_with_a_scheduler_or_faults(option: str, tmp_path: Path) -> None:
    file = tmp_path / "highest.py"
    file.write_text("def scheduler(simulation):\n    return max(simulation.waiting)\n")
    given = {"scheduler": str(file), "faults": "crash 1@1"}[option]
    moments = [(0, 1), (3, 2), (9, 0)]
    with viewer("line:3", f"--{option}", given) as (_, address):
        reader = Reader(address)
        shown = {}
        for moment in moments:
            reader.ask("goto", round=moment[0], position=moment[1])
            shown[moment] = reader.picture()
        reader.close()
    options: dict[str, Any] = {option: given}
    own, plain = Simulation("line:3", **options), Simulation("line:3")
    for moment in moments:
        own.goto(*moment)
        known = Known(own)
        known.apply(shown[moment])
        assert known.agrees_with(own)
    plain.goto(*moments[-1])
    assert not known.agrees_with(plain)
