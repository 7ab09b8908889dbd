"""Measure the viewer's server under load: attackers, and a class of students.

Run it as ``python benchmarks/viewer_server.py [attacks [REQUESTS]] [students [READERS]]``. Each
part starts a server of its own, and lets one reader more ask for a moment, again and again, in a
process that does nothing else. How long that one waits is printed (the aim: 200 ms), beside how
long one waits at the same time whose server is left alone: that much is the machine's own.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.fuzzing import attack
from helpers.serving import Reader

#: Attackers at a time; malformed requests in all; students, and the shape that all of them watch.
ATTACKERS, REQUESTS, STUDENTS, SHAPE = 4, 100_000, 30, "hexagon:400"

#: Students whom one process plays.
GROUP = 10

#: Seconds between two requests of the reader who is measured; and that students play.
PAUSE, PLAYED = 0.01, 20


@contextmanager
def viewing(shape: str, *options: str) -> Iterator[tuple[str, int]]:
    """Run ``amoebot view``; provide its host and port, and the number of its process."""
    command = [sys.executable, "-m", "amoebot", "view", shape, "--seed", "7"]
    command += ["--no-browser", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        told = iter(process.stderr or ())
        address = next(line.split("//")[1].split("/")[0] for line in told if "//" in line)
        said: list[str] = []
        reading = threading.Thread(target=lambda: said.extend(told), daemon=True)
        reading.start()
        yield address, process.pid
        assert process.poll() is None, "the server has ended"
        process.kill()
        reading.join()
        assert not any("Traceback" in line for line in said), said[:9]


def megabytes(process: int, name: str) -> float:
    """Return how much memory a process has now (VmRSS), or has had (VmHWM)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(name))


class Waiting:
    """One reader who asks again and again, and how long each answer takes."""

    def __init__(self, address: str, run: dict[str, Any]) -> None:
        """Begin."""
        self.times: list[float] = []
        self._reader, self._is_over = Reader(address), threading.Event()
        self._reader.ask("open", run=run)
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        while not self._is_over.is_set():
            begin = time.perf_counter()
            self._reader.ask("step", rounds=1)
            self.times.append(time.perf_counter() - begin)
            time.sleep(PAUSE)

    def end(self) -> str:
        """Stop; return what was measured."""
        self._is_over.set()
        self._thread.join()
        self._reader.close()
        found = sorted(1000 * one for one in self.times)
        half, nearly, most = found[len(found) // 2], found[len(found) * 99 // 100], found[-1]
        return f"{len(found):,} answers: p50 {half:.1f}, p99 {nearly:.1f}, at most {most:.1f} ms"


RUN = {"shape": "hexagon:10", "seed": 1}


@contextmanager
def compared(address: str) -> Iterator[None]:
    """Print how long a reader waits meanwhile, and one of a server that is left alone."""
    with viewing("annulus:6,2") as (alone, _):
        both = [Waiting(address, RUN), Waiting(alone, RUN)]
        yield
        for name, waiting in zip(("the reader beside them", "left alone"), both, strict=True):
            print(f"{name}: {waiting.end()}", flush=True)


def attacks(requests: int = REQUESTS) -> None:
    """Print how long a reader waits while others send malformed requests."""
    with viewing("annulus:6,2") as (address, process):
        first, share = megabytes(process, "VmRSS"), requests // ATTACKERS
        with compared(address), get_context("spawn").Pool(ATTACKERS) as pool:
            begin = time.perf_counter()
            pool.starmap(attack, [(address, share, seed) for seed in range(ATTACKERS)])
            past = time.perf_counter() - begin
            print(f"{share * ATTACKERS:,} malformed requests in {past:.0f} s")
        last = megabytes(process, "VmRSS")
        print(f"memory of the server: {first:.0f} MB before, {last:.0f} MB after")


def play(address: str, number: int) -> str:
    """Watch the run as a page on another machine does; return what it was told if refused."""
    try:
        reader = Reader(address, subprotocols=["gzip"])
        for request in ({"do": "stage"}, {"do": "look"}, {"do": "catalogue"}):
            reader.send(request)
            reader.socket.recv(timeout=120)
        end = time.monotonic() + PLAYED
        while time.monotonic() < end:
            for request in ({"do": "step", "rounds": 1 + number % 3}, {"do": "survey"}):
                reader.send(request)
                reader.socket.recv(timeout=120)
            time.sleep(0.05)
        reader.close()
    except ConnectionClosed as error:
        return error.rcvd.reason if error.rcvd else str(error)
    return ""


def watch(address: str, readers: int) -> list[str]:
    """Let several watch; return what each of them was told."""
    with ThreadPoolExecutor(readers) as threads:
        return [*threads.map(play, [address] * readers, range(readers))]


def students(readers: int = STUDENTS) -> None:
    """Print memory and waiting times while a class watches a large shape."""
    with viewing(SHAPE, "--host", "0.0.0.0") as (address, process):
        first, groups = megabytes(process, "VmRSS"), readers // GROUP
        with compared(address), get_context("spawn").Pool(groups) as pool:
            told = pool.starmap(watch, [(address, GROUP)] * groups, 1)
        refused = [one for found in told for one in found if one]
        print(f"{groups * GROUP} students on {SHAPE}, each {PLAYED} s: {len(refused)} were refused")
        for one in sorted({*refused}):
            print(f"{refused.count(one)} were told: {one}")
        most = megabytes(process, "VmHWM")
        print(f"memory of the server: {first:.0f} MB before, at most {most:.0f} MB")


PARTS = {"attacks": attacks, "students": students}


def main() -> None:
    """Run the parts that are named, each with the number after it."""
    given = sys.argv[1:] or [*PARTS]
    for name, number in zip(given, [*given[1:], ""], strict=True):
        if name in PARTS:
            PARTS[name](*([int(number)] if number.isdecimal() else []))


if __name__ == "__main__":
    main()
