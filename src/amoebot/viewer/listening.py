"""Starting the server, and the reader's browser."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser

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
    if open_browser:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    uvicorn.Server(configuration(run, host)).run(sockets=[listening])


def configuration(run: Run, host: str) -> uvicorn.Config:
    """Return what the web server has to know."""
    return uvicorn.Config(
        application(run, f"[{host}]" if ":" in host else host),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=HARD_LIMIT,
        lifespan="off",
        timeout_graceful_shutdown=1,
        server_header=False,
    )
