"""How tests run the viewer's server, and talk to it."""

from __future__ import annotations

import json
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import numpy as np
import uvicorn
from websockets.sync.client import ClientConnection, connect

from amoebot import Simulation, shapes
from amoebot.algorithms import registry
from amoebot.render.frames import FULL, HEAD, PARTICLE, unit_format
from amoebot.runs import Run
from amoebot.viewer.listening import configuration, listen


@cache
def compile_elections() -> None:
    """Compile what pages ask for, which takes longer than they are waited for."""
    for algorithm in registry.built_in():
        simulation = Simulation(shapes.hexagon(1), algorithm=algorithm)
        simulation.what_if(0)
        simulation.coins_ahead(0)
        simulation.run()


@contextmanager
def serving(run: Run) -> Iterator[str]:
    """Run a server in a thread; provide its host and port."""
    compile_elections()
    socket = listen("127.0.0.1", 0, or_any=False)
    server = uvicorn.Server(configuration(run, "127.0.0.1"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


class Reader:
    """Asks a server as a page does."""

    def __init__(self, address: str, **options: Any) -> None:
        self._until_closed = ExitStack()
        opening = connect(f"ws://{address}/live", max_size=None, **options)
        self.socket: ClientConnection = self._until_closed.enter_context(opening)

    def send(self, request: Any) -> None:
        self.socket.send(request if isinstance(request, str) else json.dumps(request))

    def receive(self) -> Any:
        answer = self.socket.recv(timeout=120)
        return json.loads(answer) if isinstance(answer, str) else answer

    def ask(self, what: str, **details: Any) -> Any:
        self.send({"do": what, **details})
        return self.receive()

    def picture(self) -> bytes:
        """Return the present moment in full."""
        frame: bytes = self.ask("look")
        return frame

    def close(self) -> None:
        self._until_closed.close()


def head(frame: bytes) -> dict[str, Any]:
    """Return what a frame says about its moment."""
    found = np.frombuffer(frame, HEAD, 1)[0]
    return {name: found[name].item() for name in HEAD.names or ()}


class Known:
    """What a page knows of a run's memories, as bytes."""

    def __init__(self, simulation: Simulation) -> None:
        self.units = np.zeros_like(unit_format(simulation).pack(simulation.memory))
        self.particles = np.zeros_like(PARTICLE.pack(simulation.particle_memory))

    def apply(self, frame: bytes) -> None:
        """Write down what a frame says, as the page does."""
        about, at = head(frame), HEAD.itemsize
        for name, known in (("unit", self.units), ("particle", self.particles)):
            if about["kind"] == FULL:
                known[:] = 0
            rows, columns = about[f"{name}s"], about[f"{name}_bytes"]
            places = np.frombuffer(frame, np.uint8, columns, at)
            at = -(-(at + columns) // 4) * 4
            which = np.arange(len(known))
            if rows < len(known):
                which = np.frombuffer(frame, "<u4", rows, at)
                at += which.nbytes
            content = np.frombuffer(frame, np.uint8, rows * columns, at).reshape(columns, rows)
            known[np.ix_(which, places)] = content.T
            at = -(-(at + content.size) // 4) * 4

    def agrees_with(self, simulation: Simulation) -> bool:
        """Whether this is what the particles remember."""
        units = unit_format(simulation).pack(simulation.memory)
        particles = PARTICLE.pack(simulation.particle_memory)
        return bool((self.units == units).all() and (self.particles == particles).all())


def stage_of(message: bytes) -> dict[str, Any]:
    """Return what a stage says about its run."""
    (length,) = struct.unpack_from("<I", message)
    found: dict[str, Any] = json.loads(message[4 : 4 + length])
    return found


def fetch(address: str, path: str, **headers: str) -> tuple[int, str]:
    """Return the status and the text of a page."""
    request = urllib.request.Request(f"http://{address}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
