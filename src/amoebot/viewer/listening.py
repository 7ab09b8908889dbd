"""Starting the server, and the reader's browser."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

import uvicorn

from amoebot.runs import Run
from amoebot.viewer.server import HARD_LIMIT, application


def listen(host: str, port: int, or_any: bool) -> socket.socket:
    """Return a socket that listens on a port, or on any free one if that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    if os.name != "nt":  # where it would let two servers share a port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        _bind(found, host, port, or_any)
        found.listen(128)
    except OSError:
        found.close()
        raise
    return found


def _bind(found: socket.socket, host: str, port: int, or_any: bool) -> None:
    try:
        found.bind((host, port))
    except OverflowError:
        raise OSError(f"there is no port {port}") from None
    except OSError:
        if not or_any:
            raise
        found.bind((host, 0))


def run_server(
    run: Run, host: str, listening: socket.socket, open_browser: bool, beside: str = ""
) -> None:
    """Serve until Ctrl-C; ``beside`` is another election to be shown beside the run."""
    port = listening.getsockname()[1]
    name = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
    address += f"#beside={beside}" if beside else ""
    print(f"The viewer is at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    for line in exposure(host, port):
        print(line, file=sys.stderr, flush=True)
    if open_browser:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    sys.setswitchinterval(0.001)  # threads that compute make way sooner for the one that answers
    gc.freeze()  # all that the compiler has made: looking through it again and again takes long
    Server(configuration(run, host)).run(sockets=[listening])


class Server(uvicorn.Server):
    """The web server, which ends with Ctrl-C."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the program at once: nobody can interrupt what is under way in its threads."""
        os._exit(0)


def exposure(host: str, port: int) -> Iterator[str]:
    """Yield a warning with the server's addresses if others on the network can reach it."""
    if is_own(host):
        return
    found = own_addresses() if host in ("0.0.0.0", "::") else [host]
    named = [f"http://[{one}]:{port}/" if ":" in one else f"http://{one}:{port}/" for one in found]
    yield f"Others on your network can open {' or '.join(named) or 'it'}."
    yield "They can run elections on this machine, and see none of its files."


def is_own(host: str) -> bool:
    """Whether nobody but this machine can reach a host."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def own_addresses() -> list[str]:
    """Return the addresses of this machine that others may reach; nothing is sent to find out."""
    found: list[str] = []
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None)]
    others = dict.fromkeys(str(one).partition("%")[0] for one in found)
    return [one for one in others if not ipaddress.ip_address(one).is_loopback]


def configuration(run: Run, host: str) -> uvicorn.Config:
    """Return the configuration of the web server."""
    return uvicorn.Config(
        application(run, f"[{host}]" if ":" in host else host),
        log_level="error",  # what strangers send is not worth a line
        ws="websockets-sansio",
        ws_max_size=HARD_LIMIT,
        ws_per_message_deflate=False,  # it would pack all readers' moments in one thread
        lifespan="off",
        server_header=False,
    )
