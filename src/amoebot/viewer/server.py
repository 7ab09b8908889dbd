"""The server: the page's files, and a socket for each page that is open.

It listens on this machine only unless told otherwise, answers only those who call it by its own
name (so no foreign site can reach it through the reader's browser), and reads no file but the
page's own.
"""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import json
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from amoebot.linking import watchdog
from amoebot.runs import Run
from amoebot.viewer.bundle import STATIC, page
from amoebot.viewer.capacity import MOST_READERS, Capacity
from amoebot.viewer.session import Answer, Session

#: The longest request that is read, in characters, and how many may wait to be answered.
LONGEST, WAITING = 8_000_000, 64

#: Seconds that one call of a rule or a scheduler may take.
PATIENCE = 5.0

#: What a page on another machine asks for: moments packed, and how thoroughly.
PACKED, PACKING = "gzip", 1

#: Beyond this, the connection is closed by the web server itself.
HARD_LIMIT = 32_000_000

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
}


def application(run: Run, host: str = "127.0.0.1") -> ASGIApp:
    """Return the web application that shows a run at first."""

    index, capacity = page(), Capacity()

    async def show_page(request: Request) -> Response:
        return HTMLResponse(index)

    async def live(socket: WebSocket) -> None:
        await serve(socket, run, capacity)

    routes = [
        Route("/", show_page),
        WebSocketRoute("/live", live),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes), host)


class Guard:
    """Refuses requests that address the server by another name, or come from another site."""

    def __init__(self, inner: ASGIApp, host: str) -> None:
        """Guard an application that listens under a name or address."""
        self._inner = inner
        self._names = {"localhost", "127.0.0.1", "[::1]", host.lower()}
        self._anywhere = host in ("0.0.0.0", "::")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        sent = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        reason = self.objection(sent.get(b"host", ""), sent.get(b"origin"))
        if reason is None:
            await self._inner(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket" and "websocket.http.response" not in scope.get(
            "extensions", {}
        ):
            await send({"type": "websocket.close", "code": 4403, "reason": reason})
        else:
            await PlainTextResponse(reason, 403)(scope, receive, send)

    def objection(self, host: str, origin: str | None) -> str | None:
        """Return why a request is refused, or None."""
        name = host.lower().rpartition(":")[0] if not host.endswith("]") else host.lower()
        name = name or host.lower()
        if name not in self._names and not (self._anywhere and _is_address(name)):
            return f"refused: this server is not called {host[:100]!r}"
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return f"refused: requests from {origin[:100]!r} are not answered"
        return None


def _is_address(name: str) -> bool:
    """Whether a name is a plain address, which no foreign site can have."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return sending


async def serve(socket: WebSocket, run: Run, capacity: Capacity) -> None:
    """Answer the requests of one page until it is closed."""
    packs = PACKED in socket.scope["subprotocols"]
    await socket.accept(PACKED if packs else None)
    if capacity.is_full():
        await socket.close(4429, f"{MOST_READERS} pages are open, and there is room for no more")
        return
    # A thread for each page: however busy one of them is, the others have theirs.
    thread = ThreadPoolExecutor(1)
    try:
        opening = asyncio.get_running_loop().run_in_executor(thread, Session, run, capacity)
        session = await opening
    except ValueError as error:
        await socket.close(4429, str(error)[:120])
        return
    waiting: asyncio.Queue[str] = asyncio.Queue(WAITING)
    tasks = (
        asyncio.create_task(_read_all(socket, waiting)),
        asyncio.create_task(_answer_all(socket, partial(_reply, session, packs), waiting, thread)),
    )
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        session.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        thread.shutdown(wait=False, cancel_futures=True)


async def _read_all(socket: WebSocket, waiting: asyncio.Queue[str]) -> None:
    """Take in requests; with too many of them unanswered, the page has to wait."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        await waiting.put(message.get("text") or "")


async def _answer_all(
    socket: WebSocket,
    reply: Callable[[str], str | bytes],
    waiting: asyncio.Queue[str],
    thread: ThreadPoolExecutor,
) -> None:
    """Answer requests in the order in which they came."""
    loop = asyncio.get_running_loop()
    number = await loop.run_in_executor(thread, threading.get_ident)
    while True:
        asked = await waiting.get()
        answering = loop.run_in_executor(thread, reply, asked)
        if blamed := await _endless(answering, number):
            await socket.close(4408, f"{blamed} does not end"[:120])
            return
        answer = await answering
        try:
            if isinstance(answer, bytes):
                await socket.send_bytes(answer)
            else:
                await socket.send_text(answer)
        except (WebSocketDisconnect, RuntimeError):  # the page was closed meanwhile
            return


async def _endless(answering: asyncio.Future[str | bytes], thread: int) -> str:
    """Wait for an answer; return what is to blame if it does not come, such as a scheduler."""
    known: list[watchdog.calling] = []
    while not (await asyncio.wait({answering}, timeout=PATIENCE))[0]:
        now = watchdog.calls_of(thread)
        same = [call for call in now if call in known]
        if same and not watchdog.is_compiling():
            return same[-1].what
        known = now
    return ""


def _reply(session: Session, packs: bool, asked: str) -> str | bytes:
    """Return what is sent. A page's own thread writes and packs it, so that nobody else waits."""
    answer = _answer(session, asked)
    if isinstance(answer, bytes):
        return gzip.compress(answer, PACKING, mtime=0) if packs else answer
    return json.dumps(answer)


def _answer(session: Session, asked: str) -> Answer:
    if len(asked) > LONGEST:
        message = f"a request has at most {LONGEST:,} characters, and this one has {len(asked):,}"
        return {"kind": "error", "message": message}
    try:
        request = json.loads(asked)
    except (ValueError, RecursionError):
        return {"kind": "error", "message": "this is not JSON"}
    try:
        return session.answer(request)
    except Exception as error:  # a mistake of ours must not leave the page without an answer
        traceback.print_exc()
        return {"kind": "error", "message": f"internal error in the viewer: {error!r}"}
